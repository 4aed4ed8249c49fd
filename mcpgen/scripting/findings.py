"""What is wrong with a script, told so that the model that wrote it can mend it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mcpgen_runtime.display import ModelText, model_line, model_lines

_MOST = 20
NO_HINT = ModelText("")


@dataclass(frozen=True, slots=True)
class Finding:
    """One fault: its place in the script, counted from one, what is wrong, and what was meant."""

    line: int
    column: int
    rule: str
    problem: ModelText
    hint: ModelText = NO_HINT

    def text(self, lines: Sequence[str]) -> ModelText:
        """Return the finding with its line of the script."""
        shown = [model_line("line {}: {}", self.line, self.problem)]
        if 0 < self.line <= len(lines) and lines[self.line - 1].strip():
            shown.append(model_line("    {}", lines[self.line - 1].strip()))
        if self.hint:
            shown.append(model_line("    hint: {}", self.hint))
        return model_lines(shown)


def report(findings: Sequence[Finding], script: str) -> ModelText:
    """Return what a model should read: each finding, and that nothing was called."""
    if not findings:
        return NO_HINT
    lines = script.splitlines()
    noun = "finding" if len(findings) == 1 else "findings"
    shown = [finding.text(lines) for finding in findings[:_MOST]]
    if len(findings) > _MOST:
        shown.append(model_line("... and {} more", len(findings) - _MOST))
    heading = model_line("{} {}, and nothing was called:", len(findings), noun)
    return model_lines([heading, *shown])
