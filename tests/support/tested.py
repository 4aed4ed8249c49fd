"""Runs contract tests on the server of notes, whole or case by case."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Generator
from dataclasses import replace
from functools import cache
from typing import Any, Literal

from paths import SUPPORT

from mcpgen.findings.contract_tests import Case, Verdict
from mcpgen.servers.endpoint import Stdio
from mcpgen.servers.recording.arguments import ServerArguments
from mcpgen.testing import live
from mcpgen.testing.checks.catalogue import CHECKS
from mcpgen.testing.run import Run
from mcpgen.testing.run_options import Limits, RunOptions

NOTES = SUPPORT / "servers" / "notes.py"
BOOKS = {"tool": "search_books", "arguments": {"query": ""}, "parents": ["books"], "member": "id"}

Era = Literal["legacy", "modern"]


def notes(bug: str = "", era: Era = "modern") -> ServerArguments:
    """Return the server of notes, with this bug."""
    return ServerArguments(command=(sys.executable, str(NOTES)), env=(f"BUG={bug}",), era=era)


@cache
def prepared_server(era: Era) -> live.TargetServer:
    """Return the correct notes server, recorded once."""
    return live.prepare(notes(era=era), None, lambda _: None)


@contextlib.contextmanager
def run_of(
    bug: str = "", *, era: Era = "modern", limits: Limits | None = None, **options: Any
) -> Generator[Run]:
    """Start the server of notes for a run of tests."""
    prepared = prepared_server(era)
    assert isinstance(prepared.target, Stdio)
    target = replace(prepared.target, env={"BUG": bug})
    named = {"searches": False, **options}
    server = replace(prepared, target=target)
    with live.running(server, RunOptions(**named), limits or Limits(answer=15)) as run:
        yield run


def run_case(run: Run, check: str, subject: str, **data: Any) -> list[Verdict]:
    """Run a single case."""
    return CHECKS[check](run.lab, Case(check, subject, data))
