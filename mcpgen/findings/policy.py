"""Policies of `diff` and `lint`: failing levels, overrides, ignored findings."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Generic, TypeVar

from mcpgen.errors import UsageError
from mcpgen.files import toml
from mcpgen.findings.ignores import Ignore, entries
from mcpgen.findings.options import words, words_or_none
from mcpgen.findings.rule import ChangeRule, Named, Rule, find_in, nearest_in
from mcpgen.findings.severity import Audience, Level, Severity

_Grade = TypeVar("_Grade", bound=Severity | Level)
_Rule = TypeVar("_Rule", bound=Named)

_SEVERITIES = {str(severity): severity for severity in reversed(Severity)}
_LEVELS = {str(level): level for level in reversed(Level)}


@dataclass(frozen=True, slots=True)
class _Policy(Generic[_Grade]):
    """The part of a policy that `diff` and `lint` share.

    ``overrides`` maps rule IDs to levels. An ignore entry ends after its day, compared with
    ``today``.
    """

    fail_on: Collection[_Grade]
    overrides: Mapping[str, _Grade] = field(default_factory=dict[str, _Grade])
    ignores: Sequence[Ignore] = ()
    today: date = date.min


@dataclass(frozen=True, slots=True)
class DiffPolicy(_Policy[Severity]):
    """Policy for changes. A change that affects none of the audiences is not reported."""

    fail_on: Collection[Severity] = frozenset({Severity.BREAKING, Severity.SECURITY})
    audiences: Collection[Audience] = tuple(Audience)


@dataclass(frozen=True, slots=True)
class Exclusion:
    """A lint rule to skip for all subjects, or for names that match a glob pattern."""

    rule: str
    pattern: str = "*"

    def covers(self, rule: str, subject: str) -> bool:
        """Return True if this excludes a rule for a subject, such as ``tool search``."""
        name = subject.partition(" ")[2] or subject
        return rule == self.rule and fnmatchcase(name, self.pattern)


@dataclass(frozen=True, slots=True)
class LintPolicy(_Policy[Level]):
    """Policy for findings of lint."""

    fail_on: Collection[Level] = frozenset({Level.ERROR})
    exclusions: Sequence[Exclusion] = ()


def parse_levels(text: str, option: str) -> set[Level]:
    """Parse the levels of an option, such as ``error,warning`` or ``none``."""
    return words_or_none(text, option, _LEVELS)


def parse_severities(text: str, option: str) -> set[Severity]:
    """Parse the severities of an option, such as ``breaking,security`` or ``none``."""
    return words_or_none(text, option, _SEVERITIES)


def parse_severity_override(text: str, rules: Mapping[str, ChangeRule]) -> tuple[str, Severity]:
    """Parse ``RULE=LEVEL`` of `diff`."""
    name, _, level = text.partition("=")
    rule = find_rule(name, rules.values(), "--severity", f"there is no rule {name!r}")
    if rule.fixed:
        raise UsageError(f"{rule.id} {rule.name} always has its own level", "--severity")
    (severity,) = words(level, "--severity", _SEVERITIES)
    return rule.id, severity


def parse_level_override(text: str, rules: Mapping[str, Rule]) -> tuple[str, Level]:
    """Parse ``RULE=LEVEL`` of `lint`."""
    name, _, level = text.partition("=")
    (chosen,) = words(level, "--severity", _LEVELS)
    return find_lint_rule(name, rules, "--severity").id, chosen


def find_lint_rule(name: str, rules: Mapping[str, Rule], option: str) -> Rule:
    """Return the lint rule with an ID or name, or raise ``UsageError``."""
    return find_rule(name, rules.values(), option, f"lint has no rule {name[:40]!r}")


def find_rule(name: str, rules: Collection[_Rule], option: str, problem: str) -> _Rule:
    """Return the rule with an ID or name, or raise ``UsageError`` with similar names."""
    rule = find_in(rules, name)
    if rule is not None:
        return rule
    close = ", ".join(f"{near.id} {near.name}" for near in nearest_in(rules, name))
    raise UsageError(problem, option, close and f"try: {close}")


def read_ignores(files: Sequence[str]) -> tuple[Ignore, ...]:
    """Read the ignore entries of TOML files. Without files, read pyproject.toml if it exists."""
    default = "pyproject.toml"
    paths = files or ([default] if Path(default).is_file() else [])
    return tuple(entry for file in paths for entry in entries(toml.parse_file(Path(file)), file))


def parse_exclusions(
    texts: Iterable[str], rules: Mapping[str, Rule]
) -> tuple[list[Exclusion], list[Ignore]]:
    """Parse ``--ignore`` of `lint`: ``RULE``, ``RULE:PATTERN`` or a TOML file with entries."""
    exclusions: list[Exclusion] = []
    ignores: list[Ignore] = []
    for text in texts:
        if text.endswith(".toml"):
            ignores += entries(toml.parse_file(Path(text)), text)
            continue
        name, _, pattern = text.partition(":")
        exclusions.append(Exclusion(find_lint_rule(name, rules, "--ignore").id, pattern or "*"))
    return exclusions, ignores
