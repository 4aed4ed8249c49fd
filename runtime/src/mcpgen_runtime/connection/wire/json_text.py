"""Parses JSON that the SDK's parser rejects: too deep, too large, or not a number."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, cast

MOST_LEVELS = 300
"""The maximum nesting of a message. Python itself parses about 900 levels."""
MOST_DIGITS = 4300
"""The maximum length of an integer. Neither Python nor Pydantic parses longer ones."""


class Huge(float):
    """A number too large for a double. ``exact`` is its literal."""

    exact: int


@dataclass(frozen=True)
class UnreadNumber:
    """Placeholder for an unreadable part of a message, with the reason."""

    reason: str


_RESPONSE = re.compile(
    r"""\s*[\[{].{0,200}?"id"\s*:\s*(?P<id>\d{1,15}|"[^"\\]{1,100}")""", re.DOTALL
)


def response_id(text: str) -> int | str | None:
    """Return the ID of a response that isn't valid JSON, or None."""
    match = _RESPONSE.match(text)
    is_response = '"result"' in text or '"error"' in text
    if match is None or not is_response or '"method"' in text[: match.end()]:
        return None
    request_id: int | str = json.loads(match["id"])
    return request_id


def unread(value: object) -> str:
    """Return why a part of a value can't be read, or ``""`` if all parts can."""
    waiting = [value]
    while waiting:
        item = waiting.pop()
        if isinstance(item, UnreadNumber):
            return item.reason
        if isinstance(item, dict):
            waiting.extend(cast("dict[str, object]", item).values())
        elif isinstance(item, list):
            waiting.extend(cast("list[object]", item))
    return ""


def remove_unread(value: Any) -> Any:
    """Return a value with ``None`` in place of unreadable parts."""
    return _map_parts(value, lambda part: None if isinstance(part, UnreadNumber) else part)


def exact(value: Any) -> Any:
    """Return a value with an integer for each number beyond a double's range."""
    return _map_parts(value, lambda part: part.exact if isinstance(part, Huge) else part)


def _map_parts(value: Any, change: Callable[[Any], Any]) -> Any:
    if isinstance(value, dict):
        entries = cast("dict[str, object]", value).items()
        return {key: _map_parts(item, change) for key, item in entries}
    if isinstance(value, list):
        return [_map_parts(entry, change) for entry in cast("list[object]", value)]
    return change(value)


def parse_json(text: str) -> object:
    """Parse JSON, with :class:`UnreadNumber` in place of each unreadable part."""
    text, is_cut = _shallow(text)
    too_deep = UnreadNumber(f"nested more than {MOST_LEVELS} levels deep")

    def constant(name: str) -> UnreadNumber:
        is_mark = is_cut and name == _MARK
        return too_deep if is_mark else UnreadNumber(f"{name} is not a JSON number")

    value: object = json.loads(
        text, parse_constant=constant, parse_int=_integer, parse_float=_number
    )
    return value


def _integer(digits: str) -> int | UnreadNumber:
    try:
        return int(digits)
    except ValueError:
        return UnreadNumber(f"it holds an integer of more than {MOST_DIGITS:,} digits")


def _number(text: str) -> float | UnreadNumber:
    value = float(text)
    if math.isfinite(value):
        return value
    with suppress(ArithmeticError):  # an exponent that even Decimal can't hold
        number = Decimal(text)
        if number.adjusted() < MOST_DIGITS and number == number.to_integral_value():
            huge = Huge(value)
            huge.exact = int(number)
            return huge
    return UnreadNumber("it holds a number that is too large")


_MARK = "-Infinity"
# An unterminated string extends to the end, because searching for its end would take long.
_TOKENS = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"?|[\[\]{}]', re.DOTALL)


def _shallow(text: str) -> tuple[str, bool]:
    """Replace parts that are nested too deeply, and return whether any were."""
    parts: list[str] = []
    depth = start = 0
    for token in _TOKENS.finditer(text):
        bracket = token[0]
        if bracket in "[{":
            depth += 1
            if depth == MOST_LEVELS + 1:
                parts.append(text[start : token.start()] + _MARK)
        elif bracket in "]}":
            depth -= 1
            if depth == MOST_LEVELS:
                start = token.end()
    if not parts:
        return text, False
    return "".join([*parts, "" if depth > MOST_LEVELS else text[start:]]), True
