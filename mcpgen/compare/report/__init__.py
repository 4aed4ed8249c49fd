"""A report as text, JSON, Markdown, annotations, JUnit or SARIF. Pure: text in, text out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from mcpgen.compare.finding import Report

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
    """Write a report in one of the formats."""
    from mcpgen.compare.report import github, junit, machine, markdown, sarif, text

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
