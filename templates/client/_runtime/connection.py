"""Makes calls: validate, confirm, send, validate, type the result, log."""

from __future__ import annotations

import logging
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar, cast

from pydantic import MISSING

from . import PACKAGE
from .brief import plain
from .errors import ClientError, InvalidArguments, ToolError, UnknownTool
from .options import CallOptions
from .problem import Problem
from .request import Request
from .response import recorder_of
from .session import Session
from .tool import Tool, find_tool

if TYPE_CHECKING:
    from mcp import Client
    from mcp.types import CallToolResult

    from .confirm import Confirmation
    from .connector import Connector
    from .progress import Progress

T = TypeVar("T")

_HEADERS_SINCE = "2026-07-28"

audit = logging.getLogger(f"{PACKAGE}.audit")
"""Tool, argument names, seconds and outcome of each call; never a value."""


def tool_named(name: str) -> Tool[Any]:
    """Return the tool of that name; ``UnknownTool`` if the contract has none."""
    try:
        return find_tool(name)
    except LookupError:
        raise UnknownTool(name) from None


@dataclass(frozen=True)
class Connection:
    """How calls are made over the sessions of a connector."""

    connector: Connector
    timeout: float | None
    confirmation: Confirmation | None

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
        options = recorder.options.over(options) if recorder else options
        started = time.perf_counter()
        outcome = "failed"
        try:
            self._refuse_forbidden(tool)
            wire = encode_arguments(tool, arguments)
            if self.confirmation:
                await self.confirmation.require(tool, wire)
            progress = _progress(options)

            def request(sdk: Client) -> Awaitable[CallToolResult]:
                return sdk.call_tool(
                    tool.name,
                    wire,
                    progress_callback=progress.notify if progress else None,
                    meta=cast("Any", options.meta),
                )

            result = await self._ask(request, tool.name, options.timeout, progress)
            if recorder:
                recorder.take(result)
            outcome = ToolError.__name__ if result.is_error else "done"
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
            line = "tool=%r arguments=%r seconds=%.3f outcome=%s"
            audit.info(line, tool.name, names, seconds, outcome)

    async def ask(
        self,
        request: Callable[[Client, Any], Awaitable[T]],
        target: str,
        options: CallOptions,
    ) -> T:
        """Ask for a prompt or a resource, with what goes into its ``_meta``."""
        recorder = recorder_of(self)
        options = recorder.options.over(options) if recorder else options
        result = await self._ask(
            lambda sdk: request(sdk, options.meta), target, options.timeout
        )
        if recorder:
            recorder.take(result)
        return result

    async def _ask(
        self,
        make: Callable[[Client], Awaitable[T]],
        target: str,
        timeout: float | None,
        progress: Progress | None = None,
    ) -> T:
        """Make a request, and wait for its answer no longer than the time limit."""
        limit = self.limit(timeout)
        return await Request(self.connector, make, target, limit, progress).answer()

    def _refuse_forbidden(self, tool: Tool[Any]) -> None:
        session = self.session
        if not tool.forbidden or session.lost or session.route.is_local:
            return
        if session.sdk.protocol_version >= _HEADERS_SINCE:
            raise InvalidArguments(tool.name, [Problem("", tool.forbidden)])

    def limit(self, timeout: float | None) -> float | None:
        """Return the time limit of a call in seconds: its own, or else the client's."""
        return self.timeout if timeout is None else timeout


def _progress(options: CallOptions) -> Progress | None:
    if options.on_progress is None:
        return None
    from .progress import Progress

    return Progress(options.on_progress)
