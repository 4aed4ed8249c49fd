"""Where a client connects to: what the caller gave, or the server that was recorded."""

from __future__ import annotations

import importlib
import os
import re
import sys
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, cast
from urllib.parse import urlsplit

from . import PACKAGE, law
from .errors import ConnectionFailed
from .faults import Refused
from .stderr import Stderr

if TYPE_CHECKING:
    from mcp import Client, StdioServerParameters
    from mcp.client import Transport

    from .tap import Tap

_VARIABLE = re.compile(r"\$\{(?P<name>[A-Za-z_]\w*)(?P<default>:-[^}]*)?\}")


class InProcessServer(Protocol):
    """A server of this process: one of the SDK's classes, or FastMCP's."""

    @property
    def name(self) -> str:
        """What the server calls itself."""
        ...


Target: TypeAlias = "str | StdioServerParameters | Client | Transport | InProcessServer"
"""A URL, a command, a transport, a server, or an SDK client, connected or not."""


@dataclass
class Route:
    """A way to a server: what the SDK takes, what people call it, what is seen on it.

    ``refusal`` is the last status of an HTTP connection of the older transport that was
    an error, ``stderr`` is of a process. ``on_end`` is told that it has ended.
    """

    label: str
    server: Any
    is_stream: bool = True
    is_client: bool = False
    is_sse: bool = False
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    refusal: Refused | None = None
    stderr: Stderr | None = None
    tap: Tap | None = None
    on_end: Callable[[str], None] = lambda _: None

    @property
    def is_local(self) -> bool:
        """Whether nothing is sent over HTTP, as far as that is known."""
        return not self.is_stream or isinstance(self.stderr, Stderr)

    def printed(self) -> str:
        """Return the end of what the server has printed until now."""
        return str(self.stderr or "")


def route(target: Target | None, headers: Mapping[str, str] | None) -> Route:
    """Find the way to a target; without one, to the server that was recorded."""
    from mcp import Client, StdioServerParameters
    from mcp.server import MCPServer, Server

    given = dict(headers or {})
    found, recorded = (target, {}) if target is not None else _recorded(given)
    given = {**recorded, **given}
    if isinstance(found, str):
        way = Route(_shown(found), None, headers=given, is_sse=_is_sse(found))
        way.server = _over_http(found, way)
        return way
    if headers:
        raise TypeError("headers are for a URL")
    if isinstance(found, StdioServerParameters):
        way = Route(found.command, None)
        way.server = _over_stdio(found, way)
        return way
    if isinstance(found, Client):
        return Route("the given client", found, is_client=True)
    server = getattr(found, "_mcp_server", found)
    if isinstance(server, AbstractAsyncContextManager):
        way = Route("the given transport", None)
        way.server = _given(cast("AbstractAsyncContextManager[Any]", server), way)
        return way
    if isinstance(server, MCPServer | Server):
        return Route(str(server.name), server, is_stream=False)
    raise TypeError(f"{type(found).__name__} is no way to a server that is known")


def _shown(url: str) -> str:
    """Return a URL without what may be secret in it."""
    try:
        bare = urlsplit(url)._replace(query="", fragment="")
    except ValueError as error:
        raise ConnectionFailed("the given URL", str(error)) from None
    return bare._replace(netloc=bare.netloc.rpartition("@")[2]).geturl()


def _is_sse(url: str) -> bool:
    """Tell which of the two transports a URL is of; the recording knows best.

    An address with the path that was recorded has the transport that was recorded;
    of others the older transport's path ends in ``/sse``.
    """
    origin: Any = law.contract().get("origin") or {}
    recorded = origin.get("transport")
    path = urlsplit(url).path
    if recorded in ("http", "sse"):
        known = _VARIABLE.sub(_known, origin["url"])
        if urlsplit(known).path == path:
            return bool(recorded == "sse")
    return path.endswith("/sse")


def _known(match: re.Match[str]) -> str:
    return os.environ.get(match["name"], (match["default"] or "")[2:])


@asynccontextmanager
async def _given(
    transport: AbstractAsyncContextManager[Any], way: Route
) -> AsyncGenerator[Any]:
    from .listen import listening
    from .statuses import hearing
    from .tap import Tap

    tap = way.tap = Tap(way.on_end)
    async with listening(hearing(transport, tap.refused), tap) as streams:
        yield streams


@asynccontextmanager
async def _over_stdio(
    command: StdioServerParameters, way: Route
) -> AsyncGenerator[Any]:
    import anyio
    import anyio.to_thread

    from .listen import listening
    from .process import process
    from .tap import Tap

    stderr = way.stderr = Stderr()
    tap = way.tap = Tap(way.on_end)
    try:
        async with listening(process(command, stderr.file), tap) as streams:
            yield streams
    finally:
        with anyio.CancelScope(shield=True):
            await anyio.to_thread.run_sync(stderr.close)


