"""Many callers at once over Streamable HTTP: a generated server beside MCPServer and FastMCP.

Each server is a process of its own with the same tool, and each takes its turn. Every answer is
compared with what it must be; memory is read between the turns. FastMCP is left out where it is
not installed.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from statistics import quantiles
from typing import Any

import anyio
import httpx2
import timing

from mcpgen.codegen.pipeline import ServerOptions, generate_server
from mcpgen.contract.document import Contract
from mcpgen.files import write
from mcpgen.jsontext import Json

ITEM: Json = {
    "type": "object",
    "properties": {
        "id": {"type": "string"},
        "rank": {"type": "integer"},
        "tags": {"type": "array", "items": {"type": "string"}},
    },
    "required": ["id", "rank", "tags"],
}
TOOL: Json = {
    "name": "find",
    "description": "Find some items.",
    "inputSchema": {
        "type": "object",
        "properties": {"caller": {"type": "integer"}, "turn": {"type": "integer"}},
        "required": ["caller", "turn"],
    },
    "outputSchema": {
        "type": "object",
        "properties": {
            "caller": {"type": "integer"},
            "turn": {"type": "integer"},
            "items": {"type": "array", "items": ITEM},
        },
        "required": ["caller", "turn", "items"],
    },
}
TOOLS = """\
from ._generated import BenchTools, Context
from ._generated.models.find import FindInput, FindOutput, FindOutputItemsItem


class Tools(BenchTools):
    async def find(self, arguments: FindInput, context: Context) -> FindOutput:
        items = [FindOutputItemsItem(id=str(n), rank=n, tags=["a", "b"]) for n in range(10)]
        return FindOutput(caller=arguments.caller, turn=arguments.turn, items=items)
"""
SERVER = """\
from ._generated import Limits, Policy, create, run
from .tools import Tools

server = create(Tools(), Policy(limits=Limits(timeout=60.0)))


def main() -> None:
    run(server)
"""
OTHER = '''\
import sys

{load}
from pydantic import BaseModel


class Item(BaseModel):
    id: str
    rank: int
    tags: list[str]


class Found(BaseModel):
    caller: int
    turn: int
    items: list[Item]


server = {kind}("bench")


@server.tool()
async def find(caller: int, turn: int) -> Found:
    """Find some items."""
    items = [Item(id=str(n), rank=n, tags=["a", "b"]) for n in range(10)]
    return Found(caller=caller, turn=turn, items=items)


{run}
'''
SDK = OTHER.format(
    load="from mcp.server import MCPServer",
    kind="MCPServer",
    run='server.settings.log_level = "ERROR"\nserver.run("streamable-http", port=int(sys.argv[2]))',
)
FASTMCP = OTHER.format(
    load="from fastmcp import FastMCP",
    kind="FastMCP",
    run='server.run("http", port=int(sys.argv[2]), log_level="error", show_banner=False)',
)
ITEMS = [{"id": str(n), "rank": n, "tags": ["a", "b"]} for n in range(10)]
HEADERS = {
    "Accept": "application/json, text/event-stream",
    "MCP-Protocol-Version": "2026-07-28",
    "Mcp-Method": "tools/call",
    "Mcp-Name": "find",
}
META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": {"name": "load", "version": "1"},
}


@dataclass
class Tally:
    """What was seen of one server."""

    name: str
    process: subprocess.Popen[bytes]
    url: str
    seconds: float = 0.0
    calls: int = 0
    wrong: int = 0
    lost: int = 0
    times: list[float] = field(default_factory=list)
    memory: list[float] = field(default_factory=list)

    def row(self) -> timing.Row:
        """Return a line of the table."""
        cuts = quantiles(self.times, n=100)
        return {
            "server": self.name,
            "calls": self.calls,
            "calls / s": self.calls / self.seconds,
            "wrong": self.wrong,
            "lost": self.lost,
            "median ms": cuts[49] * 1e3,
            "99 % ms": cuts[98] * 1e3,
            "MB, first turn": self.memory[0],
            "MB, last turn": self.memory[-1],
        }


@contextmanager
def started(name: str, command: list[str], folder: Path) -> Iterator[Tally]:
    """Start a server on a free port, and wait until it listens."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    process = subprocess.Popen(
        [sys.executable, *command, "--http", str(port)], cwd=folder, stderr=subprocess.DEVNULL
    )
    try:
        for _ in range(600):
            time.sleep(0.05)
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    break
        yield Tally(name, process, f"http://127.0.0.1:{port}/mcp")
    finally:
        process.terminate()
        process.wait(timeout=20)


