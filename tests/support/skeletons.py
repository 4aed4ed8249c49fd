"""Generated servers, written to disk and imported as users do."""

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
import sdk_programs
from checkers import write
from guards import PATIENCE
from mcp import Client, MCPError, types
from paths import ROOT

from mcpgen.codegen.server_pipeline import GeneratedServer, ServerOptions, generate_server
from mcpgen.codegen.user_code import GENERATED
from mcpgen.contract.document import Contract, read
from mcpgen.contract.lists import LISTINGS
from mcpgen.jsontext import Json, loads
from mcpgen.servers.recording.wire.recording_transport import memory
from mcpgen.servers.recording.wire.sdk_attempt import root_cause
from mcpgen.servers.recording.wire.session import ask
from mcpgen.servers.recording.wire.transcript import Transcript

DEMO = ROOT / "golden" / "demo" / "contract.json"
AUTHOR = Path(__file__).parent / "author"
MODES = ("auto", "legacy")


def demo() -> Contract:
    """Return the contract that ``tests/support/author`` implements."""
    return read(loads(DEMO.read_bytes()))


def project(contract: Contract, folder: Path, name: str = "", author: Path | None = None) -> Path:
    """Write a project with the author's files instead of the generated ones."""
    generated_server = generate_server(contract, ServerOptions(name=name, standalone=False))
    target = write_all(generated_server, folder)
    for file in author.glob("*.py") if author else ():
        (target / "src" / generated_server.package / file.name).write_bytes(file.read_bytes())
    return target


def write_all(generated_server: GeneratedServer, folder: Path) -> Path:
    """Write all files of a server, as the command does."""
    target = write(generated_server.own, folder / generated_server.package)
    write(generated_server.generated, target / "src" / generated_server.package / GENERATED)
    return target


@contextmanager
def import_server(folder: Path) -> Iterator[ModuleType]:
    """Import the ``server`` module of a project, and forget its package afterwards."""
    package = folder.name
    sys.path.insert(0, str(folder / "src"))
    importlib.invalidate_caches()
    try:
        yield importlib.import_module(f"{package}.server")
    finally:
        sys.path.remove(str(folder / "src"))
        for name in [name for name in sys.modules if name.split(".")[0] == package]:
            del sys.modules[name]


async def call(server: Any, tool: str, arguments: Json, mode: str = "auto", **options: Any) -> Any:
    """Call a tool over a new connection."""
    async with Client(server, mode=mode, **options) as client:  # type: ignore[arg-type]
        return await client.call_tool(tool, arguments)


async def list_raw_tools(server: Any, mode: str) -> dict[str, Json]:
    """Return the raw tools of a server in listed order."""
    transcript = Transcript()
    answers = await ask(memory(server, transcript), transcript, mode)
    tools = [tool for page in answers.pages["tools/list"] for tool in page["tools"]]
    return {tool["name"]: tool for tool in tools}


async def list_everything(server: Any, mode: str) -> dict[str, Json]:
    """Return a server's information and lists by protocol method."""
    transcript = Transcript()
    answers = await ask(memory(server, transcript), transcript, mode)
    greeting = answers.greeting
    server_info = greeting.get("serverInfo") or greeting["_meta"][types.SERVER_INFO_META_KEY]
    result: dict[str, Json] = {
        "serverInfo": server_info,
        "capabilities": greeting["capabilities"],
    }
    result["instructions"] = greeting.get("instructions", "")
    for listing in LISTINGS:
        pages = answers.pages.get(listing.method, ())
        result[listing.member] = [entry for page in pages for entry in page[listing.member]]
    return result


def recorded_lists(document: Json, mode: str) -> dict[str, Json]:
    """Return the information and lists that a server of a recording must return, in order."""
    result: dict[str, Json] = {
        member: {entry[key]: entry for entry in reversed(document[member] or ())}
        for member, key in KEYS.items()
    }
    for member, key in KEYS.items():
        names = dict.fromkeys(entry[key] for entry in document[member] or ())
        result[member] = [result[member][name] for name in names]
    result["tools"] = list(expected_definitions(read({"tools": result["tools"]}), mode).values())
    for part in ("serverInfo", "capabilities"):
        result[part] = document[part]
    return {**result, "instructions": document.get("instructions") or ""}


KEYS = {
    "tools": "name",
    "prompts": "name",
    "resources": "uri",
    "resourceTemplates": "uriTemplate",
}


def text(result: Any) -> str:
    """Return the text of a result."""
    return "\n".join(block.text for block in result.content if block.type == "text")


def expected_definitions(contract: Contract, mode: str) -> dict[str, Mapping[str, Json]]:
    """Return the definitions as a client of that protocol must see them. Input schemas must have
    the type ``object``, and before 2026-07-28 output schemas too.
    """
    result: dict[str, Mapping[str, Json]] = {}
    for raw in contract.definitions_in_order("tools"):
        tool = {
            **raw,
            "inputSchema": {**(raw.get("inputSchema") or {}), "type": "object"},
        }
        output = tool.get("outputSchema")
        is_object = isinstance(output, dict) and output.get("type") == "object"
        if not isinstance(output, dict) or (mode == "legacy" and not is_object):
            tool.pop("outputSchema", None)
        result[tool["name"]] = tool
    return result


@contextmanager
def http(folder: Path, *options: str) -> Iterator[str]:
    """Start a server on a free port, and wait until it answers."""
    port = free_port()
    command = sdk_programs.command("-m", folder.name, "--http", str(port), *options)
    process = subprocess.Popen(
        command,
        env=os.environ | {"PYTHONPATH": str(folder / "src")},
        stderr=subprocess.PIPE,
    )
    try:
        await_answer(port, process)
        yield f"http://127.0.0.1:{port}/mcp"
    finally:
        process.terminate()
        process.communicate(timeout=PATIENCE)


def free_port() -> int:
    """Return a port that nothing listens on."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
    return port


def await_answer(port: int, process: subprocess.Popen[Any]) -> None:
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
    result = RaisedError()
    try:
        yield result
    except BaseException as error:
        cause = root_cause(error)
        assert isinstance(cause, MCPError), cause
        result.code, result.message = cause.code, cause.message
    else:
        pytest.fail("no error")


@dataclass
class RaisedError:
    code: int = 0
    message: str = ""
