"""Reports as JUnit XML."""

from __future__ import annotations

from xml.sax.saxutils import escape, quoteattr

from mcpgen_runtime.display import visible

from mcpgen.findings.contract_tests import Failure, Outcome
from mcpgen.findings.diff import DiffFinding, DiffReport
from mcpgen.findings.reports.values import signed_values
from mcpgen.findings.severity import Severity
from mcpgen.findings.texts.invisible import unmistakable


def render_diff(report: DiffReport, *, verbose: bool = False) -> str:
    """Return a test suite with one case per finding. Without findings it has one passing case."""
    diff_findings = [f for f in report.findings if verbose or _is_shown(f)]
    tests = [_diff_case(finding) for finding in (*diff_findings, *report.ignored)]
    tests = tests or ['    <testcase classname="contract" name="no changes"/>']
    failures = sum(finding.fails for finding in diff_findings)
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


def _is_shown(finding: DiffFinding) -> bool:
    return finding.severity > Severity.COSMETIC or finding.fails or finding.asks


def _diff_case(finding: DiffFinding) -> str:
    change, rule = finding.change, finding.rule
    name = f"{rule.id} {rule.name} {change.path}".strip()
    head = f"<testcase classname={_attribute(change.subject)} name={_attribute(name)}"
    if finding.ignored:
        return f"    {head}><skipped message={_attribute(finding.ignored)}/></testcase>"
    if not (finding.fails or finding.asks):
        return f"    {head}/>"
    values = [f"{sign} {text}" for sign, text in signed_values(finding, 1000)]
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


def render_tests(outcome: Outcome) -> str:
    """Return a test suite. Failures whose level doesn't fail the run are in a case's output."""
    by_subject: dict[str, list[Failure]] = {f"tool {name}": [] for name in outcome.coverage}
    for failure in outcome.failures:
        by_subject.setdefault(failure.case.subject, []).append(failure)
    cases = [line for text in by_subject for line in _test_cases(outcome, text, by_subject[text])]
    failed = sum(failure.level in outcome.fail_on for failure in outcome.failures)
    skipped = sum(bool(tool_coverage.left_out) for tool_coverage in outcome.coverage.values())
    count = sum("<testcase " in line for line in cases)
    head = (
        f'<testsuite name={_test_attribute(f"mcpgen test {outcome.server}")} tests="{count}"'
        f' failures="{failed}" skipped="{skipped}" errors="0">'
    )
    tested = f"{outcome.tested_tools} of {len(outcome.coverage)} tools tested"
    named = f"<property name={_test_attribute('tested')} value={_test_attribute(tested)}/>"
    head += f"<properties>{named}</properties>"
    lines = ['<?xml version="1.0" encoding="utf-8"?>', "<testsuites>", head, *cases]
    return "\n".join([*lines, "</testsuite>", "</testsuites>"]) + "\n"


def _test_cases(outcome: Outcome, subject: str, failures: list[Failure]) -> list[str]:
    kind, _, name = subject.partition(" ")
    tool_coverage = outcome.coverage.get(name) if kind == "tool" else None
    if not failures:
        named = (
            f"<testcase classname={_test_attribute(subject)} name={_test_attribute('all rules')}"
        )
        if tool_coverage is not None and tool_coverage.left_out:
            return [
                f"{named}><skipped message={_test_attribute(tool_coverage.left_out)}/></testcase>"
            ]
        return [f"{named}/>"]
    return [_test_case(outcome, subject, failure) for failure in failures]


def _test_case(outcome: Outcome, subject: str, failure: Failure) -> str:
    judge = failure.judge
    text = "\n".join(filter(None, (failure.verdict.answer, failure.line)))
    message = f"{judge.summary}: {failure.verdict.detail}".removesuffix(": ")
    name = f"{judge.id} {judge.name} {failure.fingerprint}"
    head = f"<testcase classname={_test_attribute(subject)} name={_test_attribute(name)}>"
    if failure.level in outcome.fail_on:
        body = f"<failure message={_test_attribute(message)} type={_test_attribute(judge.id)}>"
        return f"{head}{body}{_test_text(text)}</failure></testcase>"
    return f"{head}<system-out>{_test_text(f'{failure.level}: {message}')}</system-out></testcase>"


def _test_attribute(text: str) -> str:
    return quoteattr(visible(text).replace("\n", " "))


def _test_text(text: str) -> str:
    return escape(visible(text))
