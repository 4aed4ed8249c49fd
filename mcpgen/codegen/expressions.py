"""Parses the expressions of templates for layout: names, numbers, strings, brackets.

Terms may be joined by ``|``. Other forms are left to Black.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

# Repeating a group costs memory per repetition, so only the escapes are in a group.
TEXT = r"\"[^\"\\]*(?:\\.[^\"\\]*)*\"|'[^'\\]*(?:\\.[^'\\]*)*'"
NAME = r"[^\W\d]\w*"
_START = re.compile(
    rf"(?P<label>{NAME}=|(?:{TEXT}): )?"
    rf"(?:(?P<text>{TEXT}|-?\d+(?:\.\d+)?|\.\.\.)|{NAME}(?:\.{NAME})*)?(?P<bracket>\(\)|[\[({{])?"
)
_CLOSING = {"[": "]", "(": ")", "{": "}"}


class UnknownFormError(Exception):
    """The expression has a form that only Black can lay out."""


@dataclass(frozen=True, slots=True)
class Term:
    """A name, number or string with an optional label, and the brackets after it.

    A ``display`` is a dict, list or set: brackets without a name.
    """

    text: str
    opening: str
    parts: tuple[Sum, ...]
    closing: str
    is_display: bool


@dataclass(frozen=True, slots=True)
class Sum:
    """Terms joined by ``|``. Usually there is one."""

    text: str
    terms: tuple[Term, ...]

    @property
    def is_joined(self) -> bool:
        return len(self.terms) > 1


def read(text: str) -> Sum:
    """Parse an expression. Raises ``UnknownFormError`` for other forms."""
    value, end = read_at(text, 0)
    if end != len(text):
        raise UnknownFormError
    return value


def read_list(text: str) -> tuple[Sum, ...]:
    """Parse comma-separated expressions. Raises ``UnknownFormError`` for other forms."""
    parts, end = _parts(f"{text})", 0, ")")
    if end != len(text) + 1 or not parts:
        raise UnknownFormError
    return parts


def read_at(text: str, start: int) -> tuple[Sum, int]:
    """Parse an expression from a position, and return its end."""
    term, end = _read_term(text, start)
    terms = [term]
    while text.startswith(" | ", end):
        term, end = _read_term(text, end + 3)
        terms.append(term)
    return Sum(text[start:end], tuple(terms)), end


def _read_term(text: str, start: int) -> tuple[Term, int]:
    match = _START.match(text, start)
    if match is None or match.end() == start:
        raise UnknownFormError
    end = match.end()
    label, bracket = match["label"] or "", match["bracket"]
    if not bracket:
        if end == start + len(label):
            raise UnknownFormError
        return Term(match[0], match[0], (), "", is_display=False), end
    is_display = match.end() == start + len(label) + len(bracket)
    if match["text"] or (bracket == "{") != is_display:  # Black removes other parentheses
        raise UnknownFormError
    if bracket == "()":
        return Term(match[0], match[0], (), ")", is_display=False), end
    parts, end = _parts(text, end, _CLOSING[bracket])
    if not parts:
        raise UnknownFormError
    return Term(text[start:end], match[0], parts, _CLOSING[bracket], is_display), end


def _parts(text: str, start: int, closing: str) -> tuple[tuple[Sum, ...], int]:
    """Parse the content of brackets, including the closing one."""
    parts: list[Sum] = []
    end = start
    while True:
        part, end = read_at(text, end)
        parts.append(part)
        if text.startswith(closing, end):
            return tuple(parts), end + 1
        if not text.startswith(", ", end):
            raise UnknownFormError
        end += 2
