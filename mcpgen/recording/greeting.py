"""What a server is told first, in both eras: who asks, by which revision, and what it can do."""

from __future__ import annotations

import json
from typing import Any, TypeAlias

from mcpgen import __version__

Json: TypeAlias = Any

HANDSHAKE_REVISIONS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
"""Those that `initialize` leads to, the oldest first."""
MODERN_REVISIONS = ("2026-07-28",)
"""Those that `server/discover` leads to."""

# Some servers list more tools to a client that can be asked back.
_CAPABILITIES: Json = {"elicitation": {"form": {}, "url": {}}}
_CLIENT: Json = {"name": "mcpgen", "version": __version__}
_META = "io.modelcontextprotocol/"


def discovery() -> bytes:
    """Return the first message to a server whose era is not known."""
    return request(1, "server/discover", envelope(MODERN_REVISIONS[-1]))


def request(number: int, method: str, params: Json) -> bytes:
    """Return a request as a line."""
    named = {"params": params} if params else {}
    return line({"jsonrpc": "2.0", "id": number, "method": method, **named})


def line(message: Json) -> bytes:
    """Return a message as a line."""
    return json.dumps(message, separators=(",", ":")).encode() + b"\n"


def envelope(revision: str) -> Json:
    """Return what each request says of who asks since 2026-07-28."""
    said = {
        "protocolVersion": revision,
        "clientInfo": _CLIENT,
        "clientCapabilities": _CAPABILITIES,
    }
    return {"_meta": {f"{_META}{name}": value for name, value in said.items()}}


def introduction() -> Json:
    """Return the parameters of `initialize`."""
    return {
        "protocolVersion": HANDSHAKE_REVISIONS[-1],
        "capabilities": _CAPABILITIES,
        "clientInfo": _CLIENT,
    }
