"""Runs tests with both clients for stdio servers: mcpgen's own, and the SDK's as on Windows."""

from __future__ import annotations

import pytest

from mcpgen.servers.recording import child


@pytest.fixture(autouse=True)
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Return who speaks to stdio servers: mcpgen itself, or the SDK as on Windows."""
    way: str = getattr(request, "param", "ours")
    monkeypatch.setattr(child, "IS_USED", way == "ours")
    return way


both_ways = pytest.mark.parametrize("way", ["ours", "sdk"], indirect=True)
