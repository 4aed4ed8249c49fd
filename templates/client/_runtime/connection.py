"""Makes calls: validate, confirm, send, validate, type the result, log."""

from __future__ import annotations

import logging
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar, cast

from pydantic import MISSING

from . import PACKAGE
from .brief import plain
from .contract import has_tasks
from .errors import ClientError, InvalidArguments, ToolError, UnknownTool
from .options import CallOptions
from .problem import Problem
from .request import Request, Tally
from .response import Recorder, recorder_of
from .session import Session
from .tool import Tool, find_tool

if TYPE_CHECKING:
    from mcp import Client
    from mcp.types import CallToolResult

    from .confirm import Confirmation
    from .connector import Connector
    from .limits import CallLimits
    from .progress import Progress

T = TypeVar("T")

_HEADERS_SINCE = "2026-07-28"

audit = logging.getLogger(f"{PACKAGE}.audit")
"""Tool, argument names, seconds, attempts and outcome of calls; never a value."""


def tool_named(name: str) -> Tool[Any]:
    """Return the tool of that name; ``UnknownTool`` if the contract has none."""
    try:
        return find_tool(name)
    except LookupError:
        raise UnknownTool(name) from None


@dataclass(eq=False)
class Captured(BaseException):
    """The call that a method would have made."""

    connection: Connection
    tool: Tool[Any]
    arguments: Mapping[str, object]
    read: Callable[[CallToolResult], Any]
    options: CallOptions


@dataclass(frozen=True)
class Connection:
    """How calls are made over the sessions of a connector."""

    connector: Connector
    options: CallOptions
    """What calls have that do not say otherwise."""
    confirmation: Confirmation | None = None
    limits: CallLimits | None = None
    tally: Tally = field(default_factory=Tally, repr=False)

    @property
    def session(self) -> Session:
        """The last session; the next call makes another one if it was lost."""
        return self.connector.current

    def __str__(self) -> str:
        return f"{plain(self.session.route.label)}, {self.session.state}"

    async def call(
        self,
        tool: Tool[Any],
        arguments: Mapping[str, object],
        read: Callable[[CallToolResult], T],
        options: CallOptions,
    ) -> T:
        """Send valid arguments, and return what is read out of the SDK's result."""
        import anyio

        from .values import encode_arguments

        recorder = recorder_of(self)
        if recorder and recorder.is_capturing:
            options = recorder.options.over(options)
            raise Captured(self, tool, arguments, read, options)
        options = self._all_options(options, recorder)
        request: Request[CallToolResult] | None = None
        started = time.perf_counter()
        outcome = "failed"
        try:
            self._refuse_forbidden(tool)
            wire = encode_arguments(tool, arguments)
            self._refuse_drifted(tool, wire)
            if self.limits:
                self.limits.take(tool.name)
            if self.confirmation:
                await self.confirmation.require(tool, wire)
            progress = _progress(options)

            def send(sdk: Client) -> Awaitable[CallToolResult]:
                self._refuse_drifted(tool, wire)  # by the session that there is now
                return sdk.call_tool(
                    tool.name,
                    wire,
                    progress_callback=progress.notify if progress else None,
                    meta=cast("Any", options.meta),
                )

            request = Request(self.connector, send, tool.name, options, self.tally)
            request.is_tool, request.progress = True, progress
            if options.is_start or has_tasks():
                from .task_call import TaskCall

                check = partial(self._refuse_drifted, tool, wire)
                request = TaskCall.of(request, wire, check)
            result = await request.answer()
            if recorder:
                recorder.take(result)
            outcome = ToolError.__name__ if result.is_error else "done"
            outcome = "started" if options.is_start else outcome
            return read(result)
        except ClientError as error:
            outcome = type(error).__name__
            raise
        except anyio.get_cancelled_exc_class():
            outcome = "cancelled"
            raise
        finally:
            names = sorted(
                name for name, value in arguments.items() if value is not MISSING
            )
            seconds = time.perf_counter() - started
            attempts = request.attempts if request else 0
            line = "tool=%r arguments=%r seconds=%.3f attempts=%d outcome=%s"
            audit.info(line, tool.name, names, seconds, attempts, outcome)

    async def ask(
        self,
        request: Callable[[Client, Any], Awaitable[T]],
        target: str,
        options: CallOptions,
    ) -> T:
        """Ask for a prompt or a resource, with what goes into its ``_meta``."""
        recorder = recorder_of(self)
        if recorder and recorder.is_capturing:
            raise TypeError(f"{target!r} is no tool: a tool alone runs as a task")
        options = self._all_options(options, recorder)
        if self.limits:
            self.limits.take(target)

        def send(sdk: Client) -> Awaitable[T]:
            return request(sdk, options.meta)

        asked = Request(self.connector, send, target, options, self.tally)
        result = await asked.answer()
        if recorder:
            recorder.take(result)
        return result

    def _all_options(
        self, options: CallOptions, recorder: Recorder | None
    ) -> CallOptions:
        """Return the options of a call, all of which say something."""
        asked = recorder.options.over(options) if recorder else options
        return asked.over(self.options)

    def _refuse_drifted(self, tool: Tool[Any], wire: Mapping[str, object]) -> None:
        drift = self.session.drift
        if drift is not None and not self.session.lost:
            drift.require(tool.name, wire)

    def _refuse_forbidden(self, tool: Tool[Any]) -> None:
        session = self.session
        if not tool.forbidden or session.lost or session.route.is_local:
            return
        if session.sdk.protocol_version >= _HEADERS_SINCE:
            raise InvalidArguments(tool.name, [Problem("", tool.forbidden)])


def _progress(options: CallOptions) -> Progress | None:
    resets = options.timeout_resets_on_progress
    if options.on_progress is None and not resets:
        return None
    from .progress import Progress

    return Progress(options.on_progress, options.timeout if resets else None)
