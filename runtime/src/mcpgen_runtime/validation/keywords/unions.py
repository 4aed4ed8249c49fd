"""``anyOf`` and ``oneOf`` that try only the alternatives that a value can satisfy.

The JSON type of a value, its properties and its tags (properties with a constant or an
``enum``) rule out most alternatives, so usually one is evaluated.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from . import budgets as limits
from . import checks
from .jsonschema_api import error

_MOST_REFERENCES = 5
_PARTS = (dict, list)  # not used as tags, because comparing them takes time


@dataclass(frozen=True)
class _Shape:
    """Requirements that a value must meet to satisfy an alternative."""

    types: tuple[str, ...] = ()
    required: frozenset[str] = frozenset()
    tags: Mapping[str, frozenset[object]] = field(default_factory=dict[str, Any])


@dataclass(frozen=True)
class _Union:
    """The alternatives of one union, and the tag that most of them have in common.

    ``by_tag`` has the alternatives for each value of that tag; ``other_indices`` have no such
    tag.
    """

    parts: Sequence[Any]
    shapes: Sequence[_Shape]
    tag: str
    by_tag: Mapping[object, Sequence[int]]
    other_indices: Sequence[int]

    def candidates(self, value: Any) -> Sequence[int]:
        """Return the alternatives that the tag leaves, in the order of the schema."""
        if not self.tag or not isinstance(value, dict) or self.tag not in value:
            return range(len(self.parts))
        members = cast("dict[str, object]", value)
        own = members[self.tag]
        tagged = () if isinstance(own, _PARTS) else self.by_tag.get(checks.key(own), ())
        return sorted([*tagged, *self.other_indices]) if self.other_indices else tagged


def possible(validator: Any, parts: Sequence[Any], value: Any) -> list[Any]:
    """Return the alternatives that a value may satisfy."""
    union = _union(validator, parts)
    return [
        parts[at]
        for at in union.candidates(value)
        if _may_allow(validator, union.shapes[at], value)
    ]


def _may_allow(validator: Any, shape: _Shape, value: Any) -> bool:
    if shape.types and not any(validator.is_type(value, kind) for kind in shape.types):
        return False
    if not isinstance(value, dict):
        return True
    members = cast("dict[str, object]", value)
    return all(name in members for name in shape.required) and all(
        name not in members or _is_among(members[name], allowed)
        for name, allowed in shape.tags.items()
    )


def _is_among(value: object, allowed: frozenset[object]) -> bool:
    return not isinstance(value, _PARTS) and checks.key(value) in allowed


def _union(validator: Any, parts: Sequence[Any]) -> _Union:
    memo, key = limits.current().memo, ("union", id(parts), 0)
    if key not in memo:
        memo[key] = (parts, None, _read(validator, parts))
    return cast("_Union", memo[key][-1])


def _read(validator: Any, parts: Sequence[Any]) -> _Union:
    shapes = [_shape(validator, part) for part in parts]
    names = [name for shape in shapes for name in shape.tags]
    tag = max(dict.fromkeys(names), key=names.count, default="")
    by_tag: dict[object, list[int]] = {}
    other_indices: list[int] = []
    for at, shape in enumerate(shapes):
        for value in shape.tags.get(tag, ()):
            by_tag.setdefault(value, []).append(at)
        if tag not in shape.tags:
            other_indices.append(at)
    return _Union(parts, shapes, tag, by_tag, other_indices)


def _shape(validator: Any, part: Any, references: int = _MOST_REFERENCES) -> _Shape:
    """Return the types, required members and tags of an alternative."""
    is_known = "const" in validator.VALIDATORS and not validator.DYNAMIC
    if not isinstance(part, dict) or not is_known or "$id" in part or "$schema" in part:
        return _Shape()
    schema = cast("dict[str, Any]", part)
    if "$ref" in schema:  # which hides all others in old dialects
        if not references:
            return _Shape()
        resolved = validator._resolver.lookup(schema["$ref"])
        inner = validator.evolve(schema=resolved.contents, _resolver=resolved.resolver)
        return _shape(inner, resolved.contents, references - 1)
    types = schema.get("type", ())
    required = schema.get("required", ())
    tags = {
        name: frozenset(map(checks.key, values))
        for name, property_schema in schema.get("properties", {}).items()
        if (values := _values(property_schema))
    }
    return _Shape((types,) if isinstance(types, str) else tuple(types), frozenset(required), tags)


def _values(schema: Any) -> list[Any]:
    """Return the values that a property may have if the schema lists only scalars."""
    if not isinstance(schema, dict) or "$ref" in schema:
        return []
    keywords = cast("dict[str, Any]", schema)
    values = [keywords["const"]] if "const" in keywords else list(keywords.get("enum", ()))
    return [] if any(isinstance(value, _PARTS) for value in values) else values


def _any_of(validator: Any, parts: Sequence[Any], value: Any, _: object) -> Iterator[Any]:
    tried = possible(validator, parts, value)
    if len(tried) == 1 or not any(_is_met(validator, part, value) for part in tried):
        yield from _union_errors(validator, tried, value)


def _one_of(validator: Any, parts: Sequence[Any], value: Any, _: object) -> Iterator[Any]:
    tried = possible(validator, parts, value)
    met = [part for part in tried if len(tried) > 1 and _is_met(validator, part, value)]
    if not met:
        yield from _union_errors(validator, tried, value)
    elif len(met) > 1:
        reprs = ", ".join(checks.short_repr(part) for part in met)
        yield error(f"{checks.short_repr(value)} is valid under each of {reprs}")


def _is_met(validator: Any, part: Any, value: Any) -> bool:
    return next(validator.descend(value, part), None) is None


def _union_errors(validator: Any, tried: list[Any], value: Any) -> Iterator[Any]:
    """Yield the errors of the only possible alternative, or one for the union."""
    if len(tried) == 1:
        yield from validator.descend(value, tried[0])
        return
    value_text = checks.short_repr(value)
    yield error(f"{value_text} is not valid under any of the given schemas")


UNIONS = {"anyOf": _any_of, "oneOf": _one_of}
