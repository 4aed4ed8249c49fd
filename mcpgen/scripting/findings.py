"""What is wrong with a script, told so that the model that wrote it can mend it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

_MOST = 20


@dataclass(frozen=True, slots=True)
class Finding:
    """One fault: its place in the script, counted from one, what is wrong, and what was meant."""

    line: int
    column: int
    rule: str
    problem: str
    hint: str = ""

    def text(self, lines: Sequence[str]) -> str:
        """Return the finding with its line of the script."""
        shown = [f"line {self.line}: {self.problem}"]
        if 0 < self.line <= len(lines) and lines[self.line - 1].strip():
            shown.append(f"    {lines[self.line - 1].strip()}")
        if self.hint:
            shown.append(f"    hint: {self.hint}")
        return "\n".join(shown)


def report(findings: Sequence[Finding], script: str) -> str:
    """Return what a model should read: each finding, and that nothing was called."""
    if not findings:
        return ""
    lines = script.splitlines()
    number = f"{len(findings)} finding{'s' if len(findings) > 1 else ''}"
    shown = [finding.text(lines) for finding in findings[:_MOST]]
    if len(findings) > _MOST:
        shown.append(f"... and {len(findings) - _MOST} more")
    return "\n".join([f"{number}, and nothing was called:", *shown])
