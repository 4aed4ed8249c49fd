"""A client whose server fails: no call is wrong, lost or made twice, and nothing is left behind."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from guards import PATIENCE
from paths import ROOT

CHAOS = ROOT / "benchmarks" / "chaos.py"
FAULTS = {
    "http": "kill 404 401 429 503 freeze garbage".split(),
    "stdio": "kill slow garbage close".split(),
}


# Some faults, in one era each, in turn: all rows are minutes, and benchmarks/chaos.py has them.
ROWS = [
    (way, fault, ("2025", "2026")[number % 2])
    for way, faults in FAULTS.items()
    for number, fault in enumerate(faults)
]


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="what is left is counted in /proc")
@pytest.mark.parametrize(("transport", "fault", "era"), ROWS)
def test_promises_hold_while_the_server_fails(transport: str, fault: str, era: str) -> None:
    chosen = ["--transport", transport, "--fault", fault, "--era", era, "--client", "mcpgen"]
    command = [sys.executable, str(CHAOS), "--seconds", "2", "--callers", "30", *chosen]
    completed = subprocess.run(
        command, capture_output=True, text=True, check=False, timeout=PATIENCE * 2
    )
    assert completed.returncode == 0, completed.stdout + completed.stderr
    assert fault in completed.stdout
