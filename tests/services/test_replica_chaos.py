"""Two replicas behind nginx answer each call correctly, or with an error that has a cause."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import anyio
import pytest
from replica_chaos import client_package, run, world

pytestmark = [
    pytest.mark.services,
    pytest.mark.skipif(sys.platform == "win32", reason="signals are others there"),
]
SECONDS = float(os.environ.get("MCPGEN_CHAOS_SECONDS", "60"))
EVERY = float(os.environ.get("MCPGEN_CHAOS_EVERY", "10"))
CALLERS = 200


def test_each_call_is_correct_or_fails_with_a_known_cause(tmp_path: Path) -> None:
    with world(tmp_path) as servers:
        package = client_package(tmp_path)
        report = anyio.run(run, servers, package, CALLERS, SECONDS, EVERY)
    print(report)
    assert report.wrong == []
    assert report.unexplained == []
    assert report.counts()["ok"] > CALLERS * SECONDS / 10
    assert report.idle_served == report.idle == 50
    assert report.in_window == 100
    assert report.updates > 0
    assert report.arrived == report.updates
    assert {fault.kind for fault in report.faults} == {"kill", "drain", "redis"}
