"""Notifications and requests of a server that break the protocol."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from mcp import types

from mcpgen.jsontext import Json
from mcpgen.schemas.validation import messages

LOG = "notifications/message"
_PROGRESS = "notifications/progress"
_NOTIFICATIONS = {
    LOG: "LoggingMessageNotification",
    "notifications/resources/updated": "ResourceUpdatedNotification",
    "notifications/cancelled": "CancelledNotification",
}
_NEEDED = {
    "sampling/createMessage": "sampling",
    "elicitation/create": "elicitation",
    "roots/list": "roots",
}
"""The requests of servers, and the client's capability that each needs."""


def flaws_of_notification(message: types.JSONRPCNotification, revision: str) -> Iterator[str]:
    """Yield the flaws of a notification."""
    if message.method == _PROGRESS:
        yield "a progress notification, although no request asked for one"
    elif message.method in _NOTIFICATIONS:
        value: Json = {"jsonrpc": "2.0", "method": message.method}
        value |= {} if message.params is None else {"params": message.params}
        problems = messages.problems(revision, _NOTIFICATIONS[message.method], value)
        yield from (f"{message.method}: {problem.reason}" for problem in problems[:1])


def flaws_of_request(request: types.JSONRPCRequest, declared: Collection[str]) -> Iterator[str]:
    """Yield the flaws of a server's request. ``declared`` are the client's capabilities."""
    if request.method in _NOTIFICATIONS:
        yield f"{request.method} has an ID, as if it were a request"
    if _NEEDED.get(request.method, "") not in {"", *declared}:
        yield f"the request {request.method}, which the client doesn't declare"
