"""The options of a server's command line."""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from mcp.server import Server

from .traffic import DEFAULT_LIMITS

_SCHEMES = ("http", "https")


def parser(server: Server[Any]) -> argparse.ArgumentParser:
    """Return the parser of a server's command line."""
    options = argparse.ArgumentParser(
        description=f"The MCP server {server.name}; it serves over stdio by default."
    )
    options.add_argument("--version", action="version", version=server.version or "?")
    options.add_argument(
        "--http",
        metavar="[HOST:]PORT",
        type=_address,
        help="serve over Streamable HTTP, at the path /mcp",
    )
    options.add_argument(
        "--workers",
        metavar="N",
        type=_count,
        default=1,
        help="processes that share the port; more than one need a shared store",
    )
    options.add_argument(
        "--allow-host",
        metavar="NAME",
        action="append",
        default=[],
        help="a further name under which the server is reached; may be repeated",
    )
    options.add_argument(
        "--trust-proxy",
        metavar="ADDRESS",
        action="append",
        default=[],
        help="a trusted proxy that sets X-Forwarded-For; may be repeated",
    )
    options.add_argument(
        "--allow-origin",
        metavar="ORIGIN",
        type=_origin,
        action="append",
        default=[],
        help="an origin whose web pages may use the server (CORS); may be repeated",
    )
    options.add_argument(
        "--root-path",
        metavar="PATH",
        type=_root_path,
        help="the path that a proxy removes from requests",
    )
    for name, content in {
        "--tls-cert": "the certificate chain, for https",
        "--tls-key": "the private key of the certificate",
    }.items():
        options.add_argument(name, metavar="FILE", type=_existing_file, help=content)
    _add_limits(options)
    options.add_argument(
        "--metrics",
        metavar="[HOST:]PORT",
        type=_address,
        help="serve metrics for Prometheus here, for all workers; needs --http",
    )
    options.add_argument(
        "--log-format",
        choices=("text", "json"),
        default="text",
        help="json has one object a line, without values of calls",
    )
    options.add_argument(
        "--log-level",
        choices=("debug", "info", "warning", "error"),
        default="info",
        help="the level of the log on stderr",
    )
    return options


def _add_limits(options: argparse.ArgumentParser) -> None:
    usual = DEFAULT_LIMITS
    limits: dict[str, tuple[Callable[[str], float], float, str]] = {
        "--drain": (_seconds, usual.drain, "seconds for pending calls when the server stops"),
        "--max-calls": (_count, usual.calls, "requests at once, without open streams"),
        "--max-connections": (_count, usual.connections, "open connections"),
        "--header-timeout": (_seconds, usual.header, "seconds for the headers of a request"),
        "--body-timeout": (_seconds, usual.body, "seconds for the body of a request"),
    }
    for name, (kind, default, text) in limits.items():
        options.add_argument(
            name, metavar="N", type=kind, default=default, help=f"{text} (default: {default:g})"
        )


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = math.nan
    if not 0 <= seconds < math.inf:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of seconds")
    return seconds


def _count(text: str) -> int:
    if not text.isdecimal() or not int(text):
        raise argparse.ArgumentTypeError(f"{text!r} is not a positive integer")
    return int(text)


def _origin(text: str) -> str:
    parts = urlsplit(text)
    if parts.scheme not in _SCHEMES or not parts.netloc or parts.path:
        example = "https://app.example.com"
        raise argparse.ArgumentTypeError(f"{text!r} is not an origin, such as {example}")
    return text


def _root_path(text: str) -> str:
    if not text.startswith("/"):
        raise argparse.ArgumentTypeError(f"{text!r} does not start with a slash")
    return text.rstrip("/")


def _existing_file(text: str) -> str:
    if not Path(text).is_file():
        raise argparse.ArgumentTypeError(f"there is no file {text!r}")
    return text


def _address(text: str) -> tuple[str, int]:
    host, _, port = text.rpartition(":")
    if not port.isdecimal() or not 0 < int(port) < 65536:
        raise argparse.ArgumentTypeError(f"{text!r} is not [HOST:]PORT")
    return host or "127.0.0.1", int(port)
