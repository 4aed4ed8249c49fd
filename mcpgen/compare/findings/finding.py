"""Changes become findings: judged for those whom it concerns, less what someone chose to ignore."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from functools import partial

from mcpgen.compare.change import Audience, Change, News, Severity
from mcpgen.compare.policy import Ignore
from mcpgen.compare.rules.catalogue import RULES
from mcpgen.compare.rules.rule import Rule
from mcpgen.isolation import surviving

_MANY = 4
FAILING = frozenset({Severity.BREAKING, Severity.SECURITY})


@dataclass(frozen=True, slots=True)
class Policy:
    """Whom a change must concern, what fails, and what someone chose to see in another way."""

    audiences: Collection[Audience] = tuple(Audience)
    fail_on: Collection[Severity] = FAILING
    overrides: Mapping[str, Severity] = field(default_factory=dict[str, Severity])
    ignores: Sequence[Ignore] = ()
    today: date = date.min


@dataclass(frozen=True, slots=True)
class Finding:
    """A change with its rule and how severe it is here; ``ignored`` is the reason, if it is."""

    change: Change
    rule: Rule
    severity: Severity
    fails: bool
    ignored: str = ""

    @property
    def asks(self) -> bool:
        """Whether an agent can read something new in it, so that a person has to agree."""
        return bool(self.change.news) and not self.ignored

    @property
    def message(self) -> str:
        """What happened, without the values."""
        detail = f" ({self.change.detail})" if self.change.detail else ""
        return f"{self.rule.summary}{detail}"

    @property
    def pointer(self) -> str:
        """Where it is: in the new contract, or in the old one if it is gone."""
        return self.change.new_pointer or self.change.old_pointer


@dataclass(frozen=True, slots=True)
class Report:
    """All findings, those that were ignored, and what is odd about the entries that ignore."""

    old: str
    new: str
    server: str = ""
    findings: tuple[Finding, ...] = ()
    ignored: tuple[Finding, ...] = ()
    notices: tuple[str, ...] = ()

    @property
    def fails(self) -> bool:
        """Whether any finding is one that must not be."""
        return any(finding.fails for finding in self.findings)

    @property
    def asks(self) -> bool:
        """Whether any finding is one that a person has to agree to."""
        return any(finding.asks for finding in self.findings)

    def counts(self) -> dict[str, int]:
        """Return how many findings there are of each severity, the worst first."""
        found = Counter(finding.severity for finding in self.findings)
        return {str(severity): found[severity] for severity in reversed(Severity)}

    def subjects(self, *, floor: Severity = Severity.COSMETIC) -> dict[str, list[Finding]]:
        """Return the findings from a level on by what they are in, the worst first."""
        grouped: dict[str, list[Finding]] = {}
        for finding in sorted(self.findings, key=_badness):
            if finding.severity >= floor or finding.asks:
                grouped.setdefault(finding.change.subject, []).append(finding)
        return grouped

    def repeated(self, *, floor: Severity) -> list[list[Finding]]:
        """Return the findings that are the same in many tools or resources, the worst first."""
        alike: dict[str, list[Finding]] = {}
        for finding in sorted(self.findings, key=_badness):
            if finding.severity >= floor or finding.asks:
                change = finding.change
                said = change.old, change.new, change.detail
                key = repr((change.rule, change.subject.split(" ")[0], change.path, said))
                alike.setdefault(key, []).append(finding)
        return [found for found in alike.values() if len(found) >= _MANY]


def _badness(finding: Finding) -> tuple[int, str, str, str]:
    change = finding.change
    return -finding.severity, change.subject, change.path, change.rule


def judge(
    changes: Iterable[Change], policy: Policy, *, old: str = "", new: str = "", server: str = ""
) -> Report:
    """Judge changes by a policy; what concerns none of its audiences is left out."""
    judged, failures = surviving([*changes], partial(_judged, policy=policy), _unjudged)
    for failure in failures:
        if failure.kept is None:  # what is not in the report would pass for no change
            raise failure.error
    found, seen = judged
    return Report(
        old,
        new,
        server,
        tuple(finding for finding in found if not finding.ignored),
        tuple(finding for finding in found if finding.ignored),
        tuple(_notices(policy, seen)),
    )


def _judged(changes: Sequence[Change], policy: Policy) -> tuple[list[Finding], set[str]]:
    """Return what changes are found to be, and the fingerprints of those that are reported."""
    entries = {entry.fingerprint: entry for entry in policy.ignores}
    found = [_finding(each, policy, entries.get(each.fingerprint)) for each in changes]
    kept = [finding for finding in found if finding is not None]
    return kept, {finding.change.fingerprint for finding in kept}


def _unjudged(change: Change) -> Change | None:
    """Return a change of which nothing is said but where it is."""
    bare = Change("U03", change.subject, "", change.old_pointer, change.new_pointer)
    return None if bare == change else bare


def _finding(change: Change, policy: Policy, entry: Ignore | None) -> Finding | None:
    rule = RULES[change.rule]
    severity = rule.severity(policy.audiences)
    if change.news is News.TEXT and Audience.AGENT in policy.audiences:
        severity = max(severity or Severity.COSMETIC, Severity.SECURITY)
    if severity is None:
        return None
    if not rule.fixed:
        severity = policy.overrides.get(rule.id, severity)
    holds = entry is not None and not entry.is_over(policy.today)
    reason = entry.reason if entry is not None and holds else ""
    return Finding(change, rule, severity, severity in policy.fail_on and not reason, reason)


def _notices(policy: Policy, seen: Collection[str]) -> Iterable[str]:
    for entry in policy.ignores:
        if entry.is_over(policy.today) and entry.fingerprint in seen:
            yield f"the entry that ignores {entry.fingerprint} ended on {entry.until}"
        elif entry.fingerprint not in seen:
            yield f"the entry that ignores {entry.fingerprint} matches nothing here"
