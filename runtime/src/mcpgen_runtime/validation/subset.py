"""Proof that one version of a schema allows everything that another one allows.

For arguments the recorded schema must be narrower, for results the live one. No property
that the contract names may be removed, because its meaning would be lost. Each rule is
sound by itself; everything else must be equal in both schemas.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from enum import Enum
from typing import Any, Final, TypeAlias, cast
from urllib.parse import unquote

from ..jsonpointer import append_step
from .redacted_json import matches_recorded
from .schema_annotations import ANNOTATION_KEYWORDS, strip_annotations

Schema: TypeAlias = Any

_LATEST = "https://json-schema.org/draft/2020-12/schema"
_MOST_STEPS = 20_000
_CONTEXTUAL: Final = frozenset(
    [
        *("$dynamicRef", "$dynamicAnchor", "$recursiveRef", "$recursiveAnchor"),
        *("$anchor", "$vocabulary", "unevaluatedProperties", "unevaluatedItems"),
        *("extends", "disallow", "divisibleBy"),
    ]
)
"""Keywords whose meaning depends on the surrounding schema."""
_NUMBERS = ("integer", "number")
_AT_LEAST: Final = {
    "minimum": _NUMBERS,
    "exclusiveMinimum": _NUMBERS,
    "minLength": ("string",),
    "minItems": ("array",),
    "minProperties": ("object",),
}
_AT_MOST: Final = {
    "maximum": _NUMBERS,
    "exclusiveMaximum": _NUMBERS,
    "maxLength": ("string",),
    "maxItems": ("array",),
    "maxProperties": ("object",),
}
_ALONE: Final = {
    "multipleOf": _NUMBERS,
    "pattern": ("string",),
    "format": ("string", *_NUMBERS),
    "uniqueItems": ("array",),
    "propertyNames": ("object",),
    "dependentRequired": ("object",),
}
"""Assertion keywords that don't depend on others, and the types that they apply to."""
_UNIONS = ("anyOf", "oneOf")
_KNOWN: Final = frozenset(
    [
        *(*ANNOTATION_KEYWORDS, *_AT_LEAST, *_AT_MOST, *_ALONE, *_UNIONS),
        *("type", "enum", "const", "items", "default"),
        *("properties", "required", "additionalProperties"),
        *("$defs", "definitions", "$schema", "$id"),
    ]
)
_NO_ASSERTIONS: Final = frozenset([*ANNOTATION_KEYWORDS, "default", "$defs", "definitions"])
_ABSENT = "absent"
_WITHOUT_PARTS: Final = frozenset({"string", "integer", "number", "boolean", "null"})
_OF_PLAIN: Final = frozenset(
    [
        *("type", "enum", "const", "minLength", "maxLength", "pattern", "multipleOf"),
        *("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"),
        *(*_UNIONS, *ANNOTATION_KEYWORDS),
    ]
)
"""Keywords for which jsonschema-rs may provide the proof."""


class Direction(Enum):
    """Whether a schema describes a tool's arguments or its result."""

    INPUT = "inputSchema"
    OUTPUT = "outputSchema"

    def narrow_first(self, recorded: Schema, live: Schema) -> tuple[Schema, Schema]:
        """Return the schema that must be narrower first."""
        return (recorded, live) if self is Direction.INPUT else (live, recorded)


class DiffersError(Exception):
    """No rule proves a difference harmless. The text has its JSON pointer."""


def prove(recorded: Schema, live: Schema, direction: Direction) -> bool:
    """Prove that the calls and results of the contract are still valid.

    Returns True if the live schema names a property that the recorded one left open. The
    live schema must then validate arguments that the contract doesn't name.

    Raises:
        DiffersError: There is no proof.
    """
    if matches_recorded(*(_assertions(schema, direction) for schema in (recorded, live))):
        return False
    if _dialect(recorded) != _dialect(live):
        raise DiffersError("/$schema")
    if _is_contextual(recorded) or _is_contextual(live):
        raise DiffersError("/")
    walk = _Walk(recorded, live, direction)
    try:
        walk.prove(*direction.narrow_first(recorded, live), "")
    except RecursionError:
        raise DiffersError("/") from None
    return walk.is_opened


