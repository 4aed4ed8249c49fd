"""Reading and writing of recordings: JSON Lines files with one call per line.

The order of the properties is fixed, and a line contains neither times nor durations, so
that the diff of a recording is readable.
"""

from __future__ import annotations

import contextlib
import json
import logging
import os
import sys
import time
from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

if sys.platform != "win32":
    import fcntl

KINDS = ("tool", "prompt", "resource")

_LOGGER = logging.getLogger(__name__)


@dataclass(frozen=True)
class RecordedCall:
    """A request and its recorded response: a result as the server sent it, or an error.

    Attributes:
        definition: The hash of the tool's definition when the call was recorded.
        redacted: JSON pointers of the redacted values.
        number: The line in the file, starting at 1.
    """

    kind: str
    name: str
    arguments: Mapping[str, Any] = field(default_factory=dict[str, Any])
    result: Mapping[str, Any] | None = None
    error: Mapping[str, Any] | None = None
    definition: str = ""
    redacted: Sequence[str] = ()
    number: int = 0

    @property
    def answer(self) -> Mapping[str, Any] | None:
        """The result, also if it was recorded as the error of a failed tool."""
        if self.error is None or self.error.get("type") != "ToolError":
            return self.result
        text = str(self.error.get("message") or self.error.get("text") or "")
        return {"content": [{"type": "text", "text": text}], "isError": True}


@dataclass(eq=False)
class UnreadableLineError(ValueError):
    """A line that isn't a recorded call. Number 0 stands for the whole file."""

    path: str
    number: int
    reason: str

    def __str__(self) -> str:
        return f"{self.path}{f':{self.number}' if self.number else ''}: {self.reason}"


class TornLineError(UnreadableLineError):
    """A line that isn't JSON, such as a truncated one."""


def line_of(call: RecordedCall) -> str:
    """Serialize a call as one line, without the newline."""
    members: dict[str, Any] = {
        "arguments": dict(call.arguments),
        "definition": call.definition or None,
        "error": call.error,
        "kind": call.kind,
        "name": call.name,
        "redacted": list(call.redacted) or None,
        "result": call.result,
    }
    present = {name: value for name, value in members.items() if value is not None}
    text = json.dumps(present, sort_keys=True, ensure_ascii=False)
    try:
        text.encode()
    except UnicodeEncodeError:  # a lone surrogate, which UTF-8 does not have
        text = json.dumps(present, sort_keys=True)
    return text


def append(path: Path, call: RecordedCall) -> None:
    """Append a call to a recording. Other processes may append at the same time."""
    line = f"{line_of(call)}\n".encode()
    flags = os.O_RDWR | os.O_APPEND | os.O_CREAT | getattr(os, "O_BINARY", 0)
    descriptor = os.open(path, flags, 0o666)
    try:
        with _lock_file(descriptor):
            unwritten = line if _is_at_start(descriptor) else b"\n" + line
            while unwritten:  # in one write, unless the disk is full
                unwritten = unwritten[os.write(descriptor, unwritten) :]
    finally:
        os.close(descriptor)


def _is_at_start(descriptor: int) -> bool:
    """Return True if the file ends with a newline, so that a new line can be appended."""
    size = os.fstat(descriptor).st_size
    if not size:
        return True
    os.lseek(descriptor, size - 1, os.SEEK_SET)
    return os.read(descriptor, 1) == b"\n"


if sys.platform == "win32":

    @contextlib.contextmanager
    def _lock_file(descriptor: int) -> Generator[None]:
        import msvcrt

        while True:
            # Lock a byte far behind the end, because a lock on Windows also blocks
            # readers and writers.
            os.lseek(descriptor, _BEYOND, os.SEEK_SET)
            try:
                msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
            except OSError:
                time.sleep(_INTERVAL)
            else:
                break
        try:
            yield
        finally:
            os.lseek(descriptor, _BEYOND, os.SEEK_SET)
            msvcrt.locking(descriptor, msvcrt.LK_UNLCK, 1)

    _BEYOND = 2**30
    _INTERVAL = 0.005
else:

    @contextlib.contextmanager
    def _lock_file(descriptor: int) -> Generator[None]:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        except OSError:  # file systems without locks: a single write is atomic enough
            yield
            return
        try:
            yield
        finally:
            fcntl.flock(descriptor, fcntl.LOCK_UN)


def read(path: Path) -> tuple[RecordedCall, ...]:
    """Read all calls of a recording in file order.

    Raises:
        UnreadableLineError: A line isn't a recorded call.
    """
    try:
        text = path.read_bytes()
    except OSError as error:
        reason = error.strerror or str(error)
        raise UnreadableLineError(str(path), 0, reason) from None
    return parse(text, str(path))


def parse(text: bytes, path: str) -> tuple[RecordedCall, ...]:
    """Parse the calls of a recording.

    A truncated last line, such as that of a killed process, is skipped with a warning.

    Raises:
        UnreadableLineError: No line is JSON, or a line is JSON but not a recorded call.
    """
    lines = text.removeprefix(b"\xef\xbb\xbf").split(b"\n")
    calls: list[RecordedCall] = []
    torn: list[UnreadableLineError] = []
    for number, line in enumerate(lines, 1):
        try:
            calls += [_parse_line(line, path, number)] if line.strip() else []
        except TornLineError as error:
            torn.append(error)
    if torn and not calls:
        raise torn[0]
    for line_error in torn:
        _LOGGER.warning("passed over: %s", line_error)
    return tuple(calls)


def _parse_line(line: bytes, path: str, number: int) -> RecordedCall:
    try:
        value: object = json.loads(line)
    except json.JSONDecodeError as error:  # it numbers every line 1
        reason = f"not JSON: {error.msg}, in column {error.colno}"
        raise TornLineError(path, number, reason) from None
    except (ValueError, RecursionError) as error:
        raise UnreadableLineError(path, number, f"not JSON: {error}") from None
    if not isinstance(value, dict):
        raise UnreadableLineError(path, number, "not an object")
    members = cast("dict[str, Any]", value)
    if reason := _flaw(members):
        raise UnreadableLineError(path, number, reason)
    return RecordedCall(
        kind=members["kind"],
        name=members["name"],
        arguments=members.get("arguments") or {},
        result=members.get("result"),
        error=members.get("error"),
        definition=members.get("definition") or "",
        redacted=tuple(members.get("redacted") or ()),
        number=number,
    )


def _flaw(members: Mapping[str, Any]) -> str:
    """Return the flaw of a line, ignoring properties of newer versions."""
    for name, kind in _MEMBERS.items():
        if members.get(name) is not None and not isinstance(members[name], kind):
            return f"its {name} isn't {_WORDS[kind]}"
    if members.get("kind") not in KINDS:
        return f"its kind isn't one of {', '.join(KINDS)}"
    if "name" not in members:
        return "it has no name"
    if not all(isinstance(pointer, str) for pointer in members.get("redacted") or ()):
        return "its redacted isn't a list of strings"
    answers = [n for n in ("result", "error") if members.get(n) is not None]
    return "" if len(answers) == 1 else "it has not one of result and error"


_MEMBERS: dict[str, type] = {
    "kind": str,
    "name": str,
    "arguments": dict,
    "result": dict,
    "error": dict,
    "definition": str,
    "redacted": list,
}
_WORDS: dict[type, str] = {str: "a string", dict: "an object", list: "a list"}
