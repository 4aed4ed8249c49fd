"""Cases, verdicts and the outcome of contract tests."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from mcpgen.findings.rule import Rule
from mcpgen.findings.rules.tests.catalogue import JUDGES
from mcpgen.findings.severity import Level, counts
from mcpgen.jsontext import Json, canonical

Redact: TypeAlias = Callable[[dict[str, Json]], dict[str, Json]]
"""Replaces secrets in the data of a test case."""


@dataclass(frozen=True, slots=True)
class Case:
    """A test case: the check that runs it, its subject and its data."""

    check: str
    subject: str
    """The subject, such as ``tool search``, ``prompt welcome`` or ``server``."""
    data: dict[str, Json] = field(default_factory=dict[str, Json])

    @property
    def name(self) -> str:
        """Name of the subject, such as ``search``."""
        return self.subject.partition(" ")[2]

    @property
    def key(self) -> bytes:
        """Canonical JSON that is equal for equal cases."""
        return canonical([self.check, self.subject, self.data])


@dataclass(frozen=True, slots=True)
class Verdict:
    """The violation of a rule by a case. ``pointer`` distinguishes faults of one subject."""

    judge: str
    detail: str = ""
    pointer: str = ""
    answer: str = ""
    is_repeatable: bool = True
    """Whether the same case can show the fault again. Calls that added something can't."""

    def is_like(self, other: Verdict) -> bool:
        """Return True for the same fault by the same rule."""
        return (self.judge, self.pointer) == (other.judge, other.pointer)


@dataclass(frozen=True, slots=True)
class Failure:
    """A verdict with the smallest case that shows it."""

    case: Case
    verdict: Verdict
    is_minimal: bool = False
    line: str = ""
    """A command that reproduces the failure."""
    calls: int = 0
    """Number of calls made before the failure."""

    @property
    def judge(self) -> Rule:
        """The rule that the case violates."""
        return JUDGES[self.verdict.judge]

    @property
    def level(self) -> Level:
        """Level of the rule."""
        return self.judge.level

    @property
    def key(self) -> tuple[str, str, str]:
        """Key that is equal for all cases with the same fault."""
        return (self.verdict.judge, self.case.subject, self.verdict.pointer)

    @property
    def fingerprint(self) -> str:
        """Twelve hex digits derived only from the rule, the subject and the pointer."""
        return hashlib.sha256("\n".join(self.key).encode(errors="surrogatepass")).hexdigest()[:12]


@dataclass(slots=True)
class ToolCoverage:
    """The calls, results, errors and result properties observed for a tool."""

    calls: int = 0
    results: int = 0
    errors: Counter[str] = field(default_factory=Counter[str])
    members: set[str] = field(default_factory=set[str])
    left_out: str = ""
    checks: set[str] = field(default_factory=set[str])


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of a test run: failures, worst first, and coverage.

    ``stopped`` is why some cases weren't run.
    """

    server: str
    revision: str
    seed: int
    calls: int
    failures: tuple[Failure, ...] = ()
    coverage: Mapping[str, ToolCoverage] = field(default_factory=dict[str, ToolCoverage])
    declared: Mapping[str, Collection[str]] = field(default_factory=dict[str, Collection[str]])
    notices: tuple[str, ...] = ()
    stopped: str = ""
    fail_on: frozenset[Level] = frozenset({Level.ERROR})
    file: str = ""

    @property
    def fails(self) -> bool:
        """Whether a failure has a level that fails the run."""
        return any(failure.level in self.fail_on for failure in self.failures)

    @property
    def tested_tools(self) -> int:
        """Number of tools that returned a result."""
        return sum(
            bool(tool_coverage.results and not tool_coverage.left_out)
            for tool_coverage in self.coverage.values()
        )

    def counts(self) -> dict[str, int]:
        """Count the failures by level, worst first."""
        return counts(Level, (failure.level for failure in self.failures))
