"""Runs calls of a mock as tasks."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

from mcp import MCPError, types
from mcp.server import Server
from mcpgen_runtime.server.task_protocol import eras as task_eras
from mcpgen_runtime.server.task_protocol.eras import TASKS, is_modern, require_era
from mcpgen_runtime.server.task_protocol.task import Task
from mcpgen_runtime.server.task_requests import (
    Running,
    TaskRequests,
    first_answer,
    result_as_sent,
)

from mcpgen.contract.document import Contract
from mcpgen.isolation import reason
from mcpgen.jsontext import Json, is_object
from mcpgen.testing.mock.results import Context, keeping, put

Answered: TypeAlias = types.CallToolResult | types.InputRequiredResult
Run: TypeAlias = Callable[[Task | None], Awaitable[Answered]]

_TTL = 600.0
_POLL = 0.05
_MOST = 1_000


@dataclass(frozen=True)
class Tasks:
    """The tools that run as tasks, and their pending tasks."""

    contract: Contract

    @cached_property
    def support(self) -> Mapping[str, str]:
        """The task support of each tool. Since 2026-07-28 the server decides for all tools."""
        tools = self.contract.tools
        result = {
            n: task_support
            for n, raw in tools.items()
            if (task_support := task_eras.support_of(raw))
        }
        extensions = self.contract.capabilities.get("extensions")
        if not result and is_object(extensions) and TASKS in extensions:
            return dict.fromkeys(tools, "optional")
        return result

    def declared_capabilities(
        self, capabilities: Mapping[str, Json], revision: str
    ) -> dict[str, Json]:
        """Return capabilities including tasks, as a protocol revision declares them."""
        if not self.support:
            return dict(capabilities)
        return task_eras.with_tasks(capabilities, revision, lists=True)

    def serve(self, server: Server[Any]) -> None:
        """Run tasks while the server runs, and handle requests about them."""
        if not self.support:
            return
        TaskRequests(_find_task).serve(server)
        server.add_request_handler("tasks/list", types.PaginatedRequestParams, _list)

    def takes(self, ctx: Context, params: types.CallToolRequestParams) -> bool:
        """Return True if a call becomes a task. Rejects a call that must be a task but can't."""
        return task_eras.becomes_task(ctx, params, self.support.get(params.name))

    def start(self, ctx: Context, run: Run) -> types.CallToolResult:
        """Respond with a task, in which the call continues."""
        running: Running = ctx.lifespan_context
        while len(running.tasks) >= _MOST:
            del running.tasks[next(iter(running.tasks))]
        task = Task(owner=None, is_modern=is_modern(ctx), ttl=_TTL, poll=_POLL)
        running.tasks[task.id] = task
        put(first_answer(task))
        running.group.start_soon(_run, task, ctx.protocol_version, run)
        return types.CallToolResult(content=[])


def runs_tasks(contract: Contract) -> bool:
    """Return True if a mock of the contract runs any tool as a task."""
    return bool(Tasks(contract).support)


async def _run(task: Task, revision: str, run: Run) -> None:
    """Run a call to its end."""
    with keeping() as redactions, task.scope:
        try:
            result = await run(task)
            task.finish({**result_as_sent(result, revision), **redactions})
        except MCPError as error:
            task.fail(error.error)
        except Exception as error:  # an error of the mock only fails this task
            task.fail(types.ErrorData(code=types.INTERNAL_ERROR, message=reason(error)))


async def _find_task(ctx: Context, task_id: str) -> Task | None:
    running: Running = ctx.lifespan_context
    return running.tasks.get(task_id)


async def _list(ctx: Context, params: types.PaginatedRequestParams) -> Json:
    require_era(ctx, modern=False)
    del params
    running: Running = ctx.lifespan_context
    return {"tasks": [task.shared_fields for task in running.tasks.values() if not task.is_modern]}
