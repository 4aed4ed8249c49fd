"""Servers for both protocols over stdio and HTTP that tests kill, freeze and restart."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from mcp import StdioServerParameters
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
    """A server. Over stdio, the client starts it."""

    target: Any
    process: subprocess.Popen[str] | None = None

    def start(self) -> None:
        """Restart the HTTP server on its port."""
        if self.process is not None:
            port = self.target.rpartition(":")[2].partition("/")[0]
            self.process, _ = _start_server(int(port))

    def kill(self, number: int) -> None:
        """Kill the process with this ID, and wait until it is dead."""
        os.kill(number, signal.SIGKILL)
        if self.process is not None:
            self.process.wait()


def _start_server(port: int = 0) -> tuple[subprocess.Popen[str], int]:
    command = [sys.executable, SDK, str(port)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    with process.stdout:
        return process, int(process.stdout.readline())


@contextmanager
def restartable_server(over: str) -> Iterator[Restarted]:
    """Yield a stdio server, or a running HTTP server."""
    if over == "stdio":
        yield Restarted(StdioServerParameters(command=sys.executable, args=[SDK, "stdio"]))
        return
    process, port = _start_server()
    server = Restarted(f"http://127.0.0.1:{port}/mcp", process)
    try:
        yield server
    finally:
        if server.process is not None:
            server.process.kill()
            server.process.wait()


def is_alive(number: int) -> bool:
    """Return True if a process runs, even frozen. Zombies don't count."""
    try:
        stat = Path(f"/proc/{number}/stat").read_text("utf-8")
    except OSError:
        return False
    return stat.rpartition(")")[2].split()[0] != "Z"
