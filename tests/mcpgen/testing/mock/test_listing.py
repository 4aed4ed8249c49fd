"""A mock lists the definitions of its contract."""

from __future__ import annotations

from typing import Any

import anyio
import pytest
from mcp import Client, MCPError, types
from mcp.server import Server
from mock_servers import DEMO, OBJECT, RECORDED, ask, offering

from mcpgen.jsontext import Json
from mcpgen.testing import mock


def wire(server: Server[Any], era: str, method: str) -> list[dict[str, Json]]:
    """Return the raw result of each page of a list."""

    async def inside() -> list[dict[str, Json]]:
        pages: list[dict[str, Json]] = []
        async with Client(server, mode=era) as client:
            cursor: dict[str, Json] = {}
            while not pages or "nextCursor" in pages[-1]:
                session: Any = client.session
                params = {**_envelope(session), **cursor}
                pages.append(await session._dispatcher.send_raw_request(method, params, {}))
                cursor = {"cursor": pages[-1].get("nextCursor")}
        return pages

    return anyio.run(inside)


def _envelope(session: Any) -> dict[str, Json]:
    key = "io.modelcontextprotocol"
    meta = {f"{key}/protocolVersion": session.protocol_version, f"{key}/clientCapabilities": {}}
    return {"_meta": meta} if session.protocol_version >= mock.MODERN else {}


@pytest.mark.parametrize(
    ("method", "member"),
    [
        ("tools/list", "tools"),
        ("prompts/list", "prompts"),
        ("resources/list", "resources"),
        ("resources/templates/list", "resourceTemplates"),
    ],
)
def test_lists_hold_the_definitions_of_the_contract(method: str, member: str) -> None:
    (page,) = wire(mock.server(DEMO), "2026-07-28", method)
    assert page[member] == RECORDED[member]


def test_properties_unknown_to_the_sdk_are_listed(era: str) -> None:
    schema = {"type": "object", "default": None, "properties": {"a": {"default": None}}}
    tool = {"name": "a", "description": None, "inputSchema": schema, "tags": ["x"]}
    (page,) = wire(offering(tool), era, "tools/list")
    assert page["tools"] == [tool]


def test_many_tools_are_paged_in_recorded_order(era: str) -> None:
    tools = [{"name": f"t{number * 77 % 250:03}", "inputSchema": OBJECT} for number in range(250)]
    pages = wire(offering(*tools), era, "tools/list")
    assert [len(page["tools"]) for page in pages] == [100, 100, 50]
    assert [tool for page in pages for tool in page["tools"]] == tools


@pytest.mark.parametrize("cursor", ["x", "0", "-1", "9999"])
def test_unknown_cursor_is_rejected(era: str, cursor: str) -> None:
    async def question(client: Client) -> int:
        with pytest.raises(MCPError) as caught:
            await client.list_tools(cursor=cursor)
        return caught.value.code

    assert ask(mock.server(DEMO), era, question) == types.INVALID_PARAMS


def test_tool_rejected_by_the_sdk_does_not_affect_others(era: str) -> None:
    odd = [
        {"name": "bare"},
        {"name": "loose", "inputSchema": {"properties": {}}},
        {"name": "open", "inputSchema": OBJECT, "outputSchema": True},
    ]
    tools = ask(offering(*odd), era, lambda client: client.list_tools()).tools
    assert [tool.name for tool in tools] == ["bare", "loose", "open"]


def test_absent_kinds_are_not_supported(era: str) -> None:
    async def question(client: Client) -> list[int]:
        codes = []
        for request in (client.list_prompts(), client.list_resources()):
            with pytest.raises(MCPError) as caught:
                await request
            codes.append(caught.value.code)
        return codes

    assert ask(offering(), era, question) == [types.METHOD_NOT_FOUND] * 2
