"""Runs tests with both stdio clients: mcpgen's own, and the SDK's, which Windows needs."""

from __future__ import annotations

import pytest

from mcpgen.servers.recording.wire import server_process


@pytest.fixture(autouse=True)
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """The stdio implementation: mcpgen's own, or the SDK's like on Windows."""
    way: str = getattr(request, "param", "ours")
    monkeypatch.setattr(server_process, "IS_USED", way == "ours")
    return way


both_ways = pytest.mark.parametrize("way", ["ours", "sdk"], indirect=True)
