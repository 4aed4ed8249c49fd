"""Parses JSON-RPC messages. An unreadable part doesn't affect the rest."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import cast

from mcp.shared.message import SessionMessage
from mcp.types import (
    CONNECTION_CLOSED,
    INTERNAL_ERROR,
    ErrorData,
    JSONRPCError,
    JSONRPCMessage,
    JSONRPCResponse,
    jsonrpc_message_adapter,
)
from pydantic import ValidationError

from .faults import Broken, Fault, Unreadable
from .json_text import parse_json, response_id, unread

MOST_PASSED = 240
"""The maximum nesting of a response that the SDK can pass on."""
MOST_BYTES = 64 * 2**20
"""The maximum size of a message."""


class InvalidMessage(Exception):
    """Input that isn't a message of the protocol."""


class TooLong(Exception):
    """A message exceeds the maximum size."""

    def __init__(self) -> None:
        super().__init__(f"it sent a message of more than {MOST_BYTES >> 20} MiB")


class PartialMessage(Exception):
    """A message that is partly unreadable, or that can't be passed on unchanged.

    :class:`UnreadNumber` objects replace the unreadable parts.
    """

    size = 0
    is_unusual = True

    def __init__(self, message: JSONRPCMessage, reason: str) -> None:
        super().__init__(reason)
        self.message = message
        self.reason = reason


@dataclass
class Read(SessionMessage):
    """A message parsed here. ``size`` is its length in bytes.

    Only a message with ``is_unusual`` can contain :class:`Huge` numbers.
    """

    size: int = 0
    is_unusual: bool = False
    flaw: str = ""
    """The violation of JSON-RPC in a readable message."""


def read(text: bytes) -> Read | InvalidMessage | PartialMessage:
    """Parse a message with the SDK's parser, or with a more tolerant one if that fails."""
    # The SDK's parser accepts invalid numbers, and can't represent huge ones.
    if not _UNUSUAL.search(text):
        try:
            message = jsonrpc_message_adapter.validate_json(text, by_name=False)
            flaw = _STRING_CODE if _is_string_code(message, text) else ""
            return Read(message, size=len(text), flaw=flaw)
        except ValueError:
            pass
    try:
        decoded, reason = text.decode("utf-8-sig"), ""
    except UnicodeDecodeError:
        decoded, reason = text.decode("utf-8", "replace"), "not UTF-8"
    try:
        item = _message(parse_json(decoded), decoded, reason)
    except (ValueError, RecursionError):
        number = response_id(decoded)
        if number is None:
            return InvalidMessage(decoded)
        fault = Unreadable("not valid JSON")
        return Read(error_response(number, fault).message, size=len(text))
    if not isinstance(item, InvalidMessage):
        item.size = len(text)
    return item


_STRING_CODE = "the code of the error is a string"


def _is_string_code(message: JSONRPCMessage, text: bytes) -> bool:
    """Return True for an error whose code the SDK's parser converts to an integer."""
    return isinstance(message, JSONRPCError) and bool(re.search(rb'"code"\s*:\s*"', text))


_UNUSUAL = re.compile(rb"NaN|Infinity|[0-9][eE]\+?[0-9]{3}")


def again(error: ValidationError) -> Read | InvalidMessage | PartialMessage:
    """Parse a message again without the parts that the SDK's parser rejected."""
    inputs = [entry["input"] for entry in error.errors(include_url=False)]
    for value in inputs:
        if isinstance(value, str | bytes):
            return read(value if isinstance(value, bytes) else _encode_text(value))
        if isinstance(value, dict) and "jsonrpc" in value:
            return _message(cast("object", value), str(error), "")
    return InvalidMessage(str(error))


def _encode_text(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def error_response(request_id: str | int, fault: Fault) -> SessionMessage:
    """Build the response to a request without one: an error with a fault as its data.

    A server can't send such data, because it isn't JSON.
    """
    code = CONNECTION_CLOSED if isinstance(fault, Broken) else INTERNAL_ERROR
    error = ErrorData(code=code, message=str(fault), data=fault)
    return SessionMessage(JSONRPCError(jsonrpc="2.0", id=request_id, error=error))


def reject_partial(item: PartialMessage) -> SessionMessage | InvalidMessage:
    """Return an error in place of a flawed response. Other flawed messages are junk."""
    answer = item.message
    if isinstance(answer, JSONRPCResponse):
        return error_response(answer.id, Unreadable(item.reason))
    if isinstance(answer, JSONRPCError) and answer.id is not None:
        return error_response(answer.id, Unreadable(item.reason))
    return InvalidMessage(item.reason)


def _message(raw: object, text: str, reason: str) -> Read | InvalidMessage | PartialMessage:
    try:
        message = jsonrpc_message_adapter.validate_python(raw, by_name=False)
    except ValidationError:
        if isinstance(raw, list) and (first := response_id(text)) is not None:
            fault = Unreadable("a batch, which MCP doesn't have")
            return Read(error_response(first, fault).message)
        if not isinstance(raw, dict):
            return InvalidMessage(text)
        fields = cast("dict[str, object]", raw)
        number = fields.get("id")
        if "method" in fields or not _is_id(number):
            return InvalidMessage(text)
        fault = Unreadable(reason or "not a JSON-RPC response")
        return Read(error_response(cast("int", number), fault).message)
    reason = reason or unread(raw) or _depth(raw)
    return PartialMessage(message, reason) if reason else Read(message, is_unusual=True)


def _depth(value: object) -> str:
    layer = [value]
    for _ in range(MOST_PASSED + 1):
        inner: list[object] = []
        for item in layer:
            if isinstance(item, dict):
                inner.extend(cast("dict[str, object]", item).values())
            elif isinstance(item, list):
                inner.extend(cast("list[object]", item))
        if not inner:
            return ""
        layer = inner
    return f"nested more than {MOST_PASSED} levels deep"


def _is_id(value: object) -> bool:
    return isinstance(value, str | int) and not isinstance(value, bool)
