"""Reads the parts of a schema that matter on a command line: types, choices, properties and items.

This only guides the parsing of arguments. The schema itself decides what is valid.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from functools import reduce
from typing import Any, TypeAlias, cast
from urllib.parse import unquote

Json: TypeAlias = Any

NULL = "null"
ALL = frozenset("string integer number boolean array object null".split())
_DEEP = 12
"""The maximum depth of references and branches."""
_MOST = 500
"""The maximum number of subschemas that are read."""


@dataclass(frozen=True)
class Shape:
    """The known properties of a value. ``rest`` is the schema of other properties."""

    kinds: Set[str] = ALL
    choices: tuple[Json, ...] | None = None
    members: Mapping[str, Json] = field(default_factory=dict[str, Json])
    required: Set[str] = frozenset()
    rest: Json = None
    items: Json = None
    keywords: Mapping[str, Json] = field(default_factory=dict[str, Json])
    """Annotations such as ``description``."""

    @property
    def is_flag(self) -> bool:
        """True if the value is a boolean or null."""
        return self.kinds - {NULL} == {"boolean"}


def read(schema: Json, root: Json) -> Shape:
    """Read a schema. References are resolved in ``root``."""
    return _Reader(root).shape(schema, _DEEP)


@dataclass
class _Reader:
    """Reads schemas up to a limit, even if references multiply."""

    root: Json
    steps_left: int = _MOST

    def shape(self, schema: Json, deep: int) -> Shape:
        self.steps_left -= 1
        if schema is False:
            return Shape(frozenset())
        if not isinstance(schema, dict) or not deep or self.steps_left < 0:
            return Shape()
        raw = cast("dict[str, Json]", schema)
        shape = _own_shape(raw)
        parts = _list(raw.get("allOf"))
        if isinstance(raw.get("$ref"), str):
            parts.append(_target(raw["$ref"], self.root))
        for part in parts:
            shape = _intersect(shape, self.shape(part, deep - 1))
        for keyword in ("anyOf", "oneOf"):
            if branches := _list(raw.get(keyword)):
                shapes = [self.shape(branch, deep - 1) for branch in branches]
                shape = _intersect(shape, reduce(_unite, shapes))
        return shape


def kind_of(value: Json) -> str:
    """Return the type of a JSON value. Integral numbers are integers."""
    if isinstance(value, float):
        return "integer" if value.is_integer() else "number"
    return next((kind for item, kind in _KINDS if isinstance(value, item)), NULL)


_KINDS: Sequence[tuple[type[object], str]] = (
    (bool, "boolean"),  # which is an integer to Python
    (int, "integer"),
    (str, "string"),
    (list, "array"),
    (dict, "object"),
)
_SAID = (
    "description",
    "title",
    "default",
    "format",
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "minLength",
    "maxLength",
    "minItems",
    "maxItems",
    "pattern",
    "deprecated",
)


def _own_shape(raw: dict[str, Json]) -> Shape:
    """Read the keywords of a schema itself."""
    members = raw.get("properties")
    choices: tuple[Json, ...] | None = None
    if "const" in raw:
        choices = (raw["const"],)
    elif isinstance(raw.get("enum"), list):
        choices = tuple(raw["enum"])
    kinds = _kinds(raw.get("type"))
    if choices is not None:
        kinds = kinds & frozenset(map(kind_of, choices)) or kinds
    elif "type" not in raw and isinstance(members, dict):
        kinds = frozenset({"object"})
    elif "type" not in raw and "items" in raw:
        kinds = frozenset({"array"})
    return Shape(
        kinds=kinds,
        choices=choices,
        members=cast("dict[str, Json]", members) if isinstance(members, dict) else {},
        required=_texts(raw.get("required")),
        rest=raw.get("additionalProperties"),
        items=raw.get("items"),
        keywords={key: raw[key] for key in _SAID if key in raw},
    )


def _kinds(named: Json) -> Set[str]:
    kinds = ({named} if isinstance(named, str) else _texts(named)) & ALL
    if not kinds:
        return ALL
    return kinds | {"integer"} if "number" in kinds else kinds


def _intersect(first: Shape, other: Shape) -> Shape:
    """Return the shape of values that have both shapes."""
    choices = other.choices if first.choices is None else first.choices
    if first.choices is not None and other.choices is not None:
        choices = tuple(choice for choice in first.choices if choice in other.choices)
    return Shape(
        kinds=first.kinds & other.kinds,
        choices=choices,
        members={**other.members, **first.members},
        required=first.required | other.required,
        rest=other.rest if first.rest is None else first.rest,
        items=other.items if first.items is None else first.items,
        keywords={**other.keywords, **first.keywords},
    )


def _unite(first: Shape, other: Shape) -> Shape:
    """Return the shape of values that have either shape."""
    choices: tuple[Json, ...] | None = None
    if first.choices is not None and other.choices is not None:
        more = [choice for choice in other.choices if choice not in first.choices]
        choices = (*first.choices, *more)
    for shape, rest in ((first, other), (other, first)):
        if rest.kinds == {NULL}:
            return replace(shape, kinds=shape.kinds | {NULL})
    return Shape(
        kinds=first.kinds | other.kinds,
        choices=choices,
        members={**other.members, **first.members},
        required=first.required & other.required,
        rest=other.rest if first.rest is None else first.rest,
        items=other.items if first.items is None else first.items,
        keywords={**other.keywords, **first.keywords},
    )


def _target(pointer: str, root: Json) -> Json:
    """Resolve a reference within the document, or return None."""
    if not pointer.startswith("#"):
        return None
    target = root
    for step in pointer.split("/")[1:]:
        key = unquote(step).replace("~1", "/").replace("~0", "~")
        if isinstance(target, list) and key.isdecimal():
            items = _list(target)
            target = items[int(key)] if int(key) < len(items) else None
        else:
            target = cast("dict[str, Json]", target).get(key) if isinstance(target, dict) else None
    return target


def _list(value: Json) -> list[Json]:
    return [*cast("Sequence[Json]", value)] if isinstance(value, list) else []


def _texts(value: Json) -> Set[str]:
    return frozenset(item for item in _list(value) if isinstance(item, str))
