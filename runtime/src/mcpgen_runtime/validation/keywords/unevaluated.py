"""The keywords ``unevaluatedProperties`` and ``unevaluatedItems``.

2019-09 and 2020-12, core, section 11: a subschema that fails has evaluated nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeAlias, cast

from . import budgets as limits
from . import checks, unions
from .jsonschema_api import error

_Positions: TypeAlias = "frozenset[str | int]"
_NONE: _Positions = frozenset()

_LISTS = ("allOf", "anyOf", "oneOf")


def unevaluated_properties(
    validator: Any, subschema: object, value: Any, schema: Mapping[str, Any]
) -> Iterator[Any]:
    """Check the properties that no keyword has evaluated."""
    if validator.is_type(value, "object"):
        evaluated = _evaluated_by(validator, value, schema, "unevaluatedProperties")
        unevaluated = [name for name in value if name not in evaluated]
        yield from _check_rest(validator, subschema, value, unevaluated, "properties")


def unevaluated_items(
    validator: Any, subschema: object, value: Any, schema: Mapping[str, Any]
) -> Iterator[Any]:
    """Check the items that no keyword has evaluated."""
    if validator.is_type(value, "array"):
        evaluated = _evaluated_by(validator, value, schema, "unevaluatedItems")
        unevaluated = [index for index in range(len(value)) if index not in evaluated]
        yield from _check_rest(validator, subschema, value, unevaluated, "items")


def _check_rest(
    validator: Any, subschema: object, value: Any, unevaluated: list[Any], what: str
) -> Iterator[Any]:
    if subschema is False and unevaluated:
        named = ", ".join(repr(key) for key in unevaluated)
        were = "were" if unevaluated[1:] else "was"
        yield error(f"Unevaluated {what} are not allowed ({named} {were} unexpected)")
        return
    for key in unevaluated:
        yield from validator.descend(value[key], subschema, path=key)


def _evaluated_positions(validator: Any, value: Any, schema: Any) -> _Positions:
    """Return the positions of a valid value that a schema has evaluated."""
    if isinstance(schema, bool):
        return _NONE
    if validator.DYNAMIC:  # the meaning of a schema depends on the dynamic scope
        limits.current().count()
        key = ("evaluated", id(schema), id(value))
        with limits.current().guard_recursion(key, limits.MOST_TURNS):
            return _evaluated_by(validator, value, schema, "")
    memo, key = limits.current().memo, ("evaluated", id(schema), id(value))
    if key not in memo:
        with limits.current().guard_recursion(key):
            memo[key] = (schema, value, _evaluated_by(validator, value, schema, ""))
    return cast("_Positions", memo[key][-1])


def _evaluated_by(validator: Any, value: Any, schema: Mapping[str, Any], own: str) -> _Positions:
    kind: _Kind = _members if validator.is_type(value, "object") else _items
    evaluated = kind(validator, value, schema, own)
    for inner, part in _parts(validator, value, schema):
        evaluated |= _evaluated_positions(inner, value, part)
    return evaluated


def _parts(validator: Any, value: Any, schema: Mapping[str, Any]) -> Iterator[tuple[Any, Any]]:
    """Yield the in-place subschemas that a value satisfies."""
    for resolved in _targets(validator, schema):
        evolved = validator.evolve(schema=resolved.contents, _resolver=resolved.resolver)
        yield evolved, resolved.contents
    for part in _applied_schemas(validator, value, schema):
        yield validator.evolve(schema=part), part


def _targets(validator: Any, schema: Mapping[str, Any]) -> Iterator[Any]:
    from referencing.jsonschema import lookup_recursive_ref

    resolver = validator._resolver  # nothing public follows a reference from here
    for keyword in ("$ref", "$dynamicRef"):
        if keyword in schema and keyword in validator.VALIDATORS:
            yield resolver.lookup(schema[keyword])
    if "$recursiveRef" in schema and "$recursiveRef" in validator.VALIDATORS:
        yield lookup_recursive_ref(resolver)


def _applied_schemas(validator: Any, value: Any, schema: Mapping[str, Any]) -> Iterator[Any]:
    for keyword in _LISTS:
        parts = schema.get(keyword, ())
        tried = parts if keyword == "allOf" else unions.possible(validator, parts, value)
        yield from (part for part in tried if _is_met(validator, value, part))
    for name, part in schema.get("dependentSchemas", {}).items():
        if validator.is_type(value, "object") and name in value:
            yield part
    if "if" in schema:
        is_met = _is_met(validator, value, schema["if"])
        yield from [schema["if"]] if is_met else []
        yield schema.get("then" if is_met else "else", True)


def _is_met(validator: Any, value: Any, schema: Any) -> bool:
    if isinstance(schema, bool):
        return schema
    memo, key = limits.current().memo, ("met", id(schema), id(value))
    if key in memo and not validator.DYNAMIC:
        return bool(memo[key][-1])
    limits.current().count()
    is_met = next(validator.descend(value, schema), None) is None
    memo[key] = (schema, value, is_met)
    return is_met


def _members(validator: Any, value: Any, schema: Mapping[str, Any], own: str) -> _Positions:
    if not validator.is_type(value, "object"):
        return _NONE
    if "unevaluatedProperties" in schema and own != "unevaluatedProperties":
        return frozenset(value)
    if "additionalProperties" in schema:
        return frozenset(value)
    return frozenset(value).difference(checks.additional_members(value, schema))


def _items(validator: Any, value: Any, schema: Mapping[str, Any], own: str) -> _Positions:
    if not validator.is_type(value, "array"):
        return _NONE
    if "unevaluatedItems" in schema and own != "unevaluatedItems":
        return frozenset(range(len(value)))
    is_new = "prefixItems" in validator.VALIDATORS
    first, rest = ("prefixItems", "items") if is_new else ("items", "additionalItems")
    prefix = schema.get(first)
    if not is_new and first in schema and not isinstance(prefix, list):
        return frozenset(range(len(value)))  # one schema for all items
    if rest in schema and (is_new or first in schema):
        return frozenset(range(len(value)))
    listed = frozenset(range(min(len(value), _length(prefix))))
    if is_new and "contains" in schema:  # which evaluates nothing in 2019-09
        return listed | _contained_positions(validator, value, schema["contains"])
    return listed


def _length(prefix: Any) -> int:
    return len(prefix) if prefix else 0


def _contained_positions(validator: Any, value: Any, schema: Any) -> _Positions:
    items = enumerate(value)
    return frozenset(at for at, item in items if _is_met(validator, item, schema))


_Kind: TypeAlias = Callable[[Any, Any, Mapping[str, Any], str], _Positions]
UNEVALUATED = {
    "unevaluatedProperties": unevaluated_properties,
    "unevaluatedItems": unevaluated_items,
}
