"""A case that is tried, and what a judge says of it: data that can be kept and tried again."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field

from mcpgen.findings.rules import Level, Rule
from mcpgen.jsontext import Json, canonical
from mcpgen.testing.judges import JUDGES


@dataclass(frozen=True, slots=True)
class Case:
    """What is tried: by which check, on what, with which data."""

    check: str
    subject: str
    """What it is on, such as ``tool search``, ``prompt welcome``, ``server``."""
    data: dict[str, Json] = field(default_factory=dict[str, Json])

    @property
    def name(self) -> str:
        """The name of what it is on."""
        return self.subject.partition(" ")[2]

    @property
    def key(self) -> bytes:
        """What is the same for the same case."""
        return canonical([self.check, self.subject, self.data])


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a judge says of a case: ``place`` tells apart what may be wrong in several ways."""

    judge: str
    detail: str = ""
    place: str = ""
    answer: str = ""

    def is_like(self, other: Verdict) -> bool:
        """Say whether the same judge says the same of the same place."""
        return (self.judge, self.place) == (other.judge, other.place)


@dataclass(frozen=True, slots=True)
class Failure:
    """A verdict with the smallest case that it was reached by."""

    case: Case
    verdict: Verdict
    is_minimal: bool = False
    line: str = ""
    """A command that shows it."""
    calls: int = 0
    """How many calls had been made when it was found."""

    @property
    def judge(self) -> Rule:
        """Who said so."""
        return JUDGES[self.verdict.judge]

    @property
    def level(self) -> Level:
        """How much it matters."""
        return self.judge.level

    @property
    def key(self) -> tuple[str, str, str]:
        """What is the same for what is found by several cases."""
        return (self.verdict.judge, self.case.subject, self.verdict.place)

    @property
    def fingerprint(self) -> str:
        """Twelve digits that stay while the same place fails by the same judge."""
        return hashlib.sha256("\n".join(self.key).encode(errors="surrogatepass")).hexdigest()[:12]
