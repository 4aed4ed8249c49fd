"""Generated servers, written out and imported as their authors and clients do."""

from __future__ import annotations

import importlib
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from checkers import write
from conftest import ROOT
from guards import PATIENCE
from mcp import Client, MCPError

from mcpgen.author import GENERATED
from mcpgen.contract import Contract, read
from mcpgen.jsontext import Json, loads
from mcpgen.live.ask import ask
from mcpgen.live.failure import leaf
from mcpgen.live.tap import Heard
from mcpgen.live.transport import memory
from mcpgen.pipeline import GeneratedServer, ServerOptions, generate_server

DEMO = ROOT / "golden" / "demo" / "contract.json"
AUTHOR = Path(__file__).parent / "author"
MODES = ("auto", "legacy")


def demo() -> Contract:
    """Return the contract that ``tests/author`` implements."""
    return read(loads(DEMO.read_bytes()))


def project(contract: Contract, folder: Path, name: str = "", author: Path | None = None) -> Path:
    """Write a project, with the author's files in the place of those that were generated."""
    made = generate_server(contract, ServerOptions(name=name))
    place = write_all(made, folder)
    for file in author.glob("*.py") if author else ():
        (place / "src" / made.package / file.name).write_bytes(file.read_bytes())
    return place


def write_all(made: GeneratedServer, folder: Path) -> Path:
    """Write all files of a server, as the command does."""
    place = write(made.own, folder / made.package)
    write(made.generated, place / "src" / made.package / GENERATED)
    return place


@contextmanager
def imported(place: Path) -> Iterator[ModuleType]:
    """Import the ``server`` module of a project, and forget its package afterwards."""
    package = place.name
    sys.path.insert(0, str(place / "src"))
    importlib.invalidate_caches()
    try:
        yield importlib.import_module(f"{package}.server")
    finally:
        sys.path.remove(str(place / "src"))
        for name in [name for name in sys.modules if name.split(".")[0] == package]:
            del sys.modules[name]


async def call(server: Any, tool: str, given: Json, mode: str = "auto", **options: Any) -> Any:
    """Call one tool over a connection of its own."""
    async with Client(server, mode=mode, **options) as client:  # type: ignore[arg-type]
        return await client.call_tool(tool, given)


async def listed(server: Any, mode: str) -> dict[str, Json]:
    """Return what the tools of a server look like on the wire, in the order they come in."""
    answers = await ask(memory(server), Heard(), mode)
    tools = [tool for page in answers.pages["tools/list"] for tool in page["tools"]]
    return {tool["name"]: tool for tool in tools}


def text(result: Any) -> str:
    """Return the text of a result."""
    return "\n".join(block.text for block in result.content if block.type == "text")


def expected(contract: Contract, mode: str) -> dict[str, Mapping[str, Json]]:
    """Return the definitions as a client of that era must see them.

    The protocol wants input schemas of the type ``object``, and before 2026-07-28 output too.
    """
    found: dict[str, Mapping[str, Json]] = {}
    for name, raw in contract.tools.items():
        tool = {**raw, "inputSchema": {**(raw.get("inputSchema") or {}), "type": "object"}}
        output = tool.get("outputSchema")
        is_object = isinstance(output, dict) and output.get("type") == "object"
        if not isinstance(output, dict) or (mode == "legacy" and not is_object):
            tool.pop("outputSchema", None)
        found[name] = tool
    return found


@contextmanager
def http(place: Path, *options: str) -> Iterator[str]:
    """Start a server on a free port, and wait until it answers."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", place.name, "--http", str(port), *options]
    process = subprocess.Popen(
        command, env=os.environ | {"PYTHONPATH": str(place / "src")}, stderr=subprocess.PIPE
    )
    try:
        await_answer(port, process)
        yield f"http://127.0.0.1:{port}/mcp"
    finally:
        process.terminate()
        process.communicate(timeout=PATIENCE)


def await_answer(port: int, process: subprocess.Popen[bytes]) -> None:
    """Wait until a process listens on a port here, however busy the machine is."""
    while process.poll() is None:
        time.sleep(0.05)
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
    raise AssertionError(f"the server ended with {process.returncode} before it listened")


@contextmanager
def raises_mcp() -> Iterator[Any]:
    """Take the protocol error out of the groups that the SDK's client puts it into."""
    found = Found()
    try:
        yield found
    except BaseException as error:
        cause = leaf(error)
        assert isinstance(cause, MCPError), cause
        found.code, found.message = cause.code, cause.message
    else:
        pytest.fail("no error")


@dataclass
class Found:
    code: int = 0
    message: str = ""
