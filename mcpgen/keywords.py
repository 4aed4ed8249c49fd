"""Keywords of jsonschema that take no longer than a schema and a value justify."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any

from mcpgen import patterns

if TYPE_CHECKING:
    from jsonschema.exceptions import ValidationError

MAX_REFERENCES = 20_000

_PATTERNS = ("pattern", "patternProperties", "additionalProperties")


@cache
def bounded(kind: Any) -> Any:
    """Return a kind of validator whose patterns never run for long; one that cannot is ignored."""
    keywords: dict[str, Any] = {
        "pattern": _pattern,
        "patternProperties": _pattern_properties,
        "additionalProperties": _additional_properties,
    }
    return _extended(kind, keywords)


def without_patterns(kind: Any) -> Any:
    """Return a kind of validator that runs no pattern, and follows so many references and no more.

    It is good for one value; with references left over, ``RecursionError`` is raised.
    """
    keywords: dict[str, Any] = dict.fromkeys(_PATTERNS, _ignore)
    return _extended(kind, keywords | {"$ref": _counted(kind.VALIDATORS["$ref"])})


def _extended(kind: Any, keywords: Mapping[str, Any]) -> Any:
    from jsonschema import validators

    extending: Any = validators
    return extending.extend(kind, keywords)


def _counted(follow: Any) -> Any:
    """Follow so many references and no more: doubled ones would take for ever."""
    left = [MAX_REFERENCES]

    def ref(*arguments: Any) -> Iterator[Any]:
        left[0] -= 1
        if left[0] < 0:
            raise RecursionError
        yield from follow(*arguments) or ()

    return ref


def _ignore(*_: object) -> Iterator[object]:
    return iter(())


# jsonschema calls these with a validator, the keyword's value, the instance and the schema.


def _pattern(
    validator: Any, pattern: str, instance: Any, schema: object
) -> Iterator[ValidationError]:
    from jsonschema.exceptions import ValidationError

    del schema
    if validator.is_type(instance, "string") and patterns.found(pattern, instance) is False:
        yield ValidationError(f"{instance!r} does not match {pattern!r}")


def _pattern_properties(
    validator: Any, by_pattern: Mapping[str, object], instance: Any, schema: object
) -> Iterator[ValidationError]:
    del schema
    if validator.is_type(instance, "object"):
        for pattern, inner in by_pattern.items():
            for name, value in instance.items():
                if patterns.found(pattern, name):
                    yield from validator.descend(value, inner, path=name, schema_path=pattern)


def _additional_properties(
    validator: Any, allowed: object, instance: Any, schema: Mapping[str, Any]
) -> Iterator[ValidationError]:
    from jsonschema.exceptions import ValidationError

    if not validator.is_type(instance, "object"):
        return
    known, by_pattern = schema.get("properties", {}), schema.get("patternProperties", {})
    others = [name for name in instance if name not in known]
    others = [name for name in others if all(patterns.found(p, name) is False for p in by_pattern)]
    if validator.is_type(allowed, "object"):
        for name in others:
            yield from validator.descend(instance[name], allowed, path=name)
    elif allowed is False and others:
        named = f"{', '.join(map(repr, others))} {'was' if len(others) == 1 else 'were'}"
        yield ValidationError(f"Additional properties are not allowed ({named} unexpected)")
