"""Messages received over HTTP, each held until the SDK passes on the stub for it."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any, TypeGuard, cast

from mcp.shared.message import SessionMessage
from mcp.types import JSONRPCError, JSONRPCNotification, JSONRPCResponse

from .listen import Incoming
from .messages import InvalidMessage

_STUB = "mcpgen/pending"


@dataclass
class Pending:
    """Received messages, each kept until the SDK has passed on its stub."""

    waiting: dict[int, Incoming] = field(default_factory=dict[int, Incoming])
    count: int = 0

    def stub(self, item: Incoming, request_id: str | int | None) -> str:
        """Keep a message and return the stub that the SDK parses instead."""
        self.count += 1
        self.waiting[self.count] = item
        stub: dict[str, Any] = {"jsonrpc": "2.0"}
        if request_id is None:
            stub |= {"method": _STUB, "params": {"number": self.count}}
        else:
            stub |= {"id": request_id, "result": {_STUB: self.count}}
        return json.dumps(stub)

    def take(self, item: SessionMessage) -> Incoming | None:
        """Return the message of a stub, or None if this isn't a stub."""
        number: object = None
        message = item.message
        if isinstance(message, JSONRPCResponse):
            number = message.result.get(_STUB)
        elif isinstance(message, JSONRPCNotification) and message.method == _STUB:
            number = (message.params or {}).get("number")
        original = self.waiting.pop(number, None) if isinstance(number, int) else None
        if original is not None and isinstance(message, JSONRPCResponse):
            return set_response_id(original, message.id)  # which the SDK may have changed
        return original


def is_answer(item: Incoming | None) -> bool:
    message = getattr(item, "message", None)
    return isinstance(message, JSONRPCResponse | JSONRPCError)


def is_error(item: Incoming | None) -> TypeGuard[SessionMessage]:
    return isinstance(item, SessionMessage) and isinstance(item.message, JSONRPCError)


def number_of(item: Incoming) -> str | int | None:
    message = getattr(item, "message", None)
    return message.id if isinstance(message, JSONRPCResponse | JSONRPCError) else None


def set_response_id(item: Incoming, number: str | int) -> Incoming | None:
    """Set the ID of a response to the ID of its HTTP request."""
    if isinstance(item, InvalidMessage) or not is_answer(item):
        return None
    cast("JSONRPCError", item.message).id = number
    return item
