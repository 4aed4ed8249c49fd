"""Finds descriptions that moved within a property: into a union, or into one of its branches."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from mcpgen.findings.change import ABSENT, Change, Value
from mcpgen.jsonpointer import lookup
from mcpgen.jsontext import Json, is_array, is_object
from mcpgen.schemas.validation.references import resolve

_TEXTS = ("description", "title")
_MAX_NODES = 2_000


def without_moved_texts(changes: Iterable[Change], old: Json, new: Json) -> Iterator[Change]:
    """Leave out descriptions that only moved within their property.

    Args:
        changes: Changes between two schemas, with pointers that end like pointers into the schemas.
        old: The old schema.
        new: The new schema.
    """
    for change in changes:
        if change.keyword not in _TEXTS or change.old is ABSENT is change.new:
            yield change
        elif _is_gone(change.new) and not _is_gone(change.old):
            if not _stands(change.old, new, change):
                yield change
        elif _is_gone(change.old) and not _is_gone(change.new):
            if not _stands(change.new, old, change):
                yield change
        else:
            yield change


def _is_gone(value: Value) -> bool:
    return value is ABSENT or value is None or value == ""


def _stands(value: Value, schema: Json, change: Change) -> bool:
    """Return True if the other schema has the text in the same property."""
    listed = value if is_array(value) else [value]
    pointer = _property(change.new_pointer or change.old_pointer)
    match = lookup(schema, pointer) or lookup(schema, _property(change.old_pointer))
    if match is None:
        return False
    texts = set(_texts(schema, match[1]))
    return all(isinstance(item, str) and item in texts for item in listed)


def _property(pointer: str) -> str:
    """Return the pointer of the innermost property or definition, within the schema."""
    inner = pointer.partition("Schema")[2]
    steps = inner.split("/")
    for index in range(len(steps) - 2, 0, -1):
        if steps[index] in ("properties", "$defs", "definitions", "patternProperties"):
            return "/".join(steps[: index + 2])
    return ""


def _texts(root: Json, schema: Json) -> Iterator[str]:
    """Yield the strings of a schema and its branches, except in its properties."""
    waiting, followed = [schema], set[str]()
    for _ in range(_MAX_NODES):
        if not waiting:
            return
        node = waiting.pop()
        if not is_object(node):
            continue
        yield from (text for key in _TEXTS if isinstance(text := node.get(key), str))
        for key in ("anyOf", "oneOf", "allOf", "prefixItems"):
            listed = node.get(key)
            waiting += listed if is_array(listed) else []
        waiting += [node[key] for key in ("items", "additionalProperties", "not") if key in node]
        ref = node.get("$ref")
        if isinstance(ref, str) and ref.startswith("#") and ref not in followed:
            followed.add(ref)
            target = resolve(root, ref)
            waiting += [target[1]] if target else []
