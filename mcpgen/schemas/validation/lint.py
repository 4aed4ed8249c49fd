"""Checks a valid schema for invalid defaults and for patterns that can't always be evaluated."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from mcpgen_runtime.display import brief
from mcpgen_runtime.validation.keywords import budgets as limits
from mcpgen_runtime.validation.regexes import patterns

from mcpgen.errors import Problem
from mcpgen.jsonpointer import escape
from mcpgen.jsontext import Json, is_array, is_object
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
    """Yield patterns that can't be evaluated for every string, with the reason."""
    for path, node in subschemas(schema):
        named = node.get("patternProperties")
        expressions = [*named] if is_object(named) else []
        if isinstance(node.get("pattern"), str):
            expressions.append(node["pattern"])
        for pattern in expressions:
            if doubt := patterns.doubt(pattern):
                yield Problem(path, f"the pattern {brief(repr(pattern), 60)} {doubt}")


def _admits(validator: SchemaValidator, part: dict[str, Json]) -> bool:
    """Return True if a subschema allows its default, or if that is unknown."""
    try:
        return validator.part_allows(part, part["default"])
    except RecursionError:
        return True


# MCP 2025-11-25, server/tools, "Tool Names".
_NAME = re.compile(r"[A-Za-z0-9_.-]{1,128}")
# MCP 2025-11-25, basic/utilities/tasks.
_TASKS = ("forbidden", "optional", "required")


@dataclass(frozen=True, slots=True)
class Caveat:
    """A position in a tool's definition, its effect on calls, and the kind of the notice."""

    pointer: str
    reason: str
    kind: str


def caveats(name: str, raw: Mapping[str, Json]) -> Iterator[Caveat]:
    """Yield surprising facts that the generated method doesn't show."""
    if not _NAME.fullmatch(name):
        reason = (
            "a tool's name should have 1 to 128 of the characters A-Z a-z 0-9 _ . -; "
            "calls use the name unchanged, but other clients may reject it"
        )
        yield Caveat("", reason, "tool name")
    yield from _tasks(raw.get("execution"))
    yield from _claims(raw.get("annotations"))
    yield from _audience(raw.get("_meta"))
    yield from _set_by_the_server(raw.get("inputSchema"))


def _tasks(execution: Json) -> Iterator[Caveat]:
    support = execution.get("taskSupport") if is_object(execution) else None
    if support is not None and support not in _TASKS:
        reason = f"none of {', '.join(_TASKS)}; read as if it were not there"
        yield Caveat("/execution/taskSupport", reason, "task")


def _claims(annotations: Json) -> Iterator[Caveat]:
    claims = annotations if is_object(annotations) else {}
    if claims.get("readOnlyHint") is True and claims.get("destructiveHint") is True:
        reason = "the tool is annotated as read-only and destructive; read-only takes precedence"
        yield Caveat("/annotations", reason, "claims")


def _audience(meta: Json) -> Iterator[Caveat]:
    """Yield a caveat for a tool that only the server's pages may call (MCP Apps, 2026-01-26)."""
    ui = meta.get("ui") if is_object(meta) else None
    visibility = ui.get("visibility") if is_object(ui) else None
    if is_array(visibility) and "model" not in visibility:
        reason = "the tool is for the server's own pages, and not for other callers"
        yield Caveat("/_meta/ui/visibility", reason, "audience")


def _set_by_the_server(schema: Json) -> Iterator[Caveat]:
    properties = schema.get("properties") if is_object(schema) else None
    for name, inner in properties.items() if is_object(properties) else ():
        if is_object(inner) and inner.get("readOnly") is True:
            at = f"/inputSchema/properties/{escape(name)}/readOnly"
            reason = (
                "the server declares that it sets this itself and may ignore the client's value"
            )
            yield Caveat(at, reason, "set by the server")
