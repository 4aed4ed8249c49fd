"""Findings under a policy: repeated ones are reported once, with both values."""

from __future__ import annotations

from dataclasses import replace

from contract_changes import resources, tool, tools

from mcpgen.compare import Severity, compare
from mcpgen.compare.judge import judge
from mcpgen.findings.options import ReportOptions
from mcpgen.findings.policy import DiffPolicy
from mcpgen.findings.reports.formats import render_diff
from mcpgen.jsontext import Json


def test_finding_in_many_pointers_is_reported_once() -> None:
    hints: Json = {"readOnlyHint": True}
    names = [f"t{n}" for n in range(40)]
    old = resources(*({"uri": f"f:///{n}", "name": n} for n in names))
    old = replace(old, tools={n: tool(n) for n in names})
    new = tools(*(tool(n, annotations=hints) for n in names))
    report = judge(compare(old, new), DiffPolicy())
    assert [len(repeated) for repeated in report.repeated_findings(floor=Severity.COMPATIBLE)] == [
        40,
        40,
    ]
    for form in ("text", "markdown"):
        text = render_diff(report, ReportOptions(form))
        assert (text.count("R01"), text.count("A03")) == ((2, 2) if form == "text" else (1, 1))
        assert ("40 resources" in text, "40 tools" in text) == (True, True)
    assert len(render_diff(report, ReportOptions("text")).splitlines()) < 40


def test_report_shows_both_defaults_of_a_boolean() -> None:
    old, new = (
        tools(
            tool(
                "t",
                inputSchema={
                    "type": "object",
                    "properties": {"a": {"type": "boolean", "default": default}},
                },
            )
        )
        for default in (False, True)
    )
    assert "false -> true" in render_diff(
        judge(compare(old, new), DiffPolicy()), ReportOptions("text")
    )
