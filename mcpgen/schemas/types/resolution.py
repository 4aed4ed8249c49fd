"""Resolves the references of a schema, and finds its assertions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import TypeAlias

from mcpgen.jsontext import Json, is_array, is_object
from mcpgen.schemas.validation import references, schemas

At: TypeAlias = "tuple[Json, str]"
"""A schema and its JSON pointer."""

ASSERTIONS = frozenset(
    "$ref $dynamicRef $recursiveRef type enum const properties required additionalProperties"
    " patternProperties propertyNames minProperties maxProperties dependencies dependentRequired"
    " dependentSchemas unevaluatedProperties unevaluatedItems items prefixItems additionalItems"
    " contains minContains maxContains minItems maxItems uniqueItems minLength maxLength pattern"
    " minimum maximum exclusiveMinimum exclusiveMaximum multipleOf divisibleBy disallow extends"
    " allOf anyOf oneOf not if then else".split()
)


_UNKNOWN = {
    "http://json-schema.org/draft-03/schema": "allOf anyOf oneOf const multipleOf prefixItems",
    "http://json-schema.org/draft-04/schema": "const prefixItems",
    "http://json-schema.org/draft-06/schema": "prefixItems",
    "http://json-schema.org/draft-07/schema": "prefixItems",
    "https://json-schema.org/draft/2019-09/schema": "prefixItems",
    "https://json-schema.org/draft/2020-12/schema": "additionalItems",
}
"""Keywords that an older dialect lacks although a type would use them. They have no effect
there.
"""


class Document:
    """The root schema, and the targets of references in it."""

    def __init__(self, raw: Json, dialect: str) -> None:
        self.raw = raw
        self.dialect = dialect
        self.hides_siblings = schemas.is_draft7_or_older(dialect)
        self.requires_by_member = dialect.endswith("draft-03/schema")
        self._unknown = frozenset(_UNKNOWN.get(dialect, "").split())
        self.knows_pointed_integers = not dialect.endswith(("draft-03/schema", "draft-04/schema"))
        self._targets: dict[str, At | None] = {}

    @cached_property
    def _has_one_base(self) -> bool:
        """Whether references are pointers, because no inner ``$id`` changes their base URI."""
        key = "id" if self.dialect.endswith(("draft-03/schema", "draft-04/schema")) else "$id"
        return not any(
            path and isinstance(node[key], str) and not node[key].startswith("#")
            for path, node in references.subschemas(self.raw)
            if key in node
        )

    def known_keywords(self, schema: Json) -> Json:
        """Return a schema without keywords unknown to its dialect."""
        if not is_object(schema):
            return schema
        if _allows_every_name(schema.get("propertyNames")):
            schema = {key: value for key, value in schema.items() if key != "propertyNames"}
        if self._unknown.isdisjoint(schema):
            return schema
        return {key: value for key, value in schema.items() if key not in self._unknown}

    def resolve(self, ref: str) -> At | None:
        """Return the target of a ``$ref``, or None if it can't be resolved."""
        if ref not in self._targets:
            target = references.resolve(self.raw, ref) if self._has_one_base else None
            self._targets[ref] = (target[1], target[0]) if target is not None else None
        return self._targets[ref]


def _allows_every_name(names: Json) -> bool:
    """Return True for a ``propertyNames`` that only asks for strings, which all names are."""
    if not is_object(names):
        return names is True
    return names.get("type", "string") == "string" and not asserts(
        {key: value for key, value in names.items() if key != "type"}
    )


def text_of(schema: Json, keyword: str) -> str:
    """Return the value of a keyword if it is a string, otherwise ""."""
    value = schema.get(keyword)
    return value if isinstance(value, str) else ""


def asserts(schema: Json) -> bool:
    """Return True if a schema has an assertion that JSON Schema defines."""
    return is_object(schema) and not ASSERTIONS.isdisjoint(schema)


_REACHING = frozenset(
    "$ref $dynamicRef $recursiveRef $id id properties required patternProperties propertyNames"
    " additionalProperties unevaluatedProperties unevaluatedItems dependencies dependentRequired"
    " dependentSchemas items prefixItems additionalItems contains disallow extends"
    " allOf anyOf oneOf not if then else".split()
)
_NEAR = frozenset({"items", "additionalProperties", "anyOf", "oneOf"})


def stands_alone(schema: Json) -> bool:
    """Return True if a schema means the same anywhere, because it has few and plain subschemas."""
    if not is_object(schema):
        return False
    reaching = schema.keys() & _REACHING
    return not reaching or (reaching <= _NEAR and all(map(_is_leaf, _near(schema, reaching))))


def _near(schema: dict[str, Json], keywords: Iterable[str]) -> Iterator[Json]:
    for keyword in keywords:
        value = schema[keyword]
        yield from value if is_array(value) else [value]


def _is_leaf(schema: Json) -> bool:
    return is_object(schema) and _REACHING.isdisjoint(schema)


def follow(document: Document, schema: Json, pointer: str) -> At | None:
    """Return the end of a chain of references, or None for a circular chain."""
    visited = {pointer}
    while (target := _passes_through(document, schema)) is not None:
        schema, pointer = target
        if pointer in visited:
            return None
        visited.add(pointer)
    return schema, pointer


def _passes_through(document: Document, schema: Json) -> At | None:
    """Return the target of a schema that is only a ``$ref``, or ``allOf`` with one schema."""
    schema = document.known_keywords(schema)
    if not is_object(schema):
        return None
    rest = {key: value for key, value in schema.items() if key not in ("$ref", "allOf")}
    ref, all_of = schema.get("$ref"), schema.get("allOf")
    if isinstance(ref, str) and (
        document.hides_siblings or not (asserts(rest) or all_of is not None)
    ):
        return document.resolve(ref)
    if ref is None and is_array(all_of) and len(all_of) == 1 and not asserts(rest):
        return _passes_through(document, all_of[0])
    return None
