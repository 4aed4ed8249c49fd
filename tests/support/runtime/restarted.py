"""Servers for both protocols over stdio and HTTP that tests kill, freeze and restart."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import sdk_programs
from runtime.packages import import_client
from runtime.raw_server import TOOLS

from mcpgen.contract.document import Contract

SDK = str(Path(__file__).parent / "sdk_server.py")
ERAS = ["2025-11-25", "2026-07-28"]


@cache
def import_sdk_client(era: str) -> Any:
    """Return the package of the SDK server, recorded over one protocol."""
    named = {tool["name"]: tool for tool in TOOLS}
    contract = Contract(tools=named, revision=era, server={"name": "real"})
    return import_client(contract, f"real_{era[:4]}")


@dataclass
class Restarted:
    """A server. Over stdio, the client starts it. ``pid`` is that of an HTTP server."""

    target: Any
    process: subprocess.Popen[str] | None = None
    pid: int = 0

    def start(self) -> None:
        """Restart the HTTP server on its port."""
        if self.process is not None:
            port = self.target.rpartition(":")[2].partition("/")[0]
            self.process, _, self.pid = _start_server(int(port))

    def kill(self, number: int) -> None:
        """Kill the process with this ID, and wait until it is dead."""
        os.kill(number, signal.SIGKILL)
        if self.process is not None:
            self.process.wait()


def _start_server(port: int = 0) -> tuple[subprocess.Popen[str], int, int]:
    """Start an HTTP server, and return it with its port and its process ID."""
    command = sdk_programs.command(SDK, str(port))
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    with process.stdout:
        port, pid = map(int, process.stdout.readline().split())
    return process, port, pid


@contextmanager
def restartable_server(over: str) -> Iterator[Restarted]:
    """Yield a stdio server, or a running HTTP server."""
    if over == "stdio":
        yield Restarted(sdk_programs.stdio(SDK, "stdio"))
        return
    process, port, pid = _start_server()
    server = Restarted(f"http://127.0.0.1:{port}/mcp", process, pid)
    try:
        yield server
    finally:
        if server.process is not None:
            server.process.kill()
            server.process.wait()


def is_alive(number: int) -> bool:
    """Return True if a process runs, even frozen. A killed process has half a second to end."""
    for _ in range(10):
        try:
            stat = Path(f"/proc/{number}/stat").read_text("utf-8")
        except OSError:
            return False
        if stat.rpartition(")")[2].split()[0] == "Z":
            return False
        time.sleep(0.05)
    return True
