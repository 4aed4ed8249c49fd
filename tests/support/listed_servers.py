"""Servers, listed without the SDK."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from guards import PATIENCE

from mcpgen.errors import McpgenError
from mcpgen.jsontext import Json
from mcpgen.servers.recording.project_servers import contract_of
from mcpgen.servers.recording.request import ServerArguments

# Records its input and responds as PROGRAM defines.
TALKING = """
import json, sys
heard = open(sys.argv[1], "a")
count, waiting = 0, None
greeting = {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}},
            "serverInfo": {"name": "s", "version": "1"}}
modern = {"resultType": "complete", "ttlMs": 0, "cacheScope": "private", "capabilities":
          {"tools": {}}, "supportedVersions": ["2026-07-28"]}
def say(**message):
    print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)
def refuse(number, code=-32601, message="Method not found", **more):
    say(id=number, error={"code": code, "message": message, **more})
for line in sys.stdin:
    heard.write(line)
    heard.flush()
    told = json.loads(line)
    number, method = told.get("id"), told.get("method")
"""

Heard = Callable[[str], tuple[str, list[Json]]]


@pytest.fixture
def ask_program(tmp_path: Path) -> Heard:
    """Return the outcome of recording a server, and the messages it received."""

    def ask(program: str) -> tuple[str, list[Json]]:
        (tmp_path / "server.py").write_text(TALKING + program)
        log = tmp_path / "heard"
        log.unlink(missing_ok=True)
        command = (sys.executable, str(tmp_path / "server.py"), str(log))
        try:
            recorded = contract_of(ServerArguments(command=command, timeout=PATIENCE), str)
            result = recorded.contract.revision
        except McpgenError as error:
            result = error.problem
        return result, [json.loads(line) for line in log.read_text().splitlines()]

    return ask