def _assertions(schema: Schema, direction: Direction) -> Schema:
    return strip_annotations(schema, with_defaults=direction is Direction.INPUT)


def _dialect(schema: Schema) -> tuple[str, Any]:
    return str(schema.get("$schema", _LATEST)).rstrip("#"), schema.get("$id")


def _is_contextual(document: Schema) -> bool:
    """Return True if the subschemas can't be compared one by one."""
    if any(old in _dialect(document)[0] for old in ("draft-03", "draft-04")):
        return True
    waiting: list[Schema] = list(document.values())
    while waiting:
        part = waiting.pop()
        if isinstance(part, list):
            waiting += _list(part)
        elif isinstance(part, dict):
            inside = cast("dict[str, Schema]", part)
            if isinstance(inside.get("$id"), str) or not _CONTEXTUAL.isdisjoint(inside):
                return True
            waiting += inside.values()
    return not _CONTEXTUAL.isdisjoint(document)


class _Walk:
    """Two documents, walked side by side."""

    def __init__(self, recorded: Schema, live: Schema, direction: Direction) -> None:
        self.is_opened = False
        self._side = direction
        self._narrow, self._wide = direction.narrow_first(recorded, live)
        self._steps_left = _MOST_STEPS
        self._level = 0
        """The current depth in the value, not in its schema."""
        self._assumed: dict[tuple[int, int], int] = {}
        """Pairs by identity, with the depth of their open proof, or -1."""
        self._kept: dict[tuple[int, str], list[Schema]] = {}
        """Schemas made here, kept alive as long as their identity is used."""

    def prove(self, narrow: Schema, wide: Schema, at: str) -> None:
        """Raise unless each value that is valid by ``narrow`` is valid by ``wide``."""
        if narrow is True and wide is True:
            return
        key = (id(narrow), id(wide))
        if isinstance(narrow, dict) and key in self._assumed:
            if self._assumed[key] == self._level:  # it would prove itself
                raise DiffersError(at or "/")
            return
        self._steps_left -= 1
        if self._steps_left < 0:
            raise DiffersError(at or "/")
        self._assumed[key] = self._level
        self._prove_parts(narrow, wide, at)
        self._assumed[key] = -1

    def _prove_parts(self, narrow: Schema, wide: Schema, at: str) -> None:
        if self._side is Direction.INPUT and not matches_recorded(_default(narrow), _default(wide)):
            raise DiffersError(f"{at}/default")
        assumed = len(self._assumed)
        try:
            self._prove_by_rules(narrow, wide, at)
        except DiffersError:
            if not _is_covered(narrow, wide):
                raise
            while len(self._assumed) > assumed:  # assumptions that depended on the failed proof
                self._assumed.popitem()

    def _prove_by_rules(self, narrow: Schema, wide: Schema, at: str) -> None:
        if _has_siblings(narrow) or _has_siblings(wide):
            self._require_same(narrow, wide, at)
            return
        first = self._parts(narrow, self._narrow)
        second = self._parts(wide, self._wide)
        if len(first) != len(second):
            raise DiffersError(at or "/")
        for item, other in zip(first, second, strict=True):
            self._prove_part(item, other, at)

    def _parts(self, schema: Schema, document: Schema) -> list[Schema]:
        """Split a schema into conditions: each ``$ref``, ``allOf`` and union separately."""
        key = (id(schema), "parts")
        if isinstance(schema, dict) and key in self._kept:
            return self._kept[key]
        parts: list[Schema] = []
        self._collect(schema, document, parts, set())
        if isinstance(schema, dict):
            self._kept[key] = parts
        return parts

    def _collect(
        self, schema: Schema, document: Schema, parts: list[Schema], visited: set[int]
    ) -> None:
        if isinstance(schema, bool) or not isinstance(schema, dict):
            parts.append(schema if schema is False else {})
            return
        inside = cast("dict[str, Schema]", schema)
        if id(inside) in visited:
            raise DiffersError("/")
        visited.add(id(inside))
        if isinstance(reference := inside.get("$ref"), str):
            target = _resolve_reference(reference, document)
            self._collect(target, document, parts, visited)
            return
        apart = ("allOf", *_UNIONS)
        rest = {k: v for k, v in inside.items() if k not in (*apart, *_NO_ASSERTIONS)}
        before = len(parts)
        if rest.keys() - {"$schema", "$id"}:
            parts.append(rest)
        for branch in _list(inside.get("allOf")):
            self._collect(branch, document, parts, visited)
        parts += [{key: inside[key]} for key in _UNIONS if key in inside]
        if len(parts) == before:
            parts.append({})

    def _prove_part(self, narrow: Schema, wide: Schema, at: str) -> None:
        if narrow is False:
            return
        if wide is False:
            raise DiffersError(at or "/")
        if "oneOf" in wide and not self._is_exclusive(wide["oneOf"]):
            self._require_same(narrow, wide, at)
        elif (union := _union(wide)) is not None:
            self._prove_union(narrow, union, at)
        elif (union := _union(narrow)) is not None:
            for branch in union:
                self.prove(branch, wide, at)
        else:
            self._prove_plain(narrow, wide, at)

    def _prove_union(self, narrow: Schema, union: list[Schema], at: str) -> None:
        """Find a different branch for each branch, which must have declared types."""
        free = [b for b in union if self._types_of(b, self._wide) is not None]
        for item in self._branches(narrow):
            fitting = (b for b in free if self._is_proved(item, b, at))
            match = next(fitting, None)
            if match is None:
                raise DiffersError(at or "/")
            free = [branch for branch in free if branch is not match]

    def _is_proved(self, narrow: Schema, wide: Schema, at: str) -> bool:
        before, level = dict(self._assumed), self._level
        try:
            self.prove(narrow, wide, at)
        except DiffersError:
            self._assumed, self._level = before, level
            return False
        return True

    def _branches(self, schema: Schema) -> list[Schema]:
        """Return the branches of a union, or for another schema, one branch per type."""
        union, types = _union(schema), schema.get("type")
        if union is not None or not isinstance(types, list):
            return [schema] if union is None else union
        key = (id(schema), "types")
        if key not in self._kept:
            branches = [{**schema, "type": kind} for kind in _list(types)]
            self._kept[key] = branches
        return self._kept[key]

    def _is_exclusive(self, branches: Schema) -> bool:
        """Return True if the types of the branches are disjoint."""
        covered: set[str] = set()
        for branch in _list(branches):
            types = self._types_of(branch, self._wide)
            if types is None:
                return False
            types = {"number" if kind == "integer" else kind for kind in types}
            if not covered.isdisjoint(types):
                return False
            covered |= types
        return True

    def _types_of(self, schema: Schema, document: Schema) -> set[str] | None:
        """Return the declared types of a schema, or None."""
        for part in self._parts(schema, document):
            union = None if part is False else _union(part)
            if union is None:
                types = _types(part)
            else:
                branch_types = [self._types_of(branch, document) for branch in union]
                type_sets = [types for types in branch_types if types is not None]
                types = (
                    set[str]().union(*type_sets) if len(type_sets) == len(branch_types) else None
                )
            if types is not None:
                return types
        return None

    def _prove_plain(self, narrow: Schema, wide: Schema, at: str) -> None:
        types = _types(narrow)
        self._prove_values(narrow, wide, at)
        _prove_bounds(narrow, wide, types, at)
        for keyword, kinds in _ALONE.items():
            if keyword in wide and _meets(types, kinds):
                self._require_same_keyword(narrow, wide, keyword, at)
        for keyword in sorted((narrow.keys() | wide.keys()) - _KNOWN):
            self._require_same_keyword(narrow, wide, keyword, at)
        if _meets(types, ("array",)):
            self._prove_items(narrow, wide, at)
        if _meets(types, ("object",)):
            self._prove_members(narrow, wide, at)

    def _prove_values(self, narrow: Schema, wide: Schema, at: str) -> None:
        allowed = _listed_types(wide)
        types = _types(narrow)
        if allowed is not None and (types is None or not types <= _with_integers(allowed)):
            raise DiffersError(f"{at}/type")
        values = _values(wide)
        if values is not None:
            narrow_values = _values(narrow)
            if narrow_values is None or not narrow_values <= values:
                raise DiffersError(f"{at}/enum")

    def _prove_items(self, narrow: Schema, wide: Schema, at: str) -> None:
        keyword = "items"
        first, second = narrow.get(keyword, True), wide.get(keyword, True)
        if isinstance(first, list) or isinstance(second, list):
            self._require_same_keyword(narrow, wide, keyword, at)
        else:
            self._descend(first, second, f"{at}/{keyword}")

    def _prove_members(self, narrow: Schema, wide: Schema, at: str) -> None:
        missing = _names(wide.get("required")) - _names(narrow.get("required"))
        if missing:
            raise DiffersError(f"{at}/required")
        first, second = (_object(item.get("properties")) for item in (narrow, wide))
        if first.keys() != second.keys() and "patternProperties" in wide:
            raise DiffersError(f"{at}/properties")
        for name in sorted(first.keys() | second.keys()):
            pointer = append_step(f"{at}/properties", name)
            if name in first and name in second:
                self._descend(first[name], second[name], pointer)
            elif self._side is Direction.INPUT and name in second:
                self._prove_new_argument(narrow, pointer)
            elif self._side is Direction.OUTPUT and name in first:
                self._prove_new_result(first[name], wide, pointer)
            else:
                raise DiffersError(pointer)
        keyword = "additionalProperties"
        pair = narrow.get(keyword, True), wide.get(keyword, True)
        self._descend(*pair, f"{at}/{keyword}")

    def _prove_new_argument(self, recorded: Schema, at: str) -> None:
        """Accept a new argument that no call has, or that the live schema will validate."""
        if "additionalProperties" not in recorded:
            self.is_opened = True
        elif recorded["additionalProperties"] is not False:
            raise DiffersError(at)

    def _prove_new_result(self, live: Schema, recorded: Schema, at: str) -> None:
        additional = recorded.get("additionalProperties", True)
        if additional not in (True, {}):
            self._descend(live, additional, at)

    def _descend(self, narrow: Schema, wide: Schema, at: str) -> None:
        self._level += 1
        self.prove(narrow, wide, at)
        self._level -= 1

    def _require_same_keyword(self, narrow: Schema, wide: Schema, keyword: str, at: str) -> None:
        pointer = append_step(at, keyword)
        if keyword not in narrow or keyword not in wide:
            raise DiffersError(pointer)
        # As part of a schema, because the meaning of strings depends on their position.
        self._require_same({keyword: narrow[keyword]}, {keyword: wide[keyword]}, pointer)

    def _require_same(self, narrow: Schema, wide: Schema, at: str) -> None:
        """Raise if schemas or their reference targets differ in more than annotations."""
        visited: set[str] = set()
        waiting = [(narrow, wide)]
        while waiting:
            pair = (_assertions(schema, self._side) for schema in waiting.pop())
            first, second = pair
            if not matches_recorded(*self._side.narrow_first(first, second)):
                raise DiffersError(at or "/")
            for reference in _references(first):
                if reference not in visited:
                    visited.add(reference)
                    documents = (self._narrow, self._wide)
                    first_schema, other = (
                        _resolve_reference(reference, document) for document in documents
                    )
                    waiting.append((first_schema, other))


