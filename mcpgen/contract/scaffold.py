"""Writes a first contract as YAML, from answers at a terminal or from options."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from mcpgen.contract import definitions
from mcpgen.errors import UsageError

TYPES = ("string", "integer", "number", "boolean", "array", "object")

_SIGNATURE = re.compile(r"(?P<name>[^()]+?)\s*(?:\((?P<arguments>.*)\))?", re.DOTALL)
_ARGUMENT = re.compile(r"(?P<name>[^\s:?,()]+)(?P<optional>\?)?(?:\s*:\s*(?P<type>\w+))?")
_TOOL = re.compile(r"[A-Za-z0-9_.-]{1,128}")
_URI = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:\S+")


@dataclass(frozen=True, slots=True)
class Outline:
    """The planned definitions of a server. Tools are given as ``search(query, limit?:
    integer)``.
    """

    name: str
    version: str
    instructions: str = ""
    tools: Sequence[str] = ()
    prompts: Sequence[str] = ()
    resources: Sequence[str] = ()
    templates: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class _Argument:
    name: str
    type: str
    required: bool


@dataclass(frozen=True, slots=True)
class _Signature:
    """A tool or prompt, as in ``search(query, limit?: integer)``. Without arguments: None."""

    name: str
    arguments: Sequence[_Argument] | None = field(default=None)


def tool_name(text: str) -> str:
    """Read a tool's name and arguments, and return its name."""
    name = _signature(text, TYPES).name
    if not _TOOL.fullmatch(name):
        # MCP 2025-11-25, server/tools, "Tool Names".
        raise ValueError(
            f"{name!r}: a tool's name has 1 to 128 of the characters A-Z a-z 0-9 _ . -"
        )
    return name


def prompt_name(text: str) -> str:
    """Return the name of a prompt signature, after checking its arguments, which are strings."""
    return _signature(text, ("string",)).name


def resource_uri(text: str) -> str:
    """Read the URI of a resource."""
    if not _URI.fullmatch(text) or "{" in text:
        raise ValueError(f"{text!r} isn't a URI, such as acme://terms")
    return text


def uri_template(text: str) -> str:
    """Read a URI template."""
    if not _URI.fullmatch(text) or not definitions.variables(text):
        raise ValueError(f"{text!r} isn't a URI template, such as acme://products/{{id}}")
    return text


def _signature(text: str, types: Sequence[str]) -> _Signature:
    match = _SIGNATURE.fullmatch(text.strip())
    if match is None:
        raise ValueError(f"{text!r} can't be parsed; write it like search(query, limit?: integer)")
    if match["arguments"] is None:
        return _Signature(match["name"])
    parts = [part.strip() for part in match["arguments"].split(",")]
    arguments = [_argument(part, types) for part in parts if part or len(parts) > 1]
    twice = {a.name for a in arguments if [b.name for b in arguments].count(a.name) > 1}
    if twice:
        raise ValueError(f"{text!r} has an argument twice: {', '.join(sorted(twice))}")
    return _Signature(match["name"], arguments)


def _argument(text: str, types: Sequence[str]) -> _Argument:
    match = _ARGUMENT.fullmatch(text)
    if match is None:
        raise ValueError(f"the argument {text!r} can't be parsed; write name, or name?: type")
    if (match["type"] or "string") not in types:
        raise ValueError(f"no type {match['type']!r}; there are {', '.join(types)}")
    return _Argument(match["name"], match["type"] or "string", not match["optional"])


def check(outline: Outline) -> None:
    """Reject invalid values of options, with the same rules as for answers at a terminal."""
    parts = (
        ("--tool", tool_name, outline.tools),
        ("--prompt", prompt_name, outline.prompts),
        ("--resource", resource_uri, outline.resources),
        ("--template", uri_template, outline.templates),
    )
    for option, read, values in parts:
        names: set[str] = set()
        for value in values:
            try:
                name = read(value)
            except ValueError as error:
                raise UsageError(str(error), option) from None
            if name in names:
                raise UsageError(f"{name} is given twice", option)
            names.add(name)


