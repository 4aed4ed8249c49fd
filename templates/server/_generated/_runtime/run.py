"""The server's command line: over stdio, or with ``--http`` over Streamable HTTP."""

from __future__ import annotations

import argparse
import logging
import sys
from collections.abc import Sequence
from ipaddress import ip_address
from typing import TYPE_CHECKING, Any

import anyio
from mcp.server import Server
from mcp.server.stdio import stdio_server
from mcp.server.transport_security import TransportSecuritySettings

if TYPE_CHECKING:
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
    """Serve until the client leaves or the process is stopped; the log is on stderr.

    Over HTTP, ``auth`` and ``token_verifier`` let in callers with a valid bearer token
    alone; over stdio, whoever starts the process is the caller.
    """
    asked = _parser(server).parse_args(arguments)
    logging.basicConfig(level=asked.log_level.upper(), stream=sys.stderr)
    try:
        if asked.http is None:
            anyio.run(_stdio, server)
        else:
            _http(server, asked, auth, token_verifier)
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
    hosts = [*_LOCAL, *([] if _is_everywhere(host) else [host]), *allowed]
    named = [name for each in hosts for name in (each, f"{each}:*")]
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


def _is_everywhere(host: str) -> bool:
    """Say whether a host is no name of this machine, but means all of its addresses."""
    try:
        return ip_address(host.strip("[]")).is_unspecified
    except ValueError:
        return False


async def _stdio(server: Server[Any]) -> None:
    async with stdio_server() as (read, write):
        await server.run(read, write, server.create_initialization_options())


def _http(
    server: Server[Any],
    asked: argparse.Namespace,
    auth: AuthSettings | None,
    token_verifier: TokenVerifier | None,
) -> None:
    import uvicorn

    host, port = asked.http
    made = app(server, host, asked.allow_host, auth=auth, token_verifier=token_verifier)
    uvicorn.run(made, host=host.strip("[]"), port=port, log_level=asked.log_level)


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
        "--log-level",
        choices=("debug", "info", "warning", "error"),
        default="info",
        help="what is logged on stderr",
    )
    return parser


def _address(text: str) -> tuple[str, int]:
    host, _, port = text.rpartition(":")
    if not port.isdecimal() or not 0 < int(port) < 65536:
        raise argparse.ArgumentTypeError(f"{text!r} is not [HOST:]PORT")
    return host or "127.0.0.1", int(port)
