"""Traversal of JSON Schemas: subschemas and references."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, cast

_ONE = frozenset(
    "additionalItems additionalProperties contains contentSchema else if items not"
    " propertyNames then unevaluatedItems unevaluatedProperties".split()
)
_MANY = frozenset("allOf anyOf oneOf prefixItems items".split())
_NAMED = frozenset(
    "$defs definitions dependencies dependentSchemas patternProperties properties".split()
)
_MOST_STEPS = 20


def rewritten(schema: Any, change: Callable[[dict[str, Any]], dict[str, Any]], at: str = "") -> Any:
    """Transform all objects of a schema, inner ones first.

    ``at`` is the parent keyword. Boolean schemas stay where APIs accept them.
    """
    if isinstance(schema, bool):
        plain = not at or at.startswith(("additional", "unevaluated"))
        return schema if plain else change({} if schema else {"not": {}})
    if not is_object(schema):
        return schema
    node = members(schema)
    changed: dict[str, Any] = {}
    for key, value in node.items():
        if key in _MANY and is_list(value):
            changed[key] = [rewritten(part, change, key) for part in items(value)]
        elif key in _ONE:
            changed[key] = rewritten(value, change, key)
        elif key in _NAMED and is_object(value):
            changed[key] = {
                name: rewritten(part, change, key) for name, part in members(value).items()
            }
        else:
            changed[key] = value
    return change(changed)


def members(value: object) -> dict[str, Any]:
    """Return the properties of an object, or an empty dict for other values."""
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def items(value: object) -> list[Any]:
    """Return the items of a list, or an empty list for other values."""
    return [*cast("list[object]", value)] if isinstance(value, list) else []


def is_object(value: object) -> bool:
    """Return True for a JSON object."""
    return isinstance(value, dict)


def is_list(value: object) -> bool:
    """Return True for a JSON array."""
    return isinstance(value, list)


def inner(schema: Any) -> Iterator[dict[str, Any]]:
    """Yield a schema and all of its subschemas."""
    references: list[dict[str, Any]] = []

    def take(node: dict[str, Any]) -> dict[str, Any]:
        references.append(node)
        return node

    rewritten(schema, take)
    yield from references


def resolve_reference(node: Mapping[str, Any], root: Any) -> Mapping[str, Any]:
    """Resolve a reference within the document and merge its siblings."""
    for _ in range(_MOST_STEPS):
        target = target_of(node.get("$ref"), root)
        if target is None:
            return node
        rest = {key: value for key, value in node.items() if key != "$ref"}
        node = {**target, **rest}
    return node


def target_of(reference: Any, root: Any) -> dict[str, Any] | None:
    """Return the schema that a reference within the document points at."""
    if not isinstance(reference, str) or not reference.startswith("#"):
        return None
    target = root
    for step in _steps(reference):
        if step in members(target):
            target = members(target)[step]
        elif is_list(target) and step.isdecimal():
            target = dict(enumerate(items(target))).get(int(step))
        else:
            return None
    return members(target) if is_object(target) else None


def _steps(reference: str) -> list[str]:
    from urllib.parse import unquote

    pointer = unquote(reference[1:])
    steps = pointer.split("/")[1:] if pointer.startswith("/") else []
    if pointer and not pointer.startswith("/"):
        return ["", pointer]  # anchors aren't supported
    return [step.replace("~1", "/").replace("~0", "~") for step in steps]
