"""Annotations of schemas, and schemas without them."""

from __future__ import annotations

from typing import Any, Final, cast

ANNOTATION_KEYWORDS: Final = frozenset(
    {
        "title",
        "description",
        "$comment",
        "examples",
        "example",
        "deprecated",
        "enumDescriptions",
        "enumNames",
    }
)
"""Keywords that don't affect validation."""
SCHEMAS_BY_NAME: Final = frozenset(
    {
        "properties",
        "patternProperties",
        "$defs",
        "definitions",
        "dependentSchemas",
        "dependencies",
    }
)
_SCHEMAS: Final = frozenset(
    "items additionalProperties additionalItems contains propertyNames prefixItems"
    " unevaluatedProperties unevaluatedItems anyOf oneOf allOf not if then else".split()
)
_UNORDERED: Final = frozenset({"required", "type"})


def strip_annotations(schema: Any, *, with_defaults: bool) -> Any:
    """Remove annotations from a schema, but not a property called ``title``.

    ``with_defaults`` also removes defaults, which are only annotations in results.
    """
    if isinstance(schema, list):
        schemas = cast("list[object]", schema)
        return [strip_annotations(part, with_defaults=with_defaults) for part in schemas]
    if not isinstance(schema, dict):
        return schema
    members: dict[str, Any] = {}
    for keyword, value in cast("dict[str, Any]", schema).items():
        if keyword in ANNOTATION_KEYWORDS or (keyword == "default" and not with_defaults):
            continue
        if keyword in SCHEMAS_BY_NAME and isinstance(value, dict):
            parts = cast("dict[str, Any]", value).items()
            members[keyword] = {
                name: strip_annotations(part, with_defaults=with_defaults) for name, part in parts
            }
        elif keyword in _SCHEMAS:
            members[keyword] = strip_annotations(value, with_defaults=with_defaults)
        elif keyword in _UNORDERED and isinstance(value, list):
            members[keyword] = sorted(map(str, cast("list[object]", value)))
        else:
            members[keyword] = value
    return members
