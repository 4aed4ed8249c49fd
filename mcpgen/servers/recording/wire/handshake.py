"""The first messages to a server, legacy and modern: client, revision, capabilities."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any, TypeAlias

from mcpgen import __version__

Json: TypeAlias = Any

HANDSHAKE_REVISIONS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
"""The revisions negotiated by `initialize`, oldest first."""
MODERN_REVISIONS = ("2026-07-28",)
"""The revisions negotiated by `server/discover`."""

ALL: Json = {
    "elicitation": {"form": {}, "url": {}},
    "roots": {"listChanged": True},
    "sampling": {"tools": {}},
}
"""All client capabilities. Some servers list more tools to clients that declare them."""
DEFAULT = ("elicitation",)
REJECTED: Json = {"code": -1, "message": "User rejected sampling request"}
_CLIENT: Json = {"name": "mcpgen", "version": __version__}
_META = "io.modelcontextprotocol/"


def declaration(names: Iterable[str] | None) -> Json:
    """Return the declaration of these capabilities, or of the default ones for None."""
    return {name: ALL[name] for name in sorted(DEFAULT if names is None else names)}


def discovery() -> bytes:
    """Return the first message to a server of unknown protocol era."""
    declared = declaration(None)
    return request(1, "server/discover", envelope(MODERN_REVISIONS[-1], declared))


def request(number: int, method: str, params: Json) -> bytes:
    """Return a request as a line."""
    named = {"params": params} if params else {}
    return line({"jsonrpc": "2.0", "id": number, "method": method, **named})


def line(message: Json) -> bytes:
    """Return a message as a line."""
    return json.dumps(message, separators=(",", ":")).encode() + b"\n"


def envelope(revision: str, declared: Json) -> Json:
    """Return the metadata of each request since 2026-07-28."""
    client_params = {
        "protocolVersion": revision,
        "clientInfo": _CLIENT,
        "clientCapabilities": declared,
    }
    return {"_meta": {f"{_META}{name}": value for name, value in client_params.items()}}


def introduction(declared: Json) -> Json:
    """Return the parameters of `initialize`."""
    return {
        "protocolVersion": HANDSHAKE_REVISIONS[-1],
        "capabilities": declared,
        "clientInfo": _CLIENT,
    }
