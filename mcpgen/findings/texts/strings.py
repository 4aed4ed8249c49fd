"""Finds all strings in a JSON value, including property names, with their pointers."""

from __future__ import annotations

from collections.abc import Iterator

from mcpgen.jsonpointer import escape
from mcpgen.jsontext import Json, is_array, is_object


def strings(value: Json) -> Iterator[str]:
    """Yield every string in a JSON value, including property names."""
    waiting = [value]
    while waiting:
        value = waiting.pop()
        if isinstance(value, str):
            yield value
        elif isinstance(value, list):
            waiting += value
        elif isinstance(value, dict):
            waiting += value
            waiting += value.values()


def located_strings(value: Json) -> Iterator[tuple[str, str]]:
    """Yield every string in a JSON value with its pointer, including property names."""
    waiting: list[tuple[Json, str]] = [(value, "")]
    while waiting:
        value, pointer = waiting.pop()
        if isinstance(value, str):
            yield value, pointer
        elif is_array(value):
            items = [(item, f"{pointer}/{index}") for index, item in enumerate(value)]
            waiting += reversed(items)
        elif is_object(value):
            for key in value:
                yield key, f"{pointer}/{escape(key)}"
            members = [(item, f"{pointer}/{escape(key)}") for key, item in value.items()]
            waiting += reversed(members)


def member_names(value: Json) -> Iterator[str]:
    """Yield the names of all properties in a JSON value."""
    waiting = [value]
    while waiting:
        value = waiting.pop()
        if is_object(value):
            yield from value
            waiting += value.values()
        elif is_array(value):
            waiting += value
