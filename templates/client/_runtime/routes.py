"""Finds out how to reach a server: a URL, a command, or the recorded one."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, cast
from urllib.parse import urlsplit

from .auth import HttpOptions
from .brief import plain
from .contract import read_contract
from .errors import ConnectionFailed
from .lazy import explained
from .stderr import Stderr
from .transports import open_http, open_stdio, open_transport
from .wire.credentials import CREDENTIALS
from .wire.faults import Refused

if TYPE_CHECKING:
    from mcp import Client, StdioServerParameters
    from mcp.client import Transport

    from .observer import TransportObserver


class InProcessServer(Protocol):
    """A server of this process: one of the SDK's classes, or FastMCP's."""

    @property
    def name(self) -> str:
        """What the server calls itself."""
        ...


OpenTransport: TypeAlias = "Callable[[], Transport]"
Target: TypeAlias = (
    "str | StdioServerParameters | Client | Transport | OpenTransport | InProcessServer"
)
"""A URL, a command, a server, or an SDK client, connected or not; a transport, or what
returns a new one each time, so that a connection that was lost can be made anew."""


_CONTROL = re.compile(r"[\x00-\x08\x0a-\x1f\x7f]")


@dataclass
class Route:
    """A server to connect to: what the SDK takes, its label, what is observed of it.

    ``refusal`` is the last status of an HTTP connection of the older transport that was
    an error, ``stderr`` is of a process. ``can_repeat`` says whether it can be taken
    more than once. ``on_end`` is told that it has ended, ``on_close`` that its
    transport is about to be closed.
    """

    label: str
    server: Any
    is_stream: bool = True
    is_client: bool = False
    is_url: bool = False
    is_sse: bool = False
    headers: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)
    http: HttpOptions = field(default_factory=HttpOptions, repr=False)
    refusal: Refused | None = None
    stderr: Stderr | None = None
    observer: TransportObserver | None = None
    can_repeat: bool = True
    is_replay: bool = False
    """Whether calls are answered out of a recording: there is no server."""
    on_end: Callable[[str], None] = lambda _: None
    on_close: Callable[[], None] = lambda: None
    session_id: Callable[[], str | None] = lambda: None
    """What the server calls the session, over Streamable HTTP, if it says so."""

    @property
    def is_authorized(self) -> bool:
        """Whether something authorizes the requests that is not a stored login."""
        return self.http.authorizes or "authorization" in map(str.lower, self.headers)

    @property
    def is_local(self) -> bool:
        """Whether nothing is sent over HTTP, as far as that is known."""
        return not self.is_stream or isinstance(self.stderr, Stderr)

    def printed(self) -> str:
        """Return the end of what the server has printed until now."""
        return str(self.stderr or "")


def find_route(target: Target | None, http: HttpOptions) -> Route:
    """Return the route to a target; without one, to the server that was recorded."""
    try:
        from mcp import Client, StdioServerParameters
    except ImportError as error:
        raise explained(error) from error
    from mcp.server import MCPServer, Server

    all_headers = dict(http.headers or {})
    if target is None:
        from .recorded import recorded_server

        target, recorded_headers = recorded_server(http)
        all_headers = {**recorded_headers, **all_headers}
    if isinstance(target, str):
        if "://" not in target:
            reason = (
                "no URL; give a command as StdioServerParameters(command=..., args=...)"
            )
            raise ConnectionFailed("the given text", reason)
        label = _without_secrets(target)
        route = Route(label, None, is_url=True, is_sse=_is_sse(target))
        route.headers, route.http = _sendable(all_headers, label), http
        route.server = open_http(target, route)
        return route
    http.refuse()
    if isinstance(target, StdioServerParameters):
        route = Route(target.command, None)
        route.server = open_stdio(target, route)
        return route
    if isinstance(target, Client):
        return Route("the given client", target, is_client=True, can_repeat=False)
    server: Any = getattr(target, "_mcp_server", target)
    if isinstance(server, AbstractAsyncContextManager):
        transport = cast("AbstractAsyncContextManager[Any]", server)
        route = Route("the given transport", None, can_repeat=False)
        route.server = open_transport(transport, route)
        return route
    if isinstance(server, MCPServer | Server):
        return Route(str(server.name), server, is_stream=False)
    if callable(server):
        route = Route("the given transport", None)
        transport = cast("AbstractAsyncContextManager[Any]", server())
        route.server = open_transport(transport, route)
        return route
    raise TypeError(f"{type(target).__name__} is no way to a server that is known")


def _sendable(headers: dict[str, str], label: str) -> dict[str, str]:
    """Refuse what HTTP refuses: its error would quote a value, which may be secret."""
    for name, value in headers.items():
        if value != value.strip() or _CONTROL.search(value):
            reason = f"the header {plain(name)} holds what no header may hold"
            raise ConnectionFailed(label, reason)
    return headers


def _without_secrets(url: str) -> str:
    """Return a URL without what may be secret in it."""
    try:
        bare = urlsplit(url)._replace(query="", fragment="")
    except ValueError as error:
        raise ConnectionFailed("the given URL", str(error)) from None
    CREDENTIALS.add_url(url)
    text = bare._replace(netloc=bare.netloc.rpartition("@")[2]).geturl()
    return CREDENTIALS.hide(text)


def _is_sse(url: str) -> bool:
    """Tell which of the two transports a URL is of; the recording knows best.

    An address with the path that was recorded has the transport that was recorded;
    of others the older transport's path ends in ``/sse``.
    """
    origin: Any = read_contract().get("origin") or {}
    recorded = origin.get("transport")
    path = urlsplit(url).path
    if recorded in ("http", "sse"):
        from .recorded import expanded

        if urlsplit(expanded(origin["url"])).path == path:
            return bool(recorded == "sse")
    return path.endswith("/sse")
