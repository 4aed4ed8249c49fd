"""Validates properties of a definition other than its schemas."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping
from typing import Any

from mcpgen.errors import Problem
from mcpgen.jsontext import Json, is_array, is_object

# MCP, schema, all revisions: a property with one of these names has this type at any depth.
_MEMBERS: dict[str, tuple[str, type | tuple[type, ...]]] = {
    **dict.fromkeys(
        ("name", "title", "description", "uri", "uriTemplate", "mimeType", "version", "websiteUrl"),
        ("a string", str),
    ),
    **dict.fromkeys(("annotations", "_meta", "execution"), ("an object", dict)),
    **dict.fromkeys(("icons", "arguments"), ("an array", list)),
    "size": ("a number", (int, float)),
}
_HINTS = ("readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint")


def nonconforming(definition: Mapping[str, Json]) -> Iterator[Problem]:
    """Yield properties that violate the protocol and are therefore ignored.

    Null is valid, because many servers write it for missing properties.
    """
    for name, value in definition.items():
        expected, kinds = _MEMBERS.get(name, ("", object))
        if value is None:
            continue
        if not isinstance(value, kinds):
            yield Problem(f"/{name}", f"expected {expected}")
        elif name == "arguments":
            yield from _nonconforming_arguments(value)
        elif name == "icons":
            yield from _nonconforming_icons(value)
        elif name == "annotations":
            yield from _nonconforming_hints(value)


def _nonconforming_arguments(entries: Json) -> Iterator[Problem]:
    """Yield prompt arguments without a name, or with a repeated one."""
    visited: set[str] = set()
    for at, entry in enumerate(entries):
        name = entry.get("name") if is_object(entry) else None
        if not isinstance(name, str):
            yield Problem(f"/arguments/{at}", "expected an object with a string 'name'")
        elif name in visited:
            yield Problem(f"/arguments/{at}", f"the argument {name!r} occurs twice")
        else:
            visited.add(name)
            if not isinstance(entry.get("required"), bool | None):
                yield Problem(f"/arguments/{at}/required", "expected true or false")
            for member in ("title", "description"):
                if not isinstance(entry.get(member), str | None):
                    yield Problem(f"/arguments/{at}/{member}", "expected a string")


def _nonconforming_icons(entries: Json) -> Iterator[Problem]:
    for at, entry in enumerate(entries):
        if not is_object(entry) or not isinstance(entry.get("src"), str):
            yield Problem(f"/icons/{at}", "expected an object with a string 'src'")
        elif not _is_icon(entry):
            yield Problem(f"/icons/{at}", "its type, sizes or theme are invalid for an icon")


def _is_icon(entry: dict[str, Json]) -> bool:
    sizes = entry.get("sizes")
    are_sizes = sizes is None or (is_array(sizes) and all(isinstance(s, str) for s in sizes))
    is_themed = entry.get("theme") in (None, "light", "dark")
    return isinstance(entry.get("mimeType"), str | None) and are_sizes and is_themed


def _nonconforming_hints(annotations: Json) -> Iterator[Problem]:
    for name in _HINTS:
        if not isinstance(annotations.get(name), bool | None):
            yield Problem(f"/annotations/{name}", "expected true or false")


def conforming(definition: Mapping[str, Json]) -> Mapping[str, Json]:
    """Remove nonconforming properties, because clients may reject a whole list for one of them."""
    pointers = [problem.pointer for problem in nonconforming(definition)]
    if not pointers:
        return definition
    copied: Any = copy.deepcopy(dict(definition))
    for pointer in reversed(pointers):  # so that the remaining items keep their index
        *path, last = pointer.split("/")[1:]
        holder = copied
        for step in path:
            holder = holder[int(step) if is_array(holder) else step]
        del holder[int(last) if is_array(holder) else last]
    result: Mapping[str, Json] = copied
    return result