@asynccontextmanager
async def _over_http(url: str, way: Route) -> AsyncGenerator[Any]:
    import httpx2
    from mcp.client.sse import sse_client
    from mcp.client.streamable_http import streamable_http_client

    from .http import AnsweringClient
    from .kept import Pending
    from .listen import Injector, listening
    from .messages import MOST_BYTES
    from .tap import Tap

    kept = Pending()
    inlet = Injector() if way.is_sse else None
    tap = way.tap = Tap(way.on_end, kept)

    def refused(refusal: Refused) -> None:
        way.refusal = refusal

    def client(
        headers: dict[str, str] | None = None,
        timeout: httpx2.Timeout | None = None,
        auth: httpx2.Auth | None = None,
    ) -> httpx2.AsyncClient:
        del timeout  # an answer may be long in coming, and a call has its own limit
        patience = httpx2.Timeout(30, read=None)
        heard = refused if way.is_sse else None
        return AnsweringClient(
            kept, inlet, heard, headers=headers, timeout=patience, auth=auth
        )

    given = dict(way.headers)
    if way.is_sse:
        older = sse_client(url, given, httpx_client_factory=client)
        async with listening(older, tap, inlet) as streams:
            yield streams
        return
    http = client(given)
    newer = streamable_http_client(url, http_client=http, max_sse_event_size=MOST_BYTES)
    async with http, listening(newer, tap) as streams:
        yield streams


def _recorded(given: Mapping[str, str]) -> tuple[Any, dict[str, str]]:
    """Return the server of the contract, and its headers from the environment."""
    from mcp import StdioServerParameters

    origin: Any = law.contract().get("origin") or {}
    kind = origin.get("transport")
    if kind == "stdio":
        arguments, cwd = origin.get("args", []), origin.get("cwd")
        env = {name: f"${{{name}}}" for name in origin.get("env", [])}
        given_to = [f"{name}={value}" for name, value in env.items()]
        told = " ".join([*given_to, origin["command"], *arguments])
        _require(told + (f" in {cwd}" if cwd else ""))
        command = _filled(origin["command"])
        return (
            StdioServerParameters(
                # The interpreter that runs this, not one that the PATH has.
                command=sys.executable if command == "python" else command,
                args=[_filled(argument) for argument in arguments],
                env={name: _filled(value) for name, value in env.items()},
                cwd=None if cwd is None else _filled(cwd),
            ),
            {},
        )
    if kind in ("http", "sse"):
        known = {name.lower() for name in given}
        values = {name: f"${{{_header(name)}}}" for name in origin.get("headers", [])}
        values |= origin.get("headerValues", {})
        asked = {k: value for k, value in values.items() if k.lower() not in known}
        headers = [f"{name}: {value}" for name, value in asked.items()]
        _require(" with ".join([origin["url"], *headers]))
        return _filled(origin["url"]), {k: _filled(v) for k, v in asked.items()}
    if kind == "in-process":
        return _imported(origin["target"]), {}
    raise ConnectionFailed(
        "the recorded server",
        "the contract does not say where it was; pass a URL, a command, ...",
    )


def _header(name: str) -> str:
    """Return the variable that holds a header, such as ``WEATHER_AUTHORIZATION``."""
    words = f"{PACKAGE.rpartition('.')[2]}_{name}"
    return re.sub(r"[^A-Z0-9]+", "_", words.upper())


def _require(told: str) -> None:
    """Refuse to connect while a variable is missing; say what was recorded."""
    found = [m["name"] for m in _VARIABLE.finditer(told) if m["default"] is None]
    missing = [name for name in dict.fromkeys(found) if name not in os.environ]
    if missing:
        are = "variable {} is" if len(missing) == 1 else "variables {} are"
        said = f"the environment {are.format(' and '.join(missing))} not set"
        raise ConnectionFailed("the recorded server", f"{said}; recorded was: {told}")


def _filled(text: str) -> str:
    return _VARIABLE.sub(_value, text)


def _value(match: re.Match[str]) -> str:
    """Return the value of a variable, or its default, which follows ``:-``."""
    return os.environ.get(match["name"], (match["default"] or "")[2:])


def _imported(target: str) -> object:
    module, _, name = target.rpartition(":")
    if module.endswith(".py"):
        said = f"import {name} from {module} yourself, and pass it: connect({name})"
        raise ConnectionFailed(target, said)
    try:
        return getattr(importlib.import_module(module), name)
    except (ImportError, AttributeError) as error:
        raise ConnectionFailed(target, str(error)) from None
