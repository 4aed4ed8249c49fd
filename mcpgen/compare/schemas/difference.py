"""What the comparison of two schemas finds, before it is known whether they are input or output."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Flag

from mcpgen.compare.change import ABSENT, Value


class Relation(Flag):
    """How the new schema stands to the old one in one point."""

    SAME = 0
    TIGHTER = 1
    """It may refuse what the old one allowed."""
    LOOSER = 2
    """It may allow what the old one refused."""
    OTHER = 3


@dataclass(frozen=True, slots=True)
class Event:
    """One point in which two schemas differ; ``aspect`` is looked up in the table of rules."""

    aspect: str
    relation: Relation
    path: str
    old_pointer: str
    new_pointer: str
    old: Value = ABSENT
    new: Value = ABSENT
    keyword: str = ""
    detail: str = ""
