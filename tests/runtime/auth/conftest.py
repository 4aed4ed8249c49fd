"""A folder for logins, and a guarded server with its authorization server."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from authorization import AuthorizationServer, serving
from mcpgen_runtime.auth.store import Store


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Store:
    monkeypatch.setenv("MCPGEN_LOGINS", str(tmp_path / "logins"))
    return Store()


@pytest.fixture
def server() -> Iterator[AuthorizationServer]:
    with serving() as running:
        yield running
