"""Values on their way to a reader: short, on one line, with nothing in them that is not seen."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Sequence

from mcpgen.compare.change import ABSENT, Change
from mcpgen.compare.definitions.unread import path_of as path
from mcpgen.compare.definitions.words import is_word
from mcpgen.compare.findings.finding import Finding
from mcpgen.compare.texts.invisible import invisible as hidden
from mcpgen.compare.texts.lookalikes import misleading
from mcpgen.compare.texts.strings import located_strings as placed
from mcpgen.jsonpointer import escape
from mcpgen.jsontext import Json

MAX_SHOWN = 100
"""How many characters of a text are shown before only what differs is."""


def visible(text: str) -> str:
    """Escape what a reader does not see or takes for something else, or a terminal would act on.

    Each such character is shown as ``\\u{200b}``, by its number.
    """
    if text.isascii() and text.isprintable():
        return text
    strange = misleading(text)
    return "".join(_shown(char, index in strange) for index, char in enumerate(text))


def _shown(char: str, strange: bool) -> str:
    if char == "\n":
        return "\\n"
    if strange or hidden(char) or unicodedata.category(char)[0] == "C" or _stacks(char):
        return f"\\u{{{ord(char):x}}}"
    return char


def _stacks(char: str) -> bool:
    """Say whether a mark is put above or below the letter before it, where it may hide others."""
    return unicodedata.combining(char) > 200


def value(found: Json, limit: int = MAX_SHOWN) -> str:
    """Return a value as JSON on one line, cut where it is long."""
    return cut(whole(found), limit)


def whole(found: Json) -> str:
    """Return a value as JSON on one line."""
    return visible(_CONTROL.sub(_numbered, json.dumps(found, ensure_ascii=False, sort_keys=True)))


_CONTROL = re.compile(r"\\(?:u([0-9a-f]{4})|.)")


def _numbered(match: re.Match[str]) -> str:
    """Write JSON's own escape of a control character as all others are written."""
    return f"\\u{{{int(match[1], 16):x}}}" if match[1] else match[0]


def cut(text: str, limit: int = MAX_SHOWN) -> str:
    """Return a text without its end where it is long, saying how much is not shown."""
    if len(text) <= limit + 30:
        return text
    return f"{text[:limit]}... ({len(text) - limit} more characters)"


def values(change: Change, limit: int = MAX_SHOWN) -> list[tuple[str, str]]:
    """Return the old value as ``-`` and the new one as ``+``, where there are such.

    Of long texts only the part that differs is shown, and nothing where the rule says it all. What
    an agent has not read yet is shown whole, as ``=`` where ``+`` is only the part that differs.
    """
    old, new = change.old, change.new
    if isinstance(old, bool) and isinstance(new, bool):
        return []
    if isinstance(old, str) and isinstance(new, str):
        old, new = window(old, new)
    if not change.news or new is ABSENT:
        return [(sign, value(v, limit)) for sign, v in (("-", old), ("+", new)) if v is not ABSENT]
    found = [] if old is ABSENT else [("-", value(old, limit))]
    if isinstance(new, str):
        found.append(("+", whole(new)))
        return found if new == change.new else [*found, ("=", whole(change.new))]
    return [*found, *_texts(new, limit)]


def _texts(found: Json, limit: int) -> list[tuple[str, str]]:
    """Return a value that holds texts: on one line if it is short, else each text on its own."""
    if len(whole(found)) <= limit:
        return [("+", whole(found))]
    listed = [
        ("=", f"{visible(path(at))}: {whole(text)}")
        for text, at in placed(found)
        if not is_word(text) and _is_value(text, at)
    ]
    named = sorted({key for key, at in placed(found) if not _is_value(key, at)})
    return [("+", value(found, limit)), ("=", f"names: {whole(named)}"), *listed]


def _is_value(text: str, at: str) -> bool:
    """Say whether a string is a value, and not the name of a member, which ends its own path."""
    return not at.endswith(f"/{escape(text)}")


def title(findings: Sequence[Finding]) -> str:
    """Return how many tools, or resources, a finding is the same in."""
    return f"{len(findings)} {findings[0].change.subject.split(' ')[0]}s"


def arrow(change: Change, limit: int = MAX_SHOWN) -> str:
    """Return both values on one line: ``1 -> 2``, or ``+ 2`` where there was none."""
    found = values(change, limit)
    if [sign for sign, _ in found] == ["-", "+"]:
        return f"{found[0][1]} -> {found[1][1]}"
    return "; ".join(f"{sign} {text}" for sign, text in found)


def window(old: str, new: str) -> tuple[str, str]:
    """Cut what two long texts have in common at both ends, apart from a few words."""
    if len(old) <= MAX_SHOWN and len(new) <= MAX_SHOWN:
        return old, new
    start = _common(old, new)
    end = _common(old[start:][::-1], new[start:][::-1])
    start, end = max(0, start - 20), max(0, end - 20)
    start -= len(re.findall(r"\S*$", old[:start])[0]) if start else 0
    return _part(old, start, end), _part(new, start, end)


def _part(text: str, start: int, end: int) -> str:
    middle = text[start : len(text) - end]
    return f"{'...' if start else ''}{middle}{'...' if end else ''}"


def _common(one: str, other: str) -> int:
    return next(
        (n for n, (a, b) in enumerate(zip(one, other, strict=False)) if a != b),
        min(len(one), len(other)),
    )
