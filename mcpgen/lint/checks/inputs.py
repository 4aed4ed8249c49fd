"""Checks schemas of arguments: rejected by APIs, incomplete, contradictory."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from mcpgen.findings.lint import LintProblem
from mcpgen.jsonpointer import escape
from mcpgen.jsontext import Json, is_array, is_object
from mcpgen.lint.checks.lint_context import (
    INPUT,
    LintedTool,
    is_condition,
    is_open,
    is_untyped,
    members,
    parts,
    required_names,
    types,
)
from mcpgen.schemas.validation import references

_AT_NO_ROOT = ("anyOf", "oneOf", "allOf", "enum", "not")
_SECRET = re.compile(
    r"(?:^|_)(?:password|passwd|passphrase|secret|api_?key|private_?key|credentials?"
    r"|(?:access|auth|bearer|api|refresh|session)_?token)$"
)
_OF_SECRETS = re.compile(r"(?:has|hide|include|is|mask|no|require|show|with)_")


def check(tools: Sequence[LintedTool]) -> Iterator[LintProblem]:
    """Check the input schemas of all tools."""
    for tool in tools:
        yield from _root(tool)
        for pointer, part in parts(dict(tool.input)):
            for rule, inner, detail in _part(pointer, part):
                yield tool.violation(rule, f"{INPUT}{pointer}{inner}", detail)
        for name, schema in tool.arguments.items():
            if _is_secret(name) and is_object(schema) and "string" in (types(schema) or ["string"]):
                yield tool.of_argument("L318", name)
        recursion = _recursion(tool.input)
        if recursion is not None:
            yield tool.violation("L319", f"{INPUT}{recursion}")


def _root(tool: LintedTool) -> Iterator[LintProblem]:
    schema = tool.input
    if not schema:
        return
    for key in _AT_NO_ROOT:
        if key in schema:
            yield tool.violation("L304", f"{INPUT}/{key}", key)
    if "properties" not in schema:
        yield tool.violation("L306", INPUT)
    is_closed = schema.get("additionalProperties") not in (None, True, {})
    says_more = any(key in schema for key in (*_AT_NO_ROOT, "$ref", "patternProperties"))
    if not tool.arguments and not is_closed and not says_more:
        yield tool.violation("L314", INPUT)


def _part(pointer: str, part: Mapping[str, Json]) -> Iterator[tuple[str, str, str]]:
    """Yield the violations in a subschema, with their positions."""
    choices = part.get("enum")
    if "array" in types(part) and not _says_items(part):
        yield "L305", "", ""
    if is_array(choices) and not choices:
        yield "L315", "/enum", ""
    elif is_array(choices) and not all(isinstance(choice, str | None) for choice in choices):
        yield "L307", "/enum", ""
    if pointer and is_open(dict(part)) and not _in_definitions(pointer):
        yield "L309", "", ""
    if is_condition(pointer):
        return
    named = members(dict(part))
    for name, inner in named.items():
        if is_untyped(inner):
            yield "L308", f"/properties/{escape(name)}", ""
        if is_object(inner) and name in required_names(dict(part)) and "default" in inner:
            yield "L311", f"/properties/{escape(name)}/default", ""
    if "properties" in part and "patternProperties" not in part:
        is_closed = part.get("additionalProperties") is False
        for name in sorted(required_names(dict(part)) - named.keys()):
            if not any(key in part for key in ("allOf", "anyOf", "oneOf", "$ref")):
                yield "L310", "/required", f"{name!r}{', and no call is valid' * is_closed}"


def _says_items(part: Mapping[str, Json]) -> bool:
    """Return True if an array declares the schema of its items, or is constant."""
    items = part.get("items")
    return is_object(items) or items is False or any(key in part for key in ("const", "enum"))


def _in_definitions(pointer: str) -> bool:
    """Return True if a subschema is a definition that arguments may refer to."""
    return re.fullmatch(r"/(?:\$defs|definitions)/[^/]+", pointer) is not None


def _is_secret(name: str) -> bool:
    spelled = re.sub(r"(?<=[a-z])(?=[A-Z])|-", "_", name).casefold()
    return bool(_SECRET.search(spelled)) and not _OF_SECRETS.match(spelled)


def _recursion(schema: Mapping[str, Json]) -> str | None:
    """Return the pointer of a subschema that contains itself through references."""
    refs = {
        pointer: resolved[0]
        for pointer, part in parts(dict(schema))
        if isinstance(ref := part.get("$ref"), str)
        and ref.startswith("#")
        and (resolved := references.resolve(dict(schema), ref))
    }
    targets = set(refs.values())
    leads: dict[str, set[str]] = {target: set() for target in targets}
    for pointer, target in refs.items():
        for around in _around(pointer):
            if around in targets:
                leads[around].add(target)
    return _circle(leads)


def _around(pointer: str) -> Iterator[str]:
    """Yield the pointers of all enclosing subschemas, and the pointer itself."""
    steps = pointer.split("/")
    yield from ("/".join(steps[:count]) for count in range(1, len(steps) + 1))


def _circle(leads: Mapping[str, Iterable[str]]) -> str | None:
    """Return the first key that leads back to itself."""
    visited: set[str] = set()
    for start in sorted(leads):
        way = [start]
        on_way = {start}
        waiting = [iter(() if start in visited else sorted(leads[start]))]
        while waiting:
            following = next(waiting[-1], None)
            if following is None:
                waiting.pop()
                last = way.pop()
                on_way.discard(last)
                visited.add(last)
            elif following in on_way:
                return following
            elif following not in visited:
                way.append(following)
                on_way.add(following)
                waiting.append(iter(sorted(leads[following])))
    return None
