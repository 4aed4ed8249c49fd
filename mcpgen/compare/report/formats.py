"""The formats of a report, and how it is written in each."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal, TypeAlias

from mcpgen.compare.change import ABSENT
from mcpgen.compare.findings.finding import Finding, Report
from mcpgen.errors import unforeseen
from mcpgen.findings.options import ReportOptions
from mcpgen.isolation import surviving

Format: TypeAlias = Literal["text", "json", "markdown", "github", "junit", "sarif"]
FORMATS: tuple[Format, ...] = ("text", "json", "markdown", "github", "junit", "sarif")


def render(report: Report, options: ReportOptions[Format]) -> str:
    """Write a report in one of the formats; a finding that cannot be shown costs no other."""
    text, _ = surviving(
        report.findings,
        lambda kept: _written(replace(report, findings=tuple(kept)), options),
        _bare,
    )
    return text


def _bare(finding: Finding) -> Finding | None:
    """Return a finding without its values, ``None`` if it has none."""
    detail = "mcpgen failed to show its values; please report this"
    bare = replace(finding.change, old=ABSENT, new=ABSENT, detail=detail)
    return None if bare == finding.change else replace(finding, change=bare)


def _written(report: Report, options: ReportOptions[Format]) -> str:
    from mcpgen.compare.report import github, json_report, junit, markdown, sarif, text

    file, verbose = options.file, options.verbose
    match options.format:
        case "json":
            return json_report.render(report)
        case "markdown":
            return markdown.render(report, verbose=verbose)
        case "github":
            return github.render(report, file=file, text=options.text, verbose=verbose)
        case "junit":
            return junit.render(report, verbose=verbose)
        case "sarif":
            return sarif.render(report, file=file, text=options.text)
        case "text":
            return text.render(report, verbose=verbose, color=options.color)
        case _:
            raise unforeseen(options.format)
