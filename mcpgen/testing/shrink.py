"""Finds the smallest failing case: removes or simplifies one part after the other."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator
from dataclasses import replace

from mcpgen.findings.contract_tests import Case
from mcpgen.jsontext import Json, is_array, is_object

_PLAIN = ("", "a", "0")
_DEEPEST = 4


def shrunk(case: Case, fails: Callable[[Case], bool], most: int) -> Case:
    """Return a smaller case that fails in the same way, after at most ``most`` attempts."""
    tries = 0
    smaller = True
    while smaller:
        smaller = False
        for simpler in _simpler(case):
            if tries >= most:
                return case
            tries += 1
            if fails(simpler):
                case, smaller = simpler, True
                break
    return case


def _simpler(case: Case) -> Iterator[Case]:
    data = case.data
    if case.check == "together":
        calls: list[Json] = data["calls"]
        for at in range(len(calls)):
            if len(calls) > 2:
                yield replace(case, data={**data, "calls": calls[:at] + calls[at + 1 :]})
        return
    reads = data.get("reads")
    if is_array(reads) and len(reads) > 1:
        for read in reads:
            yield replace(case, data={**data, "reads": [read]})
    arguments = data.get("arguments")
    if is_object(arguments):
        before = size(arguments)
        for simpler in _values(arguments):
            if size(simpler) < before:
                yield replace(case, data={**data, "arguments": simpler})


def size(value: Json) -> tuple[int, int, str]:
    """Return a sort key for the size of a value. Simpler values come first."""
    text = json.dumps(value, sort_keys=True)
    return len(text), sum(char.isalnum() and char not in "0a" for char in text), text


def _values(value: Json, depth: int = 0) -> Iterator[Json]:
    """Yield simpler values, smallest first."""
    if is_object(value):
        yield from ({key: value_ for key, value_ in value.items() if key != name} for name in value)
        for name, item in value.items() if depth < _DEEPEST else ():
            yield from ({**value, name: inner} for inner in _values(item, depth + 1))
    elif is_array(value):
        yield from (value[:0], value[: len(value) // 2], value[1:], value[:-1])
        for at, item in enumerate(value[:3]) if depth < _DEEPEST else ():
            yield from ([*value[:at], new, *value[at + 1 :]] for new in _values(item, depth + 1))
    elif isinstance(value, str):
        half = len(value) // 2
        yield from (*_PLAIN, value[:half], value[half:], value[:-1], value[1:])
    elif isinstance(value, bool):
        yield False
    elif isinstance(value, int | float):
        yield from (plain for plain in (0, 1, -1) if abs(plain) < abs(value))
        if math.isfinite(value) and abs(value) < 2**53:
            yield from (int(value), int(value) // 2)
