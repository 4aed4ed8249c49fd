"""Overlapping comparisons of a server's tools, when it announces changes while they are listed."""

from __future__ import annotations

import logging
from types import SimpleNamespace
from typing import Any, cast

import anyio
import pytest
from mcp.shared.message import SessionMessage
from mcp.types import JSONRPCRequest, JSONRPCResponse
from mcpgen_runtime.connection.routing.observer import TransportObserver
from mcpgen_runtime.connection.routing.route import Route
from mcpgen_runtime.connection.session import Session
from mcpgen_runtime.connection.tool_comparison import compare_again, compare_tools
from mcpgen_runtime.package import package_of_module
from runtime.contracts import SHOP as CONTRACT
from runtime.packages import package

SHOP = package()


class Server:
    """Lists the recorded tools, and lets others run before each caller gets its list."""

    elicitation_callback = list_roots_callback = sampling_callback = None

    def __init__(self, observer: TransportObserver) -> None:
        self.observer = observer
        self.number = 0
        self.received = anyio.Event()

    async def list_tools(self, **_: Any) -> Any:
        self.number += 1
        number = self.number
        request = JSONRPCRequest(jsonrpc="2.0", id=number, method="tools/list")
        self.observer.note_sent(SessionMessage(request))
        if number > 1:
            await anyio.sleep(0.1)
        result = {"tools": [dict(tool) for tool in CONTRACT.tools.values()]}
        response = JSONRPCResponse(jsonrpc="2.0", id=number, result=result)
        self.observer.filter_received(SessionMessage(response))
        self.received.set()
        await anyio.sleep(0.05)
        return SimpleNamespace(tools=[], next_cursor=None)


@pytest.mark.parametrize("verify", ["error", "warn"])
def test_overlapping_comparisons_find_no_difference(
    verify: Any, caplog: pytest.LogCaptureFixture
) -> None:
    async def run() -> None:
        route = Route("a server", None, package_of_module(SHOP.__name__))
        observer = TransportObserver(lambda _: None, logging.getLogger(__name__))
        route.observer = observer
        session, server = Session.new(route, 10.0), Server(observer)
        session.use(cast("Any", server))

        async def again() -> None:
            await server.received.wait()
            assert list(await compare_again(session, verify, 5.0, set())) == []

        with anyio.fail_after(10.0):
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(again)
                await compare_tools(session, verify, set())
        assert server.number == 2
        assert session.drift is not None
        assert list(session.drift.changes) == []

    anyio.run(run)
    assert caplog.messages == []
