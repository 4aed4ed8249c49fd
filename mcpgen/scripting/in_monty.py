"""Runs a script in Monty, an interpreter that can only compute and request calls.

mcpgen uses Monty's synchronous interface in threads, because the asynchronous one kills its process
at exit. Monty has no custom exceptions, so failed calls raise built-in base classes.
"""

from __future__ import annotations

import ast
import asyncio
import contextlib
import os
import signal
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from mcpgen import installing
from mcpgen.errors import UsageError
from mcpgen.scripting.broker import Broker, CallError, StoppedError
from mcpgen.scripting.surface import EXCEPTIONS

if TYPE_CHECKING:
    from pydantic_monty import MontySession

_GRACE = 5.0
_PREFIX = "_mcpgen_"
_BINDINGS = "\n".join(
    f"{_PREFIX}{name} = {base.__name__}" for name, (base, _) in EXCEPTIONS.items()
)


async def run(script: str, broker: Broker) -> tuple[str, str]:
    """Return the output of a script, and the reason if it failed, or ""."""
    try:
        import pydantic_monty as monty
    except ImportError:
        raise UsageError(
            "running scripts in a sandbox requires Monty",
            hint=installing.extra_hint("scripts"),
        ) from None
    limits = broker.limits
    own: monty.ResourceLimits = {
        # The total time is limited below. This stops a single step that can't be interrupted.
        "max_feed_duration_secs": limits.seconds + _GRACE,
        "max_memory": limits.memory,
        "max_suspensions": 3 * limits.calls + 1_000,  # imports and waits count too
    }
    modules = {
        name: monty.ExternalModule(dict.fromkeys(item.surface.functions, _never))
        for name, item in broker.servers.items()
    }
    run = _Run(broker)
    with monty.Monty(max_processes=1) as pool:
        session = pool.checkout(script_name="script.py", limits=own, external_modules=modules)
        with session as worker:
            try:
                await asyncio.wait_for(run.driven(worker, script), limits.seconds)
                failed = ""
            except asyncio.TimeoutError:
                run.kill()
                failed = f"stopped: it took longer than {limits.seconds:g} seconds"
            except StoppedError as error:
                run.kill()
                failed = f"stopped: {error}"
            except monty.MontyError as error:
                failed = run.error_text(error)
    return "".join(run.printed)[: limits.output], failed


def _never(*_: Any, **__: Any) -> None:
    raise AssertionError("the broker makes the calls")


