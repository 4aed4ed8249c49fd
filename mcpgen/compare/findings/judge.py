"""Changes become findings: judged for those whom it concerns, less what someone chose to ignore."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial

from mcpgen.compare.change import Audience, Change, News, Severity
from mcpgen.compare.findings.finding import Finding, Report
from mcpgen.compare.policy import Policy
from mcpgen.compare.rules.catalogue import RULES
from mcpgen.findings.ignores import Ignore, unused
from mcpgen.isolation import surviving


def judge(
    changes: Iterable[Change], policy: Policy, *, old: str = "", new: str = "", server: str = ""
) -> Report:
    """Judge changes by a policy; what concerns none of its audiences is left out."""
    judged, failures = surviving([*changes], partial(_judged, policy=policy), _unjudged)
    for failure in failures:
        if failure.replacement is None:  # what is not in the report would pass for no change
            raise failure.error
    findings, fingerprints = judged
    return Report(
        old,
        new,
        server,
        tuple(finding for finding in findings if not finding.ignored),
        tuple(finding for finding in findings if finding.ignored),
        tuple(unused(policy.ignores, fingerprints, policy.today)),
    )


def _judged(changes: Sequence[Change], policy: Policy) -> tuple[list[Finding], set[str]]:
    """Return what changes are found to be, and the fingerprints of those that are reported."""
    entries = {entry.fingerprint: entry for entry in policy.ignores}
    findings = [_finding(each, policy, entries.get(each.fingerprint)) for each in changes]
    reported = [finding for finding in findings if finding is not None]
    return reported, {finding.change.fingerprint for finding in reported}


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
    reason = entry.reason if entry is not None and not entry.is_over(policy.today) else ""
    return Finding(change, rule, severity, severity in policy.fail_on and not reason, reason)
