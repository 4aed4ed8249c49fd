"""How a report is written, whatever it is of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, TypeVar

_Format = TypeVar("_Format", bound=str)


@dataclass(frozen=True, slots=True)
class ReportOptions(Generic[_Format]):
    """How to write a report: ``file`` and ``text`` are the (new) contract's, if it is a file."""

    format: _Format
    verbose: bool = False
    color: bool = False
    file: str = ""
    text: str = ""
