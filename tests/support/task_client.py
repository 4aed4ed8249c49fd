"""Task clients based on the SDK, which lacks task support: one per protocol."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, Literal

import anyio
from mcp import Client, StdioServerParameters, stdio_client, types
from mcp.client import ClaimContext, ClientExtension, ResultClaim
from mcp.client._memory import InMemoryTransport
from mcp.client.session import ClientSession
from mcp.client.streamable_http import streamable_http_client
from pydantic import ConfigDict

TASKS = "io.modelcontextprotocol/tasks"


class Params(types.RequestParams):
    """The parameters of any request about a task."""

    model_config = ConfigDict(extra="allow")


class About(types.Request[Params, str]):
    """A request about a task. Its ID is repeated as a header."""

    name_param = "taskId"
    method: str
    params: Params


class Unnamed(types.Request[Params, str]):
    method: str
    params: Params


class RawResult(types.Result):
    """A raw response."""

    model_config = ConfigDict(extra="allow")


class Created(types.Result):
    """The result of a call that created a task."""

    model_config = ConfigDict(extra="allow")
    result_type: Literal["task"] = "task"


class Extension(ClientExtension):
    """Declares the tasks extension without awaiting tasks."""

    identifier = TASKS

    def claims(self) -> list[ResultClaim[Any]]:
        return [ResultClaim(result_type="task", model=Created, resolve=self.leave)]

    async def leave(self, created: Created, context: ClaimContext) -> types.CallToolResult:
        raise NotImplementedError


@dataclass
class TaskClient:
    """Makes task requests over either protocol."""

    session: ClientSession
    is_modern: bool

    async def call(self, tool: str, arguments: Any = None, **task: Any) -> dict[str, Any]:
        """Call a tool and return the created task with the extension's property names."""
        if self.is_modern:
            result = await self.session.call_tool(tool, arguments or {}, allow_claimed=True)
            return result.model_dump(by_alias=True)
        params = types.CallToolRequestParams(
            name=tool, arguments=arguments or {}, task=types.TaskMetadata(**task)
        )
        request = types.CallToolRequest(params=params)
        return (await self.session.send_request(request, RawResult)).model_dump(by_alias=True)[
            "task"
        ]

    async def ask(self, method: str, task: str | None = None, **more: Any) -> dict[str, Any]:
        """Ask about a task."""
        params = Params.model_validate(({"taskId": task} if task else {}) | more)
        kind = About if task else Unnamed
        request = kind(method=method, params=params)
        answer = await self.session.send_request(request, RawResult)
        return answer.model_dump(by_alias=True, exclude_none=True)

    async def until(self, task: str, *statuses: str) -> dict[str, Any]:
        """Ask until a task has one of these statuses."""
        with anyio.fail_after(20):
            while (state := await self.ask("tasks/get", task))["status"] not in statuses:
                await anyio.sleep(0.01)
        return state

    async def result(self, task: str) -> dict[str, Any]:
        """Return the result of a task."""
        if not self.is_modern:
            return await self.ask("tasks/result", task)
        results: dict[str, Any] = (await self.until(task, "completed", "failed"))["result"]
        return results


class _Reading:
    """Makes a created task look like a tool result, which the session expects.

    ``notifications`` receives each notification as JSON.
    """

    def __init__(self, stream: Any, notifications: list[Any] | None = None) -> None:
        self._stream = stream
        self._notifications = notifications

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def __aiter__(self) -> _Reading:
        return self

    async def __anext__(self) -> Any:
        item = await self._stream.__anext__()
        message = getattr(item, "message", None)
        if self._notifications is not None and isinstance(message, types.JSONRPCNotification):
            self._notifications.append(message.model_dump(by_alias=True))
        result = getattr(message, "result", None)
        if isinstance(result, dict) and "task" in result:
            result.setdefault("content", [])
        return item

    async def __aenter__(self) -> _Reading:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._stream.aclose()


@asynccontextmanager
async def _tap_transport(
    transport: Any, notifications: list[Any] | None = None
) -> AsyncIterator[Any]:
    async with transport as (read, write):
        yield _Reading(read, notifications), write


@asynccontextmanager
async def tasks_of(
    created: Any,
    mode: str,
    *,
    declares: bool = True,
    http_client: Any = None,
    notifications: list[Any] | None = None,
    **options: Any,
) -> AsyncIterator[TaskClient]:
    """Connect to a server, a URL or a command, and ask it about tasks.

    ``notifications`` receives each notification of a server in this process.
    """
    target = streamable_http_client(created, http_client=http_client) if http_client else created
    if mode == "legacy":
        if isinstance(created, str):
            transport: Any = streamable_http_client(created, http_client=http_client)
        elif isinstance(created, StdioServerParameters):
            transport = stdio_client(created)
        else:
            transport = InMemoryTransport(created)
        target = _tap_transport(transport, notifications)
    else:
        if notifications is not None:
            target = _tap_transport(InMemoryTransport(created), notifications)
        if declares:
            options["extensions"] = [Extension()]
    async with Client(target, mode=mode, **options) as client:  # type: ignore[arg-type]
        yield TaskClient(client.session, mode != "legacy")


def text_of(result: Mapping[str, Any]) -> str:
    """Return the text of a raw result."""
    return "\n".join(block["text"] for block in result["content"] if block["type"] == "text")
