"""What is found, judged as someone wants it: what fails, what has another level, what is known."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path

from mcpgen.errors import UsageError
from mcpgen.files import toml
from mcpgen.findings.ignores import Ignore, entries, unused
from mcpgen.findings.rules import LEVELS, Level, Rule, find_in, nearest_in
from mcpgen.findings.words import words
from mcpgen.lint.finding import Finding, Found, Report, Without
from mcpgen.lint.rules import RULES


@dataclass(frozen=True, slots=True)
class Policy:
    """What fails, and what someone chose to see in another way or not at all."""

    fail_on: Collection[Level] = frozenset({Level.ERROR})
    overrides: Mapping[str, Level] = field(default_factory=dict[str, Level])
    without: Sequence[Without] = ()
    ignores: Sequence[Ignore] = ()
    today: date = date.min


def judge(found: Iterable[Found], policy: Policy, report: Report) -> Report:
    """Return a report with what was found, judged by a policy."""
    entries = {each.fingerprint: each for each in policy.ignores if not each.is_over(policy.today)}
    wanted = [each for each in found if not any(rule.covers(each) for rule in policy.without)]
    findings = [_finding(each, policy, entries.get(each.fingerprint)) for each in wanted]
    fingerprints = {each.fingerprint for each in wanted}
    return Report(
        report.contract,
        report.server,
        report.tools,
        tuple(finding for finding in findings if not finding.ignored),
        tuple(finding for finding in findings if finding.ignored),
        (*report.notices, *unused(policy.ignores, fingerprints, policy.today)),
    )


def _finding(found: Found, policy: Policy, entry: Ignore | None) -> Finding:
    rule = RULES[found.rule]
    level = policy.overrides.get(rule.id, rule.level)
    reason = entry.reason if entry is not None else ""
    return Finding(found, rule, level, level in policy.fail_on and not reason, reason)


# Words of the command line.


def override(text: str) -> tuple[str, Level]:
    """Read ``RULE=LEVEL``."""
    name, _, level = text.partition("=")
    (chosen,) = words(level, "--severity", LEVELS)
    return rule_of(name, "--severity").id, chosen


def ignored(texts: Iterable[str]) -> tuple[list[Without], list[Ignore]]:
    """Read what is to be left out: ``RULE``, ``RULE:NAME``, or a TOML file with fingerprints."""
    without: list[Without] = []
    ignores: list[Ignore] = []
    for text in texts:
        if text.endswith(".toml"):
            ignores += entries(toml.parse_file(Path(text)), text)
            continue
        name, _, subjects = text.partition(":")
        without.append(Without(rule_of(name, "--ignore").id, subjects or "*"))
    return without, ignores


def rule_of(text: str, option: str) -> Rule:
    """Return the rule that a word names."""
    rule = find_in(RULES.values(), text)
    if rule is not None:
        return rule
    close = ", ".join(f"{near.id} {near.name}" for near in nearest_in(RULES.values(), text))
    close = close or ", ".join(difflib.get_close_matches(text.upper(), RULES, 3))
    raise UsageError(f"lint has no rule {text[:40]!r}", option, close and f"try: {close}")