def _is_covered(narrow: Schema, wide: Schema) -> bool:
    """Try a proof by jsonschema-rs for scalars, if it is installed."""
    schemas = [
        {keyword: value for keyword, value in _object(item).items() if keyword != "default"}
        for item in (narrow, wide)
    ]
    if not all(map(_is_plain, schemas)):
        return False
    from .keywords.native import surely_covers

    return surely_covers(schemas[1], schemas[0])


def _is_plain(schema: Schema) -> bool:
    """Return True if a schema allows only scalars and has only known keywords."""
    inside = _object(schema)
    if not inside or inside.keys() - _OF_PLAIN:
        return False
    branches = [branch for key in _UNIONS for branch in _list(inside.get(key))]
    types = _types(inside)
    are_known = bool(branches) if types is None else types <= _WITHOUT_PARTS
    return are_known and all(map(_is_plain, branches))


def _prove_bounds(narrow: Schema, wide: Schema, types: set[str] | None, at: str) -> None:
    for keyword, kinds in {**_AT_LEAST, **_AT_MOST}.items():
        if keyword in wide and _meets(types, kinds):
            narrow_bound, bound = narrow.get(keyword), wide[keyword]
            if not (_is_number(narrow_bound) and _is_number(bound)):
                raise DiffersError(f"{at}/{keyword}")
            if not (narrow_bound >= bound if keyword in _AT_LEAST else narrow_bound <= bound):
                raise DiffersError(f"{at}/{keyword}")


