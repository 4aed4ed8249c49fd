"""Serves over stdin and stdout until the client leaves, or it is stopped."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import AsyncGenerator, Generator, Iterator
from concurrent.futures import CancelledError
from contextlib import asynccontextmanager, contextmanager, suppress
from typing import TYPE_CHECKING, Any, cast

import anyio
from anyio.abc import TaskStatus
from anyio.from_thread import BlockingPortal
from anyio.streams.memory import MemoryObjectSendStream
from mcp.server import Server
from mcp.server.stdio import stdio_server

if TYPE_CHECKING:
    from .telemetry import Sessions


async def serve(server: Server[Any]) -> None:
    """Serve until the client closes stdin.

    Raises:
        KeyboardInterrupt: The server was interrupted, and pending calls were cancelled.
    """
    send, receive = anyio.create_memory_object_stream[str]()
    lines = cast("anyio.AsyncFile[str]", receive)
    stopped: list[int] = []
    async with _fed(send), anyio.create_task_group() as tasks:
        await tasks.start(_stop_when_told, send, stopped)
        async with stdio_server(stdin=lines) as (read, write):
            with _measure_session(server):
                await server.run(read, write, server.create_initialization_options())
        tasks.cancel_scope.cancel()
    if stopped:
        raise KeyboardInterrupt


@contextmanager
def _measure_session(server: Server[Any]) -> Generator[None, None, None]:
    """Measure the session with the one client."""
    sessions: Sessions | None = getattr(server, "sessions", None)
    if sessions is None or not sessions.is_measured:
        yield
        return
    sessions.begin("")
    try:
        yield
    finally:
        sessions.end("", {"network.transport": "pipe"})


async def _stop_when_told(
    send: MemoryObjectSendStream[str],
    stopped: list[int],
    *,
    task_status: TaskStatus[None],
) -> None:
    """End the input at the first Ctrl-C, as a client does that leaves."""
    try:
        with anyio.open_signal_receiver(signal.SIGINT) as signals:
            task_status.started()
            async for number in signals:
                stopped.append(number)
                break
    except NotImplementedError:  # on Windows, where the call is cancelled instead
        task_status.started()
        return
    await send.aclose()


@asynccontextmanager
async def _fed(send: MemoryObjectSendStream[str]) -> AsyncGenerator[None, None]:
    """Send the lines of stdin.

    They are read by a thread that nothing waits for: the SDK's own waits for the next
    line, so that the server could not be stopped before there is one.
    """
    wire = _take_over_stdin()
    async with BlockingPortal() as portal:
        reader = threading.Thread(target=_read, args=(wire, portal, send), daemon=True)
        reader.start()
        try:
            yield
        finally:
            await portal.stop(cancel_remaining=True)


def _take_over_stdin() -> int:
    """Return a descriptor of stdin, which is empty from now on for everything else."""
    wire = os.dup(0)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    return wire


_CLOSED = (anyio.BrokenResourceError, anyio.ClosedResourceError)


def _read(wire: int, portal: BlockingPortal, send: MemoryObjectSendStream[str]) -> None:
    # After the server has stopped, the portal is closed or nobody receives.
    with suppress(RuntimeError, CancelledError, *_CLOSED):
        for line in _split(wire):
            portal.call(send.send, line.decode("utf-8", "replace"))
        portal.call(send.aclose)


def _split(wire: int) -> Iterator[bytes]:
    """Yield lines. A file object would hold a lock after the end of the thread."""
    parts: list[bytes] = []
    with suppress(OSError):  # a closed terminal
        while chunk := os.read(wire, 65_536):
            first, *more = chunk.split(b"\n")
            parts.append(first)
            for start in more:
                yield b"".join(parts)
                parts = [start]
    if any(parts):
        yield b"".join(parts)
