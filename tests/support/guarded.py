"""A generated server with scopes, called over ASGI in this process."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import httpx2
from mcpgen_runtime.server import app
from skeletons import import_server, project

from mcpgen.contract.document import read

CONTRACT = read(
    {
        "server": {"name": "library", "version": "1"},
        "capabilities": {
            "tools": {"listChanged": True},
            "prompts": {},
            "resources": {"subscribe": True},
            "completions": {},
        },
        "tools": [
            {"name": "find", "inputSchema": {"type": "object"}},
            {"name": "add", "inputSchema": {"type": "object"}},
            {"name": "drop", "inputSchema": {"type": "object"}},
        ],
        "prompts": [{"name": "hello"}, {"name": "secret", "arguments": [{"name": "x"}]}],
        "resources": [{"uri": "doc://a", "name": "a"}, {"uri": "doc://b", "name": "b"}],
        "resourceTemplates": [
            {"uriTemplate": "doc://open/{id}", "name": "opened"},
            {"uriTemplate": "doc://{kind}/{id}", "name": "anything"},
            # Listed, but nothing can be read by it, so it has no method.
            {"uriTemplate": "doc://{Plain words}", "name": "unmatchable"},
        ],
    }
)
SERVER = """\
from mcp.server import CacheHint

from ._generated import (
    LibraryPrompts, LibraryResources, LibraryTools, Policy, create, requires
)


class Tools(LibraryTools):
    async def find(self, arguments, context):
        return context.user.subject or context.user.client_id

    @requires("books:write")
    async def add(self, arguments, context):
        return "added"

    async def drop(self, arguments, context):
        return "dropped"


class Prompts(LibraryPrompts):
    async def hello(self, context):
        return "hello"

    @requires("books:read")
    async def secret(self, context, *, x=None):
        return "secret"


class Resources(LibraryResources):
    async def a(self, context):
        return "a"

    @requires("books:read")
    async def b(self, context):
        return "b"

    async def opened(self, context, id):
        return id

    @requires("books:read")
    async def anything(self, context, kind, id):
        return id


policy = Policy(
    scopes_of={"drop": ["books:write", "books:admin"]},
    cache={
        "tools/list": CacheHint(ttl_ms=1_000, scope="public"),
        "resources/read": CacheHint(ttl_ms=5_000, scope="public"),
    },
)
server = create(Tools(), Prompts(), Resources(), policy)
"""


@contextmanager
def library(folder: Path) -> Iterator[Any]:
    """Yield the generated server."""
    target = project(CONTRACT, folder)
    (target / "src" / "library" / "server.py").write_text(SERVER)
    with import_server(target) as module:
        yield module.server


@asynccontextmanager
async def open_app(server: Any, **options: Any) -> AsyncIterator[httpx2.AsyncClient]:
    """Serve a server's application, and return a client for it."""
    asgi_app = app(server, allowed=["books.example.com"], **options)
    async with serving(asgi_app) as client:
        yield client


@asynccontextmanager
async def serving(asgi_app: Any) -> AsyncIterator[httpx2.AsyncClient]:
    async with asgi_app.router.lifespan_context(asgi_app):
        transport = httpx2.ASGITransport(asgi_app)
        url = "https://books.example.com"
        async with httpx2.AsyncClient(transport=transport, base_url=url) as client:
            yield client


async def post(
    client: httpx2.AsyncClient,
    token: str | None,
    method: str = "tools/call",
    params: Any = None,
    *,
    scheme: str = "Bearer",
    path: str = "/mcp",
    headers: Any = None,
) -> httpx2.Response:
    """Send a request of revision 2026-07-28."""
    params = {"name": "find", "arguments": {}} if params is None else params
    meta = {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    }
    message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": {**params, "_meta": meta}}
    name = params.get("name") or params.get("uri")
    return await client.post(
        path,
        content=json.dumps(message),
        headers={
            "accept": "application/json, text/event-stream",
            "content-type": "application/json",
            "mcp-protocol-version": "2026-07-28",
            "mcp-method": method,
            **({"mcp-name": name} if name else {}),
            **({"authorization": f"{scheme} {token}"} if token is not None else {}),
            **(headers or {}),
        },
    )


def result(response: httpx2.Response) -> Any:
    """Return the result of a response, which may be an event stream."""
    assert response.status_code == 200, response.text
    text = response.text
    if text.startswith(("event:", "data:", "id:", ":")):
        text = next(line[6:] for line in text.splitlines() if line.startswith("data: {"))
    return json.loads(text)["result"]
