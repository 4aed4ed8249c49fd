"""``Task``: a running or resumed task of a tool."""

from __future__ import annotations

import functools
import inspect
import json
from collections.abc import Awaitable, Callable
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast

from pydantic import MISSING

from ..abbreviate import plain
from ..errors import InvalidTask, ProtocolError, TaskCancelled, TaskUnsupported
from ..models.response import recorder_of
from ..options import CallOptions
from ..package import Tool
from .call_pipeline import CallPipeline, Captured
from .progress import Progress
from .tasks.progress import TaskProgress
from .tasks.requests import Started
from .tasks.run import TaskRun
from .tasks.status import TaskStatus, read_id, read_status

if TYPE_CHECKING:
    from mcp.types import CallToolResult

    from ..connection.portal import Portal

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)

_FORMAT = "mcpgen-task/1"
_TEXTS = ("format", "server", "tool", "sha256", "task")


class Task(Generic[T_co]):
    """A task of a tool, from :meth:`McpClient.start` or :meth:`McpClient.resume`.

    It continues even if nobody waits for it.
    """

    def __init__(
        self,
        connection: CallPipeline,
        tool: Tool[T_co],
        run: TaskRun,
    ) -> None:
        self._connection = connection
        self._tool = tool
        self._run = run

    def __repr__(self) -> str:
        return f"<Task: {plain(self.tool)}, {plain(self.id) or 'answered at once'}>"

    @property
    def id(self) -> str:
        """The server's ID of the task, or ``""`` if it responded without a task."""
        return self._run.id

    @property
    def tool(self) -> str:
        """The JSON name of its tool."""
        return self._tool.name

    async def status(self) -> TaskStatus:
        """Request the current status from the server."""
        if not self.id:
            return TaskStatus("completed")
        return await self._run.status()

    async def result(self, timeout: float | None = None) -> T_co:
        """Wait, then return or raise the same as the tool's method.

        Questions of the server go to the callbacks of the client. If the wait ends early,
        the task continues.

        Args:
            timeout: How many seconds to wait; None means no limit. Each request to the
                server has the time limit of a call.
        """
        result = await self._result(timeout)
        if recorder := recorder_of(self._connection):
            recorder.take(result)
        return self._connection.read(self._tool, result)

    async def _result(self, timeout: float | None) -> CallToolResult:
        """Wait for the result, and record it if the client records."""
        arguments, tape = self._run.arguments, self._connection.tape
        if arguments is None or tape is None:
            return await self._run.wait(timeout)
        try:
            result = await self._run.wait(timeout)
        except (ProtocolError, TaskCancelled) as error:
            self._run.arguments = None
            tape.keep(self.tool, arguments, error)
            raise
        self._run.arguments = None
        tape.keep(self.tool, arguments, result)
        return result

    async def cancel(self) -> TaskStatus:
        """Request cancellation, and return the status afterwards.

        A task that has ended is unchanged. Since 2026-07-28 a server may take a while to
        cancel, or may continue.
        """
        if not self.id:
            return TaskStatus("completed")
        return await self._run.cancel()

    def to_text(self) -> str:
        """Return a string that :meth:`McpClient.resume` accepts, also in another process.

        Anybody who has the string and can call the server may be able to read the result.
        """
        if not self.id:
            reason = "the server responded at once, so there is no task to resume"
            raise TaskUnsupported(self.tool, reason)
        fields = dict(_task_fields(self._connection, self.tool), task=self.id)
        return json.dumps(fields, separators=(",", ":"))


_connection_of: Callable[[Task[Any]], CallPipeline] = attrgetter("_connection")


