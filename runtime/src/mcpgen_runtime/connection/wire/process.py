"""Starts server processes, and stops them together with their children."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager, suppress
from typing import Any, TextIO

import anyio
from anyio.abc import Process
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp import StdioServerParameters, stdio_client
from mcp.client.stdio import get_default_environment
from mcp.shared.message import SessionMessage

from ...redaction.credentials import CREDENTIALS
from . import messages

_FLUSH = 0.5
_GRACE = 2.0
"""Seconds to exit after stdin is closed, and again after SIGTERM."""
_GRACE_OF_SILENT = 0.1
"""Seconds for a server that has sent nothing and therefore has no work to finish."""
_POLL = 0.01
_GONE = (
    anyio.ClosedResourceError,
    anyio.BrokenResourceError,
    anyio.EndOfStream,
    OSError,
)
if sys.platform == "win32":
    _ENDING: tuple[int, ...] = ()
else:
    _ENDING = (signal.SIGTERM, signal.SIGKILL)


@asynccontextmanager
async def process(
    command: StdioServerParameters,
    errlog: TextIO,
    on_start: Callable[[int], None] | None = None,
) -> AsyncGenerator[tuple[Any, Any]]:
    """Start a server, talk over stdin and stdout, and finally stop its process group.

    The SDK's transport doesn't stop the children of a server that ended by itself.
    ``on_start`` gets the process ID, except on Windows.
    """
    if sys.platform == "win32":  # the SDK's job objects do this
        tolerant = command.model_copy(update={"encoding_error_handler": "replace"})
        async with stdio_client(tolerant, errlog) as streams:
            yield streams
        return
    started = await anyio.open_process(
        [command.command, *command.args],
        env=_environment(command),
        stderr=errlog,
        cwd=command.cwd,
        start_new_session=True,
    )
    if on_start is not None:
        on_start(started.pid)
    # No await until its end is certain, otherwise a cancellation would leave a process.
    send, read = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    write, receive = anyio.create_memory_object_stream[SessionMessage](0)
    flushed, output_seen = anyio.Event(), anyio.Event()
    with send, read, write, receive:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(_listen, started, send, output_seen)
            tasks.start_soon(_speak, started, receive, send, flushed)
            try:
                yield read, write
            finally:
                with anyio.CancelScope(shield=True):
                    read.close()
                    write.close()
                    with anyio.move_on_after(_FLUSH):
                        await flushed.wait()
                    try:
                        grace = _GRACE if output_seen.is_set() else _GRACE_OF_SILENT
                        await _stop(started, grace)
                    except BaseException:  # of asyncio itself, which knows no shield
                        _kill(started)
                        raise
                tasks.cancel_scope.cancel()


def _environment(command: StdioServerParameters) -> dict[str, str]:
    """Return the server's variables, with this Python's own paths if it runs again."""
    values = get_default_environment()
    if command.command == sys.executable:
        paths = ("PYTHONPATH", "PYTHONUSERBASE")
        values |= {name: os.environ[name] for name in paths if name in os.environ}
    CREDENTIALS.add_given((command.env or {}).values())
    CREDENTIALS.add_command(command.args)
    return values | (command.env or {})


async def _listen(
    started: Process,
    send: MemoryObjectSendStream[SessionMessage | Exception],
    output_seen: anyio.Event,
) -> None:
    """Pass on each line. After the receiver has closed, discard the rest."""
    assert started.stdout is not None
    with suppress(*_GONE):
        with send, suppress(anyio.BrokenResourceError):
            rest: list[bytes] = []
            length = 0
            async for chunk in started.stdout:
                output_seen.set()
                *lines, last = chunk.split(b"\n")
                for line in lines:
                    await send.send(messages.read(b"".join([*rest, line])))
                    rest, length = [], 0
                rest.append(last)
                length += len(last)
                if length > messages.MOST_BYTES:
                    await send.send(messages.TooLong())
                    break
        with anyio.CancelScope(shield=True):
            while True:
                await started.stdout.receive()


async def _speak(
    started: Process,
    receive: MemoryObjectReceiveStream[SessionMessage],
    send: MemoryObjectSendStream[SessionMessage | Exception],
    flushed: anyio.Event,
) -> None:
    assert started.stdin is not None
    try:
        with receive:
            async for item in receive:
                text = item.message.model_dump_json(by_alias=True, exclude_unset=True)
                await started.stdin.send(text.encode() + b"\n")
    except _GONE:
        send.close()  # otherwise a request would wait forever
    finally:
        flushed.set()


async def _stop(started: Process, grace: float) -> None:
    """Close stdin, wait for ``grace`` seconds, then end the whole process group."""
    assert started.stdin is not None
    assert started.stdout is not None
    with suppress(*_GONE):
        await started.stdin.aclose()
    if await _ends(started, grace):
        # Its children may be about to exit too, but don't wait for them.
        await anyio.sleep(0)
    for number in _ENDING:
        if not _signalled(started, number):
            break
        if await _group_ends(started, _GRACE):
            break
    with suppress(*_GONE):
        await started.stdout.aclose()
    _close(started)


async def _ends(started: Process, seconds: float) -> bool:
    # Not wait(), which from Python 3.11 on waits for the ends of the pipes, too.
    ends = anyio.current_time() + seconds
    while started.returncode is None:
        if anyio.current_time() >= ends:
            return False
        await anyio.sleep(_POLL)
    return True


async def _group_ends(started: Process, seconds: float) -> bool:
    ends = anyio.current_time() + seconds
    while _signalled(started, 0):
        if anyio.current_time() >= ends:
            return False
        _ = started.returncode  # reading it reaps the process
        await anyio.sleep(_POLL)
    return True


def _signalled(started: Process, number: int) -> bool:
    """Send a signal to the process group and return whether it exists."""
    if sys.platform == "win32":
        return False
    try:
        os.killpg(started.pid, number)  # a new session's group has its leader's number
    except ProcessLookupError:
        return False
    except PermissionError:  # some processes are gone or belong to others
        return number == 0 and started.returncode is None
    return True


def _kill(started: Process) -> None:
    """Kill the whole group at once, because there is no time for a graceful end."""
    for number in _ENDING[-1:]:
        _signalled(started, number)
    _close(started)


def _close(started: Process) -> None:
    """Close the pipes, which a process outside of the group may hold open forever."""
    transport = getattr(getattr(started, "_process", None), "_transport", None)
    close = getattr(transport, "close", None)
    if callable(close):
        with suppress(PermissionError):
            close()
