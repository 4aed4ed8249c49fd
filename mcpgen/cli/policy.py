"""How findings are judged, as the command line says it: what fails, what is ignored."""

from __future__ import annotations

import difflib
import importlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from mcpgen.compare import Severity
from mcpgen.compare.policy import Ignore, entries
from mcpgen.compare.rules.catalogue import find, nearest
from mcpgen.errors import UsageError

_Word = TypeVar("_Word")
_LEVELS = {str(severity): severity for severity in reversed(Severity)}


def fail_on(text: str) -> set[Severity]:
    """Return the levels that fail."""
    return set() if text.strip() == "none" else words(text, "--fail-on", _LEVELS)


def words(text: str, option: str, known: Mapping[str, _Word]) -> set[_Word]:
    """Return what each of some words between commas stands for."""
    found: set[_Word] = set()
    for word in (part.strip().lower() for part in text.split(",")):
        if word not in known:
            close = difflib.get_close_matches(word, known, 1)
            guess = f"did you mean {close[0]}? " if close else ""
            listed = f"{guess}known are: {', '.join(known)}"
            raise UsageError(f"{option} does not know {word!r}", option, listed)
        found.add(known[word])
    return found


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
    return tuple(entry for file in wanted for entry in _listed(file))


def _listed(file: str) -> tuple[Ignore, ...]:
    try:
        text = Path(file).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"the file cannot be read: {error}", file) from None
    try:
        return entries(_toml().loads(text), file)
    except ValueError as error:
        raise UsageError(f"this is not TOML: {error}", file) from None


def _toml() -> Any:
    """Return the standard library's parser; Python 3.10 has that of which it was made."""
    try:
        return importlib.import_module("tomllib")
    except ModuleNotFoundError:
        return importlib.import_module("tomli")
