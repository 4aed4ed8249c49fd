"""The formats of a report, and how it is written in each."""

from __future__ import annotations

from typing import Literal, TypeAlias

from mcpgen.errors import unforeseen
from mcpgen.findings.options import ReportOptions
from mcpgen.testing.outcome import Outcome

Format: TypeAlias = Literal["text", "json", "junit", "sarif"]
FORMATS: tuple[Format, ...] = ("text", "json", "junit", "sarif")


def render(outcome: Outcome, options: ReportOptions[Format]) -> str:
    """Write a report in one of the formats."""
    from mcpgen.testing.report import json_report, junit, sarif, text

    match options.format:
        case "json":
            return json_report.render(outcome)
        case "junit":
            return junit.render(outcome)
        case "sarif":
            return sarif.render(outcome, file=options.file, text=options.text)
        case "text":
            return text.render(outcome, verbose=options.verbose, color=options.color)
        case _:
            raise unforeseen(options.format)