class SyncTask(Generic[T_co]):
    """The same for code without ``async``: each method waits."""

    def __init__(self, task: Task[T_co], portal: Portal) -> None:
        self._task = task
        self._portal = portal

    def __repr__(self) -> str:
        return f"<Sync{repr(self._task)[1:]}"

    @property
    def id(self) -> str:
        """The server's ID of the task, or ``""`` if it responded without a task."""
        return self._task.id

    @property
    def tool(self) -> str:
        """The JSON name of its tool."""
        return self._task.tool

    def status(self) -> TaskStatus:
        """Request the current status from the server."""
        return self._wait(self._task.status)

    def result(self, timeout: float | None = None) -> T_co:
        """Wait as :meth:`Task.result` does."""
        return self._wait(functools.partial(self._task.result, timeout))

    def cancel(self) -> TaskStatus:
        """Request cancellation, as :meth:`Task.cancel` does."""
        return self._wait(self._task.cancel)

    def to_text(self) -> str:
        """Return a string that :meth:`SyncClient.resume` accepts, also in another process."""
        return self._task.to_text()

    def _wait(self, act: Callable[[], Awaitable[T]]) -> T:
        try:
            return self._portal.call(act)
        except RuntimeError:
            connector = _connection_of(self._task).connector
            if connector.is_closed:
                raise connector.closed_error() from None
            raise


async def start(captured: Captured) -> Task[Any]:
    """Wait for the task of a call."""
    connection, tool = captured.connection, captured.tool
    options = CallOptions(is_start=True).over(captured.options)

    def read(tool: Tool[Any], result: CallToolResult) -> Task[Any]:
        run = _run(connection, tool.name, options)
        if isinstance(result, Started):
            run.id = read_id(tool.name, result.task)
            run.last = read_status(tool.name, result.task)
            run.arguments = result.arguments
            if run.progress is not None:
                run.progress.token = result.token or run.progress.token
        else:
            run.result = result
        return Task(connection, tool, run)

    task: Task[Any] = await connection.call(tool.name, captured.arguments, options, read)
    return task


async def resume(captured: Captured, text: str) -> Task[Any]:
    """Find the task that a text describes. It must belong to the method's tool."""
    connection, tool = captured.connection, captured.tool
    fields = _parse_task(tool.name, text)
    for member, is_now in _task_fields(connection, tool.name).items():
        if fields[member] != is_now:
            reason = f"its {_NAMES[member]} is {fields[member]!r}, and here {is_now!r}"
            raise InvalidTask(tool.name, reason)
    run = _run(connection, tool.name, captured.options)
    run.id = fields["task"]
    await run.status()
    return Task(connection, tool, run)


def arguments_for(method: Callable[..., object], text: str) -> dict[str, Any]:
    """Return arguments with which a method reveals the tool that it calls.

    A method that takes the name of the tool gets the name from the text.
    """
    parameters = inspect.signature(method).parameters
    if getattr(method, "__name__", "") == "call" and {*parameters} == _OF_CALL:
        return {"tool": _parse_task("task", text)["tool"], "arguments": {}}
    return {
        name: MISSING
        for name, parameter in parameters.items()
        if parameter.default is parameter.empty and parameter.kind in _BY_NAME
    }


_OF_CALL = {"tool", "arguments"}
_BY_NAME = (
    inspect.Parameter.KEYWORD_ONLY,
    inspect.Parameter.POSITIONAL_OR_KEYWORD,
)
_NAMES = {
    "format": "format",
    "server": "server",
    "tool": "tool",
    "sha256": "contract",
}


def _task_fields(connection: CallPipeline, tool: str) -> dict[str, str]:
    entry: dict[str, Any] = connection.package.contract["tools"][tool]
    return {
        "format": _FORMAT,
        "server": connection.session.route.label,
        "tool": tool,
        "sha256": str(entry.get("sha256", "")),
    }


def _parse_task(tool: str, text: str) -> dict[str, str]:
    try:
        read: object = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InvalidTask(tool, f"the text is not of a task: {error}") from None
    fields = cast("dict[str, object]", read) if isinstance(read, dict) else {}
    texts = {name: fields.get(name) for name in _TEXTS}
    if not all(isinstance(value, str) and value for value in texts.values()):
        raise InvalidTask(tool, "the text is not of a task")
    return cast("dict[str, str]", texts)


def _run(connection: CallPipeline, tool: str, options: CallOptions) -> TaskRun:
    whole = options.over(connection.options)
    run = TaskRun(connection.connector, tool, "", whole, connection.tally)
    if whole.on_progress is not None:
        run.progress = TaskProgress(Progress(whole.on_progress))
    return run
