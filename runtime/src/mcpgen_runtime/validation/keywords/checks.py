"""Keywords that replace jsonschema's, which are inexact, may take long, or fail.

jsonschema calls each with a validator, the keyword's value, a value and the schema.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from itertools import islice
from typing import Any, TypeAlias, cast

from ..regexes import patterns
from . import budgets as limits
from .jsonschema_api import ValidationError, error

_LONGEST = 1_000

Check: TypeAlias = Callable[..., "Iterator[ValidationError] | None"]


def matches(pattern: str, text: str) -> bool:
    """Search a string for a pattern, within the remaining steps of the value."""
    return patterns.matches(pattern, text, limits.current().budget)


def asked_once(follow: Check, most: int) -> Check:
    """Follow references, but evaluate each target once per value."""

    def ref(validator: Any, ref: str, value: Any, schema: Any) -> Iterator[Any]:
        memo, key = limits.current().memo, ("$ref", id(schema), id(value))
        if key in memo:
            for message, path in memo[key][-1]:
                yield error(message, path)
            return
        with limits.current().guard_recursion(key):
            errors = list(islice(follow(validator, ref, value, schema) or (), most))
        reports = [(item.message, tuple(item.relative_path)) for item in errors]
        memo[key] = (schema, value, reports)
        yield from errors

    return ref


def limit_references(follow: Check, most: int) -> Check:
    """Follow references, but not too many for one value."""

    def ref(validator: Any, ref: str, value: Any, schema: Any) -> Iterator[Any]:
        limits.current().count()
        key = ("turn", id(schema), id(value))
        with limits.current().guard_recursion(key, limits.MOST_TURNS):
            errors = list(islice(follow(validator, ref, value, schema) or (), most))
        yield from errors

    return ref


def _pattern(validator: Any, pattern: str, value: Any, _: object) -> Iterator[ValidationError]:
    is_text = validator.is_type(value, "string") and isinstance(value, str)
    if is_text and not matches(pattern, value):
        yield error(f"{short_repr(value)} does not match {pattern!r}")


def _pattern_properties(
    validator: Any, by_pattern: Mapping[str, object], value: Any, _: object
) -> Iterator[ValidationError]:
    if validator.is_type(value, "object"):
        for pattern, inner in by_pattern.items():
            for name, item in value.items():
                if matches(pattern, name):
                    yield from validator.descend(item, inner, path=name, schema_path=pattern)


def additional_members(value: Mapping[str, Any], schema: Mapping[str, Any]) -> list[str]:
    """Return the properties that a schema neither lists nor has a pattern for."""
    by_pattern = schema.get("patternProperties", {})
    properties = schema.get("properties", {})
    return [
        name
        for name in value
        if name not in properties and not any(matches(pattern, name) for pattern in by_pattern)
    ]


def _additional_properties(
    validator: Any, allowed: object, value: Any, schema: Mapping[str, Any]
) -> Iterator[ValidationError]:
    if not validator.is_type(value, "object") or allowed is True:
        return
    extras = additional_members(value, schema)
    if allowed is False:
        yield from _unexpected_error("Additional properties", extras)
        return
    for name in extras:
        yield from validator.descend(value[name], allowed, path=name)


def _unexpected_error(what: str, names: list[Any]) -> Iterator[ValidationError]:
    if names:
        named = f"{', '.join(map(repr, names))} {'were' if names[1:] else 'was'}"
        yield error(f"{what} are not allowed ({named} unexpected)")


def _additional_items(
    validator: Any, allowed: object, value: Any, schema: Mapping[str, Any]
) -> Iterator[ValidationError]:
    prefix = schema.get("items")
    if not validator.is_type(value, "array") or not isinstance(prefix, list):
        return
    first = len(cast("list[object]", prefix))
    if allowed is False:
        yield from _unexpected_error("Additional items", value[first:])
        return
    for index in range(first, len(value)):
        yield from validator.descend(value[index], allowed, path=index)


def _multiple_of(validator: Any, step: float, value: Any, _: object) -> Iterator[ValidationError]:
    # In decimal, as written: 0.3 is a multiple of 0.1.
    if validator.is_type(value, "number") and _exact(value) % _exact(step):
        yield error(f"{value!r} is not a multiple of {step!r}")


def _exact(number: float) -> Fraction:
    """Return a number as written.

    Raises:
        OverflowError: It is infinite.
    """
    if number in (float("inf"), float("-inf")):
        raise OverflowError
    return Fraction(number) if isinstance(number, int) else Fraction(repr(number))


def _unique_items(
    validator: Any, subschema: object, value: Any, _: object
) -> Iterator[ValidationError]:
    if subschema is not True or not validator.is_type(value, "array"):
        return
    keys: set[object] = set()
    for item in value:
        own = key(item)
        if own in keys:
            yield error(f"{short_repr(item)} is there more than once")
            return
        keys.add(own)


def _type(
    validator: Any, types: str | list[str], value: Any, _: object
) -> Iterator[ValidationError]:
    kinds = [types] if isinstance(types, str) else types
    if not any(validator.is_type(value, kind) for kind in kinds):
        yield error(f"{short_repr(value)} is not of type {', '.join(map(repr, kinds))}")


def _enum(_: object, values: list[Any], value: Any, __: object) -> Iterator[ValidationError]:
    memo, of = limits.current().memo, ("enum", id(values), 0)
    if of not in memo:
        memo[of] = (values, None, frozenset(map(key, values)))
    if key(value) not in memo[of][-1]:
        yield error(f"{short_repr(value)} is not one of {short_repr(values)}")


def short_repr(value: object) -> str:
    """Return ``repr`` of a value, shortened if it is large."""
    text, pieces = "", _pieces(value)
    for piece in pieces:
        text += piece
        if len(text) > _LONGEST:
            return f"{text[:_LONGEST]}..." if next(pieces, "") else text
    return text


def _pieces(value: object) -> Iterator[str]:
    if isinstance(value, dict):
        members = cast("dict[object, object]", value)
        yield "{"
        for at, (name, inner) in enumerate(members.items()):
            yield f"{', ' if at else ''}{name!r}: "
            yield from _pieces(inner)
        yield "}"
    elif isinstance(value, list):
        yield "["
        for at, inner in enumerate(cast("list[object]", value)):
            yield ", " if at else ""
            yield from _pieces(inner)
        yield "]"
    else:
        yield repr(value)


def key(value: Any) -> object:
    """Return a key that is equal for equal JSON values: 1 and 1.0, but not ``true``."""
    if isinstance(value, dict):
        members = cast("dict[str, Any]", value).items()
        return frozenset((name, key(item)) for name, item in members)
    if isinstance(value, list):
        return ("list", *(key(item) for item in cast("list[object]", value)))
    return ("truth", value) if isinstance(value, bool) else value


CHECKS: Mapping[str, Check] = {
    "type": _type,
    "enum": _enum,
    "pattern": _pattern,
    "patternProperties": _pattern_properties,
    "additionalProperties": _additional_properties,
    "additionalItems": _additional_items,
    "multipleOf": _multiple_of,
    "divisibleBy": _multiple_of,
    "uniqueItems": _unique_items,
}
