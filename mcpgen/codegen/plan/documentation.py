"""What the output says about itself: texts made of descriptions and facts, all visible."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping

from mcpgen.codegen import escaping
from mcpgen.contract.definitions import Resource, Tool
from mcpgen.jsontext import Json

_SAID = {
    "minimum": "At least {}.",
    "maximum": "At most {}.",
    "exclusiveMinimum": "More than {}.",
    "exclusiveMaximum": "Less than {}.",
    "multipleOf": "A multiple of {}.",
    "minLength": "At least {} characters.",
    "maxLength": "At most {} characters.",
    "minItems": "At least {} items.",
    "maxItems": "At most {} items.",
    "pattern": "Matches {}.",
    "format": "Format: {}.",
    "default": "Default: {}.",
}
_COUNTS = frozenset({"minLength", "maxLength", "minItems", "maxItems"})
_LONGEST_FACT = 120

_CLAIMS = (
    ("readOnlyHint", "read-only", "changes things"),
    ("destructiveHint", "may destroy", "does not destroy"),
    ("idempotentHint", "idempotent", "not idempotent"),
    ("openWorldHint", "reaches the outside world", "stays in its own world"),
)


def member(description: str, facts: Iterable[tuple[str, Json]], wire: str, name: str) -> str:
    """Describe a member or argument: its description, what its type leaves out, its wire name."""
    parts = [description.strip()] if description.strip() else []
    said = [_fact(keyword, value) for keyword, value in facts]
    tail = " ".join(text for text in said if text)
    if tail:
        parts.append(tail)
    if name != wire:
        parts.append(f"On the wire: {_quoted(wire)}.")
    return _sentences(parts)


def _fact(keyword: str, value: Json) -> str:
    if keyword == "deprecated":
        return "Deprecated." if value is True else ""
    text = json.dumps(value, ensure_ascii=False, sort_keys=True)
    if keyword in ("pattern", "format") and isinstance(value, str):
        text = value if keyword == "format" else f"the pattern {value}"
    if len(text) > _LONGEST_FACT:
        return ""
    said = _SAID[keyword].format(text)
    return said.replace("s.", ".") if value == 1 and keyword in _COUNTS else said


def _sentences(parts: list[str]) -> str:
    text = ""
    for part in parts:
        if text and text[-1].isalnum():
            text += "."
        text += f" {part}" if text else part
    return text


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def tool(said: Tool, name: str, claims_of: str = "The server claims, unverified") -> str:
    """Describe a tool: its text, its wire name, and what the server claims about it."""
    title = said.title or _string(said.annotations, "title")
    text = said.description.strip() or title or f"Call the tool {_quoted(said.name)}."
    parts = [text]
    if title and title != text and said.description.strip():
        parts.append(f"Title: {title}.")
    if name != said.name:
        parts.append(f"On the wire: {_quoted(said.name)}.")
    claims = [
        yes if said.annotations[key] else no
        for key, yes, no in _CLAIMS
        if isinstance(said.annotations.get(key), bool)
    ]
    if claims:
        parts.append(f"{claims_of}: {', '.join(claims)}.")
    return "\n\n".join(parts)


def resource(said: Resource) -> str:
    """Describe a resource or resource template."""
    text = said.description.strip() or said.title or said.name or "Read the resource."
    parts = [text, f"URI: {said.uri}"]
    if said.mime_type:
        parts.append(f"MIME type: {said.mime_type}")
    return f"{parts[0]}\n\n" + "\n".join(parts[1:])


def _string(raw: Mapping[str, Json], key: str) -> str:
    value = raw.get(key)
    return value if isinstance(value, str) else ""


def method(text: str, arguments: Iterable[tuple[str, str]], indent: int) -> list[str]:
    """Return the lines of a method's docstring: its text and the section ``Args:``."""
    width = escaping.WIDTH - indent
    body = escaping.lines(text, width)
    told = [
        line
        for name, description in arguments
        for line in _argument(name, description or "Not described.", width)
    ]
    if told:
        body += ["", "Args:", *told]
    return body


def _argument(name: str, description: str, width: int) -> list[str]:
    first, *rest = escaping.lines(f"{name}: {description.lstrip()}", width - 4)
    return [f"    {first}", *(f"        {line}" if line else "" for line in _narrow(rest, width))]


def _narrow(rest: list[str], width: int) -> list[str]:
    return [folded for line in rest for folded in escaping.lines(line, width - 8) or [""]]
