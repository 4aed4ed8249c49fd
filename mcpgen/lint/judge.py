"""Applies a policy to the findings of lint."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from mcpgen.findings.ignores import Ignore, unused_entries
from mcpgen.findings.lint import Found, LintFinding, LintReport
from mcpgen.findings.policy import LintPolicy
from mcpgen.findings.rules.lint.catalogue import RULES


def judge(found: Iterable[Found], policy: LintPolicy, report: LintReport) -> LintReport:
    """Return a report with all findings that the policy doesn't exclude."""
    entries = {each.fingerprint: each for each in policy.ignores if not each.is_over(policy.today)}
    wanted = [each for each in found if not _is_excluded(each, policy)]
    findings = [_finding(each, policy, entries.get(each.fingerprint)) for each in wanted]
    fingerprints = {each.fingerprint for each in wanted}
    return replace(
        report,
        findings=tuple(finding for finding in findings if not finding.ignored),
        ignored=tuple(finding for finding in findings if finding.ignored),
        notices=(*report.notices, *unused_entries(policy.ignores, fingerprints, policy.today)),
    )


def _is_excluded(found: Found, policy: LintPolicy) -> bool:
    return any(each.covers(found.rule, found.subject) for each in policy.exclusions)


def _finding(found: Found, policy: LintPolicy, entry: Ignore | None) -> LintFinding:
    rule = RULES[found.rule]
    level = policy.overrides.get(rule.id, rule.level)
    reason = entry.reason if entry is not None else ""
    return LintFinding(found, rule, level, level in policy.fail_on and not reason, reason)
