"""Recognizes schemas that are clearly valid, so that jsonschema isn't needed.

Nine of ten keywords of real schemas are covered. For the others jsonschema decides, which takes a
hundred times as long.
"""

from __future__ import annotations

from collections.abc import Callable

from mcpgen.jsontext import Json, is_array, is_number, is_object

_TYPES = frozenset({"null", "boolean", "object", "array", "number", "string", "integer"})


def is_plain(schema: Json) -> bool:
    """Return True if a schema is clearly valid in draft-07, 2019-09 and 2020-12."""
    waiting = [schema]
    while waiting:
        node = waiting.pop()
        if isinstance(node, bool):
            continue
        if not is_object(node):
            return False
        for keyword, value in node.items():
            if keyword in _ONE:
                waiting.append(value)
            elif keyword in _MANY and is_array(value) and value:
                waiting += value
            elif keyword in _NAMED and is_object(value):
                waiting += value.values()
            elif not keyword.startswith("x-") and not _CHECKS.get(keyword, _is_unclear)(value):
                return False
    return True


def _is_unclear(_: Json) -> bool:
    return False


def _is_anything(_: Json) -> bool:
    return True


def _is_text(value: Json) -> bool:
    return isinstance(value, str)


def _is_flag(value: Json) -> bool:
    return isinstance(value, bool)


def _is_positive(value: Json) -> bool:
    return is_number(value) and bool(value > 0)


def _is_natural(value: Json) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _is_names(value: Json) -> bool:
    return is_array(value) and all(map(_is_text, value)) and len(set(value)) == len(value)


def _is_type(value: Json) -> bool:
    if isinstance(value, str):
        return value in _TYPES
    return _is_names(value) and bool(value) and _TYPES.issuperset(value)


_ONE = frozenset("items additionalProperties not propertyNames contains if then else".split())
_MANY = frozenset({"anyOf", "oneOf", "allOf"})
_NAMED = frozenset({"properties", "patternProperties", "$defs", "definitions"})

_CHECKS: dict[str, Callable[[Json], bool]] = {
    "type": _is_type,
    "required": _is_names,
    "enum": is_array,
    "examples": is_array,
    "default": _is_anything,
    "const": _is_anything,
    "multipleOf": _is_positive,
    **dict.fromkeys(
        "title description $comment format pattern contentEncoding contentMediaType $schema"
        " $ref".split(),
        _is_text,
    ),
    **dict.fromkeys("uniqueItems readOnly writeOnly deprecated".split(), _is_flag),
    **dict.fromkeys("minimum maximum exclusiveMinimum exclusiveMaximum".split(), is_number),
    **dict.fromkeys(
        "minLength maxLength minItems maxItems minProperties maxProperties".split(), _is_natural
    ),
    # No dialect defines these, so they may have any value.
    **dict.fromkeys("nullable example enumNames".split(), _is_anything),
}
