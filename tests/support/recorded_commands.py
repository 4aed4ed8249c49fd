"""`mcpgen record`, run for a test."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from paths import ROOT, SUPPORT
from servers.web import Web, running

from mcpgen import cli

if sys.version_info < (3, 11):
    pass

FORMAT = json.loads((ROOT / "schema/contract/contract.schema.json").read_text(encoding="utf-8"))


@dataclass(frozen=True)
class Run:
    code: int
    out: str
    err: str

    @property
    def contract(self) -> Any:
        assert self.code == 0, self.err
        document = json.loads(self.out)
        jsonschema.Draft202012Validator(FORMAT).validate(document)
        return document

    def error(self) -> tuple[int, str]:
        """Return the exit code and the single line that describes the error."""
        assert self.out == ""
        assert "Traceback" not in self.err
        assert "ExceptionGroup" not in self.err
        lines = [line for line in self.err.splitlines() if line.startswith("error: ")]
        assert len(lines) == 1, self.err
        return self.code, lines[0].removeprefix("error: ")


Record = Callable[..., Run]


@pytest.fixture
def record(capfd: pytest.CaptureFixture[str]) -> Record:
    def run(*arguments: str) -> Run:
        with pytest.raises(SystemExit) as ended:
            cli.main(["record", *arguments])
        out, err = capfd.readouterr()
        assert isinstance(ended.value.code, int)
        return Run(ended.value.code, out, err)

    return run


@pytest.fixture(scope="module")
def web() -> Iterator[Web]:
    with running() as web:
        yield web


def run_command(command: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command, cwd=folder, capture_output=True, text=True, timeout=120, check=False
    )


LIMITS = ("0.5", "5", "50")
"""Seconds to wait for what never comes: more, where a busy machine needs them to begin at all."""


BARE = (sys.executable, str(SUPPORT / "servers" / "bare.py"))


def stdio(behaviour: str, *arguments: str) -> list[str]:
    return ["--", *BARE, behaviour, *arguments]
