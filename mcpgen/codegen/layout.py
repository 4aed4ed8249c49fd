"""Lays out a statement that is too long for a line as Black does, where its form is a known one.

Known are the forms that templates write: names, numbers and texts, with brackets after them, joined
by ``|``. What is in brackets goes on a line of its own, or each part of it does. All else is left
to Black, and so is a statement whose first line would be too long in turn: there Black weighs
where to break. Tests hold this against Black.
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
    listed,
    read,
    read_at,
)

_STEP = 4
_MOST_ESCAPES = 100_000
"""How many escapes a statement may have, which no server that we know of comes near."""
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
    """Return the lines of a statement, or of the header of one; ``None`` where Black must say."""
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
    """Say whether Black leaves the texts in a line as they are, and there is one way to measure it.

    Where a quote is escaped it weighs which quotes to put around the text. Versions of Unicode
    differ in how wide marks and symbols are.
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
    """Lay out what has a line for each of its parts; of those some are too long."""
    shown = [lines[0]]
    for line in lines[1:-1]:
        depth = len(line) - len(line.lstrip())
        if _fits(line, 0) or _ALONE.fullmatch(line.strip()):
            shown.append(line)
        elif header and depth == indent + _STEP:
            shown += _parameter(line.strip(), depth)
        elif not header and _ENTRY.fullmatch(line.strip()):
            shown += _part(read(line.strip().removesuffix(",")), depth, after=",")
        else:
            raise UnknownFormError
    if not _fits(lines[-1], 0):
        raise UnknownFormError
    return [*shown, lines[-1]]


def _header(text: str, indent: int) -> list[str]:
    if match := _CLASS.fullmatch(text):
        return _bracketed(match[1], listed(match[2]), "):", indent)
    match = _METHOD.fullmatch(text)
    if match is None or not _fits(match[3], indent):
        raise UnknownFormError
    parameters = _separate(match[2])
    deeper = indent + _STEP
    if len(parameters) > 1 and _fits(", ".join(parameters), deeper):
        inner = [_at(deeper, ", ".join(parameters))]
    else:
        inner = [line for each in parameters for line in _parameter(f"{each},", deeper)]
    return [_at(indent, match[1]), *inner, _at(indent, match[3])]


def _parameter(text: str, indent: int) -> list[str]:
    """Lay out a parameter, which ends with a comma."""
    if _fits(text, indent):
        return [_at(indent, text)]
    match = _TYPED.fullmatch(text)
    if match is None or text[-1] != ",":
        raise UnknownFormError
    annotation, default = _divided(match[2][:-1])
    value = _plain(default) if default else ""
    return _annotated(match[1], read(annotation), f"{value},", indent)


def _simple(text: str, indent: int) -> list[str]:
    forms: tuple[tuple[re.Pattern[str], _Form], ...] = (
        (_IMPORT, _import),
        (_RETURNED, _returned),
        (_TYPED, _typed),
        (_ASSIGNED, _assigned),
    )
    for pattern, form in forms:
        if match := pattern.fullmatch(text):
            return form(match[1], match[2], indent)
    raise UnknownFormError


_Form: TypeAlias = Callable[[str, str, int], list[str]]


def _import(opening: str, names: str, indent: int) -> list[str]:
    if names == "*":
        return [_at(indent, f"{opening}*")]
    inner = [_at(indent + _STEP, f"{name},") for name in names.split(", ")]
    return [_at(indent, f"{opening}("), *inner, _at(indent, ")")]


def _returned(opening: str, text: str, indent: int) -> list[str]:
    value = read(text)
    if value.is_joined or not value.terms[0].parts or value.terms[0].is_display:
        raise UnknownFormError
    return _broken(opening, value, indent)


def _assigned(name: str, text: str, indent: int) -> list[str]:
    value = read(text)
    term = value.terms[0]
    if value.is_joined or term.is_display:
        raise UnknownFormError
    if term.parts:
        return _broken(f"{name} = ", value, indent)
    if not _fits(value.text, indent + _STEP):
        raise UnknownFormError
    return _within(f"{name} = (", value, ")", indent)


def _typed(name: str, text: str, indent: int) -> list[str]:
    """Lay out a statement with an annotation, and perhaps a value."""
    said, assigned = _divided(text)
    annotation = read(said)
    if not assigned:
        return _annotated(name, annotation, "", indent)
    value = read(assigned.removeprefix(" = "))
    opening = f"{name}: {said} = "
    if not value.is_joined and value.terms[0].parts:
        return _called(name, annotation, value, indent)
    if _fits(f"{opening}(", indent):
        return _within(f"{opening}(", _only_types(value), ")", indent)
    if value.is_joined:
        raise UnknownFormError
    return _annotated(name, annotation, assigned, indent)


