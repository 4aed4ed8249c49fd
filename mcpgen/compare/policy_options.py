"""Reads how findings are judged from words of the command line: what fails, what is ignored."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TypeVar

from mcpgen.compare.change import Severity
from mcpgen.compare.policy import Ignore, entries
from mcpgen.compare.rules.catalogue import find, nearest
from mcpgen.errors import UsageError
from mcpgen.files import toml

_Word = TypeVar("_Word")
_LEVELS = {str(severity): severity for severity in reversed(Severity)}


def fail_on(text: str) -> set[Severity]:
    """Return the levels that fail."""
    return set() if text.strip() == "none" else words(text, "--fail-on", _LEVELS)


def words(text: str, option: str, known: Mapping[str, _Word]) -> set[_Word]:
    """Return what each of some words between commas stands for."""
    chosen: set[_Word] = set()
    for word in (part.strip().lower() for part in text.split(",")):
        if word not in known:
            close = difflib.get_close_matches(word, known, 1)
            guess = f"did you mean {close[0]}? " if close else ""
            listed = f"{guess}known are: {', '.join(known)}"
            raise UsageError(f"{option} does not know {word!r}", option, listed)
        chosen.add(known[word])
    return chosen


def override(text: str) -> tuple[str, Severity]:
    """Read ``RULE=LEVEL``."""
    name, _, level = text.partition("=")
    rule = find(name)
    if rule is None:
        close = ", ".join(f"{near.id} {near.name}" for near in nearest(name))
        raise UsageError(f"there is no rule {name!r}", "--severity", close and f"try: {close}")
    if rule.fixed:
        raise UsageError(f"{rule.id} {rule.name} always has its own level", "--severity")
    (severity,) = words(level, "--severity", _LEVELS)
    return rule.id, severity


def ignored(files: Sequence[str]) -> tuple[Ignore, ...]:
    """Read the entries that ignore findings, without files those of the project."""
    default = "pyproject.toml"
    wanted = files or ([default] if Path(default).is_file() else [])
    return tuple(entry for file in wanted for entry in entries(toml.parse_file(Path(file)), file))
