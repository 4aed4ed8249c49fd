"""Records the server on the command line, or reads its file."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from mcpgen_runtime.redaction.credentials import CREDENTIALS

from mcpgen.contract import document as contract
from mcpgen.errors import Exit, McpgenError, UsageError
from mcpgen.servers.endpoint import Http, Offline, Stdio, Target
from mcpgen.servers.endpoint.redaction import Secrets
from mcpgen.servers.endpoint.resolve import STDIN
from mcpgen.servers.endpoint.target import Live
from mcpgen.servers.recording.arguments import ServerArguments
from mcpgen.servers.recording.build_contract import Recorded

if TYPE_CHECKING:
    from mcpgen.servers.recording.follow_up import RequestPlan
    from mcpgen.servers.recording.wire.early_start import Started

Say: TypeAlias = Callable[[str], None]
"""Reports started processes, and lines of a server's log."""

_OF_THE_SERVER = (Exit.AUTHORIZATION, Exit.UNREACHABLE, Exit.CONTRACT)
"""Exit codes for failures of a server, which its log may explain."""
_SHOWN_LINES = 20
_FIRST_LINES = 5
_LONGEST = 24 * 60 * 60


def contract_of_target(
    target: Target, arguments: ServerArguments, say: Say, request_plan: RequestPlan | None = None
) -> Recorded:
    """Record a resolved target, and report started commands.

    For a file, return its complete contract, and ignore ``request_plan``.
    """
    if not 0 < arguments.timeout <= _LONGEST:
        raise UsageError(f"expected a number of seconds up to {_LONGEST}", "--timeout")
    started = _already_started(target)
    if isinstance(target, Stdio) and started is None:
        say(f"starting: {without_variables(str(target))}")
    if isinstance(target, Offline):
        return _read(target)
    if isinstance(target, Http):
        target = replace(target, account=arguments.account)
    recorded = _record(target, arguments, say, started, request_plan)
    return replace(recorded, notices=(*target.notices, *recorded.notices))


def _already_started(target: Target) -> Started | None:
    """Return the command if it is already running and was reported."""
    if not isinstance(target, Stdio):
        return None
    from mcpgen.servers.recording.wire import early_start  # a file starts nothing

    return early_start.take(target.argv, target.env, target.cwd)


def without_variables(command: str) -> str:
    """Replace values of secret environment variables by ``$NAME``."""
    from mcpgen.servers.recording.wire.early_start import SECRET

    values = {v: f"${n}" for n, v in os.environ.items() if len(v) > 7 and SECRET.search(n)}
    return Secrets(values).hide(command)


def contract_of_file(path: str) -> contract.Contract:
    """Read a file with a contract, in any form."""
    return _read(Offline(path)).contract


def _read(target: Offline) -> Recorded:
    from mcpgen.contract import handwritten

    path, document = target.path, target.document
    where = "stdin" if path == STDIN else path
    if document is None:
        document = handwritten.parse(read_file(path), where)
    else:
        document = handwritten.complete(document, where)
    return Recorded(contract.read(document, where), tuple(contract.left_out(document)))


def read_file(path: str) -> bytes:
    """Read a file of the command line. ``-`` is stdin."""
    try:
        return sys.stdin.buffer.read() if path == STDIN else Path(path).read_bytes()
    except OSError as error:
        raise UsageError(f"the file cannot be read: {error.strerror}", path) from None


def _record(
    target: Live,
    arguments: ServerArguments,
    say: Say,
    started: Started | None,
    request_plan: RequestPlan | None,
) -> Recorded:
    from mcpgen.servers.recording.recorder import RecordOptions, record
    from mcpgen.servers.recording.wire import early_start, server_process

    named = frozenset(arguments.capability) if arguments.capability else None
    options = RecordOptions(arguments.era, arguments.timeout, named, request_plan)
    with started.log if started else early_start.open_log() as log:
        is_shown = arguments.verbose
        try:
            return record(target, options, log, started.child if started else None)
        except McpgenError as error:
            is_shown = is_shown or error.exit in _OF_THE_SERVER
            raise
        finally:
            if is_shown:
                server_process.end_left(
                    server_process.GRACE
                )  # output on exit belongs to the server's log
                log.seek(0)
                limit = None if arguments.verbose else _SHOWN_LINES
                _show_log(log.read(), target, limit, say)


def _show_log(log: str, target: Live, limit: int | None, say: Say) -> None:
    # Before splitting, because a credential may span lines.
    lines = target.origin().secrets.hide(CREDENTIALS.hide(log)).splitlines()
    stored_lines = lines
    if limit is not None and len(lines) > limit:
        # The reason often comes first, before a page of help.
        stored_lines = [*lines[:_FIRST_LINES], "...", *lines[_FIRST_LINES - limit :]]
        last = limit - _FIRST_LINES
        say(f"the server's log, its first {_FIRST_LINES} and last {last} lines (-v shows all):")
    elif stored_lines:
        say("the server's log:")
    for line in stored_lines:
        say(f"  {line}")
