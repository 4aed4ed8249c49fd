"""The formats of a report, and how it is written in each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from mcpgen.errors import unforeseen
from mcpgen.testing.outcome import Outcome

Format: TypeAlias = Literal["text", "json", "junit", "sarif"]
FORMATS: tuple[Format, ...] = ("text", "json", "junit", "sarif")


@dataclass(frozen=True, slots=True)
class Manner:
    """How to write a report: ``file`` and ``text`` are the contract's, if it is a file."""

    format: Format = "text"
    verbose: bool = False
    color: bool = False
    file: str = ""
    text: str = ""


def render(outcome: Outcome, manner: Manner) -> str:
    """Write a report in one of the formats."""
    from mcpgen.testing.report import json_report, junit, sarif, text

    match manner.format:
        case "json":
            return json_report.render(outcome)
        case "junit":
            return junit.render(outcome)
        case "sarif":
            return sarif.render(outcome, file=manner.file, text=manner.text)
        case "text":
            return text.render(outcome, verbose=manner.verbose, color=manner.color)
        case _:
            raise unforeseen(manner.format)
