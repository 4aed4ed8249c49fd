"""Plans the page of a comparison: the findings of each definition, worst first."""

from __future__ import annotations

from collections.abc import Sequence

from mcpgen.codegen.pages.anchors import anchor, segment
from mcpgen.codegen.pages.values import ChangeGroup, ChangeRow, ComparisonPage
from mcpgen.findings.diff import DiffFinding, DiffReport
from mcpgen.findings.reports.values import count, signed_values
from mcpgen.findings.severity import Severity
from mcpgen.findings.texts.invisible import unmistakable

_LONGEST_VALUE = 4_000


def comparison_page(report: DiffReport) -> ComparisonPage:
    """Plan the page of a report. All findings are shown, including cosmetic ones."""
    repeated = report.repeated_findings(floor=Severity.COSMETIC)
    repeated_ids = {id(finding) for findings in repeated for finding in findings}
    groups: list[ChangeGroup] = []
    for subject, findings in report.subjects(floor=Severity.COSMETIC).items():
        single = [finding for finding in findings if id(finding) not in repeated_ids]
        if single:
            rows = tuple(map(_row, single))
            groups.append(ChangeGroup(anchor("change", segment(subject)), subject, rows))
    for findings in repeated:
        groups.append(_repeated_group(findings))
    return ComparisonPage(
        name=unmistakable(report.server) or "server",
        old=unmistakable(report.old),
        new=unmistakable(report.new),
        counts=tuple((name, number) for name, number in report.counts().items() if number),
        groups=tuple(groups),
        ignored=tuple(map(_row, report.ignored)),
        observed=report.observed,
    )


def _repeated_group(findings: Sequence[DiffFinding]) -> ChangeGroup:
    first = findings[0]
    names = tuple(finding.change.subject.partition(" ")[2] for finding in findings)
    title = f"{first.rule.name}, in {count(findings)}"
    return ChangeGroup(anchor("changes", first.change.fingerprint), title, (_row(first),), names)


def _row(finding: DiffFinding) -> ChangeRow:
    change = finding.change
    message = (
        f"{finding.message} (ignored: {finding.ignored})" if finding.ignored else finding.message
    )
    return ChangeRow(
        severity=str(finding.severity),
        rule=f"{finding.rule.id} {finding.rule.name}",
        path=change.path,
        message=message,
        values=tuple(signed_values(finding, _LONGEST_VALUE)),
        fingerprint=change.fingerprint,
    )
