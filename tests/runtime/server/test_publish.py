"""A server publishes the definitions of its contract."""

from __future__ import annotations

import json
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from generated_servers import run
from mcp import Client, types
from skeletons import (
    MODES,
    demo,
    expected_definitions,
    import_server,
    list_raw_tools,
    project,
    raises_mcp,
)

from mcpgen.contract.document import read
from mcpgen.jsontext import Json


@pytest.mark.parametrize("mode", MODES)
def test_the_contracts_own_json_is_listed_in_its_order(bookshelf: ModuleType, mode: str) -> None:
    result = run(list_raw_tools, bookshelf.server, mode)
    assert json.dumps(result) == json.dumps(expected_definitions(demo(), mode))


@pytest.mark.parametrize("mode", MODES)
def test_the_sdks_client_sees_every_schema_as_it_is(bookshelf: ModuleType, mode: str) -> None:
    async def schemas() -> dict[str, Json]:
        async with Client(bookshelf.server, mode=mode) as client:
            tools = (await client.list_tools()).tools
        return {tool.name: (tool.input_schema, tool.output_schema) for tool in tools}

    expected = expected_definitions(demo(), mode)
    assert run(schemas) == {
        n: (t["inputSchema"], t.get("outputSchema")) for n, t in expected.items()
    }


@pytest.mark.sampled(1)
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("kind", ["tools", "prompts", "resources", "resource_templates"])
def test_unknown_cursor_is_rejected(bookshelf: ModuleType, mode: str, kind: str) -> None:
    async def pages() -> None:
        async with Client(bookshelf.server, mode=mode) as client:
            ask = getattr(client, f"list_{kind}")
            assert (await ask(cursor=None)).next_cursor is None
            with raises_mcp() as raised:
                await ask(cursor="no-such-cursor")
        assert (raised.code, raised.message) == (types.INVALID_PARAMS, "Unknown cursor")

    run(pages)


def test_properties_unknown_to_the_sdk_are_listed(tmp_path: Path) -> None:
    tool = {
        "name": "odd",
        "x-vendor": {"a": None},
        "inputSchema": {"type": "object", "default": None, "properties": {"a": {"default": None}}},
        "outputSchema": {"type": ["null", "string"], "default": None},
    }
    contract = read({"tools": [tool], "server": {"name": "odd"}})
    with import_server(project(contract, tmp_path)) as module:
        assert run(list_raw_tools, module.server, "auto") == {"odd": tool}


def test_prompts_and_resources_are_listed_as_in_the_contract(bookshelf: ModuleType) -> None:
    async def names() -> list[str]:
        async with Client(bookshelf.server) as client:
            prompts = (await client.list_prompts()).prompts
            resources = (await client.list_resources()).resources
            templates = (await client.list_resource_templates()).resource_templates
        return [*(p.name for p in prompts), *(r.name for r in [*resources, *templates])]

    assert run(names) == ["recommend", "welcome", "rules", "card"]


def test_server_info_equals_the_contracts(bookshelf: ModuleType) -> None:
    async def read_server_info() -> tuple[Any, str | None]:
        async with Client(bookshelf.server) as client:
            return client.server_info, client.instructions

    info, instructions = run(read_server_info)
    assert (info.name, info.version) == ("bookshelf", "1.0.0")
    assert instructions == demo().instructions
