"""A server over HTTP."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from generated_servers import run
from skeletons import (
    MODES,
    call,
    http,
    text,
)


@pytest.mark.slow
@pytest.mark.parametrize("mode", MODES)
def test_it_serves_over_http(folder: Path, mode: str) -> None:
    with http(folder) as url:
        result = run(call, url, "show_cover", {"id": "B-1"}, mode)
        assert text(result) == "B-1"


@pytest.mark.slow
def test_a_page_of_another_site_is_refused(folder: Path) -> None:
    import httpx2

    with http(folder) as url:
        answer = httpx2.post(url, json={}, headers={"Origin": "https://evil.example"})
        assert answer.status_code == 403


@pytest.mark.slow
def test_invalid_http_address_is_rejected(folder: Path) -> None:
    completed = subprocess.run(
        [sys.executable, "-m", "bookshelf", "--http", "nowhere"],
        env=os.environ | {"PYTHONPATH": str(folder / "src")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert completed.returncode == 2
    assert "is not [HOST:]PORT" in completed.stderr
