"""The one path of a call: law, confirmation, wire, law, typed result, log."""

from __future__ import annotations

import copy
import inspect
import logging
import math
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar, cast

from pydantic import MISSING, ValidationError

from . import PACKAGE, law
from .errors import (
    CallTimeout,
    ClientError,
    ConnectionLost,
    InvalidArguments,
    InvalidResult,
    NotConfirmed,
    ProtocolError,
    ToolError,
)
from .problem import Problem
from .tool import Meta, OnProgress, Tool
from .values import given, problems_of

if TYPE_CHECKING:
    from mcp import Client
    from mcp.shared.dispatcher import ProgressFnT
    from mcp.types import CallToolResult

T = TypeVar("T")

Confirm: TypeAlias = Callable[
    [law.ToolInfo, Mapping[str, Any]], "bool | Awaitable[bool]"
]
"""Is asked before a call that is not known to be harmless, with tool and arguments."""

_HEADERS_SINCE = "2026-07-28"

audit = logging.getLogger(f"{PACKAGE}.audit")
"""Tool, argument names, seconds and outcome of each call; never a value."""


@dataclass(frozen=True)
class Line:
    """An open connection, and how calls are made over it."""

    sdk: Client
    timeout: float | None
    confirm: Confirm | None
    printed: Callable[[], str]
    """The end of what the server has printed until now."""
    is_local: bool = False
    """Whether the server is a process or an object, and no headers are sent."""

    async def call(
        self,
        tool: Tool[Any],
        arguments: Mapping[str, object],
        read: Callable[[CallToolResult], T],
        *,
        timeout: float | None,
        on_progress: OnProgress | None,
        meta: Meta | None,
    ) -> T:
        """Send valid arguments, and return what is read out of the SDK's result."""
        import anyio

        started = time.perf_counter()
        limit = self.limit(timeout)
        outcome = "failed"
        try:
            self._refuse_barred(tool)
            wire = given(tool, arguments)
            await _confirmed(tool, wire, self.confirm)
            request = self.sdk.call_tool(
                tool.name,
                wire,
                read_timeout_seconds=_finite(limit),
                progress_callback=_telling(on_progress) if on_progress else None,
                meta=cast("Any", meta),
            )
            result = await self._answered(request, tool.name, limit)
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
            lasted = time.perf_counter() - started
            said = "tool=%r arguments=%r seconds=%.3f outcome=%s"
            audit.info(said, tool.name, names, lasted, outcome)

    async def ask(self, request: Awaitable[T], target: str, timeout: float | None) -> T:
        """Wait for the answer to a request that the SDK knows no time limit for."""
        import anyio

        limit = self.limit(timeout)
        try:
            with anyio.fail_after(_finite(limit)):
                return await self._answered(request, target, limit)
        except CallTimeout:
            raise
        except TimeoutError:
            raise CallTimeout(target, limit) from None

    async def _answered(
        self, request: Awaitable[T], target: str, timeout: float | None
    ) -> T:
        """Wait for an answer; what the SDK raises becomes an error of this package."""
        import anyio
        from mcp import InputRequiredRoundsExceededError, MCPError
        from mcp.types import CONNECTION_CLOSED, REQUEST_TIMEOUT

        started = time.monotonic()
        try:
            return await request
        except MCPError as error:
            # Servers use the code of the SDK's own timeout for errors of theirs.
            if (
                error.code == REQUEST_TIMEOUT
                and timeout is not None
                and time.monotonic() - started >= timeout
            ):
                raise CallTimeout(target, timeout) from None
            if error.code == CONNECTION_CLOSED and error.message == "Connection closed":
                raise ConnectionLost("the server closed it", self.printed()) from None
            raise ProtocolError(target, error.code, error.message, error.data) from None
        except ValidationError as error:
            raise InvalidResult(target, problems_of(error)) from None
        except InputRequiredRoundsExceededError as error:
            raise ProtocolError(target, 0, str(error)) from None
        except RuntimeError:
            if self._is_open():
                raise
            raise ConnectionLost("it is closed", self.printed()) from None
        except (anyio.ClosedResourceError, anyio.BrokenResourceError):
            raise ConnectionLost("it is closed", self.printed()) from None

    def _refuse_barred(self, tool: Tool[Any]) -> None:
        is_bound = not self.is_local and self.sdk.protocol_version >= _HEADERS_SINCE
        if tool.barred and is_bound:
            raise InvalidArguments(tool.name, [Problem("", tool.barred)])

    def _is_open(self) -> bool:
        try:
            _ = self.sdk.session
        except RuntimeError:
            return False
        return True

    def limit(self, timeout: float | None) -> float | None:
        """Return the time limit of a call in seconds: its own, or else the client's."""
        return self.timeout if timeout is None else timeout


def _telling(on_progress: OnProgress) -> ProgressFnT:
    async def tell(progress: float, total: float | None, message: str | None) -> None:
        told = on_progress(progress, total, message)
        if inspect.isawaitable(told):
            await told

    return tell


def _finite(timeout: float | None) -> float | None:
    """Return a time limit as the SDK understands it, which knows no infinity."""
    return None if timeout is None or math.isinf(timeout) else timeout


async def _confirmed(
    tool: Tool[Any], wire: Mapping[str, Any], confirm: Confirm | None
) -> None:
    if confirm is None:
        return
    info = law.ToolInfos()[tool.name]
    if info.is_harmless:
        return
    answer = confirm(info, copy.deepcopy(wire))
    if inspect.isawaitable(answer):
        answer = await answer
    if answer is not True:
        raise NotConfirmed(tool.name, wire)