async def turn(tally: Tally, callers: int, seconds: float, *, counts: bool) -> None:
    """Let all callers call one server for some seconds."""
    ends = time.monotonic() + seconds
    limits = httpx2.Limits(max_connections=callers, max_keepalive_connections=callers)
    began = time.monotonic()
    async with (
        httpx2.AsyncClient(limits=limits, timeout=30, headers=HEADERS) as http,
        anyio.create_task_group() as tasks,
    ):
        for caller in range(callers):
            tasks.start_soon(call, http, tally, caller, ends, counts)
    if counts:
        tally.seconds += time.monotonic() - began
        tally.memory.append(resident(tally.process.pid))


async def call(
    http: httpx2.AsyncClient, tally: Tally, caller: int, ends: float, counts: bool
) -> None:
    """Call until the time is over, and compare each answer with what it must be."""
    number = 0
    while time.monotonic() < ends:
        number += 1
        given = {"caller": caller, "turn": number}
        params = {"name": "find", "arguments": given, "_meta": META}
        request = {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}
        began = time.perf_counter()
        try:
            answer = read(await http.post(tally.url, json=request))
        except (httpx2.HTTPError, ValueError):
            tally.lost += 1
            continue
        if counts:
            tally.calls += 1
            tally.times.append(time.perf_counter() - began)
        is_right = answer.get("id") == number and answer.get("result", {}).get(
            "structuredContent"
        ) == {**given, "items": ITEMS}
        tally.wrong += not is_right


def read(response: httpx2.Response) -> dict[str, Any]:
    """Return the answer, whether it came as JSON or as the last event of a stream."""
    text = response.text
    if "text/event-stream" in response.headers.get("content-type", ""):
        text = [line for line in text.splitlines() if line.startswith("data: {")][-1][6:]
    found: dict[str, Any] = json.loads(text)
    return found


def resident(pid: int) -> float:
    """Return the memory of a process in megabytes."""
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * 4096 / 1e6


def servers(folder: Path) -> Iterator[tuple[str, list[str], Path]]:
    """Write the servers, and yield how each is started."""
    made = generate_server(
        Contract(tools={"find": TOOL}, server={"name": "bench"}), ServerOptions(name="bench")
    )
    source = folder / "src"
    write.write(made.generated, source / "bench" / "_generated")
    for name, text in (("tools.py", TOOLS), ("server.py", SERVER), ("__init__.py", "")):
        (source / "bench" / name).write_text(text)
    start = "from bench.server import main; main()"
    yield "generated", ["-c", start, "--log-level", "warning"], source
    (folder / "sdk.py").write_text(SDK)
    yield "MCPServer", ["sdk.py"], folder
    if importlib.util.find_spec("fastmcp"):
        (folder / "fast.py").write_text(FASTMCP)
        yield "FastMCP", ["fast.py"], folder


async def measure(tallies: list[Tally], callers: int, seconds: float, turns: int) -> None:
    """Let the servers take turns; a first one, which does not count, warms them."""
    for tally in tallies:
        await turn(tally, callers, min(5.0, seconds / turns), counts=False)
    for _ in range(turns):
        for tally in tallies:
            await turn(tally, callers, seconds / turns, counts=True)


def main() -> None:
    """Print what each server did."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--callers", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=60.0, help="of load for each server")
    parser.add_argument("--turns", type=int, default=6)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        tallies = [
            stack.enter_context(started(name, command, place))
            for name, command, place in servers(Path(folder))
        ]
        anyio.run(measure, tallies, asked.callers, asked.seconds, asked.turns)
        print(f"{asked.callers} callers, {asked.seconds:g} seconds of load for each server\n")
        print(timing.table([tally.row() for tally in tallies]))
        if any(tally.wrong or tally.lost for tally in tallies[:1]):
            sys.exit("the generated server gave a wrong answer, or none")


if __name__ == "__main__":
    main()
