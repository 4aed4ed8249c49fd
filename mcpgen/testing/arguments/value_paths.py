"""Walks the positions of a value, with the subschemas that apply to each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from mcpgen.jsonpointer import pointer
from mcpgen.jsontext import Json, is_array, is_object
from mcpgen.schemas.validation.references import resolve

Path = tuple["str | int", ...]

_DEEPEST = 8


def alternatives(root: Json, schema: Json) -> list[dict[str, Json]]:
    """Return the subschemas that apply or may apply to a value, following references.

    Each reference is followed once, because mutually recursive unions would never end.
    """
    return [*_alternatives(root, schema, set(), 0)]


def _alternatives(
    root: Json, schema: Json, followed: set[str], depth: int
) -> Iterator[dict[str, Json]]:
    if not is_object(schema) or depth > _DEEPEST:
        return
    yield schema
    ref = schema.get("$ref")
    if isinstance(ref, str) and ref.startswith("#") and ref not in followed:
        followed.add(ref)
        if target := resolve(root, ref):
            yield from _alternatives(root, target[1], followed, depth + 1)
    for keyword in ("allOf", "anyOf", "oneOf"):
        listed = schema.get(keyword)
        for value in listed if is_array(listed) else []:
            yield from _alternatives(root, value, followed, depth + 1)


def values_at(value: Json, path: Sequence[str | int]) -> Iterator[Json]:
    """Yield the value at a path, or nothing if there is none."""
    for step in path:
        if is_object(value) and step in value:
            value = value[str(step)]
        elif is_array(value) and isinstance(step, int) and step < len(value):
            value = value[step]
        else:
            return
    yield value


def places(
    root: Json, value: Json, path: Path = (), nodes: list[dict[str, Json]] | None = None
) -> Iterator[tuple[Path, Json, list[dict[str, Json]]]]:
    """Yield each position of a value, with the subschemas that apply to it."""
    if nodes is None:
        nodes = alternatives(root, root)
    yield path, value, nodes
    if len(path) > 4:
        return
    if is_object(value):
        for name, item in value.items():
            inner = [part for node in nodes for part in alternatives(root, _member(node, name))]
            yield from places(root, item, (*path, name), inner)
    elif is_array(value):
        for at, item in enumerate(value[:2]):
            inner = [part for node in nodes for part in alternatives(root, _item(node, at))]
            yield from places(root, item, (*path, at), inner)


def _member(node: dict[str, Json], name: str) -> Json:
    listed = node.get("properties")
    if is_object(listed) and name in listed:
        return listed[name]
    return node.get("additionalProperties")


def _item(node: dict[str, Json], at: int) -> Json:
    prefix = node.get("prefixItems")
    if is_array(prefix) and at < len(prefix):
        return prefix[at]
    return node.get("items")


def absent(value: dict[str, Json], nodes: list[dict[str, Json]]) -> dict[str, Json]:
    """Return the properties that schemas name and an object lacks, with their schemas."""
    result: dict[str, Json] = {}
    for node in nodes:
        listed = node.get("properties")
        if is_object(listed):
            result.update({name: part for name, part in listed.items() if name not in value})
    return result


def without_property(value: Mapping[str, Json], name: str) -> dict[str, Json]:
    """Return an object without a property."""
    return {key: item for key, item in value.items() if key != name}


def with_value(root: Json, path: Path, new: Any) -> Json:
    """Return a copy with another value at a path."""
    if not path:
        return new
    step, rest = path[0], path[1:]
    if is_object(root):
        return {**root, str(step): with_value(root[str(step)], rest, new)}
    items = list(root)
    items[int(step)] = with_value(items[int(step)], rest, new)
    return items


def pattern_of(path: Path) -> Path:
    """Return a path with the same step for each item of an array."""
    return tuple("*" if isinstance(step, int) else step for step in path)


def pointer_of(path: Path) -> str:
    """Return the JSON pointer of a path."""
    return pointer(path)
