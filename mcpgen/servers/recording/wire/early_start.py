"""Starts the command of a simple command line before other imports.

The server starts while mcpgen is loading. Nothing is started that wouldn't be started later: a
command line with any unusual word is left to the regular parser.
"""

from __future__ import annotations

import contextlib
import os
import re
import shlex
import sys
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TextIO, cast

from mcpgen.servers.recording.wire import handshake, server_process
from mcpgen.servers.recording.wire.server_process import Child

_COMMON = frozenset(["-q", "--quiet", "-v", "--verbose", "--strict", "--json"])
_FLAGS: Mapping[str, frozenset[str]] = {
    "client": _COMMON | {"--no-cache"},
    "list": _COMMON,
    "record": _COMMON,
}
_OPTIONS: Mapping[str, frozenset[str]] = {
    "client": frozenset(["-o", "--output", "--name"]),
    "list": frozenset(),
    "record": frozenset(["-o", "--output"]),
}
_NAMING = frozenset(["call", "prompt", "read"])
"""Commands whose first argument names a tool, prompt or resource."""
SECRET = re.compile(r"TOKEN|KEY|SECRET|PASS|CREDENTIAL|AUTH", re.IGNORECASE)
"""Names of variables that may hold a secret."""


@dataclass(frozen=True, slots=True)
class Started:
    """A started command (or None if it failed to start) and its log file."""

    argv: tuple[str, ...]
    child: Child | None
    log: TextIO


_STARTED: list[Started] = []


def begin(args: Sequence[str]) -> None:
    """Start the server command of a command line, if it would certainly be started later."""
    command = _command(args)
    if not server_process.IS_USED or not command or "_MCPGEN_COMPLETE" in os.environ:
        return
    if not _asks_for_json(args[: args.index("--")]):
        sys.stderr.write(f"starting: {shlex.join(command)}\n")
        sys.stderr.flush()
    log = open_log()
    started: Child | None = None
    # The regular start fails again and reports the error.
    with contextlib.suppress(OSError, ValueError):
        started = server_process.start(command, {}, None, log, handshake.discovery())
    _STARTED.append(Started(command, started, log))


def take(argv: Sequence[str], env: Mapping[str, str], cwd: str | None) -> Started | None:
    """Return the started process if it matches. The caller then owns it."""
    if not _STARTED or env or cwd or tuple(argv) != _STARTED[-1].argv:
        return None
    return _STARTED.pop()


def end() -> None:
    """End unclaimed processes."""
    while _STARTED:
        _STARTED.pop().log.close()
    server_process.end_all()


def open_log() -> TextIO:
    """Open a temporary file for the server's stderr."""
    file = tempfile.TemporaryFile("w+", encoding="utf-8", errors="backslashreplace")  # noqa: SIM115 - its user closes it
    return cast("TextIO", file)  # on Windows it is a wrapper of one


def _asks_for_json(args: Sequence[str]) -> bool:
    """Return True if no messages are wanted. Duplicates ``cli.shared.console``, which is slower."""
    text = " ".join(args)
    return "--json" in args or bool(re.search(r"(?:-f ?|--format[ =])json\b", text))


def _command(args: Sequence[str]) -> tuple[str, ...]:
    """Return the words after ``--``, or none if any other argument needs the regular parser."""
    if "--" not in args or args[0] not in (*_OPTIONS, *_NAMING):
        return ()
    end = args.index("--")
    command = tuple(args[end + 1 :])
    return command if _are_plain(args[0], args[1:end]) and _is_shown(command) else ()


def _are_plain(name: str, args: Sequence[str]) -> bool:
    if name in _NAMING:  # the server's response identifies the program
        return bool(args) and not args[0].startswith("-")
    remaining = list(args)
    while remaining:
        token = remaining.pop(0)
        if token in _FLAGS[name]:
            continue
        value = remaining.pop(0) if remaining and token in _OPTIONS[name] else ""
        if not value or value.startswith("-"):
            return False
        if name == "record" and os.path.lexists(value):
            return False  # the file may be protected from overwriting
    return True


def _is_shown(command: Iterable[str]) -> bool:
    """Return True if a command can be shown unchanged: without secrets and misleading
    characters.
    """
    text = shlex.join(command)
    values = [v for n, v in os.environ.items() if len(v) > 7 and SECRET.search(n)]
    return text.isascii() and text.isprintable() and not any(v in text for v in values)
