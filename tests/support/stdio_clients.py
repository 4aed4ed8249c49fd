"""Runs tests with both stdio clients: mcpgen's own, and the SDK's as on Windows."""

from __future__ import annotations

import pytest

from mcpgen.servers.recording import child


@pytest.fixture(autouse=True)
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """The stdio implementation: mcpgen's own, or the SDK's as on Windows."""
    way: str = getattr(request, "param", "ours")
    monkeypatch.setattr(child, "IS_USED", way == "ours")
    return way


both_ways = pytest.mark.parametrize("way", ["ours", "sdk"], indirect=True)
