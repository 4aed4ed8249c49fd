"""The keywords that allow or forbid something: ``$ref`` and ``allOf`` are followed before."""

from __future__ import annotations

ASSERTIONS = frozenset(
    "type enum const properties required additionalProperties patternProperties propertyNames"
    " minProperties maxProperties dependencies dependentRequired dependentSchemas"
    " unevaluatedProperties unevaluatedItems items prefixItems additionalItems contains"
    " minContains maxContains minItems maxItems uniqueItems minLength maxLength pattern format"
    " minimum maximum exclusiveMinimum exclusiveMaximum multipleOf anyOf oneOf not if then else"
    " $dynamicRef $recursiveRef extends disallow divisibleBy".split()
)
