"""The keywords that allow or forbid something: ``$ref`` and ``allOf`` are followed before."""

from __future__ import annotations

from mcpgen.jsontext import Json, is_object

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
    """Say whether a schema is of usual keywords alone: of no other place, and of no alternative."""
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
