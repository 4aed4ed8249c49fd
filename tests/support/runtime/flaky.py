"""Starts the flaky server over stdio or HTTP and counts its calls."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from mcp import StdioServerParameters

_SERVER = str(Path(__file__).parent / "flaky_server.py")


class Flaky:
    """A server whose calls fail as planned. See ``flaky_server``."""

    def __init__(self, folder: Path, era: str, tools: list[Any], plan: str) -> None:
        self.log = folder / "log"
        file = folder / "tools.json"
        file.write_text(json.dumps(tools), "utf-8")
        self.arguments = [_SERVER, era, str(file), str(self.log), plan]

    @property
    def calls(self) -> list[str]:
        """The names of the received calls, in order."""
        return self.log.read_text("utf-8").split() if self.log.exists() else []

    @property
    def command(self) -> StdioServerParameters:
        """The command that serves over stdio."""
        return StdioServerParameters(command=sys.executable, args=self.arguments)

    @contextmanager
    def web(self, port: int = 0) -> Iterator[tuple[str, subprocess.Popen[str]]]:
        """Serve over HTTP and yield the URL and the process."""
        command = [sys.executable, *self.arguments, str(port)]
        pipe = subprocess.PIPE
        with subprocess.Popen(
            command, stdout=pipe, stderr=subprocess.DEVNULL, text=True
        ) as process:
            assert process.stdout is not None
            try:
                yield f"http://127.0.0.1:{int(process.stdout.readline())}/mcp", process
            finally:
                process.kill()
