"""Writes the docstrings of generated code, from descriptions, constraints and hints."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import TypeAlias

from mcpgen.codegen import escaping, identifiers, paragraphs
from mcpgen.codegen.escaping import Line
from mcpgen.codegen.paragraphs import dedent
from mcpgen.codegen.plan.package import Class, Method
from mcpgen.contract.definitions import Api, ObservedResult, Resource, Tool
from mcpgen.jsonpointer import unescape
from mcpgen.jsontext import Json, Written
from mcpgen.schemas.types.nodes import Node, Scalar, Union

Facts: TypeAlias = "Iterable[tuple[str, Json]]"
"""Keywords with their values."""

_LONGEST = 120
_SAFE = 2**53 - 1
"""The largest integer that every JSON reader preserves. As a bound, it is meaningless."""

_WIDTHS = frozenset({"int32", "int64", "float", "double"})


def sentences(facts: Facts, node: Node | None, *, is_typed: bool) -> str:
    """Return a sentence for each constraint beyond the type. Long ones are left out.

    If ``is_typed``, the annotation expresses the format that ``node`` has.
    """
    keywords = dict(facts)
    if "format" in keywords and _is_stated(keywords["format"], node, is_typed=is_typed):
        del keywords["format"]
    return _join_sentences(Written.from_value(keywords)) if keywords else ""


@lru_cache(maxsize=1_000)
def _join_sentences(keywords: Written) -> str:
    return " ".join(text for text in _sentences(keywords.value) if len(text) <= _LONGEST)


def _is_stated(form: Json, node: Node | None, *, is_typed: bool) -> bool:
    """Return True if the annotation expresses a format, or the format is only a width."""
    scalars = [
        alternative for alternative in _alternatives(node) if isinstance(alternative, Scalar)
    ]
    is_number = any(scalar.kind in ("integer", "number") for scalar in scalars)
    if is_number and form in _WIDTHS:
        return True
    return is_typed and any(scalar.format == form and not scalar.bounds for scalar in scalars)


def _alternatives(node: Node | None) -> tuple[Node | None, ...]:
    return node.members if isinstance(node, Union) else (node,)


def _sentences(keywords: Mapping[str, Json]) -> Iterator[str]:
    """Yield a sentence for each constraint, the default last."""
    if keywords.get("deprecated") is True:
        yield "Deprecated."
    if isinstance(keywords.get("pattern"), str):
        yield f"Pattern: {keywords['pattern']}."
    if isinstance(keywords.get("format"), str):
        yield f"Format: {keywords['format']}."
    yield from _bounds(keywords)
    yield from _count_sentences(keywords, "Length", "character")
    yield from _count_sentences(keywords, "Items", "item")
    if "multipleOf" in keywords:
        yield f"A multiple of {_json(keywords['multipleOf'])}."
    # A default of null only means that the argument may be absent.
    if keywords.get("default") is not None:
        yield f"Default: {_json(keywords['default'])}."


def _bounds(keywords: Mapping[str, Json]) -> Iterator[str]:
    low, over = _number(keywords.get("minimum")), _number(keywords.get("exclusiveMinimum"))
    high, under = _number(keywords.get("maximum")), _number(keywords.get("exclusiveMaximum"))
    if keywords.get("exclusiveMinimum") is True:  # in draft-04, a boolean excludes the bound
        low, over = None, low
    if keywords.get("exclusiveMaximum") is True:
        high, under = None, high
    if low is not None and high is not None and over is under is None:
        yield f"{_range_text(low, high)}."
        return
    bounds = {"at least": low, "more than": over, "at most": high, "less than": under}
    text = ", ".join(
        f"{token} {_json(bound)}" for token, bound in bounds.items() if bound is not None
    )
    if text:
        yield f"{text[0].upper()}{text[1:]}."


def _number(value: Json) -> int | float | None:
    """Return a bound, or None if it is invalid or always satisfied."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return value if -_SAFE < value < _SAFE else None


def _range_text(low: int | float, high: int | float) -> str:
    return f"Exactly {_json(low)}" if low == high else f"{_json(low)} to {_json(high)}"


def _count_sentences(keywords: Mapping[str, Json], what: str, noun: str) -> Iterator[str]:
    low, high = _number(keywords.get(f"min{what}")), _number(keywords.get(f"max{what}"))
    nouns = noun if (high or low) == 1 else f"{noun}s"
    if low and high is not None:
        yield f"{_range_text(low, high)} {nouns}."
    elif low:
        yield f"At least {_json(low)} {nouns}."
    elif high is not None:
        yield f"At most {_json(high)} {nouns}."