def _called(name: str, annotation: Sum, value: Sum, indent: int) -> list[str]:
    """Lay out the value of an annotated name, which is one term with brackets."""
    opening = f"{name}: {annotation.text} = "
    if value.terms[0].is_display or annotation.terms[0].closing:
        raise UnknownFormError
    if _fits(opening + value.terms[0].opening, indent):
        return _part(value, indent, before=opening)
    if _fits(f"{opening}(", indent):
        return _within(f"{opening}(", value, ")", indent)
    if not _fits(f"{name}: (", indent):
        raise UnknownFormError
    head = [_at(indent, f"{name}: ("), _at(indent + _STEP, annotation.text)]
    return [*head, *_broken(") = ", value, indent)]


def _broken(before: str, value: Sum, indent: int) -> list[str]:
    """Break one term within its brackets; what is too long before them Black breaks elsewhere."""
    if not _fits(before + value.terms[0].opening, indent):
        raise UnknownFormError
    return _part(value, indent, before=before)


def _annotated(name: str, annotation: Sum, after: str, indent: int) -> list[str]:
    """Break within the annotation; only where it has no brackets of its own it gets some."""
    if annotation.is_joined and _fits(f"{name}: (", indent):
        return _within(f"{name}: (", _only_types(annotation), f"){after}", indent)
    if annotation.is_joined or annotation.terms[0].is_display:
        raise UnknownFormError
    if annotation.terms[0].parts:
        return _part(annotation, indent, before=f"{name}: ", after=after)
    if after.endswith(",") or not _fits(annotation.text, indent + _STEP):
        raise UnknownFormError
    return _within(f"{name}: (", annotation, f"){after}", indent)


def _only_types(value: Sum) -> Sum:
    """Refuse what ends in a call or starts with brackets: Black may break there instead."""
    if value.is_joined and any(each.closing in (")", "}") for each in value.terms):
        raise UnknownFormError
    return value


def _within(opening: str, value: Sum, closing: str, indent: int) -> list[str]:
    return [_at(indent, opening), *_part(value, indent + _STEP), _at(indent, closing)]


def _bracketed(
    opening: str, parts: Sequence[Sum], closing: str, indent: int, *, is_display: bool = False
) -> list[str]:
    """Return what is in brackets on one line, else each part of it on lines of its own."""
    deeper = indent + _STEP
    text = ", ".join(part.text for part in parts)
    if _fits(text, deeper) and not (is_display and len(parts) > 1):
        inner = [_at(deeper, text)]
    elif len(parts) == 1:
        inner = _part(parts[0], deeper)
    else:
        inner = [line for part in parts for line in _part(part, deeper, after=",")]
    return [_at(indent, opening), *inner, _at(indent, closing)]


def _part(value: Sum, indent: int, *, before: str = "", after: str = "") -> list[str]:
    """Return a line as it is, else a line for each term, else broken within its brackets."""
    text = f"{before}{value.text}{after}"
    if _fits(text, indent):
        return [_at(indent, text)]
    *others, last = value.terms
    if not others:
        return _term(last, indent, before, after)
    befores = [before, *["| "] * len(others)]
    afters = [*[""] * len(others), after]
    return [
        line
        for term, ahead, behind in zip(value.terms, befores, afters, strict=True)
        for line in _term(term, indent, ahead, behind)
    ]


def _term(term: Term, indent: int, before: str, after: str) -> list[str]:
    text = f"{before}{term.text}{after}"
    if not term.parts or _fits(text, indent):
        return [_at(indent, text)]
    opening, closing = before + term.opening, term.closing + after
    return _bracketed(opening, term.parts, closing, indent, is_display=term.is_display)


def _fits(text: str, indent: int) -> bool:
    return indent + width(text) <= WIDTH


def _at(indent: int, text: str) -> str:
    return " " * indent + text


def _divided(text: str) -> tuple[str, str]:
    """Divide an annotation from the value after it, with its equals sign."""
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
    found: list[str] = []
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
        found.append(text[start:end])
        if end == len(text):
            return found
        if not text.startswith(", ", end):
            raise UnknownFormError
        end += 2
