"""Servers as a whole: sizes, prompts and resources."""

from __future__ import annotations

import pytest
from lint_definitions import (
    BAD_SERVERS,
    GOOD,
    Change,
    apply_change,
    assert_rule_finds,
    find_rules,
    member,
    names_of,
)

from mcpgen.jsontext import Json
from mcpgen.lint.checks import offered


@pytest.mark.parametrize(("rule", "path", "change"), BAD_SERVERS, ids=names_of(BAD_SERVERS))
def test_defect_of_sizes_is_found(rule: str, path: str, change: Change) -> None:
    assert_rule_finds(rule, path, change)


def test_rounded_number_is_never_the_limit_itself() -> None:
    assert [offered._about(count, 10_000) for count in (10_001, 10_400, 10_600, 25_123)] == [
        *("a few more", "a few more", "about 11,000", "about 25,000")
    ]


def test_defects_of_the_whole_contract_are_found() -> None:
    tools = [
        apply_change(member(name=f"find_{n}", description=f"Find {n} in the house, by its number."))
        for n in range(129)
    ]
    assert find_rules(*tools) == {("L601", "/tools"), ("L602", "/tools")}
    requests: dict[str, Json] = {"capabilities": {"tools": {}}}
    assert find_rules(*tools[:20], **requests) == {("L605", "/instructions")}
    assert find_rules(*tools[:20], **requests, instructions="Of houses.") == set()
    parts = {
        "prompts": [{"name": "review", "arguments": [{"name": "code"}]}],
        "resources": [{"uri": "a://b", "name": "b"}],
        "resourceTemplates": [{"uriTemplate": "a://{b", "name": "c", "description": "All of c."}],
    }
    assert find_rules(GOOD, **parts) == {
        ("L701", "/prompts/review"),
        ("L702", "/prompts/review/arguments/0"),
        ("L703", "/resources/a:~1~1b"),
        ("L704", "/resources/a:~1~1b"),
        ("L705", "/resourceTemplates/a:~1~1{b"),
    }
