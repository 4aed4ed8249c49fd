"""Notices cover behavior that the generated method doesn't show but that changes a call's
meaning.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from projects import call, project

from mcpgen.contract import definitions
from mcpgen.contract.document import Contract

SCHEMA = {"type": "object", "properties": {"a": {"type": "string"}}}


def notices_of(name: str = "t", **members: Any) -> list[tuple[str, str]]:
    """Return the pointers and kinds of a tool's notices."""
    raw = {"name": name, "inputSchema": SCHEMA, **members}
    notices = definitions.parse(Contract(tools={name: raw})).notices
    return [(notice.pointer, notice.kind) for notice in notices]


@pytest.mark.parametrize("name", ["a" * 128, "a.b-c_D9", "9", "-", "get_weather"])
def test_valid_tool_name_has_no_notice(name: str) -> None:
    assert notices_of(name) == []


@pytest.mark.parametrize("name", ["", "a" * 129, "find it", "größe", "a/b", "a\n", "a:b"])
def test_invalid_tool_name_has_a_notice(name: str) -> None:
    at = f"/tools/{name.replace('/', '~1')}"
    assert notices_of(name) == [(at, "tool name")]


def test_unknown_task_support_has_a_notice() -> None:
    at = "/tools/t/execution/taskSupport"
    assert notices_of(execution={"taskSupport": "always"}) == [(at, "task")]
    assert notices_of(execution={"taskSupport": ["required"]}) == [(at, "task")]
    for support in ("required", "optional", "forbidden", None):
        assert notices_of(execution={"taskSupport": support}) == []
    assert notices_of(execution={}) == []


def test_contradictory_hints_have_a_notice() -> None:
    both = {"readOnlyHint": True, "destructiveHint": True}
    assert notices_of(annotations=both) == [("/tools/t/annotations", "claims")]
    assert notices_of(annotations={**both, "readOnlyHint": False}) == []


def test_tool_for_server_apps_has_a_notice() -> None:
    at = "/tools/t/_meta/ui/visibility"
    assert notices_of(_meta={"ui": {"visibility": ["app"]}}) == [(at, "audience")]
    assert notices_of(_meta={"ui": {"visibility": ["app", "model"]}}) == []
    assert notices_of(_meta={"ui": {"resourceUri": "ui://x"}}) == []


def test_read_only_argument_has_a_notice() -> None:
    properties = {"a/b": {"type": "string", "readOnly": True}, "c": {"readOnly": False}, "d": True}
    schema = {"type": "object", "properties": properties}
    at = "/tools/t/inputSchema/properties/a~1b/readOnly"
    assert notices_of(inputSchema=schema) == [(at, "set by the server")]


def test_the_commands_say_it_and_generate_the_tool(tmp_path: Path) -> None:
    dump = '{"tools":[{"name":"find it","inputSchema":{"type":"object"},"execution":%s}]}'
    root = project(tmp_path / "project")
    (root / "dump.json").write_text(dump % '{"taskSupport":"always"}')
    ended = call(root, "client", "./dump.json", "--name", "finder")
    assert ended.returncode == 0
    assert "notice: /tools/find it: a tool's name should have" in ended.stderr
    assert "none of forbidden, optional, required" in ended.stderr
    assert "def find_it(" in (root / "finder" / "client.py").read_text()
