"""Texts that an agent reads: which rule a change of one falls under, and what is hidden in it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace

from mcpgen.compare.change import ABSENT, Change, Value
from mcpgen.compare.texts.invisible import hidden, strings
from mcpgen.compare.texts.lookalikes import misleading, skeleton
from mcpgen.jsontext import Json

SUFFIXES = ("", "arguments", "args", "input", "output", "dictoutput", "result", "response")
"""What frameworks put behind the name of a tool to make the title of its schema."""


def rule_of(rule: str, old: Value, new: Value, names: Iterable[str] = ()) -> str:
    """Return the rule of a changed text: less severe where it only lost or moved white space.

    A title that only says one of some ``names`` again, with or without, is no news.
    """
    if rule == "D04" and is_made_up(old, names := list(names)) and is_made_up(new, names):
        return "D04b"
    if _is_empty(new):
        return "D08"
    if isinstance(old, str) and isinstance(new, str) and old.split() == new.split():
        return "D05"
    return rule


def is_made_up(title: Value, names: Iterable[str]) -> bool:
    """Say whether a title is not there, or was made of a name."""
    if title is ABSENT:
        return True
    said = skeleton(title) if isinstance(title, str) else ""
    return bool(said) and any(
        said == skeleton(name) + suffix for name in names for suffix in SUFFIXES
    )


def _is_empty(value: Value) -> bool:
    return value is ABSENT or value is None or (isinstance(value, str) and not value.strip())


def text(
    rule: str, subject: str, path: str, both: tuple[Value, Value], at: str
) -> Iterator[Change]:
    """Compare one text that both sides may have."""
    old, new = both
    if old == new or (_is_empty(old) and _is_empty(new)):
        return
    found = rule_of(rule, old, new)
    yield Change(
        found,
        subject,
        path,
        "" if old is ABSENT else at,
        "" if new is ABSENT else at,
        old,
        new,
    )


def title(
    subject: str, path: str, both: tuple[Value, Value], at: str, names: Collection[str]
) -> Iterator[Change]:
    """Compare one title of what has some names."""
    for change in text("D04", subject, path, both, at):
        yield replace(change, rule=rule_of("D04", *both, names))


def _misleads(text: str) -> bool:
    return bool(hidden(text) or misleading(text))


def unseen(subject: str, old: Json, new: Json, at: str) -> Iterator[Change]:
    """Find the strings that mislead a reader which the new definition has and the old had not."""
    before, after = (Counter(filter(_misleads, strings(side))) for side in (old, new))
    for value in sorted(after - before):
        strange = {f"U+{ord(value[n]):04X}": None for n in sorted(misleading(value))}
        detail = f"it holds {', '.join([*hidden(value), *strange][:8])}"
        yield Change("D03", subject, "", "", at, ABSENT, value, detail)
