"""The options of a report, and the parser of lists such as ``error,warning``."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Generic, TypeVar

from mcpgen.errors import UsageError

_Format = TypeVar("_Format", bound=str)


@dataclass(frozen=True, slots=True)
class ReportOptions(Generic[_Format]):
    """Options of a report. ``file`` and ``text`` belong to the (new) contract, if it is a file."""

    format: _Format
    verbose: bool = False
    color: bool = False
    file: str = ""
    text: str = ""


_Word = TypeVar("_Word")


def words(text: str, option: str, choices: Mapping[str, _Word]) -> set[_Word]:
    """Return the values of comma-separated words."""
    chosen: set[_Word] = set()
    for token in (part.strip().lower() for part in text.split(",")):
        if token not in choices:
            close = difflib.get_close_matches(token, choices, 1)
            guess = f"did you mean {close[0]}? " if close else ""
            listed = f"{guess}known are: {', '.join(choices)}"
            raise UsageError(f"{option} does not know {token!r}", option, listed)
        chosen.add(choices[token])
    return chosen


def words_or_none(text: str, option: str, choices: Mapping[str, _Word]) -> set[_Word]:
    """Return the values of comma-separated words, or an empty set for ``none``."""
    return set() if text.strip() == "none" else words(text, option, choices)
