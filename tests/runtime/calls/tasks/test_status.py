"""Statuses of tasks: odd members, and invalid ones."""

from __future__ import annotations

import math
from typing import Any

import pytest
from mcpgen_runtime.calls.tasks import status as task_status
from runtime.task_server import (
    LEGACY,
)
from task_clients import MADE


@pytest.mark.parametrize(
    ("raw", "ttl", "interval"),
    [
        ({}, None, 1.0),
        ({"ttl": None, "pollInterval": 0}, None, 0.02),
        ({"ttl": 1500, "pollInterval": 2500}, 1.5, 2.5),
        ({"ttlMs": 1500, "pollIntervalMs": 2500}, 1.5, 2.5),
        ({"ttl": -1, "pollInterval": -1}, None, 1.0),
        ({"ttl": math.inf, "pollInterval": math.nan}, None, 1.0),
        ({"ttl": True, "pollInterval": "5"}, None, 1.0),
        ({"statusMessage": 7, "createdAt": None, "lastUpdatedAt": []}, None, 1.0),
    ],
)
def test_status_with_odd_properties_is_parsed(
    raw: dict[str, Any], ttl: float | None, interval: float
) -> None:
    status = task_status.read_status("t", {"status": "working"} | raw)
    assert (status.ttl, status.poll_interval, status.message) == (ttl, interval, "")


@pytest.mark.parametrize("raw", [{}, {"status": None}, {"status": "done"}, {"status": ["working"]}])
def test_invalid_status_is_an_invalid_result(raw: dict[str, Any]) -> None:
    with pytest.raises(MADE[LEGACY].InvalidResult, match="/status"):
        task_status.read_status("t", raw)
