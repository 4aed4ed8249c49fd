"""The report as JUnit XML: a test for each finding, which fails where the finding does."""

from __future__ import annotations

from xml.sax.saxutils import escape, quoteattr

from mcpgen.compare.change import Severity
from mcpgen.compare.findings.finding import Finding, Report
from mcpgen.compare.report.values import signed_values
from mcpgen.findings.texts.unmistakable import unmistakable


def render(report: Report, *, verbose: bool = False) -> str:
    """Return one test suite; without findings it holds one test, which passes."""
    shown = [f for f in report.findings if verbose or _is_shown(f)]
    tests = [_test(finding) for finding in (*shown, *report.ignored)]
    tests = tests or ['    <testcase classname="contract" name="no changes"/>']
    failures = sum(finding.fails for finding in shown)
    counts = f'tests="{len(tests)}" failures="{failures}" skipped="{len(report.ignored)}"'
    name = _attribute(f"mcpgen diff {report.old} {report.new}")
    return "\n".join(
        [
            '<?xml version="1.0" encoding="utf-8"?>',
            f"<testsuites {counts}>",
            f"  <testsuite name={name} {counts}>",
            *tests,
            "  </testsuite>",
            "</testsuites>",
            "",
        ]
    )


def _is_shown(finding: Finding) -> bool:
    return finding.severity > Severity.COSMETIC or finding.fails or finding.asks


def _test(finding: Finding) -> str:
    change, rule = finding.change, finding.rule
    name = f"{rule.id} {rule.name} {change.path}".strip()
    head = f"<testcase classname={_attribute(change.subject)} name={_attribute(name)}"
    if finding.ignored:
        return f"    {head}><skipped message={_attribute(finding.ignored)}/></testcase>"
    if not (finding.fails or finding.asks):
        return f"    {head}/>"
    values = [f"{sign} {text}" for sign, text in signed_values(change, 1000)]
    lines = [unmistakable(finding.pointer), *values]
    lines += [rule.fix, f"fingerprint {change.fingerprint}"]
    body = escape("\n".join(line for line in lines if line))
    if not finding.fails:
        return f"    {head}><system-out>{body}</system-out></testcase>"
    message = _attribute(finding.message)
    failure = f'<failure type="{finding.severity}" message={message}>{body}</failure>'
    return f"    {head}>{failure}</testcase>"


def _attribute(text: str) -> str:
    return quoteattr(unmistakable(text))
