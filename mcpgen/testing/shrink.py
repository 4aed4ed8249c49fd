"""The smallest case that still fails: one part after the other is left out or made plain."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import replace

from mcpgen.jsontext import Json, is_array, is_object
from mcpgen.testing.failure import Case

_PLAIN = ("", "a", "0")


def shrunk(case: Case, fails: Callable[[Case], bool], most: int) -> Case:
    """Return a case that fails in the same way and has less in it, after so many tries at most."""
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
    """Return how much there is to a value: less is plainer."""
    text = json.dumps(value, sort_keys=True)
    return len(text), sum(char.isalnum() and char not in "0a" for char in text), text


def _values(value: Json, depth: int = 0) -> Iterator[Json]:
    """Yield plainer values, those that lack most first."""
    if is_object(value):
        for name in value:
            yield {key: each for key, each in value.items() if key != name}
        if depth < 4:
            for name, each in value.items():
                for inner in _values(each, depth + 1):
                    yield {**value, name: inner}
    elif is_array(value):
        if value:
            yield []
        if len(value) > 1:
            yield value[: len(value) // 2]
            yield value[1:]
            yield value[:-1]
        if depth < 4:
            for at, each in enumerate(value[:3]):
                for inner in _values(each, depth + 1):
                    yield [*value[:at], inner, *value[at + 1 :]]
    elif isinstance(value, str):
        yield from (plain for plain in _PLAIN if len(plain) < len(value) or plain < value)
        half = len(value) // 2
        if half:
            yield from (value[:half], value[half:])
            yield from (value[:-1], value[1:])
    elif isinstance(value, bool):
        if value:
            yield False
    elif isinstance(value, int | float):
        yield from (plain for plain in (0, 1, -1) if abs(plain) < abs(value))
        if isinstance(value, float) and value == value and abs(value) < 2**53:
            yield int(value)
        if isinstance(value, int) and abs(value) > 3:
            yield value // 2
