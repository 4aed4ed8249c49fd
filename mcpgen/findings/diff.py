"""The findings of `diff`: changes with rule and severity, and the report of all of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from mcpgen.findings.change import Change
from mcpgen.findings.rule import ChangeRule
from mcpgen.findings.severity import Severity, counts

_MANY = 4
"""Minimum number of tools for grouping a finding that is equal in all of them."""


@dataclass(frozen=True, slots=True)
class DiffFinding:
    """A change with its rule and severity. ``ignored`` is the reason of an ignore entry, or ""."""

    change: Change
    rule: ChangeRule
    severity: Severity
    fails: bool
    ignored: str = ""
    names: tuple[str, ...] = ()
    """The property names in a new value that agents haven't read before."""
    strings: tuple[tuple[str, str], ...] = ()
    """The strings in such a value, each with its path."""

    @property
    def asks(self) -> bool:
        """Whether an agent can read new text in it, which requires consent."""
        return bool(self.change.news) and not self.ignored

    @property
    def message(self) -> str:
        """Description of the change, without values."""
        detail = f" ({self.change.detail})" if self.change.detail else ""
        return f"{self.rule.summary}{detail}"

    @property
    def pointer(self) -> str:
        """JSON pointer in the new contract, or in the old one for a removed definition."""
        return self.change.new_pointer or self.change.old_pointer


@dataclass(frozen=True, slots=True)
class DiffReport:
    """All findings, ignored findings, and notices about unused ignore entries.

    ``observed`` describes changes of observed results, which the server doesn't guarantee.
    """

    old: str
    new: str
    server: str = ""
    findings: tuple[DiffFinding, ...] = ()
    ignored: tuple[DiffFinding, ...] = ()
    notices: tuple[str, ...] = ()
    observed: tuple[str, ...] = ()

    @property
    def fails(self) -> bool:
        """Whether a finding fails the comparison."""
        return any(finding.fails for finding in self.findings)

    @property
    def asks(self) -> bool:
        """Whether a finding needs the consent of a person."""
        return any(finding.asks for finding in self.findings)

    def counts(self) -> dict[str, int]:
        """Count the findings by severity, worst first."""
        return counts(Severity, (finding.severity for finding in self.findings))

    def subjects(self, *, floor: Severity = Severity.COSMETIC) -> dict[str, list[DiffFinding]]:
        """Group the findings by subject, worst first. Findings below ``floor`` are left out."""
        grouped: dict[str, list[DiffFinding]] = {}
        for finding in self._worst_first(floor):
            grouped.setdefault(finding.change.subject, []).append(finding)
        return grouped

    def repeated_findings(self, *, floor: Severity) -> list[list[DiffFinding]]:
        """Group findings that are equal in many tools or resources, worst first."""
        alike: dict[str, list[DiffFinding]] = {}
        for finding in self._worst_first(floor):
            change = finding.change
            values = change.old, change.new, change.detail
            key = repr((change.rule, change.subject.split(" ")[0], change.path, values))
            alike.setdefault(key, []).append(finding)
        return [findings for findings in alike.values() if len(findings) >= _MANY]

    def count_hidden(self, *, floor: Severity) -> int:
        """Count the findings below a level, which aren't shown."""
        return len(self.findings) - sum(1 for _ in self._worst_first(floor))

    def _worst_first(self, floor: Severity) -> Iterator[DiffFinding]:
        for finding in sorted(self.findings, key=_badness):
            if finding.severity >= floor or finding.asks:
                yield finding


def _badness(finding: DiffFinding) -> tuple[int, str, str, str]:
    change = finding.change
    return -finding.severity, change.subject, change.path, change.rule
