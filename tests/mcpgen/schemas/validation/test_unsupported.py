"""What changes the meaning of a call, and cannot be seen in the generated method, is said."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from projects import call, project

from mcpgen.contract import definitions
from mcpgen.contract.document import Contract

SCHEMA = {"type": "object", "properties": {"a": {"type": "string"}}}


def said(name: str = "t", **members: Any) -> list[tuple[str, str]]:
    """Return where the notices on a tool stand, and their kinds."""
    raw = {"name": name, "inputSchema": SCHEMA, **members}
    notices = definitions.parse(Contract(tools={name: raw})).notices
    return [(notice.pointer, notice.kind) for notice in notices]


@pytest.mark.parametrize("name", ["a" * 128, "a.b-c_D9", "9", "-", "get_weather"])
def test_a_name_that_the_protocol_asks_for_is_no_matter(name: str) -> None:
    assert said(name) == []


@pytest.mark.parametrize("name", ["", "a" * 129, "find it", "größe", "a/b", "a\n", "a:b"])
def test_any_other_name_is_said(name: str) -> None:
    at = f"/tools/{name.replace('/', '~1')}"
    assert said(name) == [(at, "tool name")]


def test_what_a_tool_says_of_tasks_that_nobody_knows_is_said() -> None:
    at = "/tools/t/execution/taskSupport"
    assert said(execution={"taskSupport": "always"}) == [(at, "task")]
    assert said(execution={"taskSupport": ["required"]}) == [(at, "task")]
    for known in ("required", "optional", "forbidden", None):
        assert said(execution={"taskSupport": known}) == []
    assert said(execution={}) == []


def test_claims_that_rule_each_other_out_are_said() -> None:
    both = {"readOnlyHint": True, "destructiveHint": True}
    assert said(annotations=both) == [("/tools/t/annotations", "claims")]
    assert said(annotations={**both, "readOnlyHint": False}) == []


def test_a_tool_that_is_for_the_servers_own_pages_is_said() -> None:
    at = "/tools/t/_meta/ui/visibility"
    assert said(_meta={"ui": {"visibility": ["app"]}}) == [(at, "audience")]
    assert said(_meta={"ui": {"visibility": ["app", "model"]}}) == []
    assert said(_meta={"ui": {"resourceUri": "ui://x"}}) == []


def test_an_argument_that_the_server_sets_is_said() -> None:
    properties = {"a/b": {"type": "string", "readOnly": True}, "c": {"readOnly": False}, "d": True}
    schema = {"type": "object", "properties": properties}
    at = "/tools/t/inputSchema/properties/a~1b/readOnly"
    assert said(inputSchema=schema) == [(at, "set by the server")]


def test_the_commands_say_it_and_generate_the_tool(tmp_path: Path) -> None:
    dump = '{"tools":[{"name":"find it","inputSchema":{"type":"object"},"execution":%s}]}'
    root = project(tmp_path / "project")
    (root / "dump.json").write_text(dump % '{"taskSupport":"always"}')
    ended = call(root, "client", "./dump.json", "--name", "finder")
    assert ended.returncode == 0
    assert "notice: /tools/find it: a tool's name should have" in ended.stderr
    assert "none of forbidden, optional, required" in ended.stderr
    assert "def find_it(" in (root / "finder" / "client.py").read_text()
