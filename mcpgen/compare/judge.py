"""Applies a policy to changes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial

from mcpgen.compare.definitions.new_text import names_and_strings
from mcpgen.findings.change import Change, News
from mcpgen.findings.diff import DiffFinding, DiffReport
from mcpgen.findings.ignores import Ignore, unused_entries
from mcpgen.findings.policy import DiffPolicy
from mcpgen.findings.rules.diff.catalogue import RULES
from mcpgen.findings.severity import Audience, Severity
from mcpgen.isolation import surviving


def judge(
    changes: Iterable[Change], policy: DiffPolicy, *, old: str = "", new: str = "", server: str = ""
) -> DiffReport:
    """Judge changes by a policy. Changes that affect none of its audiences are left out."""
    judged, failures = surviving([*changes], partial(_findings, policy=policy), _position_only)
    for failure in failures:
        if failure.replacement is None:  # a missing report would be mistaken for no change
            raise failure.error
    findings, fingerprints = judged
    return DiffReport(
        old,
        new,
        server,
        tuple(finding for finding in findings if not finding.ignored),
        tuple(finding for finding in findings if finding.ignored),
        tuple(unused_entries(policy.ignores, fingerprints, policy.today)),
    )


def _findings(changes: Sequence[Change], policy: DiffPolicy) -> tuple[list[DiffFinding], set[str]]:
    """Return the findings of changes, and the fingerprints of reported ones."""
    entries = {entry.fingerprint: entry for entry in policy.ignores}
    findings = [_finding(change, policy, entries.get(change.fingerprint)) for change in changes]
    reported = [finding for finding in findings if finding is not None]
    return reported, {finding.change.fingerprint for finding in reported}


def _position_only(change: Change) -> Change | None:
    """Return a change reduced to its position."""
    bare = Change("U03", change.subject, "", change.old_pointer, change.new_pointer)
    return None if bare == change else bare


def _finding(change: Change, policy: DiffPolicy, entry: Ignore | None) -> DiffFinding | None:
    rule = RULES[change.rule]
    severity = rule.severity(policy.audiences)
    if change.news is News.TEXT and Audience.AGENT in policy.audiences:
        severity = max(severity or Severity.COSMETIC, Severity.SECURITY)
    if severity is None:
        return None
    if not rule.fixed:
        severity = policy.overrides.get(rule.id, severity)
    reason = entry.reason if entry is not None and not entry.is_over(policy.today) else ""
    fails = severity in policy.fail_on and not reason
    return DiffFinding(change, rule, severity, fails, reason, *names_and_strings(change))
