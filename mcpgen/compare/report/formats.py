"""A report as text, JSON, Markdown, annotations, JUnit or SARIF. Pure: text in, text out."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from mcpgen.compare.change import ABSENT
from mcpgen.compare.findings.finding import Finding, Report
from mcpgen.isolation import surviving

Format: TypeAlias = Literal["text", "json", "markdown", "github", "junit", "sarif"]
FORMATS: tuple[Format, ...] = ("text", "json", "markdown", "github", "junit", "sarif")


@dataclass(frozen=True, slots=True)
class Manner:
    """How to write a report: ``file`` and ``text`` are the new contract's, if it is a file."""

    format: Format = "text"
    verbose: bool = False
    color: bool = False
    file: str = ""
    text: str = ""


def render(report: Report, manner: Manner) -> str:
    """Write a report in one of the formats; a finding that cannot be shown costs no other."""
    text, _ = surviving(
        report.findings, lambda kept: _written(replace(report, findings=tuple(kept)), manner), _bare
    )
    return text


def _bare(finding: Finding) -> Finding | None:
    """Return a finding without its values, ``None`` if it has none."""
    detail = "mcpgen failed to show its values; please report this"
    bare = replace(finding.change, old=ABSENT, new=ABSENT, detail=detail)
    return None if bare == finding.change else replace(finding, change=bare)


def _written(report: Report, manner: Manner) -> str:
    from mcpgen.compare.report import github, junit, markdown, sarif, text
    from mcpgen.compare.report import json_report as machine

    if manner.format == "json":
        return machine.render(report)
    if manner.format == "markdown":
        return markdown.render(report, verbose=manner.verbose)
    if manner.format == "github":
        return github.render(report, file=manner.file, text=manner.text, verbose=manner.verbose)
    if manner.format == "junit":
        return junit.render(report, verbose=manner.verbose)
    if manner.format == "sarif":
        return sarif.render(report, file=manner.file, text=manner.text)
    return text.render(report, verbose=manner.verbose, color=manner.color)
