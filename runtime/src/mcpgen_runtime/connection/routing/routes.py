"""Resolves the target of a connection: a URL, a command, or the recorded server."""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, cast
from urllib.parse import urlsplit

from ...abbreviate import plain
from ...auth.options import HttpOptions
from ...errors import ConnectionFailed
from ...lazy import explain_import_error
from ...package import Package
from ...redaction.credentials import CREDENTIALS
from .route import Route
from .transports import open_http, open_stdio, open_transport

if TYPE_CHECKING:
    from mcp import Client, StdioServerParameters
    from mcp.client import Transport


class InProcessServer(Protocol):
    """A server of this process: one of the SDK's classes, or FastMCP's."""

    @property
    def name(self) -> str:
        """The server's own name."""
        ...


OpenTransport: TypeAlias = "Callable[[], Transport]"
Target: TypeAlias = (
    "str | StdioServerParameters | Client | Transport | OpenTransport | InProcessServer"
)
"""A URL, a command, a server object, an SDK client, a transport, or a function that returns a
new transport, so that the client can reconnect.
"""


_CONTROL = re.compile(r"[\x00-\x08\x0a-\x1f\x7f]")


def find_route(target: Target | None, http: HttpOptions, package: Package) -> Route:
    """Return the route to a target, or to the recorded server without one."""
    try:
        from mcp import Client, StdioServerParameters
    except ImportError as error:
        raise explain_import_error(error) from error
    from mcp.server import MCPServer, Server

    all_headers = dict(http.headers or {})
    if target is None:
        from .recorded import recorded_server

        target, recorded_headers = recorded_server(http, package)
        all_headers = {**recorded_headers, **all_headers}
    if isinstance(target, str):
        if "://" not in target:
            reason = "no URL; give a command as StdioServerParameters(command=..., args=...)"
            raise ConnectionFailed("the given text", reason)
        label = _without_secrets(target)
        route = Route(label, None, package, is_url=True, is_sse=_is_sse(target, package))
        route.headers, route.http = _sendable(all_headers, label), http
        route.server = open_http(target, route)
        return route
    http.refuse()
    if isinstance(target, StdioServerParameters):
        route = Route(target.command, None, package)
        route.server = open_stdio(target, route)
        return route
    if isinstance(target, Client):
        return Route("the given client", target, package, is_client=True, can_repeat=False)
    server: Any = getattr(target, "_mcp_server", target)
    if isinstance(server, AbstractAsyncContextManager):
        transport = cast("AbstractAsyncContextManager[Any]", server)
        route = Route("the given transport", None, package, can_repeat=False)
        route.server = open_transport(transport, route)
        return route
    if isinstance(server, MCPServer | Server):
        return Route(str(server.name), server, package, is_stream=False)
    if callable(server):
        route = Route("the given transport", None, package)
        transport = cast("AbstractAsyncContextManager[Any]", server())
        route.server = open_transport(transport, route)
        return route
    raise TypeError(f"{type(target).__name__} isn't a supported target")


def _sendable(headers: dict[str, str], label: str) -> dict[str, str]:
    """Reject invalid headers, because the HTTP client's error would quote a secret value."""
    for name, value in headers.items():
        if value != value.strip() or _CONTROL.search(value):
            reason = f"the header {plain(name)} contains characters that HTTP headers can't contain"
            raise ConnectionFailed(label, reason)
    return headers


def _without_secrets(url: str) -> str:
    """Remove everything from a URL that may be secret."""
    try:
        bare = urlsplit(url)._replace(query="", fragment="")
    except ValueError as error:
        raise ConnectionFailed("the given URL", str(error)) from None
    CREDENTIALS.add_url(url)
    text = bare._replace(netloc=bare.netloc.rpartition("@")[2]).geturl()
    return CREDENTIALS.hide(text)


def _is_sse(url: str, package: Package) -> bool:
    """Return True if a URL uses the HTTP+SSE transport.

    A URL with the recorded path has the recorded transport; otherwise a path that ends in
    ``/sse`` does.
    """
    origin: Any = package.contract.get("origin") or {}
    recorded = origin.get("transport")
    path = urlsplit(url).path
    if recorded in ("http", "sse"):
        from .recorded import expand_variables

        if urlsplit(expand_variables(origin["url"])).path == path:
            return bool(recorded == "sse")
    return path.endswith("/sse")
