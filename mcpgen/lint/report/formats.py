"""The formats of a report, and how it is written in each."""

from __future__ import annotations

from typing import Literal, TypeAlias

from mcpgen.errors import unforeseen
from mcpgen.findings.options import ReportOptions
from mcpgen.lint.finding import Report

Format: TypeAlias = Literal["text", "json", "sarif"]
FORMATS: tuple[Format, ...] = ("text", "json", "sarif")


def render(report: Report, options: ReportOptions[Format]) -> str:
    """Write a report in one of the formats."""
    from mcpgen.lint.report import json_report, sarif, text

    match options.format:
        case "json":
            return json_report.render(report)
        case "sarif":
            return sarif.render(report, file=options.file, text=options.text)
        case "text":
            return text.render(report, verbose=options.verbose, color=options.color)
        case _:
            raise unforeseen(options.format)
