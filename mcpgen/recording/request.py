"""The server that the command line names is asked, or its file is read."""

from __future__ import annotations

import os
import re
import sys
import tempfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TextIO, TypeAlias, cast

from mcpgen.contract import document as contract
from mcpgen.contract import handwritten
from mcpgen.endpoint import Offline, Stdio, Target
from mcpgen.endpoint.redaction import Secrets
from mcpgen.endpoint.resolve import STDIN
from mcpgen.endpoint.target import Live
from mcpgen.errors import McpgenError, UsageError
from mcpgen.recording.arguments import ServerArguments
from mcpgen.recording.build_contract import Recorded

Say: TypeAlias = Callable[[str], None]
"""Tells a person what is started, and what a server wrote into its log."""

_SHOWN_LINES = 20
_FIRST_LINES = 5
_LONGEST = 24 * 60 * 60


def contract_of_target(target: Target, arguments: ServerArguments, say: Say) -> Recorded:
    """Ask what was resolved, as the arguments say; say what is started."""
    if not 0 < arguments.timeout <= _LONGEST:
        raise UsageError(f"a number of seconds up to {_LONGEST} is needed", "--timeout")
    if isinstance(target, Stdio):
        say(f"starting: {_without_variables(str(target))}")
    if isinstance(target, Offline):
        return _read(target)
    recorded = _record(target, arguments, say)
    return replace(recorded, notices=(*target.notices, *recorded.notices))


_SECRET = re.compile(r"TOKEN|KEY|SECRET|PASS|CREDENTIAL|AUTH", re.IGNORECASE)


def _without_variables(command: str) -> str:
    """Show ``$TOKEN`` where a shell put in the value of a variable that is named like a secret."""
    values = {v: f"${n}" for n, v in os.environ.items() if len(v) > 7 and _SECRET.search(n)}
    return Secrets(values).hide(command)


def _read(target: Offline) -> Recorded:
    path, document = target.path, target.document
    where = "stdin" if path == STDIN else path
    if document is None:
        document = handwritten.parse(read_file(path), where)
    else:
        document = handwritten.completed(document, where)
    return Recorded(contract.read(document, where), tuple(contract.left_out(document)))


def read_file(path: str) -> bytes:
    """Read a file that was named on the command line; ``-`` is what comes from stdin."""
    try:
        return sys.stdin.buffer.read() if path == STDIN else Path(path).read_bytes()
    except OSError as error:
        raise UsageError(f"the file cannot be read: {error.strerror}", path) from None


def _record(target: Live, arguments: ServerArguments, say: Say) -> Recorded:
    from mcpgen.recording.recorder import RecordOptions, record

    with tempfile.TemporaryFile("w+", encoding="utf-8", errors="backslashreplace") as file:
        log = cast("TextIO", file)  # on Windows it is a wrapper of one
        is_shown = arguments.verbose
        try:
            return record(target, RecordOptions(arguments.era, arguments.timeout), log)
        except McpgenError:
            is_shown = True
            raise
        finally:
            if is_shown:
                log.seek(0)
                limit = None if arguments.verbose else _SHOWN_LINES
                _show_log(log.read(), target, limit, say)


def _show_log(log: str, target: Live, limit: int | None, say: Say) -> None:
    lines = target.origin().secrets.hide(log).splitlines()
    kept = lines
    if limit is not None and len(lines) > limit:
        # The reason often stands first, before a page of help.
        kept = [*lines[:_FIRST_LINES], "...", *lines[_FIRST_LINES - limit :]]
        last = limit - _FIRST_LINES
        say(f"the server's log, its first {_FIRST_LINES} and last {last} lines (-v shows all):")
    elif kept:
        say("the server's log:")
    for line in kept:
        say(f"  {line}")
