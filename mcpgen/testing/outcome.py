"""What a run of tests came to."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from mcpgen.findings.rules import Level, counts
from mcpgen.testing.coverage import ToolCoverage
from mcpgen.testing.failure import Failure


@dataclass(frozen=True, slots=True)
class Outcome:
    """All failures, the worst first, and what was reached.

    ``stopped`` says why not everything was tried.
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
        """Whether any failure is one that must not be."""
        return any(failure.level in self.fail_on for failure in self.failures)

    @property
    def tested(self) -> int:
        """How many tools were tested: one of their calls gave a result."""
        return sum(bool(each.results and not each.left_out) for each in self.coverage.values())

    def counts(self) -> dict[str, int]:
        """Return how many failures there are of each level, the worst first."""
        return counts(Level, (failure.level for failure in self.failures))
