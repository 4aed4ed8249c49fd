"""Servers that commands call."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from paths import ROOT, SUPPORT

from mcpgen.cli.app import run
from mcpgen.servers.recording.wire import early_start

CONTRACT = str(ROOT / "golden/demo/contract.json")

SERVER = str(SUPPORT / "servers/shell.py")


@dataclass
class Ran:
    """The exit code and output of a command."""

    code: int
    out: str
    err: str


class Shell:
    """Runs commands in the current folder. The server appends each call to the file `log`."""

    def __init__(self, log: Path, capfd: pytest.CaptureFixture[str]) -> None:
        self.log, self.capfd = log, capfd

    def __call__(self, *args: str) -> Ran:
        self.capfd.readouterr()
        code = run(list(args))
        captured = self.capfd.readouterr()
        return Ran(code, captured.out, captured.err)

    def on_server(self, command: str, *args: str) -> Ran:
        return self(command, *args, "--", sys.executable, SERVER, str(self.log))

    def calls(self) -> list[Any]:
        return [json.loads(line) for line in self.log.read_text().splitlines()]


@pytest.fixture
def shell(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> Iterator[Shell]:
    yield Shell(tmp_path / "calls", capfd)
    early_start.end()
