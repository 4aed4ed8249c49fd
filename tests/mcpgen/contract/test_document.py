"""The contract preserves the server's list order, and mocks and servers publish it."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import anyio
import jsonschema
import pytest
from paths import ROOT
from skeletons import MODES, import_server, list_everything, project, recorded_lists

from mcpgen.codegen.pipeline import generate
from mcpgen.codegen.server_pipeline import ServerOptions, generate_server
from mcpgen.contract import capabilities
from mcpgen.contract.document import Contract, read
from mcpgen.errors import ContractError
from mcpgen.jsontext import Json, loads
from mcpgen.testing import mock

FORMAT = json.loads((ROOT / "schema/contract/contract.schema.json").read_bytes())
ANY: Json = {"type": "object"}
ICON = {"src": "https://example.org/i.png", "sizes": ["48x48"], "theme": "dark"}
RECORDED: dict[str, Json] = {
    "protocolVersion": "2025-11-25",
    "serverInfo": {
        "name": "acme",
        "version": "1.2",
        "title": "Acme",
        "icons": [ICON],
        "websiteUrl": "https://example.org",
        "id": "x-17",
        "vendor": {"plan": None, "seats": [1, 2.5]},
    },
    "capabilities": {
        "tools": {"listChanged": True},
        "resources": {},
        "prompts": {"listChanged": False},
        "logging": {},
        "completions": {},
        "experimental": {"acme/fast": {"level": 3}},
        "extensions": {"io.modelcontextprotocol/ui": {"mimeTypes": ["text/html"]}},
    },
    "instructions": "Search first.",
    "tools": [
        {"name": "search", "title": "S", "inputSchema": ANY, "_meta": {"a": None}},
        {"name": "fetch", "inputSchema": ANY, "icons": [ICON], "x-vendor": [None]},
        {"name": "add", "inputSchema": ANY, "outputSchema": ANY},
    ],
    "prompts": [{"name": "z", "title": "Z"}, {"name": "a", "_meta": {"b": 1}}],
    "resources": [{"uri": "acme://z", "name": "z", "size": 3}, {"uri": "acme://a", "name": "a"}],
    "resourceTemplates": [
        {"uriTemplate": "acme://z/{id}", "name": "z", "mimeType": "text/plain"},
        {"uriTemplate": "acme://a/{id}", "name": "a"},
    ],
}
ACME = read(RECORDED)


def names(contract: Contract) -> list[Json]:
    return [raw["name"] for raw in contract.definitions_in_order("tools")]


def test_recording_stores_order_next_to_sorted_tools() -> None:
    document = loads(ACME.text())
    assert list(document["tools"]) == ["add", "fetch", "search"]
    assert document["order"]["tools"] == ["search", "fetch", "add"]
    assert document["order"]["resourceTemplates"] == ["acme://z/{id}", "acme://a/{id}"]
    jsonschema.validate(document, FORMAT)
    assert read(document) == ACME


def test_sorted_list_has_no_order() -> None:
    tools = [{"name": name, "inputSchema": ANY} for name in "abc"]
    assert "order" not in read({"tools": tools}).document()


def test_contract_without_order_uses_the_order_of_tools() -> None:
    old = loads(ACME.text())
    del old["order"]
    assert names(read(old)) == ["add", "fetch", "search"]


@pytest.mark.parametrize(
    ("order", "expected"),
    [
        ({"tools": ["fetch"]}, ["fetch", "add", "search"]),
        ({"tools": ["gone", "search", "search", "add"]}, ["search", "add", "fetch"]),
        ({"tools": [5, None, "search"]}, ["search", "add", "fetch"]),
        ({"tools": "search"}, ["add", "fetch", "search"]),
        (["search"], ["add", "fetch", "search"]),
        ({"other": ["search"]}, ["add", "fetch", "search"]),
    ],
)
def test_mismatched_order_loses_no_tool(order: Json, expected: list[str]) -> None:
    assert names(read({**loads(ACME.text()), "order": order})) == expected


def test_removed_tool_leaves_the_order() -> None:
    tools = {name: raw for name, raw in ACME.tools.items() if name != "fetch"}
    assert names(replace(ACME, tools=tools)) == ["search", "add"]


def test_order_changes_only_the_servers_contract() -> None:
    other = replace(ACME, order={})
    assert other != ACME
    assert generate(other).files == generate(ACME).files
    before, after = (
        generate_server(contract, ServerOptions(standalone=False)).generated
        for contract in (ACME, other)
    )
    assert {path for path in before if before[path] != after[path]} == {"contract.json"}


@pytest.mark.parametrize("mode", MODES)
def test_server_lists_in_recorded_order(tmp_path: Path, mode: str) -> None:
    with import_server(project(ACME, tmp_path)) as module:
        assert anyio.run(list_everything, module.server, mode) == recorded_lists(RECORDED, mode)


@pytest.mark.parametrize("mode", MODES)
def test_mock_lists_in_recorded_order(mode: str) -> None:
    assert anyio.run(list_everything, mock.server(ACME), mode) == recorded_lists(RECORDED, mode)


UNDONE: dict[str, Json] = {
    "tools": {"listChanged": "yes"},
    "tasks": {"requests": {"tools": {"call": {}}}},
    "extensions": {"io.modelcontextprotocol/tasks": {}, "io.modelcontextprotocol/ui": {}},
    "experimental": {"odd": 5},
}
UI = {"io.modelcontextprotocol/ui": {}}
DONE = {"tools": {}, "extensions": UI}
TASKS = {"tools": {}, "extensions": {**UI, "io.modelcontextprotocol/tasks": {}}}
OLDER_TASKS = {**DONE, "tasks": {"list": {}, "cancel": {}, "requests": {"tools": {"call": {}}}}}


@pytest.mark.parametrize("mode", MODES)
def test_unsupported_capability_is_omitted_with_a_notice(tmp_path: Path, mode: str) -> None:
    contract = read({"tools": RECORDED["tools"], "capabilities": UNDONE})
    messages = {
        notice.pointer
        for notice in generate_server(contract, ServerOptions(standalone=False)).notices
    }
    assert messages == {
        "/capabilities/tools",
        "/capabilities/tasks",
        "/capabilities/extensions/io.modelcontextprotocol~1tasks",
        "/capabilities/experimental",
    }
    with import_server(project(contract, tmp_path)) as module:
        assert anyio.run(list_everything, module.server, mode)["capabilities"] == DONE
    mocked = anyio.run(list_everything, mock.server(contract), mode)["capabilities"]
    assert mocked == (TASKS if mode == "auto" else OLDER_TASKS)  # a mock runs tasks


def test_listed_kinds_are_declared_and_server_has_a_name() -> None:
    contract = read({"tools": [], "prompts": [{"name": "p"}], "capabilities": {"logging": {}}})
    assert capabilities.capabilities_to_declare(contract) == {"logging": {}, "prompts": {}}
    assert capabilities.capabilities_to_declare(read({"tools": []})) == {"tools": {}}
    assert capabilities.server_info({"name": 5, "id": 1}) == {
        "name": "server",
        "version": "",
        "id": 1,
    }


@pytest.mark.parametrize("mode", MODES)
def test_declared_empty_list_gets_a_response(tmp_path: Path, mode: str) -> None:
    document: Any = {
        "serverInfo": {"name": "bare", "version": ""},
        "capabilities": {"resources": {}, "prompts": {}},
        **{key: [] for key in ("tools", "prompts", "resources", "resourceTemplates")},
    }
    with import_server(project(read(document), tmp_path)) as module:
        for server in (module.server, mock.server(read(document))):
            assert anyio.run(list_everything, server, mode) == recorded_lists(document, mode)


# By hand


def by_hand(text: str) -> Json:
    from mcpgen.contract.handwritten import parse

    return parse(text.encode(), "c.yaml")


def test_handwritten_contract_keeps_its_order() -> None:
    tool = "{inputSchema: {type: object}}"
    text = f"tools:\n  search: {tool}\n  add: {tool}\n"
    assert names(read(by_hand(text))) == ["search", "add"]
    assert names(read(by_hand(text + "order: {tools: [add, search]}\n"))) == ["add", "search"]


@pytest.mark.parametrize(
    ("order", "where"),
    [
        ("[a]", "c.yaml:2:1#/order"),
        ("{tool: [a]}", "c.yaml:2:9#/order/tool"),
        ("{tools: a}", "c.yaml:2:9#/order/tools"),
        ("{tools: [a, b]}", "c.yaml:2:20#/order/tools/1"),
    ],
)
def test_handwritten_order_must_name_existing_tools(order: str, where: str) -> None:
    with pytest.raises(ContractError) as raised:
        by_hand(f"tools: {{a: {{inputSchema: {{type: object}}}}}}\norder: {order}\n")
    assert raised.value.where == where


@pytest.mark.parametrize("revision", ["2025-11-25", "2026-07-28"])
def test_handwritten_contract_declares_task_support(revision: str) -> None:
    """Since 2026-07-28, no definition declares it, but the server needs it."""
    text = f"revision: {revision}\ntools: {{a: {{inputSchema: {{type: object}}, execution: %s}}}}\n"
    contract = read(by_hand(text % "{taskSupport: optional}"))
    assert capabilities.runs_tasks(contract)
    assert not capabilities.runs_tasks(read(by_hand(text % "{taskSupport: forbidden}")))
    with pytest.raises(ContractError) as raised:
        by_hand(text % "{taskSupport: sometimes}")
    assert raised.value.where.endswith("#/tools/a/execution/taskSupport")


def test_tasks_capability_without_task_tools_has_a_notice() -> None:
    declared = {"tasks": {"cancel": {}}, "extensions": {"io.modelcontextprotocol/tasks": {}}}
    tool = {"name": "a", "inputSchema": {"type": "object"}}
    support: Json = {"execution": {"taskSupport": "optional"}}
    without = generate_server(
        read({"tools": [tool], "capabilities": declared}), ServerOptions(standalone=False)
    )
    assert {notice.pointer for notice in without.notices} == {
        "/capabilities/tasks",
        "/capabilities/extensions/io.modelcontextprotocol~1tasks",
    }
    assert (
        generate_server(
            read({"tools": [tool | support], "capabilities": declared}),
            ServerOptions(standalone=False),
        ).notices
        == ()
    )
