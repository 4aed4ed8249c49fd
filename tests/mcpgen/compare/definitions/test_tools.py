"""Removed, new and renamed tools."""

from __future__ import annotations

import pytest
from contract_changes import TOOLS, find_rules, tool, tools

from mcpgen.compare import compare


@pytest.mark.parametrize("name", TOOLS)
def test_change_of_a_tool_falls_under_its_rules(name: str) -> None:
    old, new, expected = TOOLS[name]
    assert find_rules(old, new) == expected.split()


def test_new_tool_similar_to_another_servers_tool_is_found() -> None:
    listed = compare(tools(), tools(tool("sendMail")), neighbours=[("mail", "send_mail")])
    assert [change.rule for change in listed] == ["T02", "T02b"]
