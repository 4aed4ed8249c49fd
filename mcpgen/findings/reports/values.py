"""Formats values for readers: short, on one line, with invisible characters escaped."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

from mcpgen.findings.change import ABSENT
from mcpgen.findings.diff import DiffFinding
from mcpgen.findings.texts.invisible import unmistakable
from mcpgen.jsontext import Json

_DEFAULTS = ("I22", "O22")
"""Rules for defaults, which don't imply the values."""
MAX_SHOWN = 100
"""Length from which only the differing part of a string is shown, in characters."""
_CONTROL = re.compile(r"\\(?:u([0-9a-f]{4})|.)")


def signed_values(finding: DiffFinding, limit: int = MAX_SHOWN) -> list[tuple[str, str]]:
    """Return the old value with ``-`` and the new one with ``+``, if they exist.

    Long strings are truncated to the part that differs. Values that the rule implies are left out.
    A new value that agents haven't read before is complete: if ``+`` shows only a part, ``=`` has
    the rest.
    """
    change = finding.change
    old, new = change.old, change.new
    is_told_by_rule = isinstance(old, bool) and isinstance(new, bool)
    if is_told_by_rule and change.rule not in _DEFAULTS:
        return []
    if isinstance(old, str) and isinstance(new, str):
        old, new = window(old, new)
    removed = [] if old is ABSENT else [("-", short(old, limit))]
    if new is ABSENT:
        return removed
    if not change.news:
        return [*removed, ("+", short(new, limit))]
    if not isinstance(new, str):
        return [*removed, *_strings(finding, limit)]
    added = [("+", whole(new))]
    return [*removed, *added] if new == change.new else [*removed, *added, ("=", whole(change.new))]


def arrow(finding: DiffFinding, limit: int = MAX_SHOWN) -> str:
    """Return both values on one line: ``1 -> 2``, or ``+ 2`` without an old value."""
    rows = signed_values(finding, limit)
    if [sign for sign, _ in rows] == ["-", "+"]:
        return f"{rows[0][1]} -> {rows[1][1]}"
    return "; ".join(f"{sign} {text}" for sign, text in rows)


def count(findings: Sequence[DiffFinding]) -> str:
    """Return the number of tools or resources with an equal finding, as a phrase."""
    return f"{len(findings)} {findings[0].change.subject.split(' ')[0]}s"


def short(value: Json, limit: int = MAX_SHOWN) -> str:
    """Return a value as JSON on one line, truncated after ``limit`` characters."""
    text = whole(value)
    if len(text) <= limit + 30:
        return text
    return f"{text[:limit]}... ({len(text) - limit} more characters)"


def whole(value: Json) -> str:
    """Return a value as JSON on one line."""
    text = json.dumps(value, ensure_ascii=False, sort_keys=True)
    return unmistakable(_CONTROL.sub(_braced_escape, text))


def _braced_escape(match: re.Match[str]) -> str:
    r"""Convert JSON's escape of a control character to ``\\u{1b}`` notation."""
    return f"\\u{{{int(match[1], 16):x}}}" if match[1] else match[0]


def _strings(finding: DiffFinding, limit: int) -> list[tuple[str, str]]:
    """Return a new value on one line. For a long one, its strings follow."""
    value = finding.change.new
    if value is ABSENT or len(whole(value)) <= limit:
        return [] if value is ABSENT else [("+", whole(value))]
    strings = [("=", f"{unmistakable(path)}: {whole(text)}") for path, text in finding.strings]
    return [("+", short(value, limit)), ("=", f"names: {whole([*finding.names])}"), *strings]


def window(old: str, new: str) -> tuple[str, str]:
    """Cut the common start and end of two long strings, except for a few words."""
    if len(old) <= MAX_SHOWN and len(new) <= MAX_SHOWN:
        return old, new
    start = _common(old, new)
    end = _common(old[start:][::-1], new[start:][::-1])
    start, end = max(0, start - 20), max(0, end - 20)
    start -= len(re.findall(r"\S*$", old[:start])[0]) if start else 0
    return _middle(old, start, end), _middle(new, start, end)


def _middle(text: str, start: int, end: int) -> str:
    middle = text[start : len(text) - end]
    return f"{'...' if start else ''}{middle}{'...' if end else ''}"


def _common(text: str, other: str) -> int:
    """Return the length of the common prefix of two strings."""
    return next(
        (n for n, (a, b) in enumerate(zip(text, other, strict=False)) if a != b),
        min(len(text), len(other)),
    )
