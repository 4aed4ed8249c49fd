"""A generated server that runs as several replicas, and raw clients of the legacy protocol."""

from __future__ import annotations

import itertools
import json
import os
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import ExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx2
from guards import PATIENCE
from programs import started
from skeletons import await_answer, free_port, project

from mcpgen.contract.document import read

KEYS = "0123456789abcdef0123456789abcdef 00000000000000001111111111111111"
CONTRACT = read(
    {
        "server": {"name": "shop", "version": "1"},
        "capabilities": {
            "tools": {"listChanged": True},
            "resources": {"subscribe": True, "listChanged": True},
            "logging": {},
        },
        "tools": [
            *(
                {"name": name, "inputSchema": {"type": "object"}}
                for name in ("who", "ask", "slow", "change", "note", "push", "switch", "limited")
            ),
            {
                "name": "order",
                "inputSchema": {
                    "type": "object",
                    "properties": {"number": {"type": "string"}},
                    "required": ["number"],
                },
            },
            {
                "name": "task",
                "inputSchema": {"type": "object"},
                "execution": {"taskSupport": "optional"},
            },
        ],
        "resources": [{"uri": "shop://stock", "name": "stock"}],
    }
)
TOOLS = """\
import os

import anyio
from mcp import types

from ._generated import ShopResources, ShopTools, Subscriptions, extras

subscriptions = Subscriptions()


class Resources(ShopResources):
    async def stock(self, context):
        return "1"


class Tools(ShopTools):
    async def who(self, arguments, context):
        return str(os.getpid())

    async def ask(self, arguments, context):
        answer = await context.elicit("color", "Which color?", {"type": "object", "properties": {}})
        return f"{answer.action} {os.getpid()}"

    async def slow(self, arguments, context):
        marker = anyio.Path(os.environ["MARKERS"]) / extras(arguments)["marker"]
        await marker.with_suffix(".begun").touch()
        try:
            await anyio.sleep(extras(arguments).get("seconds", 60))
        except anyio.get_cancelled_exc_class():
            with anyio.CancelScope(shield=True):
                await marker.with_suffix(".cancelled").touch()
            raise
        return "done"

    async def change(self, arguments, context):
        await subscriptions.updated("shop://stock")
        return "changed"

    async def note(self, arguments, context):
        await context.log("info", "noted")
        return "noted"

    async def push(self, arguments, context):
        request = types.PingRequest()
        if extras(arguments).get("question"):
            try:
                await context.sdk.session.send_request(request, types.EmptyResult)
            except Exception as error:
                return f"{type(error).__name__}: {error}"
            return "answered"
        await context.sdk.session.send_tool_list_changed()
        return "pushed"

    async def switch(self, arguments, context):
        from .server import server

        change = server.tools.disable if extras(arguments)["off"] else server.tools.enable
        await change("limited")
        return "switched"

    async def limited(self, arguments, context):
        return "allowed"

    async def order(self, arguments, context):
        return arguments.number

    async def task(self, arguments, context):
        if extras(arguments).get("ask"):
            answer = await context.elicit("ok", "Go on?", {"type": "object", "properties": {}})
            return answer.action
        await anyio.sleep(extras(arguments).get("seconds", 60))
        return f"done {os.getpid()}"
"""
SERVER = """\
import os

from ._generated import Limits, Policy, Rate, RedisStore, create, run
from .tools import Resources, Tools, subscriptions

policy = Policy(
    store=RedisStore.from_env(limits_when_down=os.environ.get("WHEN_DOWN", "closed")),
    subscriptions=subscriptions,
    limits_of={"limited": Limits(rate=Rate(float(os.environ.get("RATE", "100")), per=20))},
)
server = create(Tools(), Resources(), policy)


def main():
    run(server)
"""


@dataclass
class Replicas:
    """Running replicas of one server."""

    folder: Path
    redis: str
    environment: dict[str, str] = field(default_factory=dict)
    options: tuple[str, ...] = ()
    ports: list[int] = field(default_factory=list)
    processes: list[subprocess.Popen[str]] = field(default_factory=list)

    @property
    def urls(self) -> list[str]:
        return [f"http://127.0.0.1:{port}/mcp" for port in self.ports]

    def command(self, port: int) -> list[str]:
        return [sys.executable, "-m", "shop", "--http", str(port), *self.options]

    @property
    def variables(self) -> dict[str, str]:
        return {
            **os.environ,
            "PYTHONPATH": str(self.folder / "shop" / "src"),
            "REDIS_URL": self.redis,
            "MCPGEN_STATE_KEYS": KEYS,
            "MARKERS": str(self.folder),
            **self.environment,
        }

    @contextmanager
    def replica(self, port: int) -> Iterator[subprocess.Popen[str]]:
        """Run a replica, whose output goes to a file."""
        log = self.folder / f"replica-{port}.log"
        with started(self.command(port), log, env=self.variables) as process:
            await_answer(port, process)
            yield process


