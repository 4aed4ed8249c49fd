"""Finds the recorded call for a request: by its arguments, or the next in order."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from ..jsonpointer import escape
from .call_records import RecordedCall
from .definition import plain_numbers

_MOST_SHOWN = 5
_LONGEST = 60
_MASK = {"[redacted]": True}
"""Replaces redacted values in the arguments that are compared."""
_PREFIX = "/arguments"


@dataclass(eq=False)
class NoSuchCallError(LookupError):
    """No recorded call matches. ``nearest`` is the line of the most similar call."""

    reason: str
    nearest: int = 0
    differences: Sequence[str] = ()

    def __str__(self) -> str:
        if not self.nearest:
            return self.reason
        differences_text = "".join(f"\n    {difference}" for difference in self.differences)
        return f"{self.reason}\n  line {self.nearest} is nearest:{differences_text}"


@dataclass(eq=False)
class StaleCallError(LookupError):
    """The matching call was recorded with another definition of the tool."""

    number: int

    def __str__(self) -> str:
        return f"line {self.number} was recorded with other schemas of the tool"


class RecordedCalls:
    """The calls of a recording, and the used ones.

    Equal calls are used in the order in which they were recorded, each once. With ``repeats``, the
    last one is used for all further calls.
    """

    def __init__(
        self,
        calls: Sequence[RecordedCall],
        *,
        in_order: bool = False,
        repeats: bool = False,
    ) -> None:
        self._calls = calls
        self._in_order = in_order
        self._repeats = repeats
        self._next = 0
        self._used: set[int] = set()
        self._found: dict[str, list[RecordedCall]] = defaultdict(list)
        self._masks: dict[tuple[str, str], set[tuple[str, ...]]] = defaultdict(set)
        for call in calls:
            mask = tuple(p for p in call.redacted if p.startswith(f"{_PREFIX}/"))
            self._masks[call.kind, call.name].add(mask)
            self._found[_key(call.kind, call.name, call.arguments, mask)].append(call)

    def take(
        self, kind: str, name: str, arguments: Mapping[str, Any], definition: str = ""
    ) -> RecordedCall:
        """Return the recorded call that matches, and mark it as used."""
        if self._in_order:
            call = self._next_one(kind, name)
            _require_current(call, definition)
            self._next += 1
            return call
        masks = self._masks.get((kind, name), ())
        keys = [_key(kind, name, arguments, mask) for mask in masks]
        equal = [call for key in keys for call in self._found.get(key, ())]
        equal.sort(key=lambda call: call.number)
        current = [call for call in equal if is_current(call, definition)]
        unused = [call for call in current if call.number not in self._used]
        if unused:
            self._used.add(unused[0].number)
            return unused[0]
        if current and self._repeats:
            return current[-1]
        if current:
            lines = ", ".join(str(call.number) for call in current)
            times = "once" if len(current) == 1 else f"{len(current)} times"
            where = f"line {lines}" if len(current) == 1 else f"lines {lines}"
            reason = f"it was recorded {times} ({where}), and is requested once more"
            raise NoSuchCallError(reason)
        if equal:
            raise StaleCallError(equal[-1].number)
        same = [c for c in self._calls if (c.kind, c.name) == (kind, name)]
        if same and not any(is_current(call, definition) for call in same):
            raise StaleCallError(same[-1].number)
        raise self._missing(kind, name, arguments)

    def _next_one(self, kind: str, name: str) -> RecordedCall:
        if self._next >= len(self._calls):
            number = len(self._calls)
            count_text = "1 call" if number == 1 else f"{number} calls"
            raise NoSuchCallError(f"its {count_text} have been replayed")
        call = self._calls[self._next]
        if (call.kind, call.name) != (kind, name):
            what = f"the {call.kind} {call.name!r}"
            raise NoSuchCallError(f"next, in line {call.number}, is {what}")
        return call

    def _missing(self, kind: str, name: str, arguments: Mapping[str, Any]) -> NoSuchCallError:
        same = [c for c in self._calls if (c.kind, c.name) == (kind, name)]
        if not same:
            names = sorted({call.name for call in self._calls if call.kind == kind})
            more = ", ..." * (len(names) > _MOST_SHOWN)
            names_text = ", ".join(names[:_MOST_SHOWN]) + more
            hint = f"; of {names_text} it has some" if names else ""
            return NoSuchCallError(f"it has no call of it{hint}")
        candidates = ((_differences(call, arguments), call.number) for call in same)
        differences, number = min(candidates, key=lambda pair: (len(pair[0]), pair[1]))
        shown_ones = differences[:_MOST_SHOWN]
        if len(differences) > _MOST_SHOWN:
            shown_ones.append(f"and {len(differences) - _MOST_SHOWN} more")
        reason = "no call has these arguments"
        return NoSuchCallError(reason, number, shown_ones)


def is_current(call: RecordedCall, definition: str) -> bool:
    """Return False if the definition of the tool is known to have changed since."""
    return not (call.definition and definition) or call.definition == definition


def _require_current(call: RecordedCall, definition: str) -> None:
    if not is_current(call, definition):
        raise StaleCallError(call.number)


def _key(kind: str, name: str, arguments: Mapping[str, Any], mask: Sequence[str]) -> str:
    masked = _mask_value(arguments, _PREFIX, frozenset(mask)) if mask else arguments
    key = [kind, name, plain_numbers(dict(masked)), list(mask)]
    return json.dumps(key, sort_keys=True)


def _mask_value(value: object, pointer: str, mask: frozenset[str]) -> Any:
    if pointer in mask:
        return _MASK
    if isinstance(value, Mapping):
        members = cast("Mapping[str, object]", value).items()
        return {n: _mask_value(v, f"{pointer}/{escape(n)}", mask) for n, v in members}
    if isinstance(value, list):
        items = enumerate(cast("list[object]", value))
        return [_mask_value(item, f"{pointer}/{n}", mask) for n, item in items]
    return value


def _differences(call: RecordedCall, arguments: Mapping[str, Any]) -> list[str]:
    """List how arguments differ from those of a recorded call."""
    mask = frozenset(call.redacted)
    recorded = _leaves(_mask_value(call.arguments, _PREFIX, mask), "")
    leaves = _leaves(_mask_value(arguments, _PREFIX, mask), "")
    return [
        f"{pointer}: recorded {_shortened_leaf(recorded, pointer)},"
        f" now {_shortened_leaf(leaves, pointer)}"
        for pointer in sorted(recorded.keys() | leaves.keys())
        if recorded.get(pointer) != leaves.get(pointer)
    ]


def _leaves(value: object, pointer: str) -> dict[str, str]:
    """Return the JSON of each scalar or empty value, by pointer."""
    inner: list[tuple[str, object]] = []
    if not isinstance(value, Mapping | list):
        return {pointer: json.dumps(plain_numbers(value), ensure_ascii=False)}
    if isinstance(value, Mapping):
        members = cast("Mapping[str, object]", value).items()
        inner = [(escape(name), member) for name, member in members]
    else:
        items = enumerate(cast("list[object]", value))
        inner = [(str(index), item) for index, item in items]
    if not inner and pointer:
        return {pointer: "{}" if isinstance(value, Mapping) else "[]"}
    leaves: dict[str, str] = {}
    for name, member in inner:
        leaves |= _leaves(member, f"{pointer}/{name}")
    return leaves


def _shortened_leaf(leaves: Mapping[str, str], pointer: str) -> str:
    text = leaves.get(pointer, "absent")
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."
