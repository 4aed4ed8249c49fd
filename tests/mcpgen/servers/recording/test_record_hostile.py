"""A huge response ends with one line of output, in bounded time and memory."""

from __future__ import annotations

import resource
import subprocess
import sys
from pathlib import Path

import pytest
from stdio_clients import both_ways, way

__all__ = ["way"]

pytestmark = pytest.mark.slow

GIGABYTE = 2**30

SERVER = """
import json, sys
how = sys.argv[1]
for line in sys.stdin:
    message = json.loads(line)
    if "id" not in message:
        continue
    if how == "line":
        while True:
            sys.stdout.write("x" * 65536)
    if how == "flood":
        while True:
            print(json.dumps({"jsonrpc": "2.0", "method": "notifications/message", "params": {}}))
    if message["method"] == "server/discover":
        answer = {"error": {"code": -32601, "message": "Method not found"}}
    elif message["method"] == "initialize":
        answer = {"result": {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}},
                             "serverInfo": {"name": "big", "version": "1"}}}
    else:
        tool = {"name": "t", "inputSchema": {"type": "object"}, "description": "d" * 100_000_000}
        answer = {"result": {"tools": [tool]}}
    print(json.dumps({"jsonrpc": "2.0", "id": message["id"], **answer}), flush=True)
"""


def record(how: str, way: str, folder: Path) -> subprocess.CompletedProcess[str]:
    script = folder / "server.py"
    script.write_text(SERVER, "utf-8")
    switch = (
        "from mcpgen.servers.recording.wire import server_process; "
        f"server_process.IS_USED = {way == 'ours'}"
    )
    program = f"{switch}; from mcpgen.cli import main; main()"
    command = [sys.executable, "-c", program, "record", "--timeout", "8", "-o", "contract.json"]
    return subprocess.run(
        [*command, "--", sys.executable, str(script), how],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
        cwd=folder,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_DATA, (3 * GIGABYTE,) * 2),
    )


@both_ways
@pytest.mark.parametrize("how", ["line", "flood"])
def test_an_endless_answer_ends_with_the_time_limit(how: str, way: str, tmp_path: Path) -> None:
    completed = record(how, way, tmp_path)
    assert completed.returncode in (4, 5), completed.stderr
    assert len([line for line in completed.stderr.splitlines() if line.startswith("error: ")]) == 1
    assert "Traceback" not in completed.stderr
    assert not (tmp_path / "contract.json").exists()


@both_ways
def test_response_of_100_mb_is_recorded_or_rejected(way: str, tmp_path: Path) -> None:
    completed = record("huge", way, tmp_path)
    assert "Traceback" not in completed.stderr
    assert completed.returncode in (0, 4, 5), completed.stderr
    assert (tmp_path / "contract.json").exists() == (completed.returncode == 0)
