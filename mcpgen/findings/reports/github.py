"""The report as workflow commands, which GitHub shows as annotations on a contract's lines."""

from __future__ import annotations

from mcpgen.findings.diff import DiffFinding, DiffReport
from mcpgen.findings.reports.line_numbers import line_numbers, line_of
from mcpgen.findings.reports.values import signed_values
from mcpgen.findings.severity import Severity
from mcpgen.findings.texts.invisible import unmistakable


def render(report: DiffReport, *, file: str = "", text: str = "", verbose: bool = False) -> str:
    """Return one command per finding. ``file`` and ``text`` belong to the contract, if it is a
    file.
    """
    numbers = line_numbers(text) if text else {}
    diff_findings = [
        f for f in report.findings if verbose or f.severity > Severity.COSMETIC or f.asks
    ]
    diff_findings.sort(key=lambda finding: -finding.severity)
    return "".join(f"{_command(finding, file, numbers)}\n" for finding in diff_findings)


def _command(finding: DiffFinding, file: str, numbers: dict[str, int]) -> str:
    kind = "warning" if finding.asks else "notice"
    if finding.severity >= Severity.DANGEROUS:
        kind = "error" if finding.fails else "warning"
    rule, change = finding.rule, finding.change
    properties = {"title": f"mcpgen {rule.id} {rule.name} ({finding.severity})"}
    if file:
        properties |= {"file": file, "line": str(line_of(finding.pointer, numbers))}
    subject = f"{change.subject} {change.path}".strip()
    message = f"{unmistakable(subject)}: {unmistakable(finding.message)}"
    message += "".join(f"\n{sign} {text}" for sign, text in signed_values(finding, 1000))
    if rule.fix:
        message += f"\n{rule.fix}"
    message += f"\nfingerprint {change.fingerprint}"
    options = ",".join(
        f"{key}={escape_command(value, is_property=True)}" for key, value in properties.items()
    )
    return f"::{kind} {options}::{escape_command(message)}"


def escape_command(text: str, *, is_property: bool = False) -> str:
    """Escape text for a workflow command, or for a property of one."""
    text = text.replace("##[", "#\\u{23}[")  # the runner executes commands anywhere in a line
    for char in "%\r\n" + (":," if is_property else ""):
        text = text.replace(char, f"%{ord(char):02X}")
    return text
