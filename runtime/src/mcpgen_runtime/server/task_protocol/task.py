"""A task: a call that continues after the response to its request."""

from __future__ import annotations

import secrets
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timezone
from typing import Any, Literal

import anyio
from mcp import MCPError, types

Status = Literal["working", "input_required", "completed", "failed", "cancelled"]

RELATED = "io.modelcontextprotocol/related-task"


@dataclass(eq=False)
class Task:
    """A call that continues: its caller, status and result."""

    owner: Hashable
    is_modern: bool
    ttl: float
    poll: float
    id: str = field(default_factory=lambda: secrets.token_urlsafe(24))
    """Unguessable, because nothing else protects the tasks of anonymous callers."""

    message: str = ""
    result: dict[str, Any] | None = None
    error: types.ErrorData | None = None
    is_cancelled: bool = False
    questions: dict[str, types.InputRequest] = field(default_factory=dict[str, types.InputRequest])
    put: set[str] = field(default_factory=set[str])
    """Keys of the open questions to a client, before 2026-07-28."""

    version: int = 0
    """Counts its changes."""

    answers: dict[str, Any] = field(default_factory=dict[str, Any])
    scope: anyio.CancelScope = field(default_factory=anyio.CancelScope)

    def __post_init__(self) -> None:
        self.created = self.updated = datetime.now(timezone.utc)
        self.due = anyio.current_time() + self.ttl
        self._changed = anyio.Event()

    @property
    def is_over(self) -> bool:
        """True if the task has ended."""
        return self.is_cancelled or self.result is not None or self.error is not None

    @property
    def status(self) -> Status:
        """The status, in the terms of the task's revision.

        An error result makes a task fail up to 2025-11-25, and completes it since.
        """
        if self.is_cancelled:
            return "cancelled"
        if self.error is not None:
            return "failed"
        if self.result is not None:
            is_error = self.result.get("isError") is True
            return "failed" if is_error and not self.is_modern else "completed"
        return "input_required" if self.questions else "working"

    @property
    def related_meta(self) -> dict[str, Any]:
        """The ``_meta`` of messages that belong to it, until 2025-11-25."""
        return {RELATED: {"taskId": self.id}}

    @property
    def shared_fields(self) -> dict[str, Any]:
        """Return the part about the task that all responses share."""
        ttl, poll = ("ttlMs", "pollIntervalMs") if self.is_modern else _OLDER
        status_message = {"statusMessage": self.message} if self.message else {}
        return {
            "taskId": self.id,
            "status": self.status,
            **status_message,
            "createdAt": _format_time(self.created),
            "lastUpdatedAt": _format_time(self.updated),
            ttl: round(self.ttl * 1000),
            poll: max(1, round(self.poll * 1000)),
        }

    def report(self, progress: float, total: float | None, message: str | None) -> None:
        """Report progress."""
        far = f"{progress:g}" if total is None else f"{progress:g} of {total:g}"
        self._change(f"{message} ({far})" if message else far)

    async def ask(self, key: str, request: types.InputRequest) -> Any:
        """Wait for the client's answer to a question, unless the key was used before."""
        if key not in self.answers:
            self.questions[key] = request
            self._change(self.message)
            try:
                while key not in self.answers:
                    await self.change()
            finally:
                self.questions.pop(key, None)
        answer = self.answers[key]
        if isinstance(answer, Exception):
            raise answer
        return answer

    async def ask_all(
        self, requests: Mapping[str, types.InputRequest], rounds: int
    ) -> dict[str, Any]:
        """Wait for the answers to all of several questions, in any order."""
        own = {key: f"{key}:{rounds}" if rounds > 1 else key for key in requests}
        for key, request in requests.items():
            if own[key] not in self.answers:
                self.questions[own[key]] = request
        return {key: await self.ask(own[key], requests[key]) for key in requests}

    def answer(self, key: str, answer: Any) -> None:
        """Receive the answer to a question, or its error."""
        self.answers[key] = answer
        self.questions.pop(key, None)
        self._change(self.message)

    def finish(self, result: Mapping[str, Any]) -> None:
        """Receive the result of the call."""
        if not self.is_over:
            self.result = dict(result)
            self._change(_text_of_result(result) if self.status == "failed" else "")

    def fail(self, error: types.ErrorData) -> None:
        """Receive the protocol error of the call."""
        if not self.is_over:
            self.error = error
            self._change(error.message)

    def cancel(self, reason: str) -> None:
        """Cancel the author's method. The task counts as cancelled from now on."""
        if not self.is_over:
            self.is_cancelled = True
            self._change(reason)
            self.scope.cancel()

    async def receive_answer(self, key: str, answer: Any) -> None:
        """Receive the answer to a question, or its error."""
        self.answer(key, answer)

    async def request_cancel(self, reason: str) -> None:
        """Cancel the author's method."""
        self.cancel(reason)

    async def change(self) -> None:
        """Wait until anything about it has changed."""
        await self._changed.wait()

    def ended_with(self) -> dict[str, Any]:
        """Return the result.

        Raises:
            MCPError: The task has none.
        """
        if self.error is not None:
            raise MCPError.from_error_data(self.error)
        if self.result is None:
            raise MCPError(types.INTERNAL_ERROR, self.message or "Task was cancelled")
        return self.result

    def _change(self, message: str) -> None:
        self.message, self.updated = message, datetime.now(timezone.utc)
        if self.is_over:
            self.questions.clear()
        self.version += 1
        self._changed.set()
        self._changed = anyio.Event()


_OLDER = ("ttl", "pollInterval")


def _format_time(moment: datetime) -> str:
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _text_of_result(result: Mapping[str, Any]) -> str:
    """Return the beginning of the text of a result."""
    texts = [item["text"] for item in result["content"] if item.get("type") == "text"]
    text = " ".join(" ".join(texts).split())
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."


_LONGEST = 200
