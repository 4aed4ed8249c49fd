"""JSON pointers (RFC 6901): written, read, and followed into a value."""

from __future__ import annotations

from collections.abc import Iterable

from mcpgen.jsontext import Json, is_array, is_object


def pointer(path: Iterable[str | int]) -> str:
    """Return the JSON pointer (RFC 6901) of a sequence of keys and indices."""
    return "".join(f"/{escape(str(step))}" for step in path)


def escape(step: str) -> str:
    """Escape one step of a JSON pointer."""
    return step.replace("~", "~0").replace("/", "~1")


def steps(pointer: str) -> list[str]:
    """Return the keys and indices that a JSON pointer leads through."""
    return [step.replace("~1", "/").replace("~0", "~") for step in pointer.split("/")[1:]]


def lookup(value: Json, pointer: str) -> tuple[str, Json] | None:
    """Follow a JSON pointer into a value; return it, spelled as we do, and what stands there."""
    path = ""
    for key in steps(pointer):
        if is_object(value) and key in value:
            value = value[key]
        elif is_array(value) and key.isdecimal() and int(key) < len(value):
            value = value[int(key)]
        else:
            return None
        path += f"/{escape(key)}"
    return path, value