def _is_number(value: Schema) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _default(schema: Schema) -> object:
    """Return the default in a list, to distinguish null from a missing default."""
    inside = _object(schema)
    return [inside["default"]] if "default" in inside else _ABSENT


def _has_siblings(schema: Schema) -> bool:
    """Return True if a ``$ref`` has siblings, whose meaning depends on the draft."""
    inside = _object(schema)
    return "$ref" in inside and bool(inside.keys() - _NO_ASSERTIONS - {"$ref"})


def _resolve_reference(reference: str, document: Schema) -> Schema:
    """Resolve a reference within the document."""
    if reference == "#":
        return document
    if not reference.startswith("#/"):
        raise DiffersError(f"/$ref {reference}")
    target = document
    for step in unquote(reference[2:]).split("/"):
        name = step.replace("~1", "/").replace("~0", "~")
        if isinstance(target, list) and name.isdecimal():
            listed = _list(target)
            target = listed[int(name)] if int(name) < len(listed) else None
        else:
            target = _object(target).get(name)
        if target is None:
            raise DiffersError(f"/$ref {reference}")
    return target


def _references(schema: Schema) -> Iterator[str]:
    if isinstance(schema, list):
        for item in _list(schema):
            yield from _references(item)
    elif isinstance(schema, dict):
        inside = cast("dict[str, Schema]", schema)
        if isinstance(reference := inside.get("$ref"), str):
            yield reference
        for item in inside.values():
            yield from _references(item)


