"""A difference of two schemas, regardless of input or output."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Flag
from typing import Literal, TypeAlias

from mcpgen.findings.change import ABSENT, Value
from mcpgen.jsontext import Json, is_object

Aspect: TypeAlias = Literal[
    # Assertions
    "type",
    "null",
    "map",
    "enum",
    "bound",
    "bound-formal",
    "pattern",
    "format",
    "format-typed",
    "member-required",
    "member-required-in-closed",
    "member-added",
    "member-added-to-closed",
    "member-added-to-open",
    "member-removed",
    "member-ignored",
    "required",
    "openness",
    "condition",
    "alternative",
    "overlap",
    "tuple",
    "impossible",
    "unproved",
    # Annotations
    "text",
    "title",
    "default",
    "deprecated",
    "content",
    "header",
    "keyword",
]
"""Possible differences between two schemas. ``tool_schemas.py`` has the rules for each."""


class Relation(Flag):
    """The relation of a new schema to the old one."""

    SAME = 0
    TIGHTER = 1
    """The new schema may reject values that the old one accepted."""
    LOOSER = 2
    """The new schema may accept values that the old one rejected."""
    OTHER = 3


def relation(*, tighter: bool, looser: bool) -> Relation:
    """Return the relation of a schema that is tighter, looser, both or neither."""
    return _RELATIONS[tighter, looser]


_RELATIONS = {
    (False, False): Relation.SAME,
    (True, False): Relation.TIGHTER,
    (False, True): Relation.LOOSER,
    (True, True): Relation.OTHER,
}


@dataclass(frozen=True, slots=True)
class Difference:
    """A difference of two schemas with its position. The path is for readers."""

    aspect: Aspect
    relation: Relation
    path: str
    old_pointer: str
    new_pointer: str
    old: Value = ABSENT
    new: Value = ABSENT
    keyword: str = ""
    detail: str = ""


ASSERTIONS = frozenset(
    "type enum const properties required additionalProperties patternProperties propertyNames"
    " minProperties maxProperties dependencies dependentRequired dependentSchemas"
    " unevaluatedProperties unevaluatedItems items prefixItems additionalItems contains"
    " minContains maxContains minItems maxItems uniqueItems minLength maxLength pattern format"
    " minimum maximum exclusiveMinimum exclusiveMaximum multipleOf anyOf oneOf not if then else"
    " $dynamicRef $recursiveRef extends disallow divisibleBy".split()
)

_PLAIN = frozenset(
    "type enum const required minItems maxItems uniqueItems minLength maxLength pattern format"
    " minimum maximum exclusiveMinimum exclusiveMaximum multipleOf title description default"
    " examples deprecated readOnly writeOnly".split()
)


def is_plain(schema: Json) -> bool:
    """Return True if a schema uses only common keywords, without references and alternatives."""
    if not is_object(schema):
        return isinstance(schema, bool)
    for keyword, value in schema.items():
        if keyword in _PLAIN:
            continue
        if keyword == "properties" and is_object(value):
            if not all(map(is_plain, value.values())):
                return False
        elif keyword not in ("items", "additionalProperties") or not is_plain(value):
            return False
    return True
