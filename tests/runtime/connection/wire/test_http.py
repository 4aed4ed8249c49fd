"""Calls that must not be sent over HTTP are rejected locally, and only over HTTP."""

from __future__ import annotations

import logging
from typing import Any

import anyio
import pytest
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.message import SessionMessage
from mcp.types import JSONRPCRequest, JSONRPCResponse
from mcpgen_runtime.connection.routing import observer as module
from runtime.packages import import_client
from runtime.web import web
from stand_in import StandIn

from mcpgen.contract.definitions import parse
from mcpgen.contract.document import Contract, read

BOUND = {"type": "number", "x-mcp-header": "Depth"}
TOOL = {"name": "dive", "inputSchema": {"type": "object", "properties": {"depth": BOUND}}}


def contract(revision: str) -> Contract:
    return read({"tools": [TOOL], "revision": revision})


async def dive(module: Any, server: Any) -> Any:
    async with module.Client.connect(server, verify="off") as client:
        return await client.dive(depth=2.5)


def test_tool_with_invalid_header_is_not_called_over_http() -> None:
    package, shop = import_client(contract("2026-07-28"), "barred"), StandIn(contract("2026-07-28"))
    with web(shop.server) as (url, _):
        for server in (url, streamable_http_client(url)):
            with pytest.raises(package.InvalidArguments, match="over HTTP"):
                anyio.run(dive, package, server)
    assert shop.calls == {}


def test_tool_with_invalid_header_works_without_http_headers() -> None:
    for revision in ("2026-07-28", "2025-11-25"):
        package = import_client(contract(revision), f"barred_{revision[:4]}")
        shop = StandIn(contract(revision))
        with web(shop.server) as (url, _):
            server = url if revision < "2026" else shop.server
            anyio.run(dive, package, server)
        assert shop.calls == {"dive": {"depth": 2.5}}


def test_it_is_noticed() -> None:
    (notice,) = parse(contract("")).notices
    assert notice.pointer == "/tools/dive/inputSchema/properties/depth/x-mcp-header"


def test_result_without_type_counts_as_complete() -> None:
    meta = {"_meta": {"io.modelcontextprotocol/protocolVersion": "2026-07-28"}}
    for params, expected in ((meta, {"resultType": "complete"}), ({}, {}), (None, {})):
        observer = module.TransportObserver(lambda _: None, logging.getLogger())
        request = JSONRPCRequest(jsonrpc="2.0", id=1, method="tools/call", params=params)
        observer.note_sent(SessionMessage(request))
        answer = JSONRPCResponse(jsonrpc="2.0", id=1, result={})
        observer.filter_received(SessionMessage(answer))
        assert answer.result == expected