def _union(schema: Schema) -> list[Schema] | None:
    """Return the branches of a part that is a union, which has nothing else."""
    return next((_list(schema[key]) for key in _UNIONS if key in schema), None)


def _listed_types(schema: Schema) -> set[str] | None:
    types = schema.get("type")
    if isinstance(types, str):
        return {types}
    return _names(types) if isinstance(types, list) else None


def _types(schema: Schema) -> set[str] | None:
    """Return the types that a schema allows, or None for all."""
    if schema is False:
        return None
    values = _values(schema)
    of_values = None if values is None else {_type(json.loads(v)) for v in values}
    return _listed_types(schema) if of_values is None else of_values


def _type(value: object) -> str:
    for kind, name in (
        (bool, "boolean"),
        (int, "integer"),
        (float, "number"),
        (str, "string"),
        (list, "array"),
        (dict, "object"),
    ):
        if isinstance(value, kind):
            return name
    return "null"


def _with_integers(types: set[str]) -> set[str]:
    return types | {"integer"} if "number" in types else types


def _meets(types: set[str] | None, kinds: tuple[str, ...]) -> bool:
    return types is None or not types.isdisjoint(kinds)


def _values(schema: Schema) -> set[str] | None:
    """Return the finite set of values that a schema allows as JSON, or None."""
    lists = [_list(schema["enum"])] if "enum" in schema else []
    lists += [[schema["const"]]] if "const" in schema else []
    if not lists:
        return None
    first, *rest = ({json.dumps(v, sort_keys=True) for v in vs} for vs in lists)
    return first.intersection(*rest)


def _names(listed: Schema) -> set[str]:
    return {item for item in _list(listed) if isinstance(item, str)}


def _list(value: Schema) -> list[Schema]:
    return cast("list[object]", value) if isinstance(value, list) else []


def _object(value: Schema) -> dict[str, Schema]:
    return cast("dict[str, Schema]", value) if isinstance(value, dict) else {}