def text(outline: Outline) -> str:
    """Return the contract as YAML. JSON strings are valid YAML."""
    is_bare = not (outline.tools or outline.prompts or outline.resources or outline.templates)
    lines = [
        "# The server's definitions. Made into a server by: mcpgen server <this file>",
        "revision: 2026-07-28",
        f"server: {{name: {_text(outline.name)}, version: {_text(outline.version)}}}",
    ]
    if outline.instructions:
        lines.append(f"instructions: {_text(outline.instructions)}")
    tools = outline.tools or (["search(query)"] if is_bare else [])
    lines.append("tools:" if tools else "tools: {}")
    for tool in tools:
        lines += _tool_lines(_signature(tool, TYPES))
    lines += ["prompts:"] if outline.prompts else []
    for prompt in outline.prompts:
        lines += _prompt_lines(_signature(prompt, TYPES))
    lines += ["resources:"] if outline.resources else []
    lines += [f"  {_text(uri)}: {{name: {_text(uri)}}}" for uri in outline.resources]
    lines += ["resourceTemplates:"] if outline.templates else []
    lines += [f"  {_text(uri)}: {{name: {_text(uri)}}}" for uri in outline.templates]
    return "\n".join(lines) + "\n"


# Unknown facts are not claimed: they are listed in comments for the author to complete.
_HINTS = """\
    # What is true of it, such as that it changes nothing:
    # annotations: {readOnlyHint: true}"""
_EXAMPLE = """\
      type: object
      # properties:
      #   query: {type: string, description: What to look for.}
      # required: [query]
      # additionalProperties: false"""
_RESULT = """\
    # Schema of the result, if it is more than text or images:
    # outputSchema:
    #   type: object
    #   properties:
    #     found: {type: array, items: {type: string}}
    #   required: [found]"""


def _tool_lines(tool: _Signature) -> list[str]:
    description = f"Describe what {tool.name} does, for the model that calls it."
    return [
        f"  {_text(tool.name)}:",
        f"    description: {_text(description)}",
        _HINTS,
        "    inputSchema:",
        _EXAMPLE if tool.arguments is None else _schema(tool.arguments),
        _RESULT,
    ]


def _schema(arguments: Sequence[_Argument]) -> str:
    lines = ["      type: object"]
    if arguments:
        lines.append("      properties:")
        lines += [
            f"        {_text(argument.name)}: {_property(argument.type)}" for argument in arguments
        ]
    if any(argument.required for argument in arguments):
        names = ", ".join(_text(argument.name) for argument in arguments if argument.required)
        lines.append(f"      required: [{names}]")
    return "\n".join([*lines, "      additionalProperties: false"])


def _property(kind: str) -> str:
    return "{type: array, items: {type: string}}" if kind == "array" else f"{{type: {kind}}}"


def _prompt_lines(prompt: _Signature) -> list[str]:
    entries = ", ".join(
        f"{{name: {_text(argument.name)}{', required: true' if argument.required else ''}}}"
        for argument in prompt.arguments or ()
    )
    commented = ["    # arguments: [{name: topic, required: true}]"]
    return [
        f"  {_text(prompt.name)}:",
        f"    description: {_text(f'Describe the purpose of {prompt.name}.')}",
        *([f"    arguments: [{entries}]"] if entries else []),
        *(commented if prompt.arguments is None else []),
    ]


def _text(text: str) -> str:
    """Write a string as YAML, unquoted if every YAML parser reads that as the string."""
    if _BARE.fullmatch(text) and text.lower() not in _WORDS:
        return text
    return json.dumps(text, ensure_ascii=False)


_BARE = re.compile(r"[A-Za-z][A-Za-z0-9_]*(?:[ -][A-Za-z0-9_]+)*")
_WORDS = {"null", "true", "false", "yes", "no", "on", "off", "y", "n"}
