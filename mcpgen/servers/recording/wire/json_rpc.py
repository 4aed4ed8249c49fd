"""Parses JSON-RPC messages like ``wire.messages``, with the standard library only."""

from __future__ import annotations

import json
import re
from contextlib import suppress
from dataclasses import dataclass
from typing import TypeAlias

from mcpgen_runtime.connection.wire import json_text
from mcpgen_runtime.connection.wire.faults import Unreadable

from mcpgen.jsontext import Json, is_array, is_object
from mcpgen.servers.recording.raw_responses import ErrorAnswer

INTERNAL_ERROR = -32603

Number: TypeAlias = "str | int"
"""The ID of a request and its response. Numeric strings count as numbers."""


@dataclass(frozen=True, slots=True)
class Request:
    """A request of the server, or a notification if it has no ID."""

    method: str
    params: Json
    number: Number | None = None


@dataclass(frozen=True, slots=True)
class Result:
    """The result of a request."""

    number: Number
    value: dict[str, Json]


@dataclass(frozen=True, slots=True)
class Failure:
    """The error of a request. Its ID may be missing."""

    number: Number | None
    error: ErrorAnswer


@dataclass(frozen=True, slots=True)
class InvalidMessage:
    """Text that isn't a message of the protocol."""

    text: str


Message: TypeAlias = Request | Result | Failure | InvalidMessage


def read(text: bytes) -> Message:
    """Parse a message, even if a part of it is unreadable."""
    value, reason = _parse(text)
    if value is None or is_array(value):
        decoded = text.decode("utf-8-sig", "replace")
        number = json_text.response_id(decoded)
        if number is None:
            return InvalidMessage(decoded)
        problem = "a batch, which MCP doesn't have" if value else "not valid JSON"
        fault = Unreadable(problem)
        number_ = _number(number)
        return Failure(number_, ErrorAnswer(INTERNAL_ERROR, str(fault), fault))
    message = _message(value)
    if isinstance(message, Request) and (reason or json_text.unread(value)):
        return Request("", None)  # not a request that can be answered
    if message is not None:
        return message
    number = _number(value.get("id")) if is_object(value) else None
    if number is None or "method" in value:
        return InvalidMessage(text.decode("utf-8-sig", "replace"))
    fault = Unreadable(reason or "not a JSON-RPC response")
    return Failure(number, ErrorAnswer(INTERNAL_ERROR, str(fault), fault))


# Numbers that the standard library parses differently or rejects.
_UNUSUAL = re.compile(rb"NaN|Infinity|[0-9][eE]\+?[0-9]{3}")
_DEEP = 200


def _parse(text: bytes) -> tuple[Json, str]:
    """Parse JSON, or return None. Also returns why its bytes were invalid."""
    with suppress(ValueError, RecursionError):
        if not _UNUSUAL.search(text):
            value: Json = json.loads(text.decode())
            if not _is_deep(value):
                return value, ""
    try:
        decoded, reason = text.decode("utf-8-sig"), ""
    except UnicodeDecodeError:
        decoded, reason = text.decode("utf-8", "replace"), "not UTF-8"
    try:
        return json_text.parse_json(decoded), reason
    except (ValueError, RecursionError):
        return None, reason


def _is_deep(value: Json) -> bool:
    layer = [value]
    for _ in range(_DEEP):
        # One level at a time, which is faster than recursion.
        objects = [inner for item in layer if is_object(item) for inner in item.values()]
        layer = objects + [inner for item in layer if is_array(item) for inner in item]
        if not layer:
            return False
    return True


def _message(value: Json) -> Request | Result | Failure | None:
    if not is_object(value) or value.get("jsonrpc") != "2.0":
        return None
    number = _number(value.get("id"))
    method, params, result = value.get("method"), value.get("params"), value.get("result")
    error = value.get("error")
    if is_object(error) and "id" in value and (number is not None or value["id"] is None):
        code, message = _code(error.get("code")), error.get("message")
        if code is not None and isinstance(message, str):
            return Failure(number, ErrorAnswer(code, message, error.get("data")))
    if isinstance(method, str) and (params is None or is_object(params)):
        return Request(method, params, number)
    if is_object(result) and number is not None:
        return Result(number, result)
    return None


# Spaces as Pydantic strips them, so without the separators that Python counts as well.
_CODE = re.compile(r"[^\S\x1c-\x1f]*([+-]?[0-9]+(?:_[0-9]+)*)(?:\.0+)?[^\S\x1c-\x1f]*")
_MAX_FLOAT_CODE = 2**63


def _code(value: Json) -> int | None:
    """Return the code of an error. Like the SDK, accept integers in strings and floats."""
    if isinstance(value, str):
        match = _CODE.fullmatch(value)
        return _code_from_text(match[1]) if match else None
    if isinstance(value, float):
        return int(value) if value.is_integer() and abs(value) < _MAX_FLOAT_CODE else None
    return int(value) if isinstance(value, int) else None


def _code_from_text(text: str) -> int | None:
    try:
        return int(text)
    except ValueError:  # it has more digits than Python parses
        return None


def _number(value: Json) -> Number | None:
    if isinstance(value, bool) or not isinstance(value, str | int):
        return None
    try:
        return int(value)
    except ValueError:
        return value
