"""Reads recorded calls for commands. Errors have a line number and a hint."""

from __future__ import annotations

from os import PathLike
from pathlib import Path

from mcpgen_runtime.replay.call_records import RecordedCall, UnreadableLineError, read

from mcpgen.errors import UsageError


def recorded_calls(path: str | PathLike[str]) -> tuple[RecordedCall, ...]:
    """Return the calls of a recording in their order."""
    try:
        return read(Path(path))
    except UnreadableLineError as error:
        where = f"{error.path}:{error.number}" if error.number else error.path
        hint = "delete the line, or record its call again"
        if not error.number:
            hint = f'record calls with: connect(record="{error.path}")'
        problem = f"the recorded calls cannot be read: {error.reason}"
        raise UsageError(problem, where, hint) from None
