"""What lint finds: a rule that something in a contract does not keep, and the report of all."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from mcpgen.findings.rule import Rule
from mcpgen.findings.severity import Level, counts


@dataclass(frozen=True, slots=True)
class Found:
    """Where a rule is not kept: ``subject`` is what it is in (``tool search``).

    ``detail`` says what the rule's summary cannot know.
    """

    rule: str
    subject: str
    pointer: str
    detail: str = ""

    @property
    def fingerprint(self) -> str:
        """Twelve digits that stay while the same place does not keep the same rule."""
        text = f"{self.rule} {self.pointer}"  # a name may have half a surrogate pair
        return hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()[:12]

    @property
    def path(self) -> str:
        """Where it is in its definition, as a JSON pointer; empty if it is all of it."""
        if self.subject == "server":
            return self.pointer
        steps = self.pointer.split("/")
        return "".join(f"/{step}" for step in steps[3:])


@dataclass(frozen=True, slots=True)
class LintFinding:
    """What was found, with its rule and its level here; ``ignored`` is the reason, if it is."""

    found: Found
    rule: Rule
    level: Level
    fails: bool
    ignored: str = ""

    @property
    def message(self) -> str:
        """What is wrong."""
        detail = f" ({self.found.detail})" if self.found.detail else ""
        return f"{self.rule.summary}{detail}"


@dataclass(frozen=True, slots=True)
class LintReport:
    """All findings, those that were ignored, and what else there is to say."""

    contract: str
    server: str = ""
    tools: int = 0
    findings: tuple[LintFinding, ...] = ()
    ignored: tuple[LintFinding, ...] = ()
    notices: tuple[str, ...] = ()

    @property
    def fails(self) -> bool:
        """Whether any finding is one that must not be."""
        return any(finding.fails for finding in self.findings)

    def counts(self) -> dict[str, int]:
        """Return how many findings there are of each level, the worst first."""
        return counts(Level, (finding.level for finding in self.findings))
