"""Checks output schemas: missing or without information."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from mcpgen.findings.lint import LintProblem
from mcpgen.jsonpointer import escape
from mcpgen.jsontext import Json, is_object
from mcpgen.lint.checks.lint_context import (
    OUTPUT,
    LintedTool,
    branches,
    is_condition,
    is_open,
    is_untyped,
    members,
    parts,
    required_names,
    types,
)

_ANY_ROOT = "2026-07-28"
_MERE_TEXT = frozenset("result results text content output message response".split())


def check(tools: Sequence[LintedTool], revision: str) -> Iterator[LintProblem]:
    """Check the output schemas of all tools."""
    for tool in tools:
        if not tool.has_output:
            yield tool.violation("L401")
        elif tool.output:
            yield from _check_tool(tool, revision)


def _check_tool(tool: LintedTool, revision: str) -> Iterator[LintProblem]:
    schema = tool.output
    if schema.get("type") != "object" and revision < _ANY_ROOT:
        yield tool.violation("L405", OUTPUT)
    named = members(dict(schema))
    only = next(iter(named.values())) if len(named) == 1 else None
    is_wrapper = only is not None and next(iter(named)) in _MERE_TEXT
    if is_open(dict(schema)) or (is_wrapper and (is_open(only) or is_untyped(only))):
        yield tool.violation("L403", OUTPUT)
        return
    if is_wrapper and _is_text(only):
        yield tool.violation("L402", OUTPUT)
    elif is_wrapper and _is_sometimes_text(only):
        yield tool.violation("L407", f"{OUTPUT}/properties/{next(iter(named))}")
    if (
        named
        and not required_names(dict(schema))
        and "anyOf" not in schema
        and "oneOf" not in schema
    ):
        yield tool.violation("L406", OUTPUT)
    open_members = list(_open_members(schema))
    if open_members:
        detail = f"{len(open_members)} of them" if len(open_members) > 1 else ""
        yield tool.violation("L404", f"{OUTPUT}{open_members[0]}", detail)


def _is_text(schema: Json) -> bool:
    return (
        is_object(schema)
        and types(schema) == ["string"]
        and schema.keys().isdisjoint(("enum", "const", "format", "pattern"))
    )


def _is_sometimes_text(schema: Json) -> bool:
    options = branches(schema)
    kinds = {kind for option in options if is_object(option) for kind in types(option)}
    return any(_is_text(option) for option in options) and bool(kinds & {"object", "array"})


def _open_members(schema: Mapping[str, Json]) -> Iterator[str]:
    """Yield the pointers of parts of a result that may have any value."""
    for pointer, part in parts(dict(schema)):
        if pointer and is_open(part):
            yield pointer
        if is_condition(pointer):
            continue
        for name, inner in members(part).items():
            if is_untyped(inner):
                yield f"{pointer}/properties/{escape(name)}"
        items = part.get("items")
        is_array = "array" in types(part) and "prefixItems" not in part
        if is_array and (items is None or is_untyped(items)):
            yield pointer
