"""What a rule is: one sort of change, how bad it is for whom, why, and what to do about it."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from mcpgen.compare.change import Audience, Severity


@dataclass(frozen=True, slots=True)
class Rule:
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
