"""Patterns of schemas, never run for longer than the length of a text justifies.

Pydantic's engine takes linear time, but knows neither look-around nor back-references.
A pattern that it cannot run is given to Python's, where that must be quick too: with no
repetition within a repetition, few of them, a short text. Else it is not run.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any

from pydantic_core import SchemaError, SchemaValidator, core_schema

if TYPE_CHECKING:
    from jsonschema.exceptions import ValidationError

LONGEST_TEXT = 200
MOST_REPEATS = 3
MOST_COUNTED = 5_000

_COUNT = re.compile(r"[{,]([1-9]\d{0,9})\}")
_REPEAT = re.compile(r"(?:[*+]|\{\d*,\d*\})")
_HIDDEN = re.compile(r"\\.|\[(?:\\.|[^\]\\])*\]", re.DOTALL)


class UnrunnableError(Exception):
    """The pattern cannot be run, or not on this text."""


def matches(pattern: str, text: str) -> bool:
    """Say whether a pattern is found in a text; raises ``UnrunnableError``."""
    engine = _engine(pattern)
    if isinstance(engine, SchemaValidator):
        return engine.isinstance_python(text)
    if engine is None or len(text) > LONGEST_TEXT:
        raise UnrunnableError(pattern)
    return engine.search(text) is not None


@cache
def _engine(pattern: str) -> SchemaValidator | re.Pattern[str] | None:
    counts = [int(count) for count in _COUNT.findall(pattern)]
    if math.prod(counts) > MOST_COUNTED:  # which takes the engine long to prepare
        return _quick(pattern)
    try:
        return SchemaValidator(core_schema.str_schema(strict=True, pattern=pattern))
    except SchemaError:
        return _quick(pattern)


def _quick(pattern: str) -> re.Pattern[str] | None:
    """Compile a pattern for Python's engine, unless even short texts may take long."""
    bare = _HIDDEN.sub("x", pattern)
    if len(_REPEAT.findall(bare)) > MOST_REPEATS:
        return None
    # Groups from the inside out; one that repeats may hold no repetition.
    while group := re.search(r"\((?P<inside>[^()]*)\)(?P<after>.?)", bare):
        is_repeated = group["after"] in ("*", "+", "{")
        if is_repeated and _REPEAT.search(group["inside"]):
            return None
        kept = "*" if _REPEAT.search(group["inside"]) else "x"
        bare = f"{bare[: group.start()]}x{kept}{group['after']}{bare[group.end() :]}"
    try:
        return re.compile(pattern)
    except re.error:
        return None


# Keywords of jsonschema as functions: it calls them with the names that stand here.


def pattern_keyword(
    validator: Any, pattern: str, instance: Any, schema: object
) -> Iterator[ValidationError]:
    """Check ``pattern``."""
    from jsonschema.exceptions import ValidationError

    del schema
    is_text = validator.is_type(instance, "string") and isinstance(instance, str)
    if is_text and not matches(pattern, instance):
        yield ValidationError(f"{instance!r} does not match {pattern!r}")


def pattern_properties(
    validator: Any,
    patterns: Mapping[str, object],
    instance: Mapping[str, object],
    schema: object,
) -> Iterator[ValidationError]:
    """Check ``patternProperties``."""
    del schema
    if validator.is_type(instance, "object"):
        for pattern, inner in patterns.items():
            for name, value in instance.items():
                if matches(pattern, name):
                    yield from validator.descend(
                        value, inner, path=name, schema_path=pattern
                    )


def additional_properties(
    validator: Any,
    allowed: object,
    instance: Mapping[str, object],
    schema: Mapping[str, Any],
) -> Iterator[ValidationError]:
    """Check ``additionalProperties``."""
    from jsonschema.exceptions import ValidationError

    if not validator.is_type(instance, "object"):
        return
    patterns = schema.get("patternProperties", {})
    known = schema.get("properties", {})
    others = [
        name
        for name in instance
        if name not in known and not any(matches(pattern, name) for pattern in patterns)
    ]
    if validator.is_type(allowed, "object"):
        for name in others:
            yield from validator.descend(instance[name], allowed, path=name)
    elif allowed is False and others:
        named = ", ".join(map(repr, others))
        yield ValidationError(f"Additional properties are not allowed ({named})")
