"""Texts that an agent reads: which rule a change of one falls under, and what is hidden in it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from mcpgen.compare.change import ABSENT, Change, Value
from mcpgen.compare.hidden import hidden, strings
from mcpgen.jsontext import Json


def rule_of(rule: str, old: Value, new: Value) -> str:
    """Return the rule of a changed text: less severe where it only lost or moved white space."""
    if _is_empty(new):
        return "D08"
    if isinstance(old, str) and isinstance(new, str) and old.split() == new.split():
        return "D05"
    return rule


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


def unseen(subject: str, old: Json, new: Json, at: str) -> Iterator[Change]:
    """Find the strings with hidden characters that the new definition has and the old had not."""
    before = Counter(value for value in strings(old) if hidden(value))
    after = Counter(value for value in strings(new) if hidden(value))
    for value in sorted(after - before):
        detail = f"it holds {', '.join(hidden(value)[:8])}"
        yield Change("D03", subject, "", "", at, ABSENT, value, detail)
