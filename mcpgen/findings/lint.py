"""Violations of lint rules, and the report of all findings."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from mcpgen.findings.rule import Rule
from mcpgen.findings.severity import Level, counts


@dataclass(frozen=True, slots=True)
class LintProblem:
    """A violation of a lint rule. ``subject`` names the definition (``tool search``).

    ``detail`` supplements the rule's summary.
    """

    rule: str
    subject: str
    pointer: str
    detail: str = ""

    @property
    def fingerprint(self) -> str:
        """Twelve hex digits derived only from rule and pointer. Unrelated edits keep them."""
        text = f"{self.rule} {self.pointer}"  # a name may contain a lone surrogate
        return hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()[:12]

    @property
    def path(self) -> str:
        """JSON pointer within the definition, or "" for the whole definition."""
        if self.subject == "server":
            return self.pointer
        steps = self.pointer.split("/")
        return "".join(f"/{step}" for step in steps[3:])


@dataclass(frozen=True, slots=True)
class LintFinding:
    """A violation with its rule and level. ``ignored`` is the reason of an ignore entry, or ""."""

    problem: LintProblem
    rule: Rule
    level: Level
    fails: bool
    ignored: str = ""

    @property
    def message(self) -> str:
        """Description of the violation."""
        detail = f" ({self.problem.detail})" if self.problem.detail else ""
        return f"{self.rule.summary}{detail}"


@dataclass(frozen=True, slots=True)
class LintReport:
    """All findings, ignored findings and notices."""

    contract: str
    server: str = ""
    tools: int = 0
    findings: tuple[LintFinding, ...] = ()
    ignored: tuple[LintFinding, ...] = ()
    notices: tuple[str, ...] = ()

    @property
    def fails(self) -> bool:
        """Whether a finding fails the run."""
        return any(finding.fails for finding in self.findings)

    def counts(self) -> dict[str, int]:
        """Count the findings by level, worst first."""
        return counts(Level, (finding.level for finding in self.findings))