def _json(value: Json) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True)


_UNFINISHED = re.compile(r"[^.!?:;\u2026\u3002]$")


def member(  # noqa: PLR0913 - what is said of a member, and what its annotation says already
    description: str,
    constraints: Facts,
    wire: str,
    name: str,
    node: Node | None = None,
    *,
    is_typed: bool = False,
) -> str:
    """Describe a property or argument: its description, further constraints and its JSON name.

    If ``is_typed``, the annotation expresses the format that ``node`` has.
    """
    more = sentences(constraints, node, is_typed=is_typed)
    if name != wire:
        more = f"{more} On the wire: {_quote(wire)}.".lstrip()
    return _append(dedent(description), more)


# Many tools share properties, so each description is parsed and wrapped once.
_once = lru_cache(maxsize=1_000)


@_once
def _append(text: str, more: str) -> str:
    """Append sentences to a text, on its last line or below a list, a table or code."""
    if not (text and more):
        return text or more
    if not paragraphs.ends_in_prose(text):
        return f"{text}\n\n{more}"
    return f"{text}{'.' if _UNFINISHED.search(text) else ''} {more}"


def _quote(value: Json) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True)


def tool(tool: Tool, name: str) -> str:
    """Describe a tool: its description, its title if that adds something, and its name."""
    title = tool_title(tool)
    named = f"Call the tool {_quote(tool.name)}."
    text = dedent(tool.description) or title or named
    parts = [text]
    if not _letters_of(text).startswith(_letters_of(title)):
        parts.append(f"Title: {title}.")
    if name != tool.name and text != named:
        parts.append(f"On the wire: {_quote(tool.name)}.")
    if tool.observed is not None:
        parts.append(observed_note(tool.observed))
    return "\n\n".join(parts)


def tool_title(tool: Tool) -> str:
    """Return the title of a tool, or "" if it only repeats the name."""
    title = tool.title or _string(tool.annotations, "title")
    return "" if _echoes(title, tool.name) else title


def observed_note(result: ObservedResult) -> str:
    """Describe the observations behind the type of a result."""
    kind = "Result: text, observed" if result.schema is None else "Result: observed"
    if result.answers < _FEW:
        return f"{kind} in only 1 response, not promised by the server. Others may differ."
    return f"{kind} in {result.answers:,} responses, not promised by the server."


_FEW = 2


def server(api: Api) -> str:
    """Return the server's title and version."""
    title = escaping.plain(api.title or api.server) or "without a name"
    version = escaping.plain(api.version)
    return f"MCP server {title}{f', version {version}' if version else ''}"


def _echoes(title: str, name: str) -> bool:
    """Return True if a title consists of the words of a name, however they are written."""
    text_tokens, name_words = (
        {token.lower() for token in identifiers.words(text)} for text in (title, name)
    )
    return _letters_of(title) in _letters_of(name) or text_tokens - _ARTICLES <= name_words


_ARTICLES = frozenset({"a", "an", "the"})


def _letters_of(text: str) -> str:
    return re.sub(r"[\W_]+", "", text).casefold()


# The words of MCP 2025-11-25, server/tools, ``ToolAnnotations``.
_HINTS = (
    ("readOnlyHint", "read-only", "changes things"),
    ("destructiveHint", "destructive", "additive only"),
    ("idempotentHint", "idempotent", "not idempotent"),
    ("openWorldHint", "open world", "closed world"),
)
# The hints that follow from readOnlyHint.
_IMPLIED = frozenset({("destructiveHint", False), ("idempotentHint", True)})


def hints(tool: Tool, lead: str) -> str:
    """Return the server's claims about a tool on one line, without missing hints."""
    values = {key: tool.annotations.get(key) for key, *_ in _HINTS}
    is_harmless = values["readOnlyHint"] is True
    hint_texts = [
        yes if values[key] else no
        for key, yes, no in _HINTS
        if isinstance(values[key], bool) and not (is_harmless and (key, values[key]) in _IMPLIED)
    ]
    return f"{lead}: {', '.join(hint_texts)}." if hint_texts else ""


