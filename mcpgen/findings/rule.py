"""The types of rules, and the search for a rule by ID or name."""

from __future__ import annotations

import difflib
import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Protocol, TypeVar

from mcpgen.findings.severity import Audience, Level, Severity


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule of `lint` or `test`. ``example`` shows a violation and its correction."""

    id: str
    name: str
    level: Level
    summary: str
    why: str
    example: tuple[str, str]
    fix: str


class Named(Protocol):
    """A rule with an ID and a name."""

    @property
    def id(self) -> str:
        """A letter and a number."""
        ...

    @property
    def name(self) -> str:
        """The name in kebab case."""
        ...


_Named = TypeVar("_Named", bound=Named)


def find_in(rules: Iterable[_Named], text: str) -> _Named | None:
    """Return the rule with an ID or name, or None."""
    token = _normalize(text)
    token = re.sub(r"^([a-z])(\d)(?!\d)", r"\g<1>0\2", token)
    return next((rule for rule in rules if token in (rule.id.casefold(), rule.name)), None)


def nearest_in(rules: Collection[_Named], text: str) -> list[_Named]:
    """Return up to three rules with a similar ID or name."""
    token = _normalize(text)
    names = {rule.id.casefold(): rule for rule in rules}
    names |= {rule.name: rule for rule in rules}
    close = difflib.get_close_matches(token, names, n=3, cutoff=0.5)
    close += [name for name in names if len(token) > 2 and token in name][:3]
    return list({names[name].id: names[name] for name in close}.values())[:3]


def _normalize(text: str) -> str:
    return text.strip().replace("_", "-").casefold()


@dataclass(frozen=True, slots=True)
class ChangeRule:
    """A rule of `diff`. ``example`` shows a definition before and after the change.

    ``levels`` has the severity for each affected audience. The severity of a ``fixed`` rule can't
    be overridden.
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
        """Return the severity for these audiences, or None if none of them is affected."""
        return max((self.levels[a] for a in audiences if a in self.levels), default=None)

    @property
    def audiences(self) -> tuple[Audience, ...]:
        """The affected audiences."""
        return tuple(audience for audience in Audience if audience in self.levels)


@dataclass(frozen=True, slots=True)
class Levels:
    """Builds the ``levels`` of a rule: ``BREAKING.to("wire", "source")``."""

    severity: Severity

    def for_audiences(self, *audiences: str) -> dict[Audience, Severity]:
        """Return this severity for each of the audiences."""
        return {Audience(name): self.severity for name in audiences}


BREAKING = Levels(Severity.BREAKING)
SECURITY = Levels(Severity.SECURITY)
DANGEROUS = Levels(Severity.DANGEROUS)
COMPATIBLE = Levels(Severity.COMPATIBLE)
COSMETIC = Levels(Severity.COSMETIC)