class _Run:
    """A script that runs in Monty, and its pending calls."""

    def __init__(self, broker: Broker) -> None:
        self.broker = broker
        self.printed: list[str] = []
        self.length = 0
        self.process: int | None = None
        self.tasks: dict[int, asyncio.Task[Any]] = {}
        self.raised: dict[str, str] = {}

    async def driven(self, worker: MontySession, script: str) -> None:
        """Run a script. Each call is a task, awaited when the script can't continue."""
        from pydantic_monty import FunctionSnapshot, FutureSnapshot, MontyComplete

        await asyncio.to_thread(worker.feed_run, _BINDINGS)
        self.process = worker.worker_pid
        text = with_exceptions(script, self.broker.servers)
        at = await asyncio.to_thread(worker.feed_start, text, print_callback=self._print)
        try:
            while not isinstance(at, MontyComplete):
                if isinstance(at, FunctionSnapshot) and not at.is_os_function:
                    module, _, function = str(at.function_name).rpartition(".")
                    work = self.broker.call(module, function, at.args, at.kwargs)
                    self.tasks[at.call_id] = asyncio.create_task(work)
                    at = await asyncio.to_thread(at.resume, {"future": ...})
                elif isinstance(at, FutureSnapshot):
                    at = await asyncio.to_thread(at.resume, await self._completed_calls(at))
                else:
                    at = await asyncio.to_thread(at.resume_auto)
        finally:
            for task in self.tasks.values():
                task.cancel()
            await asyncio.gather(*self.tasks.values(), return_exceptions=True)

    async def _completed_calls(self, at: Any) -> dict[int, Any]:
        waiting = {number: self.tasks[number] for number in at.pending_call_ids}
        await asyncio.wait(waiting.values(), return_when=asyncio.FIRST_COMPLETED)
        return {n: self._answer(task) for n, task in waiting.items() if task.done()}

    def _answer(self, task: asyncio.Task[Any]) -> dict[str, Any]:
        try:
            return {"return_value": task.result()}
        except CallError as error:
            self.raised[error.problem] = error.name
            return {"exception": EXCEPTIONS[error.name][0](error.problem)}

    def kill(self) -> None:
        """Kill the interpreter process, which can't be interrupted."""
        if self.process is not None:
            with contextlib.suppress(OSError):
                os.kill(self.process, getattr(signal, "SIGKILL", signal.SIGTERM))
            self.process = None

    def _print(self, _stream: str, text: str) -> None:
        """Collect output up to the limit. Called by the waiting thread."""
        self.printed.append(text)
        self.length += len(text)
        if self.length > self.broker.limits.output:
            self.kill()

    def error_text(self, error: Any) -> str:
        """Return the line and reason of a failure, with the script's own names."""
        from pydantic_monty import MontyRuntimeError

        if self.length > self.broker.limits.output:
            return f"stopped: it printed more than {self.broker.limits.output} characters"
        if not isinstance(error, MontyRuntimeError):
            return str(error)
        if isinstance(error.exception(), SystemExit):
            return error.display("msg").removeprefix("SystemExit").lstrip(": ")
        lines = [
            f"line {frame.line}: {frame.source_line or ''}".rstrip() for frame in error.traceback()
        ]
        text = error.display("msg")
        kind = type(error.exception()).__name__
        return "\n".join([*lines, f"{self.raised.get(text, kind)}: {text}"])


def with_exceptions(script: str, modules: Mapping[str, object]) -> str:
    """Return a script in which exceptions of modules are replaced by bound names.

    Its lines stay the same.
    """
    tree = ast.parse(script)
    lines = script.split("\n")
    aliases = {
        alias.asname or alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.Import)
        for alias in node.names
        if alias.name in modules
    }
    edits: list[tuple[ast.expr | ast.stmt, str]] = [
        *_attributes(tree, aliases),
        *_imports(tree, modules),
    ]
    for node, new in sorted(edits, key=lambda edit: (edit[0].lineno, edit[0].col_offset))[::-1]:
        first, last = node.lineno - 1, (node.end_lineno or node.lineno) - 1
        before = lines[first].encode()[: node.col_offset].decode()
        after = lines[last].encode()[node.end_col_offset :].decode()
        lines[first : last + 1] = [before + new + "\n" * (last - first) + after]
        lines = "\n".join(lines).split("\n")
    return "\n".join(lines)


def _attributes(tree: ast.Module, aliases: set[str]) -> Iterator[tuple[ast.expr, str]]:
    """Yield each ``bookshelf.ToolError`` with its replacement."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            is_there = node.value.id in aliases and node.attr in EXCEPTIONS
            if is_there and node.lineno == node.end_lineno:
                yield node, f"{_PREFIX}{node.attr}"


def _imports(tree: ast.Module, modules: Mapping[str, object]) -> Iterator[tuple[ast.stmt, str]]:
    """Yield each ``from bookshelf import ToolError`` with its replacement."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module in modules:
            unsupported = [alias for alias in node.names if alias.name not in EXCEPTIONS]
            if len(unsupported) == len(node.names):
                continue
            parts = [
                f"{alias.asname or alias.name} = {_PREFIX}{alias.name}"
                for alias in node.names
                if alias.name in EXCEPTIONS
            ]
            if unsupported:
                parts.insert(0, ast.unparse(ast.ImportFrom(node.module, unsupported, 0)))
            yield node, "; ".join(parts)
