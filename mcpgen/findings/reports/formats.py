"""The report formats of each command, and the functions that write them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Literal, TypeAlias

from mcpgen.errors import unforeseen
from mcpgen.findings.change import ABSENT
from mcpgen.isolation import surviving

if TYPE_CHECKING:
    from mcpgen.findings.contract_tests import Outcome, Redact
    from mcpgen.findings.diff import DiffFinding, DiffReport
    from mcpgen.findings.lint import LintReport
    from mcpgen.findings.options import ReportOptions

DiffFormat: TypeAlias = Literal["text", "json", "markdown", "github", "junit", "sarif"]
DIFF_FORMATS: tuple[DiffFormat, ...] = ("text", "json", "markdown", "github", "junit", "sarif")

LintFormat: TypeAlias = Literal["text", "json", "sarif"]
LINT_FORMATS: tuple[LintFormat, ...] = ("text", "json", "sarif")

TestsFormat: TypeAlias = Literal["text", "json", "junit", "sarif"]
TESTS_FORMATS: tuple[TestsFormat, ...] = ("text", "json", "junit", "sarif")


def render_diff(report: DiffReport, options: ReportOptions[DiffFormat]) -> str:
    """Render a report of `diff`. A finding that can't be rendered appears without its values."""
    text, _ = surviving(
        report.findings,
        lambda findings: _render_diff(replace(report, findings=tuple(findings)), options),
        _without_values,
    )
    return text


def _without_values(finding: DiffFinding) -> DiffFinding | None:
    """Return a finding without its values, or None if it already has none."""
    detail = "mcpgen failed to show its values; please report this"
    bare = replace(finding.change, old=ABSENT, new=ABSENT, detail=detail)
    return None if bare == finding.change else replace(finding, change=bare)


def _render_diff(report: DiffReport, options: ReportOptions[DiffFormat]) -> str:
    from mcpgen.findings.reports import diff_text, github, json_documents, junit, markdown, sarif

    file, verbose = options.file, options.verbose
    match options.format:
        case "json":
            return json_documents.render_diff(report)
        case "markdown":
            return markdown.render(report, verbose=verbose)
        case "github":
            return github.render(report, file=file, text=options.text, verbose=verbose)
        case "junit":
            return junit.render_diff(report, verbose=verbose)
        case "sarif":
            return sarif.render_diff(report, file=file, text=options.text)
        case "text":
            return diff_text.render(report, verbose=verbose, color=options.color)
        case _:
            raise unforeseen(options.format)


def render_lint(report: LintReport, options: ReportOptions[LintFormat]) -> str:
    """Render a report of `lint`."""
    from mcpgen.findings.reports import json_documents, lint_text, sarif

    match options.format:
        case "json":
            return json_documents.render_lint(report)
        case "sarif":
            return sarif.render_lint(report, file=options.file, text=options.text)
        case "text":
            return lint_text.render(report, verbose=options.verbose, color=options.color)
        case _:
            raise unforeseen(options.format)


def render_tests(outcome: Outcome, options: ReportOptions[TestsFormat], redact: Redact) -> str:
    """Render a report of `test`."""
    from mcpgen.findings.reports import json_documents, junit, sarif, tests_text

    match options.format:
        case "json":
            return json_documents.render_tests(outcome, redact)
        case "junit":
            return junit.render_tests(outcome)
        case "sarif":
            return sarif.render_tests(outcome, file=options.file, text=options.text)
        case "text":
            return tests_text.render(outcome, verbose=options.verbose, color=options.color)
        case _:
            raise unforeseen(options.format)
