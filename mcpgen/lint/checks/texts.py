"""Checks descriptions: missing, uninformative, too long, or with invisible characters."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import partial

from mcpgen_runtime.display import brief

from mcpgen.findings.lint import LintProblem
from mcpgen.findings.texts.invisible import invisible
from mcpgen.findings.texts.lookalikes import misleading
from mcpgen.findings.texts.strings import located_strings
from mcpgen.jsonpointer import escape
from mcpgen.jsontext import Json, is_array, is_object
from mcpgen.lint.checks.lint_context import (
    INPUT,
    LintedTool,
    is_condition,
    members,
    parts,
    words,
)
from mcpgen.lint.checks.prose import in_prose, union_of
from mcpgen.schemas.validation import references

SHORT, LONG, CUT = 5, 1024, 2048
_NOTHING = frozenset(
    "a an and are as by for from in is it its my of on or the that this to value values with your"
    " tool function method parameter param argument arg field property string number integer int"
    " boolean bool array object optional required todo description desc none no n all available"
    " current existing given new single specific".split()
)
_SYNONYMS = (
    frozenset("get list fetch read return retrieve show".split()),
    frozenset("create add insert make post".split()),
    frozenset("update edit modify patch change put".split()),
    frozenset("delete remove".split()),
)
_OPTIONAL = re.compile(r"\W*optional\b(?! if| when| unless| for)", re.IGNORECASE)
_REQUIRED = re.compile(r"\W*required\s*[.):]|[^.]*\(required\)", re.IGNORECASE)


def check(tools: Sequence[LintedTool]) -> Iterator[LintProblem]:
    """Check the descriptions of tools and their arguments."""
    descriptions: dict[str, list[str]] = {}
    for tool in tools:
        descriptions.setdefault(tool.description, []).append(tool.name)
    for tool in tools:
        yield from _of_tool(tool)
        other = next((name for name in descriptions[tool.description] if name != tool.name), None)
        if tool.description and other is not None:
            yield tool.violation("L206", "/description", repr(other))
        for name, schema in tool.arguments.items():
            yield from _of_argument(tool, name, schema)
        yield from _misleading(tool)


def _of_tool(tool: LintedTool) -> Iterator[LintProblem]:
    text = tool.description
    if not text:
        yield tool.violation("L201")
    elif says_no_more(text, tool.name):
        yield tool.violation("L202", "/description", repr(brief(text, 60)))
    elif len(words(text)) < SHORT and text.isascii():
        yield tool.violation("L203", "/description", repr(brief(text, 60)))
    elif len(text) > LONG:
        yield tool.violation(
            "L205" if len(text) > CUT else "L204", "/description", f"{len(text):,} characters"
        )


def says_no_more(text: str, name: str) -> bool:
    """Return True if every meaningful word of a text is part of a name."""
    if not text.isascii():
        return False
    stems = {_stem(token) for token in words(name)}
    stems |= {item for alike in _SYNONYMS if alike & stems for item in alike}
    return all(token in _NOTHING or _stem(token) in stems for token in words(text))


def _stem(text: str) -> str:
    """Return a word without plural and third-person endings."""
    text = re.sub(r"(?:ies|y)$", "i", text)
    return re.sub(r"(?:(?<=ch|sh|ss)e|(?<=x)e)?s$", "", text)


def _of_argument(tool: LintedTool, name: str, schema: Json) -> Iterator[LintProblem]:
    text = description(tool.input, schema)
    if not text and not _is_said_by_members(schema):
        is_elsewhere = _mentions(tool.description, name)
        yield tool.of_argument("L208" if is_elsewhere else "L207", name)
    elif text and says_no_more(text, name):
        yield tool.of_argument("L209", name, "/description", repr(brief(text, 60)))
    if not is_object(schema):
        return
    undescribed = [*_without_description(schema)]
    if undescribed:
        yield tool.of_argument("L210", name, undescribed[0], _count_text(undescribed))
    yield from (
        tool.violation(rule, f"{INPUT}{pointer}", detail)
        for rule, pointer, detail in in_prose(tool.input, name)
    )
    if name in tool.required_arguments and _OPTIONAL.match(text):
        yield tool.of_argument("L213", name, "/description", "it is required")
    if name not in tool.required_arguments and _REQUIRED.match(text):
        yield tool.of_argument("L213", name, "/description", "it is optional")


def _count_text(pointers: Sequence[str]) -> str:
    return f"{len(pointers)} of them" if len(pointers) > 1 else ""


def description(root: Mapping[str, Json], schema: Json, *, depth: int = 3) -> str:
    """Return the description of a schema, of its references or of its branches."""
    if not is_object(schema) or not depth:
        return ""
    own = schema.get("description")
    if isinstance(own, str) and own.strip():
        return own.strip()
    inner: list[Json] = []
    if isinstance(ref := schema.get("$ref"), str) and (target := references.resolve(root, ref)):
        inner.append(target[1])
    for key in ("allOf", "anyOf", "oneOf"):
        inner += several if is_array(several := schema.get(key)) else []
    descriptions = (description(root, value, depth=depth - 1) for value in inner)
    return next(filter(None, descriptions), "")


def _is_said_by_members(schema: Json) -> bool:
    """Return True if every property of an object, or of an array's items, has a description."""
    items = schema.get("items") if is_object(schema) else None
    named = members(schema) or members(items)
    if not named:
        return bool(description({}, items))
    return all(map(partial(description, {}), named.values()))


def _mentions(text: str, name: str) -> bool:
    """Return True if a tool's description has a line or phrase about an argument."""
    token = re.escape(name)
    line = re.compile(rf"[-*\u2022]? ?[`\"'*]*{token}[`\"'*]* ?(?:\([^)]*\) ?)?[:=\u2013\u2014-]")
    if any(line.match(" ".join(item.split())) for item in text.splitlines()):
        return True
    return re.search(rf"[`'\"]{token}[`'\"]|\b{token}=", text) is not None


def _without_description(schema: Json) -> Iterator[str]:
    """Yield properties inside of an argument that have no description."""
    for pointer, part in parts(schema):
        if is_condition(re.sub(r"/(?:anyOf|oneOf)/\d+", "", pointer)):
            continue
        properties = members(union_of(schema, pointer))
        for name, member in members(part).items():
            if name in properties:
                continue
            is_said = not is_object(member) or "$ref" in member or description({}, member)
            if not is_said and not _is_constant(member):
                yield f"{pointer}/properties/{escape(name)}"


def _is_constant(schema: Json) -> bool:
    """Return True if a property has a single value, which discriminates branches."""
    values = schema.get("enum")
    return "const" in schema or (is_array(values) and len(values) == 1)


def _misleading(tool: LintedTool) -> Iterator[LintProblem]:
    """Yield the first position of a definition with misleading characters."""
    for text, pointer in located_strings(dict(tool.raw)):
        codes = invisible(text)
        codes += [f"U+{ord(text[at]):04X}" for at in sorted(misleading(text))]
        if codes:
            yield tool.violation("L215", pointer, ", ".join(dict.fromkeys(codes[:5])))
            return
