"""Targets of every kind: commands, URLs, transports, clients and servers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import anyio
import pytest
from connected_servers import (
    ANSWER,
    call_ask,
    call_count,
    command,
    failing,
    raw,
    raw_contract,
)
from mcp import stdio_client
from mcp.client.streamable_http import streamable_http_client
from runtime.packages import import_client
from servers import bare
from servers.web import running


def test_a_command_is_a_target() -> None:
    assert call_ask(raw(), command("well")) == ANSWER


def test_a_transport_is_a_target() -> None:
    assert call_ask(raw(), stdio_client(command("well"))) == ANSWER


def test_a_url_is_a_target(shop: Any) -> None:
    assert call_count(shop[0]) == 3


def test_a_transport_over_http_is_a_target(shop: Any) -> None:
    assert call_count(streamable_http_client(shop[0])) == 3


@pytest.mark.parametrize(
    "target", [7, object(), b"http://x", ["python"], Path("x")], ids=lambda t: type(t).__name__
)
def test_invalid_target_is_rejected_by_type_name(target: Any) -> None:
    error = failing(target)
    assert isinstance(error, TypeError)
    assert type(target).__name__ in str(error)


@pytest.mark.parametrize("options", [{"headers": {"x-a": "1"}}], ids=["headers"])
def test_headers_are_for_urls(options: Any) -> None:
    error = failing(command("well"), **options)
    assert isinstance(error, TypeError)
    assert "headers are for a URL" in str(error)


def test_url_ending_in_sse_uses_the_older_transport() -> None:
    client_package = import_client(raw_contract(tools=[bare.FORECAST]), "over_sse")

    async def inside(url: str) -> Any:
        async with client_package.Client.connect(url, verify="error") as client:
            return client.session.server_info.name

    with running() as older:
        assert anyio.run(inside, f"{older.url}/sse") == "bare"
