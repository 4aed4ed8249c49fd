"""Tasks in the store. Each belongs to one replica, and all replicas handle requests about it."""

from __future__ import annotations

import json
import time
from collections.abc import Hashable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, cast

import anyio
from mcp import MCPError, types
from pydantic import TypeAdapter

from ..task_protocol.task import RELATED, Task
from .errors import StoreUnavailable
from .hub import Hub

_REQUESTS: TypeAdapter[types.InputRequest] = TypeAdapter(types.InputRequest)
_LOST = types.ErrorData(
    code=types.INTERNAL_ERROR, message="The replica that ran the task has ended"
)
_OVER = ("completed", "failed", "cancelled")
_POLL = 1.0


class SharedTasks:
    """The tasks of all replicas.

    Args:
        hub: The other replicas.
        local: The tasks of this replica by ID.
    """

    def __init__(self, hub: Hub) -> None:
        self._hub = hub
        self._connection = hub.connection
        self._local: dict[str, Task] = {}
        self._changes: dict[str, anyio.Event] = {}
        hub.on("task", self._note_change)
        hub.on("task_answer", self._answer)
        hub.on("task_cancel", self._cancel)

    async def add(self, task: Task) -> None:
        """Store a new task.

        Raises:
            StoreUnavailable: It isn't stored, so it must not start.
        """
        await self._save(task)
        self._local[task.id] = task
        all_tasks, working = self._sets(task.owner)
        due = time.time() + task.ttl

        async def command(redis: Any) -> None:
            async with redis.pipeline() as pipe:
                for name in (all_tasks, working):
                    pipe.zadd(name, {task.id: due})
                    pipe.expire(name, _LONGEST)
                await pipe.execute()

        await self._connection.run(command)

    async def follow(self, task: Task) -> None:
        """Store each change of a task until it ends, and end it if its lease has ended."""
        is_over = False
        while not is_over:
            version, is_over = task.version, task.is_over
            try:
                is_kept = await self._save(task)
                await self._hub.tell_all("task", id=task.id)
                if is_over:
                    working = self._sets(task.owner)[1]
                    await self._connection.run(lambda redis: redis.zrem(working, task.id))  # noqa: B023
            except StoreUnavailable:
                is_over = False
                await anyio.sleep(_POLL)
                continue
            if not is_kept:
                task.fail(_LOST)
                task.scope.cancel()
                break
            while not is_over and task.version == version:
                await task.change()

    def forget(self, task: Task) -> None:
        """Remove an expired task. Its entry in the store expires."""
        self._local.pop(task.id, None)

    async def counts(self, owner: Hashable) -> tuple[int, int]:
        """Return how many tasks of a caller are working, and how many are kept."""
        all_tasks, working = self._sets(owner)
        now = time.time()

        async def command(redis: Any) -> list[int]:
            async with redis.pipeline() as pipe:
                for name in (working, all_tasks):
                    pipe.zremrangebyscore(name, 0, now)
                    pipe.zcard(name)
                results: list[int] = await pipe.execute()
                return results

        _, working_count, _, total = await self._connection.run(command)
        return working_count, total

    async def find(self, task_id: str, owner: Hashable) -> Task | RemoteTask | None:
        """Return a task of a caller, or None."""
        local = self._local.get(task_id)
        if local is not None:
            return local if local.owner == owner else None
        record = await self._load(task_id)
        if record is None or record["owner"] != self._connection.caller_key(owner):
            return None
        return RemoteTask(self, task_id, record)

    async def of_owner(self, owner: Hashable) -> list[Task | RemoteTask]:
        """Return the tasks of a caller, in the order in which they expire."""
        all_tasks = self._sets(owner)[0]
        ids = await self._connection.run(
            lambda redis: redis.zrangebyscore(all_tasks, time.time(), "+inf")
        )
        tasks = [await self.find(task_id, owner) for task_id in ids]
        return [task for task in tasks if task is not None]

    async def load(self, task_id: str) -> dict[str, Any]:
        """Return the stored state of a task.

        Raises:
            MCPError: The task has expired.
        """
        record = await self._load(task_id)
        if record is None:
            raise MCPError(types.INVALID_PARAMS, "Task not found")
        return record

    async def wait(self, task_id: str) -> None:
        """Wait until a task may have changed."""
        event = self._changes.setdefault(task_id, anyio.Event())
        with anyio.move_on_after(_POLL):
            await event.wait()
        self._changes.pop(task_id, None)

    async def tell(self, record: Mapping[str, Any], kind: str, **content: Any) -> None:
        """Send a message to the replica that a task belongs to."""
        await self._hub.tell(record["replica"], kind, **content)

    async def _load(self, task_id: str) -> dict[str, Any] | None:
        name = self._connection.key("task", task_id)
        text = await self._connection.run(lambda redis: redis.get(name))
        if text is None:
            return None
        record: dict[str, Any] = json.loads(text)
        if record["status"] in _OVER or await self._hub.is_alive(record["replica"]):
            return record
        record |= {"status": "failed", "error": _LOST.model_dump(), "questions": {}}
        record["fields"] |= {"status": "failed", "statusMessage": _LOST.message}
        # From now on its replica, which may only have been slow, must not change it.
        record["is_lost"] = True
        changed = json.dumps(record)
        await self._connection.run(lambda redis: redis.set(name, changed, xx=True, keepttl=True))
        return record

    async def _save(self, task: Task) -> bool:
        """Store a task. Returns False if another replica considers its lease expired."""
        name = self._connection.key("task", task.id)
        seconds = max(1, round(task.due - anyio.current_time()))
        text = json.dumps(self._record(task))
        return bool(
            await self._connection.run(lambda redis: redis.eval(_SAVE, 1, name, text, seconds))
        )

    def _record(self, task: Task) -> dict[str, Any]:
        questions = {
            key: question.model_dump(by_alias=True, mode="json", exclude_none=True)
            for key, question in task.questions.items()
        }
        return {
            "owner": self._connection.caller_key(task.owner),
            "replica": self._hub.replica,
            "is_modern": task.is_modern,
            "status": task.status,
            "fields": task.shared_fields,
            "questions": questions,
            "result": task.result,
            "error": task.error.model_dump() if task.error else None,
        }

    def _sets(self, owner: Hashable) -> tuple[str, str]:
        caller = self._connection.caller_key(owner)
        return self._connection.key("tasks", caller), self._connection.key("working", caller)

    async def _note_change(self, message: Mapping[str, Any]) -> None:
        event = self._changes.pop(message["id"], None)
        if event is not None:
            event.set()

    async def _answer(self, message: Mapping[str, Any]) -> None:
        task = self._local.get(message["id"])
        if task is not None and message["key"] in task.questions:
            error = message.get("error")
            answer = MCPError.from_error_data(types.ErrorData(**error)) if error else None
            task.answer(message["key"], answer or message["answer"])

    async def _cancel(self, message: Mapping[str, Any]) -> None:
        task = self._local.get(message["id"])
        if task is not None:
            task.cancel(message["reason"])


