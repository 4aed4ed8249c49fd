"""Rules that are data, found by what a person types, and how much it matters to break one."""

from __future__ import annotations

import difflib
import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Protocol, TypeVar

from mcpgen.findings.severity import Audience, Level, Severity


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


@dataclass(frozen=True, slots=True)
class ChangeRule:
    """One sort of change; ``name`` says it in words, ``example`` shows it before and after.

    ``levels`` says how severe it is for each audience it concerns; a ``fixed`` rule stays as severe
    whatever the command line says.
    """

    id: str
    name: str
    levels: Mapping[Audience, Severity]
    summary: str
    why: str
    example: tuple[str, str]
    fix: str = ""
    fixed: bool = False

    def severity(self, audiences: Collection[Audience] = tuple(Audience)) -> Severity | None:
        """Return how severe it is to these audiences, ``None`` if it concerns none of them."""
        return max((self.levels[a] for a in audiences if a in self.levels), default=None)

    @property
    def audiences(self) -> tuple[Audience, ...]:
        """Whom it concerns."""
        return tuple(audience for audience in Audience if audience in self.levels)


@dataclass(frozen=True, slots=True)
class Levels:
    """Builds the ``levels`` of a rule: ``BREAKING.to("wire", "source")``."""

    severity: Severity

    def to(self, *audiences: str) -> dict[Audience, Severity]:
        """Return this severity for each of the audiences."""
        return {Audience(name): self.severity for name in audiences}


BREAKING = Levels(Severity.BREAKING)
SECURITY = Levels(Severity.SECURITY)
DANGEROUS = Levels(Severity.DANGEROUS)
COMPATIBLE = Levels(Severity.COMPATIBLE)
COSMETIC = Levels(Severity.COSMETIC)
