"""How someone wants changes to be judged: for whom, what fails, and what is known and ignored."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path

from mcpgen.compare.change import Audience, Severity
from mcpgen.compare.rules.catalogue import find, nearest
from mcpgen.errors import UsageError
from mcpgen.files import toml
from mcpgen.findings.ignores import Ignore, entries
from mcpgen.findings.words import words, words_or_none

FAILING = frozenset({Severity.BREAKING, Severity.SECURITY})


@dataclass(frozen=True, slots=True)
class Policy:
    """Whom a change must concern, what fails, and what someone chose to see in another way."""

    audiences: Collection[Audience] = tuple(Audience)
    fail_on: Collection[Severity] = FAILING
    overrides: Mapping[str, Severity] = field(default_factory=dict[str, Severity])
    ignores: Sequence[Ignore] = ()
    today: date = date.min


_LEVELS = {str(severity): severity for severity in reversed(Severity)}


def fail_on(text: str) -> set[Severity]:
    """Return the levels that fail."""
    return words_or_none(text, "--fail-on", _LEVELS)


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
