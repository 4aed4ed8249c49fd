"""Lint of a valid schema: defaults that it forbids, patterns that are not always checked."""

from __future__ import annotations

from collections.abc import Iterator

from mcpgen_runtime.display import brief
from mcpgen_runtime.validation.keywords import budgets as limits
from mcpgen_runtime.validation.regexes import patterns

from mcpgen.errors import Problem
from mcpgen.jsontext import Json, is_object
from mcpgen.schemas.validation.plain import surely_is_not
from mcpgen.schemas.validation.references import subschemas
from mcpgen.schemas.validation.schemas import SchemaValidator

_MOST_PATTERN_STEPS = 50_000  # for all defaults of one schema


def bad_defaults(schema: Json) -> Iterator[str]:
    """Yield the pointer of every ``default`` that its own schema forbids."""
    with limits.shared_budget(_MOST_PATTERN_STEPS):
        paths = [*_bad_defaults(schema)]
    yield from (f"{path}/default" for path in paths)


def _bad_defaults(schema: Json) -> Iterator[str]:
    validator: SchemaValidator | None = None
    for path, node in subschemas(schema):
        if "default" not in node:
            continue
        validator = validator or SchemaValidator(schema)
        if surely_is_not(node.get("type"), node["default"]) or not _admits(validator, node):
            yield path


def uncertain_patterns(schema: Json) -> Iterator[Problem]:
    """Yield the patterns that are not judged on every text, and why."""
    for path, node in subschemas(schema):
        named = node.get("patternProperties")
        expressions = [*named] if is_object(named) else []
        if isinstance(node.get("pattern"), str):
            expressions.append(node["pattern"])
        for pattern in expressions:
            if doubt := patterns.doubt(pattern):
                yield Problem(path, f"the pattern {brief(repr(pattern), 60)} {doubt}")


def _admits(validator: SchemaValidator, part: dict[str, Json]) -> bool:
    """Say whether a part of a schema admits its default; yes where nothing can be said."""
    try:
        return validator.part_allows(part, part["default"])
    except RecursionError:
        return True
