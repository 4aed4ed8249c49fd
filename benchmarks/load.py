"""Many concurrent callers over Streamable HTTP: a generated server, MCPServer and FastMCP.

Each server is a separate process with the same tool, and they are measured in turn. The generated
one is the project as written, with its limits and with the tool implemented. Every caller has its
own connection and identity, and each result is compared with the expected one. The server's CPU
time is measured too, because callers share the machine. Memory is measured between turns. The
benchmark needs /proc. FastMCP is left out if it isn't installed.

``--auth`` gives each caller an access token (a JWT with RS256), which the generated server and
MCPServer verify. ``--redis`` lets the generated server share its state in Redis, which it starts.
"""

from __future__ import annotations

import argparse
import asyncio
import http.server
import importlib.util
import json
import os
import resource
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from statistics import quantiles
from typing import Any

import timing

from mcpgen.codegen.server_pipeline import ServerOptions, generate_server
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


server = {kind}("bench"{auth})


@server.tool()
async def find(caller: int, turn: int) -> Found:
    """Find some items."""
    items = [Item(id=str(n), rank=n, tags=["a", "b"]) for n in range(10)]
    return Found(caller=caller, turn=turn, items=items)


{run}
'''
SDK_AUTH = """\
import os

import jwt
from mcp.server import MCPServer
from mcp.server.auth.provider import AccessToken
from mcp.server.auth.settings import AuthSettings

RESOURCE, ISSUER = os.environ["MCPGEN_AUTH_RESOURCE"], os.environ["MCPGEN_AUTH_ISSUER"]


class Verifier:
    async def verify_token(self, token):
        claims = jwt.decode(
            token, os.environ["PUBLIC_KEY"], algorithms=["RS256"], audience=RESOURCE, issuer=ISSUER
        )
        return AccessToken(
            token=token, client_id="load", scopes=[], subject=claims["sub"], resource=RESOURCE
        )


settings = AuthSettings(
    issuer_url=ISSUER, resource_server_url=RESOURCE, validate_token_resource=True
)
"""
SDK = OTHER.format(
    load="from mcp.server import MCPServer",
    kind="MCPServer",
    auth="",
    run='server.settings.log_level = "ERROR"\nserver.run("streamable-http", port=int(sys.argv[2]))',
)
SDK_WITH_AUTH = OTHER.format(
    load=SDK_AUTH,
    kind="MCPServer",
    auth=", auth=settings, token_verifier=Verifier()",
    run='server.settings.log_level = "ERROR"\nserver.run("streamable-http", port=int(sys.argv[2]))',
)
FASTMCP = OTHER.format(
    load="from fastmcp import FastMCP",
    kind="FastMCP",
    auth="",
    run='server.run("http", port=int(sys.argv[2]), log_level="error", show_banner=False)',
)
ITEMS = [{"id": str(n), "rank": n, "tags": ["a", "b"]} for n in range(10)]
HEADERS = {
    "Host": "127.0.0.1:80",
    "Content-Type": "application/json",
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
    """The measurements of one server."""

    name: str
    process: subprocess.Popen[bytes]
    port: int
    seconds: float = 0.0
    cpu: float = 0.0
    calls: int = 0
    wrong: int = 0
    dropped: int = 0
    times: list[float] = field(default_factory=list)
    memory: list[float] = field(default_factory=list)

    @property
    def rate(self) -> float:
        """Return the calls per second."""
        return self.calls / self.seconds

    @property
    def cost(self) -> float:
        """Return the CPU time of the server per call, in milliseconds."""
        return self.cpu / self.calls * 1e3

    def row(self) -> timing.Row:
        """Return a line of the table."""
        cuts = quantiles(self.times, n=100)
        return {
            "server": self.name,
            "calls": self.calls,
            "calls / s": self.rate,
            "CPU ms / call": self.cost,
            "wrong": self.wrong,
            "lost": self.dropped,
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
        yield Tally(name, process, port)
    finally:
        process.terminate()
        process.wait(timeout=20)


async def turn(tally: Tally, callers: int, seconds: float, *, counts: bool) -> None:
    """Run all callers against one server for some seconds, after all are connected."""
    connected = [await asyncio.open_connection("127.0.0.1", tally.port) for _ in range(callers)]
    tally_ = tally if counts else replace(tally, times=[], memory=[])
    began, cpu = time.monotonic(), used(tally.process.pid)
    everyone = (
        call(caller, *streams, tally_, began + seconds) for caller, streams in enumerate(connected)
    )
    await asyncio.gather(*everyone)
    tally_.seconds += time.monotonic() - began
    tally_.cpu += used(tally.process.pid) - cpu
    tally_.memory.append(resident(tally.process.pid))


async def call(
    caller: int,
    reader: asyncio.StreamReader,
    writer: asyncio.StreamWriter,
    tally: Tally,
    ends: float,
) -> None:
    """Call until the time is up, and compare each result with the expected one."""
    number = 0
    while time.monotonic() < ends:
        number += 1
        arguments = {"caller": caller, "turn": number}
        params = {"name": "find", "arguments": arguments, "_meta": META}
        request = {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}
        began = time.perf_counter()
        try:
            writer.write(posted(request, caller))
            answer = await read(reader)
        except (OSError, ValueError, asyncio.IncompleteReadError):
            tally.dropped += 1
            break
        tally.calls += 1
        tally.times.append(time.perf_counter() - began)
        is_right = answer.get("id") == number and answer.get("result", {}).get(
            "structuredContent"
        ) == {**arguments, "items": ITEMS}
        tally.wrong += not is_right
    writer.close()


TOKENS: list[str] = []
"""The access token of each caller, if they need one."""


def posted(request: Json, caller: int) -> bytes:
    """Return a request of a caller as forwarded by a trusted proxy."""
    body = json.dumps(request).encode()
    address = f"10.0.{caller // 250}.{caller % 250 + 1}"
    lines = [f"{name}: {value}" for name, value in {**HEADERS, "X-Forwarded-For": address}.items()]
    lines += [f"Authorization: Bearer {TOKENS[caller]}"] if TOKENS else []
    head = "\r\n".join(["POST /mcp HTTP/1.1", *lines, f"Content-Length: {len(body)}"])
    return f"{head}\r\n\r\n".encode() + body


async def read(reader: asyncio.StreamReader) -> dict[str, Any]:
    """Return the server's response, one JSON document."""
    head = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
    length = int(head.partition("content-length:")[2].partition("\r\n")[0])
    response: dict[str, Any] = json.loads(await reader.readexactly(length))
    return response


def used(pid: int) -> float:
    """Return the CPU time of a process in seconds."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def resident(pid: int) -> float:
    """Return the memory of a process in megabytes."""
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * 4096 / 1e6


@contextmanager
def issuing(callers: int) -> Iterator[None]:
    """Issue a token for each caller, and serve the key that verifies them."""
    import jwt
    from cryptography.hazmat.primitives import serialization
    from cryptography.hazmat.primitives.asymmetric import rsa

    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    jwk = {**json.loads(jwt.algorithms.RSAAlgorithm.to_jwk(key.public_key())), "kid": "1"}
    body = json.dumps({"keys": [{k: v for k, v in jwk.items() if k != "key_ops"}]}).encode()

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            del format, args

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{server.server_port}"
    public = key.public_key().public_bytes(
        serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
    )
    os.environ |= {
        "MCPGEN_AUTH_ISSUER": url,
        "MCPGEN_AUTH_RESOURCE": f"{url}/mcp",
        "MCPGEN_AUTH_JWKS_URL": f"{url}/jwks",
        "PUBLIC_KEY": public.decode(),
    }
    claims = {"iss": url, "aud": f"{url}/mcp", "exp": int(time.time()) + 86_400}
    TOKENS[:] = [
        jwt.encode({**claims, "sub": str(n)}, key, algorithm="RS256", headers={"kid": "1"})
        for n in range(callers)
    ]
    try:
        yield
    finally:
        TOKENS.clear()
        server.shutdown()
        server.server_close()


@contextmanager
def redis() -> Iterator[None]:
    """Start Redis on a free port."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = ["redis-server", "--port", str(port), "--save", ""]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    os.environ |= {"REDIS_URL": f"redis://127.0.0.1:{port}", "MCPGEN_STATE_KEYS": "0" * 32}
    try:
        yield
    finally:
        process.terminate()
        process.wait(timeout=20)


def servers(
    folder: Path, callers: int, *, auth: bool, with_redis: bool
) -> Iterator[tuple[str, list[str], Path]]:
    """Write the servers, and yield the name, command and folder of each."""
    project = generate_server(
        Contract(tools={"find": TOOL}, server={"name": "bench"}),
        ServerOptions(name="bench", auth="jwt" if auth else "", redis=with_redis),
    )
    source = folder / "src"
    write.write(project.generated, source / "bench" / "_generated")
    for name, text in {**project.own, "src/bench/tools.py": TOOLS}.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    options = ["--log-level", "warning", "--trust-proxy", "127.0.0.1"]
    # One more connection tests whether the server listens.
    options += ["--max-calls", str(callers), "--max-connections", str(callers + 1)]
    yield "generated", ["-m", "bench", *options], source
    (folder / "sdk.py").write_text(SDK_WITH_AUTH if auth else SDK)
    yield "MCPServer", ["sdk.py"], folder
    if importlib.util.find_spec("fastmcp") and not auth:
        (folder / "fast.py").write_text(FASTMCP)
        yield "FastMCP", ["fast.py"], folder


async def measure(tallies: list[Tally], callers: int, seconds: float, turns: int) -> None:
    """Measure the servers in turn. A first turn, which isn't counted, warms them up."""
    for tally in tallies:
        await turn(tally, callers, min(5.0, seconds / turns), counts=False)
    for _ in range(turns):
        for tally in tallies:
            await turn(tally, callers, seconds / turns, counts=True)


def main() -> None:
    """Print the measurements of each server."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--callers", type=int, nargs="+", default=[200, 1000])
    parser.add_argument("--seconds", type=float, default=60.0, help="of load for each server")
    parser.add_argument("--turns", type=int, default=6)
    parser.add_argument("--auth", action="store_true", help="callers have access tokens")
    parser.add_argument("--redis", action="store_true", help="the generated server uses Redis")
    namespace = parser.parse_args()
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(namespace.callers) + 500,) * 2)
    print("The generated server runs as its project is written, with its limits:\n")
    for callers in namespace.callers:
        compare(
            callers,
            namespace.seconds,
            namespace.turns,
            auth=namespace.auth,
            with_redis=namespace.redis,
        )


def compare(callers: int, seconds: float, turns: int, *, auth: bool, with_redis: bool) -> None:
    """Print a table of all servers with this number of callers."""
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        if auth:
            stack.enter_context(issuing(callers))
        if with_redis:
            stack.enter_context(redis())
        tallies = [
            stack.enter_context(started(name, command, path))
            for name, command, path in servers(
                Path(folder), callers, auth=auth, with_redis=with_redis
            )
        ]
        asyncio.run(measure(tallies, callers, seconds, turns))
        print(f"{callers:,} callers, each with a connection and an identity of its own;")
        print(f"{seconds:g} seconds of load for each server\n")
        print(timing.table([tally.row() for tally in tallies]))
        first, *later = tallies
        for other in later:
            rate, cost = first.rate / other.rate, other.cost / first.cost
            print(f"\n{first.name} ÷ {other.name}: {rate:.2f} in time, {cost:.2f} in CPU", end="")
        print("\n")
        if first.wrong or first.dropped:
            sys.exit("the generated server gave a wrong answer, or none")


if __name__ == "__main__":
    main()
