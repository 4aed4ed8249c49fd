"""Runs of contract tests on the server of notes, and its cases one by one."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Generator
from typing import Any, Literal

from paths import SUPPORT

from mcpgen.recording.arguments import ServerArguments
from mcpgen.testing import live
from mcpgen.testing.checks.catalogue import CHECKS
from mcpgen.testing.failure import Case, Verdict
from mcpgen.testing.lab import Limits
from mcpgen.testing.run import Run, Wanted

NOTES = SUPPORT / "servers" / "notes.py"
BOOKS = {"tool": "search_books", "arguments": {"query": ""}, "parents": ["books"], "member": "id"}


def notes(bug: str = "", era: Literal["legacy", "modern"] = "modern") -> ServerArguments:
    """Return the server of notes, with this bug."""
    return ServerArguments(command=(sys.executable, str(NOTES)), env=(f"BUG={bug}",), era=era)


@contextlib.contextmanager
def run_of(
    bug: str = "",
    *,
    era: Literal["legacy", "modern"] = "modern",
    limits: Limits | None = None,
    **wanted: Any,
) -> Generator[Run]:
    """Start the server of notes for a run of tests."""
    found = live.tested(notes(bug, era), None, lambda _: None)
    named = {"searches": False, **wanted}
    with live.running(found, Wanted(**named), limits or Limits(answer=15)) as run:
        yield run


def tried(run: Run, check: str, subject: str, **data: Any) -> list[Verdict]:
    """Try one case."""
    return CHECKS[check](run.lab, Case(check, subject, data))
