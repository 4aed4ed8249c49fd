"""Calls are logged by outcome, without values."""

from __future__ import annotations

import contextlib
import logging
import re
from typing import Any

import anyio
import pytest
from mcp import MCPError
from pipeline_clients import CANARY, SHOP, slow
from runtime.scripted import Scripted, text_result, using


def log_records(
    caplog: pytest.LogCaptureFixture, act: Any, server: Scripted, **options: Any
) -> str:
    """Run a function and return all log records about it, from every logger and level."""
    caplog.set_level(logging.DEBUG, "shop_dataclass")
    using(act, server, **options)
    return "\n".join(
        f"{record.name}: {record.getMessage()}"
        for record in caplog.records
        if record.name.startswith("shop_dataclass")
    )


def test_each_call_is_logged_without_values(caplog: pytest.LogCaptureFixture) -> None:
    async def act(client: Any, _: Scripted) -> Any:
        await client.order(item={"id": CANARY, "price": 1}, gift=CANARY)

    text = log_records(caplog, act, Scripted(order={"item": {"id": CANARY, "price": 2}}))
    message = r"shop_dataclass\.audit: tool='order' arguments=\['gift', 'item'\] seconds=[0-9.]+ .*"
    assert re.match(message, text)
    assert text.endswith(" outcome=done")
    assert CANARY not in text


def outcome(text: str) -> str:
    assert CANARY not in text
    assert text.count("audit") == 1
    return text.rpartition("outcome=")[2]


@pytest.mark.parametrize(
    ("answer", "arguments", "expected"),
    [
        (text_result(CANARY, is_error=True), {"code": "ABC"}, "ToolError"),
        (MCPError(-32603, CANARY, CANARY), {"code": "ABC"}, "ProtocolError"),
        ({"printed": CANARY}, {"code": "ABC"}, "InvalidResult"),
        ({"printed": "ok:"}, {"code": CANARY}, "InvalidArguments"),
        ({"printed": "ok:"}, {"code": {1: object()}}, "InvalidArguments"),
        (slow, {"code": "ABC"}, "CallTimeout"),
        ({"printed": "ok:" + CANARY}, {"code": "ABC"}, "done"),
    ],
)
def test_every_outcome_is_logged_by_its_name(
    caplog: pytest.LogCaptureFixture, answer: Any, arguments: Any, expected: str
) -> None:
    async def act(client: Any, _: Scripted) -> Any:
        limit = 0.02 if expected == "CallTimeout" else None
        with contextlib.suppress(SHOP.ClientError):
            await client.with_options(timeout=limit).label(**arguments)

    assert outcome(log_records(caplog, act, Scripted(label=answer))) == expected


def test_a_cancelled_call_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    async def act(client: Any, _: Scripted) -> Any:
        with anyio.move_on_after(0.02):
            await client.count()

    assert outcome(log_records(caplog, act, Scripted(count=slow))) == "cancelled"


def test_a_refused_call_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    async def act(client: Any, _: Scripted) -> Any:
        with pytest.raises(SHOP.NotConfirmed):
            await client.wipe()

    assert outcome(log_records(caplog, act, Scripted(), confirm=lambda *_: False)) == "NotConfirmed"


def test_names_in_the_log_cannot_forge_a_line(caplog: pytest.LogCaptureFixture) -> None:
    async def act(client: Any, _: Scripted) -> Any:
        await client.loose(arguments={"a\nshop.audit: forged": 1})

    assert "\n" not in log_records(caplog, act, Scripted(loose=text_result("ok")))
