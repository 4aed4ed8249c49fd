"""Finds the rule for a changed description or title, and misleading characters."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace

from mcpgen.compare.definitions.versions import Versions
from mcpgen.findings.change import ABSENT, Change, Value
from mcpgen.findings.texts.invisible import invisible
from mcpgen.findings.texts.lookalikes import misleading, skeleton
from mcpgen.findings.texts.strings import strings
from mcpgen.jsontext import Json

SUFFIXES = ("", "arguments", "args", "input", "output", "dictoutput", "result", "response")
"""Suffixes that frameworks add to a tool's name for the title of its schema."""
_MAX_CHARACTERS = 8


def rule_of(rule: str, old: Value, new: Value, names: Iterable[str] = ()) -> str:
    """Return the rule for a changed text. It is less severe if only white space changed.

    A title that only repeats one of ``names`` is not new.
    """
    if _is_of_framework(old) and _is_of_framework(new):
        return "D04b"
    if rule == "D04" and is_made_up(old, names := list(names)) and is_made_up(new, names):
        return "D04b"
    if _is_empty(new):
        return "D08"
    if isinstance(old, str) and isinstance(new, str) and old.split() == new.split():
        return "D05"
    return rule


_OF_FRAMEWORKS = frozenset({"_WrappedResult", "Generic wrapper for non-object return types."})
"""Titles and descriptions that FastMCP adds to the schema of each non-object result."""


def _is_of_framework(value: Value) -> bool:
    return _is_empty(value) or (isinstance(value, str) and value in _OF_FRAMEWORKS)


def is_made_up(title: Value, names: Iterable[str]) -> bool:
    """Return True if a title is missing, or was derived from a name."""
    if title is ABSENT:
        return True
    title_words = skeleton(title) if isinstance(title, str) else ""
    return bool(title_words) and any(
        title_words == skeleton(name) + suffix for name in names for suffix in SUFFIXES
    )


def _is_empty(value: Value) -> bool:
    return value is ABSENT or value is None or (isinstance(value, str) and not value.strip())


def text(rule: str, versions: Versions, key: str) -> Iterator[Change]:
    """Compare a text that both versions may have."""
    old, new = versions.values(key)
    if is_changed(old, new):
        yield versions.change_in_place(rule_of(rule, old, new), key)


def is_changed(old: Value, new: Value) -> bool:
    """Return True if two descriptions differ. Empty and missing ones are equal."""
    return old != new and not (_is_empty(old) and _is_empty(new))


def title(versions: Versions, names: Collection[str]) -> Iterator[Change]:
    """Compare the titles of definitions with these names."""
    for change in text("D04", versions, "title"):
        yield replace(change, rule=rule_of("D04", change.old, change.new, names))


def misleading_strings(subject: str, old: Json, new: Json, pointer: str) -> Iterator[Change]:
    """Find misleading strings that only the new definition has."""
    before, after = (Counter(filter(_misleads, strings(item))) for item in (old, new))
    for value in sorted(after - before):
        lookalikes = {f"U+{ord(value[n]):04X}": None for n in sorted(misleading(value))}
        characters = [*invisible(value), *lookalikes][:_MAX_CHARACTERS]
        detail = f"it contains {', '.join(characters)}"
        yield Change("D03", subject, "", "", pointer, ABSENT, value, detail)


def _misleads(text: str) -> bool:
    if text.isascii() and text.isprintable():
        return False
    return bool(invisible(text) or misleading(text))


def misleading_in(versions: Versions) -> Iterator[Change]:
    """Find misleading strings that only the new version has."""
    pointer = versions.pointers[1]
    yield from misleading_strings(versions.subject, versions.old, versions.new, pointer)
