"""The first draft of a contract by hand: what was asked or said in options, as YAML."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from mcpgen.contract import definitions
from mcpgen.errors import UsageError

TYPES = ("string", "integer", "number", "boolean", "array", "object")

_CALLED = re.compile(r"(?P<name>[^()]+?)\s*(?:\((?P<arguments>.*)\))?", re.DOTALL)
_ARGUMENT = re.compile(r"(?P<name>[^\s:?,()]+)(?P<optional>\?)?(?:\s*:\s*(?P<type>\w+))?")
_TOOL = re.compile(r"[A-Za-z0-9_.-]{1,128}")
_URI = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:\S+")


@dataclass(frozen=True, slots=True)
class Draft:
    """What a server is to offer, in the words that it was asked in."""

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
class _Called:
    """A tool or prompt, as in ``search(query, limit?: integer)``; ``None`` if only named."""

    name: str
    arguments: Sequence[_Argument] | None = field(default=None)


def tool(said: str) -> str:
    """Read what was said of a tool, and return its name."""
    name = _called(said, TYPES).name
    if not _TOOL.fullmatch(name):
        # MCP 2025-11-25, server/tools, "Tool Names".
        raise ValueError(
            f"{name!r}: a tool's name has 1 to 128 of the characters A-Z a-z 0-9 _ . -"
        )
    return name


def prompt(said: str) -> str:
    """Read what was said of a prompt, and return its name; its arguments are texts."""
    return _called(said, ("string",)).name


def resource(said: str) -> str:
    """Read the URI of a resource."""
    if not _URI.fullmatch(said) or "{" in said:
        raise ValueError(f"{said!r} is no URI; such as acme://terms")
    return said


def template(said: str) -> str:
    """Read a URI template."""
    if not _URI.fullmatch(said) or not definitions.variables(said):
        raise ValueError(f"{said!r} is no URI template; such as acme://products/{{id}}")
    return said


def _called(said: str, types: Sequence[str]) -> _Called:
    match = _CALLED.fullmatch(said.strip())
    if match is None:
        raise ValueError(f"{said!r} is not understood; say it as in search(query, limit?: integer)")
    if match["arguments"] is None:
        return _Called(match["name"])
    parts = [part.strip() for part in match["arguments"].split(",")]
    arguments = [_argument(part, types) for part in parts if part or len(parts) > 1]
    twice = {a.name for a in arguments if [b.name for b in arguments].count(a.name) > 1}
    if twice:
        raise ValueError(f"{said!r} has an argument twice: {', '.join(sorted(twice))}")
    return _Called(match["name"], arguments)


def _argument(said: str, types: Sequence[str]) -> _Argument:
    match = _ARGUMENT.fullmatch(said)
    if match is None:
        raise ValueError(f"the argument {said!r} is not understood; say name, or name?: type")
    if (match["type"] or "string") not in types:
        raise ValueError(f"no type {match['type']!r}; there are {', '.join(types)}")
    return _Argument(match["name"], match["type"] or "string", not match["optional"])


def check(draft: Draft) -> None:
    """Refuse what options said, as an answer on a terminal is refused."""
    parts = (
        ("--tool", tool, draft.tools),
        ("--prompt", prompt, draft.prompts),
        ("--resource", resource, draft.resources),
        ("--template", template, draft.templates),
    )
    for option, read, given in parts:
        found: set[str] = set()
        for said in given:
            try:
                name = read(said)
            except ValueError as error:
                raise UsageError(str(error), option) from None
            if name in found:
                raise UsageError(f"{name} is given twice", option)
            found.add(name)


def text(draft: Draft) -> str:
    """Return the contract as YAML; JSON texts are YAML too."""
    is_bare = not (draft.tools or draft.prompts or draft.resources or draft.templates)
    lines = [
        "# What the server offers. Made into a server by: mcpgen server <this file>",
        "revision: 2026-07-28",
        f"server: {{name: {_text(draft.name)}, version: {_text(draft.version)}}}",
    ]
    if draft.instructions:
        lines.append(f"instructions: {_text(draft.instructions)}")
    tools = draft.tools or (["search(query)"] if is_bare else [])
    lines.append("tools:" if tools else "tools: {}")
    for said in tools:
        lines += _tool_lines(_called(said, TYPES))
    lines += ["prompts:"] if draft.prompts else []
    for said in draft.prompts:
        lines += _prompt_lines(_called(said, TYPES))
    lines += ["resources:"] if draft.resources else []
    lines += [f"  {_text(uri)}: {{name: {_text(uri)}}}" for uri in draft.resources]
    lines += ["resourceTemplates:"] if draft.templates else []
    lines += [f"  {_text(uri)}: {{name: {_text(uri)}}}" for uri in draft.templates]
    return "\n".join(lines) + "\n"


# What nobody said is not claimed: it stands in comments, for its author to say.
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
    # What it answers with, if that is more than text or images:
    # outputSchema:
    #   type: object
    #   properties:
    #     found: {type: array, items: {type: string}}
    #   required: [found]"""


def _tool_lines(tool: _Called) -> list[str]:
    description = f"Say here what {tool.name} does, for the model that calls it."
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
        lines += [f"        {_text(each.name)}: {_property(each.type)}" for each in arguments]
    if any(each.required for each in arguments):
        names = ", ".join(_text(each.name) for each in arguments if each.required)
        lines.append(f"      required: [{names}]")
    return "\n".join([*lines, "      additionalProperties: false"])


def _property(kind: str) -> str:
    return "{type: array, items: {type: string}}" if kind == "array" else f"{{type: {kind}}}"


def _prompt_lines(prompt: _Called) -> list[str]:
    entries = ", ".join(
        f"{{name: {_text(each.name)}{', required: true' if each.required else ''}}}"
        for each in prompt.arguments or ()
    )
    unsaid = ["    # arguments: [{name: topic, required: true}]"]
    return [
        f"  {_text(prompt.name)}:",
        f"    description: {_text(f'Say here what {prompt.name} is for.')}",
        *([f"    arguments: [{entries}]"] if entries else []),
        *(unsaid if prompt.arguments is None else []),
    ]


def _text(text: str) -> str:
    """Write a text: bare where YAML, by any reader, takes it for one."""
    if _BARE.fullmatch(text) and text.lower() not in _WORDS:
        return text
    return json.dumps(text, ensure_ascii=False)


_BARE = re.compile(r"[A-Za-z][A-Za-z0-9_]*(?:[ -][A-Za-z0-9_]+)*")
_WORDS = {"null", "true", "false", "yes", "no", "on", "off", "y", "n"}
