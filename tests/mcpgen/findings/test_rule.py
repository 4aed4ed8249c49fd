"""Rules of `diff`: severities by audience, and explanations."""

from __future__ import annotations

from typing import Any

import pytest

from mcpgen.compare import RULES, Audience, Severity


def test_severity_depends_on_the_audience() -> None:
    rule = RULES["I06"]
    assert rule.severity() is Severity.BREAKING
    assert rule.severity([Audience.WIRE]) is Severity.DANGEROUS
    assert rule.severity([Audience.AGENT]) is None


@pytest.mark.parametrize("rule", RULES.values(), ids=lambda rule: rule.id)
def test_a_rule_explains_itself(rule: Any) -> None:
    assert rule.levels
    assert rule.summary
    assert rule.why.endswith(".")
    assert all(rule.example)
    assert rule.fix or (rule.severity() or 0) <= Severity.COMPATIBLE or rule.id == "O08"


def test_only_hidden_characters_stay_as_severe_as_they_are() -> None:
    assert [rule.id for rule in RULES.values() if rule.fixed] == ["D03"]
