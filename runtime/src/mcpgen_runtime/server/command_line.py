"""The server's command line: over stdio, or with ``--http`` over Streamable HTTP."""

from __future__ import annotations

import argparse
import gc
import logging
import sys
from collections.abc import Sequence
from ipaddress import ip_address
from typing import TYPE_CHECKING, Any

import anyio
from mcp.server import Server
from mcp.server.subscriptions import ListenHandler
from mcp.server.transport_security import TransportSecuritySettings

from .stdio import serve

if TYPE_CHECKING:
    from types import FrameType

    from mcp.server.auth.provider import TokenVerifier
    from mcp.server.auth.settings import AuthSettings
    from starlette.applications import Starlette

_LOCAL = ("127.0.0.1", "localhost", "[::1]")


def run(
    server: Server[Any],
    arguments: Sequence[str] | None = None,
    *,
    auth: AuthSettings | None = None,
    token_verifier: TokenVerifier | None = None,
) -> None:
    """Serve until the client disconnects or the process is stopped. Logs go to stderr.

    Ctrl-C stops it with exit code 130. Over HTTP, ``auth`` and ``token_verifier`` admit
    only callers with a valid bearer token. Over stdio, the caller is whoever started the
    process.
    """
    options = _parser(server).parse_args(arguments)
    logging.basicConfig(level=options.log_level.upper(), stream=sys.stderr)
    try:
        if options.http is None:
            anyio.run(serve, server)
        else:
            _http(server, options, auth, token_verifier)
    except KeyboardInterrupt:
        sys.exit(130)


def app(
    server: Server[Any],
    host: str = "127.0.0.1",
    allowed: Sequence[str] = (),
    *,
    auth: AuthSettings | None = None,
    token_verifier: TokenVerifier | None = None,
) -> Starlette:
    """Return the ASGI application, which answers only requests to known hosts.

    Without that check any web page could reach a local server (MCP, transports,
    "Security Warning").
    """
    hosts = [*_LOCAL, *([] if _is_wildcard_address(host) else [host]), *allowed]
    named = [name for item in hosts for name in (item, f"{item}:*")]
    security = TransportSecuritySettings(
        enable_dns_rebinding_protection=True,
        allowed_hosts=named,
        allowed_origins=[f"{kind}://{name}" for name in named for kind in _SCHEMES],
    )
    return server.streamable_http_app(
        host=host,
        transport_security=security,
        auth=auth,
        token_verifier=token_verifier,
    )


_SCHEMES = ("http", "https")


def _is_wildcard_address(host: str) -> bool:
    """Return True if a host means all addresses of this machine."""
    try:
        return ip_address(host.strip("[]")).is_unspecified
    except ValueError:
        return False


def _http(
    server: Server[Any],
    options: argparse.Namespace,
    auth: AuthSettings | None,
    token_verifier: TokenVerifier | None,
) -> None:
    import uvicorn

    class Stoppable(uvicorn.Server):
        def handle_exit(self, sig: int, frame: FrameType | None) -> None:
            """End the streams of clients that listen for changes, which would block the exit."""
            listening = server.get_request_handler("subscriptions/listen")
            if listening is not None and isinstance(listening.handler, ListenHandler):
                listening.handler.close()
            super().handle_exit(sig, frame)

    host, port = options.http
    asgi_app = app(
        server,
        host,
        options.allow_host,
        auth=auth,
        token_verifier=token_verifier,
    )
    config = uvicorn.Config(
        asgi_app,
        host=host.strip("[]"),
        port=port,
        log_level=options.log_level,
        # Otherwise any local process could pretend to be another caller and evade the
        # limits.
        proxy_headers=bool(options.trust_proxy),
        forwarded_allow_ips=options.trust_proxy,
        # Otherwise a call that never ends would block the exit.
        timeout_graceful_shutdown=_PATIENCE,
    )
    _collect_seldom()
    Stoppable(config).run()


def _collect_seldom() -> None:
    """Collect garbage less often, and never among long-lived objects.

    Calls leave almost no cycles, and with many concurrent calls the collector takes a fifth
    of the time.
    """
    gc.collect()
    gc.freeze()
    if 0 < gc.get_threshold()[0] < _MANY_OBJECTS:  # otherwise the author has tuned it
        gc.set_threshold(_MANY_OBJECTS, 10, 10)


_MANY_OBJECTS = 10_000

_PATIENCE = 3
"""Seconds that pending calls have when the server stops."""


def _parser(server: Server[Any]) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        description=f"The MCP server {server.name}; it serves over stdio by default."
    )
    parser.add_argument("--version", action="version", version=server.version or "?")
    parser.add_argument(
        "--http",
        metavar="[HOST:]PORT",
        type=_address,
        help="serve over Streamable HTTP, at the path /mcp",
    )
    parser.add_argument(
        "--allow-host",
        metavar="NAME",
        action="append",
        default=[],
        help="a further name under which the server is reached; may be repeated",
    )
    parser.add_argument(
        "--trust-proxy",
        metavar="ADDRESS",
        action="append",
        default=[],
        help="a trusted proxy that sets X-Forwarded-For; may be repeated",
    )
    parser.add_argument(
        "--log-level",
        choices=("debug", "info", "warning", "error"),
        default="info",
        help="the level of the log on stderr",
    )
    return parser


def _address(text: str) -> tuple[str, int]:
    host, _, port = text.rpartition(":")
    if not port.isdecimal() or not 0 < int(port) < 65536:
        raise argparse.ArgumentTypeError(f"{text!r} is not [HOST:]PORT")
    return host or "127.0.0.1", int(port)
