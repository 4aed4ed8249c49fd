"""Builds the help of a tool from its definition. The caller escapes the text."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterator, Mapping
from typing import cast

from . import shapes
from .arguments import argument_text, kinds_named, placeholder
from .options import Option, Options, dash_name
from .shapes import NULL, Json, Shape

_COLUMN = 28
_MOST = 8
_LIMITS = (
    ("minimum", "at least {}"),
    ("exclusiveMinimum", "more than {}"),
    ("maximum", "at most {}"),
    ("exclusiveMaximum", "less than {}"),
    ("minLength", "at least {} characters"),
    ("maxLength", "at most {} characters"),
    ("minItems", "at least {} of them"),
    ("maxItems", "at most {} of them"),
    ("pattern", "matching {}"),
)
_CLAIMS = (
    ("readOnlyHint", "changes nothing"),
    ("destructiveHint", "may destroy something"),
    ("idempotentHint", "once more changes nothing more"),
    ("openWorldHint", "reaches out to others"),
)


def guide(
    definition: Mapping[str, Json], before: str, width: int, *, is_brief: bool = False
) -> str:
    """Return the help of a tool. ``before`` is the command up to the tool's name.

    The brief form is an entry of a list. It begins with the command and doesn't explain the syntax
    of arguments.
    """
    name = str(definition.get("name", ""))
    options = Options.from_schema(name, definition.get("inputSchema"))
    command = _on_one_line(f"{before} {dash_name(name)} {usage(options)}".rstrip())
    lines = [command if is_brief else f"Usage: {command}"]
    title = definition.get("title")
    for text in (title, definition.get("description")):
        if isinstance(text, str) and text.strip():
            lines += ["", *_paragraphs(text, width)]
    if claims := _claims(definition.get("annotations")):
        lines += ["", f"  According to the server, it {claims}."]
    if options.by_name:
        lines += ["", "Arguments:"]
        for option in _order_options(options):
            lines += _option(options, option, width)
    if options.by_name and not is_brief:
        lines += ["", *_paragraphs(_HOW, width)]
    return "\n".join(lines) + "\n"


_HOW = (
    "A list is given by repeating its option. --NAME:=JSON gives any value as JSON, and"
    " - reads all arguments as a JSON object from stdin."
)


def _order_options(options: Options) -> list[Option]:
    """Sort the options so that each comes before its properties."""
    positions = {option.path: number for number, option in enumerate(options.by_name.values())}

    def place(option: Option) -> list[int]:
        path = option.path
        return [positions.get(path[: end + 1], 0) for end in range(len(path))]

    return sorted(options.by_name.values(), key=place)


def usage(options: Options) -> str:
    """Return the usage of a tool: its required arguments, then [ARGUMENTS]."""
    required = options.required_options()
    parts = [
        options.spelling(item) + ("" if item.shape.is_flag else f" {_value(options, item)}")
        for item in required
    ]
    return " ".join([*parts, *["[ARGUMENTS]"] * (len(required) < len(options.by_name))])


def _paragraphs(text: str, width: int) -> Iterator[str]:
    """Wrap and indent a remote text, so that no line of it begins in column 0."""
    for line in text.strip().splitlines():
        indent = len(line) - len(line.lstrip())
        space = " " * (2 + min(indent, 20))
        yield from _wrap_text(line.strip(), width, space) or [""]


def _wrap_text(text: str, width: int, indent: str) -> list[str]:
    return textwrap.wrap(
        text,
        max(width, 40),
        initial_indent=indent,
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    )


def _option(options: Options, option: Option, width: int) -> list[str]:
    shape = option.shape
    head = f"  {'  ' * (len(option.path) - 1)}{options.spelling(option)}"
    if not shape.is_flag:
        head += f" {_value(options, option)}"
    head = _on_one_line(head)
    indent = " " * _COLUMN
    about = _wrap_text(_about(option, options.root), width, indent)
    if about and len(head) < _COLUMN - 1:
        first = head.ljust(_COLUMN) + about[0].lstrip()
        return [first, *about[1:]]
    return [head, *about]


def _on_one_line(text: str) -> str:
    """Keep a line break in a name or a choice from beginning a line."""
    return text.replace("\n", "\\n")


def _value(options: Options, option: Option) -> str:
    """Return the placeholder of a value, or of an item for arrays."""
    shape = option.shape
    if shape.kinds - {NULL} != {"array"}:
        return placeholder(shape)
    return placeholder(shapes.read(shape.items, options.root))


def _about(option: Option, root: Json) -> str:
    shape = option.shape
    annotations = shape.keywords
    texts = [annotations.get("description") or annotations.get("title")]
    lines = [" ".join(text.split()) for text in texts if isinstance(text, str)]
    notes = [*_notes(option, root)]
    if notes:
        lines.append(f"[{'; '.join(notes)}]")
    return "  ".join(lines)


def _notes(option: Option, root: Json) -> Iterator[str]:
    shape = option.shape
    if option.is_required:
        yield "required"
    if "default" in shape.keywords:
        yield f"default: {json.dumps(shape.keywords['default'], ensure_ascii=False)}"
    if "array" in shape.kinds and shape.kinds - {NULL} == {"array"}:
        yield "repeatable"
        yield from _members(shapes.read(shape.items, root))
    elif placeholder(shape) == "VALUE" and not shape.is_flag:
        yield kinds_named(shape)
    if NULL in shape.kinds and not _is_any(shape):
        yield "may be null"
    if isinstance(shape.keywords.get("format"), str):
        yield str(shape.keywords["format"])
    for keyword, template in _LIMITS:
        limit = shape.keywords.get(keyword)
        if isinstance(limit, int | float | str) and not isinstance(limit, bool):
            is_singular = limit == 1 and keyword.endswith("Length")
            yield template.format(argument_text(limit)).removesuffix("s" if is_singular else "")
    if shape.keywords.get("deprecated") is True:
        yield "deprecated"


def _members(item: Shape) -> Iterator[str]:
    """Describe the properties of an array's objects, optional ones in brackets."""
    named = [name if name in item.required else f"[{name}]" for name in item.members]
    if named:
        yield f"each with {', '.join(named[:_MOST])}{', ...' if named[_MOST:] else ''}"


def _is_any(shape: Shape) -> bool:
    return "string" in shape.kinds and "object" in shape.kinds


def _claims(annotations: Json) -> str:
    if not isinstance(annotations, dict):
        return ""
    hints = cast("dict[str, Json]", annotations)
    return ", ".join(claim for hint, claim in _CLAIMS if hints.get(hint) is True)
