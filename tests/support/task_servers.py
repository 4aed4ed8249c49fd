"""Servers whose tools run as tasks."""

from __future__ import annotations

import sys
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import anyio
import pytest
from authored import server
from guards import PATIENCE
from mcp import types
from task_client import TaskClient, tasks_of

BODY = """\
events = []

async def make(self, arguments, context):
    await context.progress(1, 2, "half")
    await context.log("error", "heard")
    answer = await context.elicit("q", "Sure?", {"type": "object", "properties": {}})
    return f"{answer.action} {context.is_task}"

async def maybe(self, arguments, context):
    return str(context.is_task)

async def plain(self, arguments, context):
    return "plain"

async def fail(self, arguments, context):
    raise ToolError("no luck today")

async def refuse(self, arguments, context):
    return await context.roots("r")

async def wait(self, arguments, context):
    try:
        await anyio.sleep(60)
    finally:
        self.events.append("stopped")

async def give(self, arguments, context):
    return {"a": None}

async def both(self, arguments, context):
    found = {}
    async def ask(key):
        form = {"type": "object", "properties": {}}
        found[key] = (await context.elicit(key, key, form)).content
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(ask, "a")
        tasks.start_soon(ask, "b")
    return json.dumps(found, sort_keys=True)

async def asks(self, arguments, context):
    from mcp.types import ElicitRequest, ElicitRequestFormParams, InputRequiredResult
    self.events.append((context.state, sorted(context.answers)))
    if context.state == "second":
        return "done"
    schema = {"type": "object", "properties": {}}
    form = ElicitRequestFormParams(message="?", requested_schema=schema)
    return InputRequiredResult(
        input_requests={"k": ElicitRequest(params=form)},
        request_state="second" if context.state else "first",
    )

async def model(self, arguments, context):
    tool = SamplingTool("add", function=lambda given: str(given["a"] + given["b"]))
    answer = await context.sample("q", "Add.", max_tokens=10, tools=[tool])
    return answer.text
"""

REQUIRED = {"execution": {"taskSupport": "required"}}

OPTIONAL = {"execution": {"taskSupport": "optional"}}

TOOLS: dict[str, Any] = {
    "make": REQUIRED,
    "maybe": OPTIONAL,
    "plain": {},
    "fail": OPTIONAL,
    "refuse": OPTIONAL,
    "wait": OPTIONAL,
    "give": {**OPTIONAL, "outputSchema": {"type": "object", "required": ["a"]}},
    "both": OPTIONAL,
    "asks": OPTIONAL,
    "model": OPTIONAL,
}

DECLARED = {"tools": {}, "logging": {}}


@pytest.fixture
def odd(tmp_path: Path) -> Iterator[ModuleType]:
    with server(tmp_path, TOOLS, BODY, capabilities=DECLARED) as module:
        yield module


async def accept(context: Any, params: types.ElicitRequestParams) -> types.ElicitResult:
    return types.ElicitResult(action="accept", content={"said": params.message})


def run(
    package: Any, mode: str, act: Callable[[TaskClient], Awaitable[Any]], **options: Any
) -> Any:
    async def main() -> Any:
        with anyio.fail_after(PATIENCE):
            async with tasks_of(package, mode, **options) as client:
                return await act(client)

    return anyio.run(main)


async def answer_all(client: TaskClient, task: str) -> dict[str, Any]:
    """Answer all questions of a task as its protocol requires, and return its final state."""
    if client.is_modern:
        while True:
            state = await client.until(task, "input_required", "completed", "failed")
            if state["status"] != "input_required":
                break
            answers = {
                key: {"action": "accept", "content": {"said": item["params"]["message"]}}
                for key, item in state["inputRequests"].items()
            }
            assert await client.ask("tasks/update", task, inputResponses=answers)
    return await client.result(task)


def task_limits(odd: ModuleType, **limits: Any) -> Any:
    """Return limits of tasks."""
    return sys.modules[f"{odd.__package__}._generated"].Tasks(**limits)
