"""What a schema says about typing a value: kinds, choices, properties and items.

This only guides the parsing of words. The schema itself decides what is valid.
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
    said: Mapping[str, Json] = field(default_factory=dict[str, Json])
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
    left: int = _MOST

    def shape(self, schema: Json, deep: int) -> Shape:
        self.left -= 1
        if schema is False:
            return Shape(frozenset())
        if not isinstance(schema, dict) or not deep or self.left < 0:
            return Shape()
        raw = cast("dict[str, Json]", schema)
        shape = _own(raw)
        parts = _list(raw.get("allOf"))
        if isinstance(raw.get("$ref"), str):
            parts.append(_target(raw["$ref"], self.root))
        for part in parts:
            shape = _both(shape, self.shape(part, deep - 1))
        for keyword in ("anyOf", "oneOf"):
            if branches := _list(raw.get(keyword)):
                shapes = [self.shape(branch, deep - 1) for branch in branches]
                shape = _both(shape, reduce(_either, shapes))
        return shape


def kind_of(value: Json) -> str:
    """Return the type of a JSON value. Integral numbers are integers."""
    if isinstance(value, float):
        return "integer" if value.is_integer() else "number"
    return next((kind for each, kind in _KINDS if isinstance(value, each)), NULL)


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


def _own(raw: dict[str, Json]) -> Shape:
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
        said={key: raw[key] for key in _SAID if key in raw},
    )


def _kinds(named: Json) -> Set[str]:
    kinds = ({named} if isinstance(named, str) else _texts(named)) & ALL
    if not kinds:
        return ALL
    return kinds | {"integer"} if "number" in kinds else kinds


def _both(one: Shape, other: Shape) -> Shape:
    """Return the shape of values that have both shapes."""
    choices = other.choices if one.choices is None else one.choices
    if one.choices is not None and other.choices is not None:
        choices = tuple(each for each in one.choices if each in other.choices)
    return Shape(
        kinds=one.kinds & other.kinds,
        choices=choices,
        members={**other.members, **one.members},
        required=one.required | other.required,
        rest=other.rest if one.rest is None else one.rest,
        items=other.items if one.items is None else one.items,
        said={**other.said, **one.said},
    )


def _either(one: Shape, other: Shape) -> Shape:
    """Return the shape of values that have either shape."""
    choices: tuple[Json, ...] | None = None
    if one.choices is not None and other.choices is not None:
        more = [each for each in other.choices if each not in one.choices]
        choices = (*one.choices, *more)
    for known, rest in ((one, other), (other, one)):
        if rest.kinds == {NULL}:
            return replace(known, kinds=known.kinds | {NULL})
    return Shape(
        kinds=one.kinds | other.kinds,
        choices=choices,
        members={**other.members, **one.members},
        required=one.required & other.required,
        rest=other.rest if one.rest is None else one.rest,
        items=other.items if one.items is None else one.items,
        said={**other.said, **one.said},
    )


def _target(pointer: str, root: Json) -> Json:
    """Resolve a reference within the document, or return None."""
    if not pointer.startswith("#"):
        return None
    found = root
    for step in pointer.split("/")[1:]:
        key = unquote(step).replace("~1", "/").replace("~0", "~")
        if isinstance(found, list) and key.isdecimal():
            items = _list(found)
            found = items[int(key)] if int(key) < len(items) else None
        else:
            found = cast("dict[str, Json]", found).get(key) if isinstance(found, dict) else None
    return found


def _list(value: Json) -> list[Json]:
    return [*cast("Sequence[Json]", value)] if isinstance(value, list) else []


def _texts(value: Json) -> Set[str]:
    return frozenset(each for each in _list(value) if isinstance(each, str))
