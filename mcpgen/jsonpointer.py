"""Parses, joins and resolves JSON pointers (RFC 6901)."""

from __future__ import annotations

from mcpgen_runtime.jsonpointer import escape, pointer

from mcpgen.jsontext import Json, is_array, is_object

__all__ = ["escape", "lookup", "pointer", "steps", "unescape"]


def unescape(step: str) -> str:
    """Decode a reference token of a JSON pointer."""
    return step.replace("~1", "/").replace("~0", "~")


def steps(pointer: str) -> list[str]:
    """Split a JSON pointer into keys and indices."""
    return [unescape(step) for step in pointer.split("/")[1:]]


def lookup(value: Json, pointer: str) -> tuple[str, Json] | None:
    """Follow a JSON pointer. Return the normalized pointer and the value, or None."""
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
