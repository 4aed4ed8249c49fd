"""Colors, headings and counts of reports for a terminal."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TypeVar

from mcpgen.findings.rule import Rule
from mcpgen.findings.severity import Level

_Finding = TypeVar("_Finding")

_COLORS = {Level.ERROR: "31", Level.WARNING: "33", Level.NOTE: "2"}
_WIDTH = max(len(str(level)) for level in Level)
INDENT = " " * (_WIDTH + 2)
"""Indentation of the positions of a rule, below its name."""


@dataclass(frozen=True, slots=True)
class Paint:
    """Adds colors to text, if ``is_wanted``."""

    is_wanted: bool

    def color(self, text: str, code: str) -> str:
        """Return text in a color, given by its ANSI code."""
        return f"\x1b[{code}m{text}\x1b[0m" if self.is_wanted else text

    def strong(self, text: str) -> str:
        """Return bold text."""
        return self.color(text, "1")


def by_rule(
    findings: Iterable[_Finding], of: Callable[[_Finding], tuple[Level, Rule]]
) -> list[list[_Finding]]:
    """Group findings by level and rule, worst first."""
    grouped: dict[tuple[int, str], list[_Finding]] = {}
    for finding in findings:
        level, rule = of(finding)
        grouped.setdefault((-level, rule.id), []).append(finding)
    return [grouped[key] for key in sorted(grouped)]


def heading(level: Level, rule: Rule, paint: Paint) -> str:
    """Return the line above the findings of a rule."""
    text = paint.color(f"{level!s:{_WIDTH}}", _COLORS[level])
    return f"{text}  {rule.id} {rule.name}: {rule.summary}"


def count_phrases(counts: Mapping[str, int]) -> list[str]:
    """Return phrases such as ``2 errors``, one per level with findings."""
    return [
        f"{count} {level}{'s' if count > 1 else ''}" for level, count in counts.items() if count
    ]
