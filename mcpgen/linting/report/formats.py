"""The formats of a report, and how it is written in each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from mcpgen.errors import unforeseen
from mcpgen.linting.finding import Report

Format: TypeAlias = Literal["text", "json", "sarif"]
FORMATS: tuple[Format, ...] = ("text", "json", "sarif")


@dataclass(frozen=True, slots=True)
class ReportOptions:
    """How to write a report: ``file`` and ``text`` are the contract's, if it is a file."""

    format: Format = "text"
    verbose: bool = False
    color: bool = False
    file: str = ""
    text: str = ""


def render(report: Report, options: ReportOptions) -> str:
    """Write a report in one of the formats."""
    from mcpgen.linting.report import json_report, sarif, text

    match options.format:
        case "json":
            return json_report.render(report)
        case "sarif":
            return sarif.render(report, file=options.file, text=options.text)
        case "text":
            return text.render(report, verbose=options.verbose, color=options.color)
        case _:
            raise unforeseen(options.format)
