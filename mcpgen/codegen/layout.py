"""Breaks long statements of known forms as Black does.

Known are the forms in templates: names, numbers and strings with brackets, joined by ``|``. The
content of brackets goes on a line of its own, or each part of it does. Other forms are left to
Black, and so are statements whose first line would still be too long, because Black has several
ways to break those. Tests compare the output with Black.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence
from typing import TypeAlias

from mcpgen.codegen.escaping import WIDTH
from mcpgen.codegen.expressions import (
    NAME,
    TEXT,
    Sum,
    Term,
    UnknownFormError,
    read,
    read_at,
    read_list,
)

_STEP = 4
_MOST_ESCAPES = 100_000
"""Maximum number of escapes in a statement. No known server comes near."""
_ESCAPED_QUOTE = re.compile(r"(?<!\\)(?:\\\\)*\\[\"']")
_MEASURED = frozenset("LP")  # letters and punctuation
_CLASS = re.compile(rf"(class {NAME}\()(.*)\):")
_METHOD = re.compile(rf"((?:async )?def {NAME}\()(.*)(\) -> [^()]*:)")
_TYPED = re.compile(rf"({NAME}): ([^=].*)")
_ASSIGNED = re.compile(rf"({NAME}(?:\.{NAME})*) = (.*)")
_RETURNED = re.compile(r"(return (?:await )?)(.*)")
_IMPORT = re.compile(r"(from \S+ import )(.*)")
_ENTRY = re.compile(rf"(?:{NAME}|(?:{TEXT})(?:: .*)?),")
_ALONE = re.compile(rf"(?:{NAME}=)?(?:{TEXT}),?")


def statement(lines: Sequence[str], *, header: bool) -> list[str] | None:
    """Return the lines of a statement, or of its header, or None if Black is needed."""
    if sum(line.count("\\") for line in lines) > _MOST_ESCAPES or not all(map(_is_plain, lines)):
        return None
    first = lines[0].lstrip()
    indent = len(lines[0]) - len(first)
    try:
        if len(lines) > 1:
            return _spread(lines, indent, header=header)
        if header:
            return _header(first, indent)
        return _simple(first, indent)
    except UnknownFormError:
        return None


def _is_plain(line: str) -> bool:
    """Return True if Black keeps the strings of a line, and the line has a well-defined width.

    For escaped quotes Black reconsiders the quotes of the string. Versions of Unicode differ in the
    width of marks and symbols.
    """
    if _ESCAPED_QUOTE.search(line):
        return False
    return line.isascii() or all(
        char.isascii() or unicodedata.category(char)[0] in _MEASURED for char in line
    )


def width(text: str) -> int:
    """Return how many columns a text takes, as Black counts them."""
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.combining(char) else 1 + (unicodedata.east_asian_width(char) in "WF")
        for char in text
    )


def _spread(lines: Sequence[str], indent: int, *, header: bool) -> list[str]:
    """Break the long lines of a statement that already has a line per part."""
    rows = [lines[0]]
    for line in lines[1:-1]:
        depth = len(line) - len(line.lstrip())
        if _fits(line, 0) or _ALONE.fullmatch(line.strip()):
            rows.append(line)
        elif header and depth == indent + _STEP:
            rows += _parameter(line.strip(), depth)
        elif not header and _ENTRY.fullmatch(line.strip()):
            rows += _part(read(line.strip().removesuffix(",")), depth, after=",")
        else:
            raise UnknownFormError
    if not _fits(lines[-1], 0):
        raise UnknownFormError
    return [*rows, lines[-1]]


def _header(text: str, indent: int) -> list[str]:
    if match := _CLASS.fullmatch(text):
        return _break_brackets(match[1], read_list(match[2]), "):", indent)
    match = _METHOD.fullmatch(text)
    if match is None or not _fits(match[3], indent):
        raise UnknownFormError
    parameters = _separate(match[2])
    deeper = indent + _STEP
    if len(parameters) > 1 and _fits(", ".join(parameters), deeper):
        inner = [_indent(deeper, ", ".join(parameters))]
    else:
        inner = [line for parameter in parameters for line in _parameter(f"{parameter},", deeper)]
    return [_indent(indent, match[1]), *inner, _indent(indent, match[3])]


def _parameter(text: str, indent: int) -> list[str]:
    """Lay out a parameter, which ends with a comma."""
    if _fits(text, indent):
        return [_indent(indent, text)]
    match = _TYPED.fullmatch(text)
    if match is None or text[-1] != ",":
        raise UnknownFormError
    annotation, default = _split_annotation(match[2][:-1])
    value = _plain(default) if default else ""
    return _break_annotation(match[1], read(annotation), f"{value},", indent)


def _simple(text: str, indent: int) -> list[str]:
    forms: tuple[tuple[re.Pattern[str], _Form], ...] = (
        (_IMPORT, _import),
        (_RETURNED, _break_return),
        (_TYPED, _break_annotated),
        (_ASSIGNED, _break_assignment),
    )
    for pattern, form in forms:
        if match := pattern.fullmatch(text):
            return form(match[1], match[2], indent)
    raise UnknownFormError


_Form: TypeAlias = Callable[[str, str, int], list[str]]


def _import(opening: str, names: str, indent: int) -> list[str]:
    if names == "*":
        return [_indent(indent, f"{opening}*")]
    inner = [_indent(indent + _STEP, f"{name},") for name in names.split(", ")]
    return [_indent(indent, f"{opening}("), *inner, _indent(indent, ")")]


def _break_return(opening: str, text: str, indent: int) -> list[str]:
    value = read(text)
    if value.is_joined or not value.terms[0].parts or value.terms[0].is_display:
        raise UnknownFormError
    return _broken(opening, value, indent)


def _break_assignment(name: str, text: str, indent: int) -> list[str]:
    value = read(text)
    term = value.terms[0]
    if value.is_joined or term.is_display:
        raise UnknownFormError
    if term.parts:
        return _broken(f"{name} = ", value, indent)
    if not _fits(value.text, indent + _STEP):
        raise UnknownFormError
    return _in_brackets(f"{name} = (", value, ")", indent)


def _break_annotated(name: str, text: str, indent: int) -> list[str]:
    """Break a statement with an annotation and an optional value."""
    left_side, assigned = _split_annotation(text)
    annotation = read(left_side)
    if not assigned:
        return _break_annotation(name, annotation, "", indent)
    value = read(assigned.removeprefix(" = "))
    opening = f"{name}: {left_side} = "
    if not value.is_joined and value.terms[0].parts:
        return _break_call(name, annotation, value, indent)
    if _fits(f"{opening}(", indent):
        return _in_brackets(f"{opening}(", _only_types(value), ")", indent)
    if value.is_joined:
        raise UnknownFormError
    return _break_annotation(name, annotation, assigned, indent)


def _break_call(name: str, annotation: Sum, value: Sum, indent: int) -> list[str]:
    """Break the value of an annotated name, which is a term with brackets."""
    opening = f"{name}: {annotation.text} = "
    if value.terms[0].is_display or annotation.terms[0].closing:
        raise UnknownFormError
    if _fits(opening + value.terms[0].opening, indent):
        return _part(value, indent, before=opening)
    if _fits(f"{opening}(", indent):
        return _in_brackets(f"{opening}(", value, ")", indent)
    if not _fits(f"{name}: (", indent):
        raise UnknownFormError
    head = [_indent(indent, f"{name}: ("), _indent(indent + _STEP, annotation.text)]
    return [*head, *_broken(") = ", value, indent)]


def _broken(before: str, value: Sum, indent: int) -> list[str]:
    """Break a term within its brackets. The part before them must fit a line."""
    if not _fits(before + value.terms[0].opening, indent):
        raise UnknownFormError
    return _part(value, indent, before=before)


def _break_annotation(name: str, annotation: Sum, after: str, indent: int) -> list[str]:
    """Break within an annotation, adding parentheses if it has no brackets."""
    if annotation.is_joined and _fits(f"{name}: (", indent):
        return _in_brackets(f"{name}: (", _only_types(annotation), f"){after}", indent)
    if annotation.is_joined or annotation.terms[0].is_display:
        raise UnknownFormError
    if annotation.terms[0].parts:
        return _part(annotation, indent, before=f"{name}: ", after=after)
    if after.endswith(",") or not _fits(annotation.text, indent + _STEP):
        raise UnknownFormError
    return _in_brackets(f"{name}: (", annotation, f"){after}", indent)


def _only_types(value: Sum) -> Sum:
    """Reject expressions that end in a call or start with brackets. Black may break those
    instead.
    """
    if value.is_joined and any(term.closing in (")", "}") for term in value.terms):
        raise UnknownFormError
    return value


def _in_brackets(opening: str, value: Sum, closing: str, indent: int) -> list[str]:
    return [_indent(indent, opening), *_part(value, indent + _STEP), _indent(indent, closing)]


def _break_brackets(
    opening: str, parts: Sequence[Sum], closing: str, indent: int, *, is_display: bool = False
) -> list[str]:
    """Put the content of brackets on one line, or each part on lines of its own."""
    deeper = indent + _STEP
    text = ", ".join(part.text for part in parts)
    if _fits(text, deeper) and not (is_display and len(parts) > 1):
        inner = [_indent(deeper, text)]
    elif len(parts) == 1:
        inner = _part(parts[0], deeper)
    else:
        inner = [line for part in parts for line in _part(part, deeper, after=",")]
    return [_indent(indent, opening), *inner, _indent(indent, closing)]


def _part(value: Sum, indent: int, *, before: str = "", after: str = "") -> list[str]:
    """Return one line if it fits, otherwise one per term, otherwise lines broken within
    brackets.
    """
    text = f"{before}{value.text}{after}"
    if _fits(text, indent):
        return [_indent(indent, text)]
    *terms, last = value.terms
    if not terms:
        return _term(last, indent, before, after)
    befores = [before, *["| "] * len(terms)]
    afters = [*[""] * len(terms), after]
    return [
        line
        for term, ahead, behind in zip(value.terms, befores, afters, strict=True)
        for line in _term(term, indent, ahead, behind)
    ]


def _term(term: Term, indent: int, before: str, after: str) -> list[str]:
    text = f"{before}{term.text}{after}"
    if not term.parts or _fits(text, indent):
        return [_indent(indent, text)]
    opening, closing = before + term.opening, term.closing + after
    return _break_brackets(opening, term.parts, closing, indent, is_display=term.is_display)


def _fits(text: str, indent: int) -> bool:
    return indent + width(text) <= WIDTH


def _indent(indent: int, text: str) -> str:
    return " " * indent + text


def _split_annotation(text: str) -> tuple[str, str]:
    """Split an annotation from the value after it, with its equals sign."""
    _, end = read_at(text, 0)
    if text[end:] and text[end : end + 3] != " = ":
        raise UnknownFormError
    return text[:end], text[end:]


def _plain(default: str) -> str:
    """Return a default, with its equals sign, that has no brackets."""
    value = read(default.removeprefix(" = "))
    if value.is_joined or value.terms[0].closing:
        raise UnknownFormError
    return default


def _separate(text: str) -> list[str]:
    """Return the parameters of a method."""
    result: list[str] = []
    end = 0
    while True:
        start = end
        if match := re.compile(rf"\*(?=,)|{NAME}: ").match(text, start):
            end = match.end()
        if match is None or match[0] != "*":
            _, end = read_at(text, end)
        if text.startswith(" = ", end):
            value, stop = read_at(text, end + 3)
            _plain(value.text)
            end = stop
        result.append(text[start:end])
        if end == len(text):
            return result
        if not text.startswith(", ", end):
            raise UnknownFormError
        end += 2
