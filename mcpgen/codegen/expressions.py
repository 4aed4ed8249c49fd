"""Reads the expressions that templates write, for their layout: names, numbers, texts, brackets.

Sums of them are joined by ``|``. What has another form is refused, and left to Black.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

# What repeats a group costs memory each time, so a group is repeated for each escape alone.
TEXT = r"\"[^\"\\]*(?:\\.[^\"\\]*)*\"|'[^'\\]*(?:\\.[^'\\]*)*'"
NAME = r"[^\W\d]\w*"
_START = re.compile(
    rf"(?P<label>{NAME}=|(?:{TEXT}): )?"
    rf"(?:(?P<text>{TEXT}|-?\d+(?:\.\d+)?|\.\.\.)|{NAME}(?:\.{NAME})*)?(?P<bracket>\(\)|[\[({{])?"
)
_CLOSING = {"[": "]", "(": ")", "{": "}"}


class UnknownFormError(Exception):
    """What is read has a form that only Black lays out."""


@dataclass(frozen=True, slots=True)
class Term:
    """A name, number or text, after a label if it has one, and what is in brackets after it.

    A ``display`` is a dict, list or set: brackets after nothing.
    """

    text: str
    opening: str
    parts: tuple[Sum, ...]
    closing: str
    is_display: bool


@dataclass(frozen=True, slots=True)
class Sum:
    """Terms that are joined by ``|``, of which there is mostly one."""

    text: str
    terms: tuple[Term, ...]

    @property
    def is_joined(self) -> bool:
        return len(self.terms) > 1


def read(text: str) -> Sum:
    """Read an expression; raise where it has another form."""
    value, end = read_at(text, 0)
    if end != len(text):
        raise UnknownFormError
    return value


def listed(text: str) -> tuple[Sum, ...]:
    """Read expressions with commas between them; raise where one has another form."""
    parts, end = _parts(f"{text})", 0, ")")
    if end != len(text) + 1 or not parts:
        raise UnknownFormError
    return parts


def read_at(text: str, start: int) -> tuple[Sum, int]:
    """Read an expression from a place on, and say where it ends."""
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
    if match["text"] or (bracket == "{") != is_display:  # what is in parentheses alone is Black's
        raise UnknownFormError
    if bracket == "()":
        return Term(match[0], match[0], (), ")", is_display=False), end
    parts, end = _parts(text, end, _CLOSING[bracket])
    if not parts:
        raise UnknownFormError
    return Term(text[start:end], match[0], parts, _CLOSING[bracket], is_display), end


def _parts(text: str, start: int, closing: str) -> tuple[tuple[Sum, ...], int]:
    """Read what is in brackets, up to and with the closing one."""
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
