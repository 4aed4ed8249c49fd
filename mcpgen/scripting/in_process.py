"""Runs a trusted script as plain Python in a child process, without a sandbox.

The process has no environment variables and no connection. Its time, memory and calls are limited.
It can still read files, open sockets and start programs, with the rights of its user.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import sys
import tempfile
from collections.abc import Coroutine, Mapping
from math import ceil
from pathlib import Path
from typing import Any

from mcpgen.scripting.broker import Broker, CallError, StoppedError
from mcpgen.scripting.surface import EXCEPTIONS

_MOST_BYTES = 64 * 1024 * 1024


async def run(script: str, broker: Broker) -> tuple[str, str]:
    """Return the output of a script, and the reason if it failed, or ""."""
    with tempfile.TemporaryDirectory(prefix="mcpgen-") as folder:
        # An empty folder, no packages, and no variables except the one that Windows requires.
        variables = {name: os.environ[name] for name in ("SYSTEMROOT",) if name in os.environ}
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            *("-I", "-S", str(Path(__file__).with_name("child.py"))),
            cwd=folder,
            env=variables,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            limit=_MOST_BYTES,
            start_new_session=True,
        )
        run = _Run(process, broker)
        try:
            return await run.run_to_end(script)
        finally:
            await run.end()


class _Run:
    """A process that runs a script, and its pending calls."""

    def __init__(self, process: asyncio.subprocess.Process, broker: Broker) -> None:
        assert process.stdin
        assert process.stdout
        assert process.stderr
        self.process, self.broker = process, broker
        self.input, self.output, self.errors = process.stdin, process.stdout, process.stderr
        self.printed = bytearray()
        self.over: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self.reading = asyncio.create_task(self._read())
        self.tasks: set[asyncio.Task[None]] = set()

    async def run_to_end(self, script: str) -> tuple[str, str]:
        """Pass the script to the process, and make its calls until it ends."""
        limits, servers = self.broker.limits, self.broker.servers
        self._send(
            {
                "script": script,
                "modules": {name: [*item.surface.functions] for name, item in servers.items()},
                "exceptions": {name: base.__name__ for name, (base, _) in EXCEPTIONS.items()},
                "memory": limits.memory,
                "seconds": ceil(limits.seconds),
            }
        )
        self._start(self._listen())
        try:
            failed = await asyncio.wait_for(asyncio.shield(self.over), limits.seconds)
        except asyncio.TimeoutError:
            failed = f"stopped: it took longer than {limits.seconds:g} seconds"
        with contextlib.suppress(asyncio.TimeoutError):  # another process may hold it open
            await asyncio.wait_for(asyncio.shield(self.reading), 1)
        printed = self.printed[: limits.output].decode("utf-8", "replace")
        return printed.replace("\r\n", "\n"), failed

    async def end(self) -> None:
        """End the process and its process group."""
        for task in [*self.tasks, self.reading]:
            task.cancel()
        with contextlib.suppress(ProcessLookupError, PermissionError):
            if sys.platform == "win32":
                self.process.kill()
            else:
                os.killpg(self.process.pid, signal.SIGKILL)
        await self.process.wait()
        await asyncio.gather(*self.tasks, self.reading, return_exceptions=True)

    async def _listen(self) -> None:
        """Handle messages of the process: calls, and the end."""
        while line := await self.output.readline():
            try:
                message = json.loads(line)
                if "done" in message:
                    self._finish(str(message["done"]))
                    return
                number, (module, function, args, kwargs) = message["id"], message["call"]
            except (ValueError, KeyError, TypeError):
                break
            self._start(self._call(number, module, function, args, kwargs))
        self._finish("stopped: its process ended")

    async def _call(self, number: int, module: str, function: str, args: Any, kwargs: Any) -> None:
        try:
            result = await self.broker.call(module, function, args, kwargs)
        except CallError as error:
            self._send({"id": number, "error": [error.name, error.problem]})
        except StoppedError as error:
            self._finish(f"stopped: {error}")
        else:
            self._send({"id": number, "result": result})

    async def _read(self) -> None:
        """Collect output up to the limit."""
        while part := await self.errors.read(1 << 16):
            self.printed += part
            if len(self.printed) > self.broker.limits.output:
                self._finish(f"stopped: it printed more than {self.broker.limits.output} bytes")
                return

    def _start(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self.tasks.add(task)
        task.add_done_callback(self._task_done)

    def _task_done(self, task: asyncio.Task[None]) -> None:
        """Propagate the exception of a task, such as a broken connection."""
        self.tasks.discard(task)
        error = None if task.cancelled() else task.exception()
        if error is not None and not self.over.done():
            self.over.set_exception(error)

    def _finish(self, failed: str) -> None:
        if not self.over.done():
            self.over.set_result(failed)

    def _send(self, message: Mapping[str, Any]) -> None:
        self.input.write(json.dumps(message).encode() + b"\n")