def resource(resource: Resource) -> str:
    """Describe a resource or resource template."""
    text = dedent(resource.description) or resource.title or resource.name or "Read the resource."
    parts = [text, f"URI: {resource.uri}"]
    if resource.mime_type:
        parts.append(f"MIME type: {resource.mime_type}")
    return f"{parts[0]}\n\n" + "\n".join(parts[1:])


def _string(raw: Mapping[str, Json], key: str) -> str:
    value = raw.get(key)
    return value if isinstance(value, str) else ""


def part(pointer: str, tool: Tool, *, is_of_arguments: bool) -> str:
    """Describe a type without a description by its position in the arguments or result."""
    name = escaping.plain(tool.name)
    if not pointer:
        whole = "Arguments" if is_of_arguments else "Result"
        observed_note = ", as observed" if tool.observed and not is_of_arguments else ""
        return f"{whole} of the tool {name}{observed_note}."
    schema = f"`{name}`'s {'arguments' if is_of_arguments else 'result'}"
    is_wrapped = tool.wrapped and not (tool.observed and not is_of_arguments)
    path, last = _path(pointer.removeprefix("/properties/result") if is_wrapped else pointer)
    if last == "definition":
        return f"`{path}` in the schema of {schema}."
    of = f"the `{path}` of {schema}" if path else schema
    return {
        "member": f"{of[0].upper()}{of[1:]}.",
        "item": f"One of {of}." if path else f"An item of {of}.",
        "value": f"A value in {of}.",
        "form": f"One form of {of}.",
    }[last]


def _path(pointer: str) -> tuple[str, str]:
    """Return the properties that lead to a position, and the kind of the position."""
    path, part_of, last = "", "", "form"
    steps = iter(pointer.split("/")[1:])
    for step in steps:
        if step in ("$defs", "definitions"):
            path, part_of, last = _step(next(steps, "")), "", "definition"
        elif step == "properties":
            path = f"{path}{part_of}.{_step(next(steps, ''))}".removeprefix(".")
            part_of, last = "", "member"
        elif step in _PARTS:
            path += part_of
            part_of, last = _PARTS[step]
    return path, last


_PARTS = {
    "items": ("[]", "item"),
    "prefixItems": ("[]", "item"),
    "additionalItems": ("[]", "item"),
    "additionalProperties": ("{}", "value"),
    "patternProperties": ("{}", "value"),
    "anyOf": ("", "form"),
    "oneOf": ("", "form"),
}


def _step(text: str) -> str:
    return escaping.plain(unescape(text))


@_once
def docstring(text: str, indent: int) -> str:
    """Return the docstring of an object without arguments."""
    return escaping.docstring(_lines(text, indent), indent)


def _lines(text: str, indent: int) -> list[Line]:
    width = escaping.WIDTH - indent
    return escaping.lines(text, width, first=width - len('"""'))


def method(method: Method, indent: int) -> str:
    """Return the docstring of a method: its text, its arguments, and the hints of its tool."""
    width = escaping.WIDTH - indent
    body = _lines(method.doc, indent)
    described = [
        (parameter.name, parameter.doc) for parameter in method.parameters if parameter.doc
    ]
    title = "Keyword Args:" if _OWN_SECTION.search(method.doc) else "Args:"
    body += _entries(title, described, indent)
    if method.hints:
        body += [Line(""), *escaping.lines(method.hints, width, first=width)]
    return escaping.docstring(body, indent)


# Many frameworks parse the text below this heading as the arguments, including its sections.
_OWN_SECTION = re.compile(r"^\s*Args:\s*$", re.MULTILINE)


def keys(class_: Class, indent: int) -> str:
    """Return the docstring of a class whose properties can't have docstrings."""
    described = [(field.wire, field.doc) for field in class_.fields if field.doc]
    text = _lines(class_.doc, indent) if class_.doc else []
    entries = _entries("Keys:", described, indent)
    return escaping.docstring(text + entries if text else entries[1:], indent)


def _entries(title: str, described: Iterable[tuple[str, str]], indent: int) -> list[Line]:
    """Return a section of a docstring that describes things by their names, if there are any."""
    lines = [line for name, text in described for line in _entry(name, text, indent)]
    return [Line(""), Line(title), *lines] if lines else []


@_once
def _entry(name: str, text: str, indent: int) -> Sequence[Line]:
    width = escaping.WIDTH - indent
    first, *rest = escaping.lines(text, width - 8, first=width - 4, lead=f"{name}: ")
    return [Line(f"    {first}"), *(Line(f"        {line}" if line else "") for line in rest)]
