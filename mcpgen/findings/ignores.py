"""Ignored findings: entries of a TOML file with fingerprints and reasons."""

from __future__ import annotations

import difflib
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date, datetime

from mcpgen.errors import UsageError
from mcpgen.jsontext import Json, is_array, is_object

_KEYS = ("fingerprint", "reason", "until")


@dataclass(frozen=True, slots=True)
class Ignore:
    """An ignored finding. It counts again after ``until``."""

    fingerprint: str
    reason: str
    until: date | None = None

    def is_over(self, today: date) -> bool:
        """Return True if the entry has expired."""
        return self.until is not None and today > self.until


def unused_entries(
    ignores: Iterable[Ignore], fingerprints: Collection[str], today: date
) -> Iterator[str]:
    """Describe entries that match no finding or have expired."""
    for entry in ignores:
        if entry.fingerprint not in fingerprints:
            yield f"the entry that ignores {entry.fingerprint} matches nothing here"
        elif entry.is_over(today):
            yield f"the entry that ignores {entry.fingerprint} ended on {entry.until}"


def entries(document: Mapping[str, Json], where: str) -> tuple[Ignore, ...]:
    """Read ``[[ignore]]`` or ``[[tool.mcpgen.ignore]]`` of a parsed TOML file."""
    tables: Json = document.get("ignore")
    if tables is None:
        tables = document
        for key in ("tool", "mcpgen", "ignore"):
            tables = tables.get(key) if is_object(tables) else None
    if tables is None:
        return ()
    if not is_array(tables):
        raise UsageError("ignore must be a list of tables", where, "write: [[ignore]]")
    return tuple(_entry(table, f"{where}: ignore {n}") for n, table in enumerate(tables, 1))


def _entry(table: Json, where: str) -> Ignore:
    if not is_object(table):
        raise UsageError("the value isn't a table", where, "write: [[ignore]]")
    for key in table:
        if key not in _KEYS:
            close = difflib.get_close_matches(key, _KEYS, 1)
            hint = f"did you mean {close[0]}?" if close else f"known are: {', '.join(_KEYS)}"
            raise UsageError(f"unknown key {key!r}", where, hint)
    fingerprint, reason = table.get("fingerprint"), table.get("reason")
    if not isinstance(fingerprint, str) or not re.fullmatch(r"[0-9a-f]{12}", fingerprint):
        raise UsageError("fingerprint must be the twelve digits of a finding", where)
    if not isinstance(reason, str) or not reason.strip():
        raise UsageError("an entry needs a reason", where, 'add: reason = "..."')
    return Ignore(fingerprint, reason, _day(table.get("until"), where))


def _day(value: Json | date, where: str) -> date | None:
    if value is None:
        return None
    if isinstance(value, datetime):
        return value.date()
    if isinstance(value, date):
        return value
    try:
        return date.fromisoformat(value)
    except (TypeError, ValueError):
        raise UsageError("until must be a day", where, "write: until = 2027-01-31") from None