@dataclass(eq=False)
class RemoteTask:
    """The last stored state of another replica's task."""

    tasks: SharedTasks
    id: str
    record: dict[str, Any]
    put: set[str] = field(default_factory=set[str])
    """Keys of the open questions to a client of this replica, before 2026-07-28."""

    @property
    def is_modern(self) -> bool:
        """Whether its client speaks revision 2026-07-28 or a later one."""
        return bool(self.record["is_modern"])

    @property
    def status(self) -> str:
        """The status, in the terms of its revision."""
        return cast("str", self.record["status"])

    @property
    def is_over(self) -> bool:
        """True if the task has ended."""
        return self.status in _OVER

    @property
    def result(self) -> dict[str, Any] | None:
        """The result, if there is one."""
        return cast("dict[str, Any] | None", self.record["result"])

    @property
    def error(self) -> types.ErrorData | None:
        """The protocol error that it ended with, if any."""
        error = self.record["error"]
        return types.ErrorData(**error) if error else None

    @property
    def questions(self) -> dict[str, types.InputRequest]:
        """The open questions by key."""
        questions: dict[str, Any] = self.record["questions"]
        return {key: _REQUESTS.validate_python(value) for key, value in questions.items()}

    @property
    def related_meta(self) -> dict[str, Any]:
        """The ``_meta`` of messages that belong to it, until 2025-11-25."""
        return {RELATED: {"taskId": self.id}}

    @property
    def shared_fields(self) -> dict[str, Any]:
        """The part about the task that all responses share."""
        return cast("dict[str, Any]", self.record["fields"])

    async def receive_answer(self, key: str, answer: Any) -> None:
        """Forward the answer to a question, or its error."""
        content: dict[str, Any] = {"answer": answer}
        if isinstance(answer, MCPError):
            content = {"error": answer.error.model_dump()}
        elif isinstance(answer, Exception):
            error = types.ErrorData(code=types.INTERNAL_ERROR, message=str(answer))
            content = {"error": error.model_dump()}
        await self.tasks.tell(self.record, "task_answer", id=self.id, key=key, **content)

    async def request_cancel(self, reason: str) -> None:
        """Forward the cancellation, and wait until the task has ended."""
        await self.tasks.tell(self.record, "task_cancel", id=self.id, reason=reason)
        with anyio.move_on_after(_CANCEL):
            while not self.is_over:
                await self.change()

    async def change(self) -> None:
        """Wait until the task may have changed."""
        await self.tasks.wait(self.id)
        with suppress(StoreUnavailable):
            self.record = await self.tasks.load(self.id)

    def ended_with(self) -> dict[str, Any]:
        """Return the result.

        Raises:
            MCPError: The task has no result.
        """
        if self.error is not None:
            raise MCPError.from_error_data(self.error)
        if self.result is None:
            message = self.shared_fields.get("statusMessage") or "Task was cancelled"
            raise MCPError(types.INTERNAL_ERROR, message)
        return self.result


_CANCEL = 5.0
_LONGEST = 7 * 86_400
_SAVE = """
local before = redis.call('get', KEYS[1])
if before and cjson.decode(before)['is_lost'] then return 0 end
redis.call('set', KEYS[1], ARGV[1], 'EX', ARGV[2])
return 1
"""
