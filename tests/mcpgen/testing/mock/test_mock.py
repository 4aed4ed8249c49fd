"""The mock follows its contract for the SDK's client and generated ones, over both protocols."""

from __future__ import annotations

import anyio
import pytest
from mcp import Client, types
from mock_servers import ERAS, TALKING, ask, tool_names

from mcpgen.contract.document import Contract
from mcpgen.testing import mock


@pytest.mark.parametrize(("level", "count"), [("debug", 1), ("info", 1), ("warning", 0), (None, 0)])
def test_calls_are_logged_at_the_requested_level(
    era: str, level: types.LoggingLevel | None, count: int
) -> None:
    calls: list[str] = []

    async def note(params: types.LoggingMessageNotificationParams) -> None:
        calls.append(f"{params.level}: {params.data}")

    async def inside() -> None:
        modern = level if era != "legacy" else None
        async with Client(
            mock.server(TALKING), mode=era, logging_callback=note, log_level=modern
        ) as client:
            if era == "legacy" and level is not None:
                await client.session.send_request(
                    types.SetLevelRequest(params=types.SetLevelRequestParams(level=level)),
                    types.EmptyResult,
                )
            await client.call_tool("show_cover", {"id": "B-1"})

    anyio.run(inside)
    assert calls == ["info: show_cover was called"] * count


def test_an_empty_contract_is_served() -> None:
    assert ask(mock.server(Contract(tools={})), ERAS[1], tool_names) == []