def write_shop(folder: Path) -> None:
    """Write the project of the server."""
    target = project(CONTRACT, folder)
    (target / "src/shop/tools.py").write_text(TOOLS)
    (target / "src/shop/server.py").write_text(SERVER)


@contextmanager
def replicas(folder: Path, redis: str, count: int = 2, **environment: str) -> Iterator[Replicas]:
    """Start several replicas."""
    write_shop(folder)
    shop = Replicas(folder, redis, environment)
    with ExitStack() as stack:
        for _ in range(count):
            port = free_port()
            shop.ports.append(port)
            shop.processes.append(stack.enter_context(shop.replica(port)))
        yield shop


@dataclass
class Session:
    """A session of the legacy protocol, whose requests may go to any replica."""

    http: httpx2.AsyncClient
    id: str
    numbers: Iterator[int] = field(default_factory=lambda: itertools.count(10))

    @property
    def headers(self) -> dict[str, str]:
        return {"accept": ACCEPT, "mcp-session-id": self.id, "mcp-protocol-version": "2025-11-25"}

    async def send(self, url: str, **message: Any) -> httpx2.Response:
        """Send any message."""
        return await self.http.post(url, json={"jsonrpc": "2.0", **message}, headers=self.headers)

    async def request(self, url: str, method: str, **params: Any) -> Any:
        """Send a request, and return its result or error."""
        response = await self.send(url, id=next(self.numbers), method=method, params=params)
        assert response.status_code == 200, (response.status_code, response.text)
        message = [item for item in events(response.text) if "method" not in item][-1]
        return message.get("result", message.get("error"))

    async def call(self, url: str, tool: str, **arguments: Any) -> Any:
        """Call a tool, and return the text of its result."""
        result = await self.request(url, "tools/call", name=tool, arguments=arguments)
        return result["content"][0]["text"] if "content" in result else result

    @asynccontextmanager
    async def stream(self, url: str) -> AsyncIterator[AsyncIterator[Any]]:
        """Open the stream for notifications."""
        async with self.http.stream("GET", url, headers=self.headers) as response:
            assert response.status_code == 200, await response.aread()
            yield messages_of(response)

    @asynccontextmanager
    async def calling(self, url: str, tool: str, **arguments: Any) -> AsyncIterator[Any]:
        """Call a tool, and yield the messages on the response's stream."""
        message = {
            "jsonrpc": "2.0",
            "id": next(self.numbers),
            "method": "tools/call",
            "params": {"name": tool, "arguments": arguments},
        }
        async with self.http.stream("POST", url, json=message, headers=self.headers) as response:
            assert response.status_code == 200, await response.aread()
            yield messages_of(response)


ACCEPT = "application/json, text/event-stream"


def events(text: str) -> list[Any]:
    """Return the messages of a response."""
    if text.startswith("{"):
        return [json.loads(text)]
    lines = text.splitlines()
    return [json.loads(line[6:]) for line in lines if line.startswith("data: {")]


async def messages_of(response: httpx2.Response) -> AsyncIterator[Any]:
    async for line in response.aiter_lines():
        if line.startswith("data: {"):
            yield json.loads(line[6:])


@asynccontextmanager
async def open_session(
    url: str, capabilities: Any = None, headers: Any = None
) -> AsyncIterator[Session]:
    """Open a session at one replica."""
    async with httpx2.AsyncClient(timeout=PATIENCE, headers=headers) as http:
        params = {
            "protocolVersion": "2025-11-25",
            "capabilities": {"elicitation": {}} if capabilities is None else capabilities,
            "clientInfo": {"name": "test", "version": "1"},
        }
        message = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params}
        response = await http.post(url, json=message, headers={"accept": ACCEPT})
        assert response.status_code == 200, response.text
        session = Session(http, response.headers["mcp-session-id"])
        await session.send(url, method="notifications/initialized")
        yield session
