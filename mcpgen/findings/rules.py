"""Rules that are data, found by what a person types, and how much it matters to break one."""

from __future__ import annotations

import difflib
import re
from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from enum import IntEnum
from typing import Protocol, TypeVar

from mcpgen.findings.words import words_or_none


class Level(IntEnum):
    """How much a finding matters; the greater, the more."""

    NOTE = 0
    WARNING = 1
    ERROR = 2

    def __str__(self) -> str:
        return self.name.lower()


LEVELS = {str(level): level for level in reversed(Level)}


@dataclass(frozen=True, slots=True)
class Rule:
    """One sort of finding; ``example`` shows it as it should not be, and as it should."""

    id: str
    name: str
    level: Level
    summary: str
    why: str
    example: tuple[str, str]
    fix: str


class Named(Protocol):
    """A rule, of whatever it is one."""

    @property
    def id(self) -> str:
        """A letter and a number."""
        ...

    @property
    def name(self) -> str:
        """What it is called, in words that hyphens join."""
        ...


_Named = TypeVar("_Named", bound=Named)


def find_in(rules: Iterable[_Named], text: str) -> _Named | None:
    """Return which of some rules has an id or a name."""
    word = _normalized(text)
    word = re.sub(r"^([a-z])(\d)(?!\d)", r"\g<1>0\2", word)
    return next((rule for rule in rules if word in (rule.id.casefold(), rule.name)), None)


def nearest_in(rules: Collection[_Named], text: str) -> list[_Named]:
    """Return which of some rules have an id or a name that is most like what was typed."""
    word = _normalized(text)
    names = {rule.id.casefold(): rule for rule in rules}
    names |= {rule.name: rule for rule in rules}
    close = difflib.get_close_matches(word, names, n=3, cutoff=0.5)
    close += [name for name in names if len(word) > 2 and word in name][:3]
    return list({names[name].id: names[name] for name in close}.values())[:3]


def _normalized(text: str) -> str:
    return text.strip().replace("_", "-").casefold()


def levels(text: str, option: str) -> set[Level]:
    """Read the levels of an option, ``none`` for no level."""
    return words_or_none(text, option, LEVELS)


_Grade = TypeVar("_Grade", bound=IntEnum)


def counts(grades: type[_Grade], found: Iterable[_Grade]) -> dict[str, int]:
    """Return how many findings there are of each level or severity, the worst first."""
    counted = Counter(found)
    return {str(grade): counted[grade] for grade in reversed(grades)}
