"""Measures the duration of requests and sessions, by the conventions of OpenTelemetry for MCP.

The SDK already records a span for each request. Metrics go to OpenTelemetry if the program has
set it up, and to Prometheus with ``--metrics``.
"""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import AsyncGenerator, Callable, Container, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, TypeAlias

from mcp import MCPError
from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.types import CallToolResult

from ...tracing import is_observed
from ..asgi import ENDPOINT, Lifespan, header, route_path

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send


@dataclass(frozen=True)
class Metric:
    """A histogram in seconds. Its attributes have no values that a caller can choose."""

    name: str
    description: str
    attributes: tuple[str, ...]


BUCKETS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300)
OPERATIONS = Metric(
    "mcp.server.operation.duration",
    "Duration of the MCP request or notification as observed by the server.",
    (
        "mcp.method.name",
        "error.type",
        "gen_ai.operation.name",
        "gen_ai.tool.name",
        "gen_ai.prompt.name",
        "rpc.response.status_code",
        "mcp.protocol.version",
        "network.transport",
        "network.protocol.name",
    ),
)
SESSIONS = Metric(
    "mcp.server.session.duration",
    "Duration of the MCP session as observed by the server.",
    ("mcp.protocol.version", "network.transport", "network.protocol.name"),
)

Record: TypeAlias = Callable[[float, Mapping[str, str]], None]
"""Receives the seconds and the attributes of an operation or session."""


class Operations:
    """Middleware that measures each request and notification.

    Args:
        package: The name of the generated package.
        methods: The methods that have a handler. Others are measured as ``_OTHER``.
        tools: The names of the tools.
        prompts: The names of the prompts.
    """

    def __init__(
        self,
        package: str,
        methods: Callable[[str], bool],
        tools: Container[str],
        prompts: Container[str],
    ) -> None:
        self._package = package
        self._has_method = methods
        self._targets = {
            "tools/call": ("gen_ai.tool.name", tools),
            "prompts/get": ("gen_ai.prompt.name", prompts),
        }
        self.record: Record | None = None
        """A further receiver, besides OpenTelemetry."""

    async def __call__(
        self, ctx: ServerRequestContext[Any, Any], call_next: CallNext
    ) -> HandlerResult:
        """Measure an operation if anybody wants to know."""
        if self.record is None and not is_observed():
            return await call_next(ctx)
        started = time.perf_counter()
        error: dict[str, str] = {}
        try:
            result = await call_next(ctx)
            if ctx.method == "tools/call" and _is_error(result):
                error = {"error.type": "tool_error"}
            return result
        except MCPError as failure:
            code = str(failure.error.code)
            error = {"error.type": code, "rpc.response.status_code": code}
            raise
        except BaseException as failure:
            error = {"error.type": type(failure).__qualname__}
            raise
        finally:
            seconds = time.perf_counter() - started
            attributes = {**self._attributes(ctx), **error}
            if self.record is not None:
                self.record(seconds, attributes)
            if is_observed():
                _histogram(self._package, OPERATIONS).record(seconds, attributes)

    def _attributes(self, ctx: ServerRequestContext[Any, Any]) -> dict[str, str]:
        is_known = self._has_method(ctx.method)
        attributes = {
            "mcp.method.name": ctx.method if is_known else "_OTHER",
            "mcp.protocol.version": ctx.protocol_version,
            "network.transport": "pipe" if ctx.request is None else "tcp",
        }
        if ctx.request is not None:
            attributes["network.protocol.name"] = "http"
        if ctx.method == "tools/call":
            attributes["gen_ai.operation.name"] = "execute_tool"
        if ctx.method in self._targets:
            attribute, names = self._targets[ctx.method]
            name = (ctx.params or {}).get("name")
            if isinstance(name, str) and name in names:
                attributes[attribute] = name
        return attributes


def _is_error(result: HandlerResult) -> bool:
    if isinstance(result, CallToolResult):
        return result.is_error is True
    return isinstance(result, dict) and result.get("isError") is True


class Sessions:
    """Measures sessions of the legacy protocol. Since 2026-07-28 there are none.

    A session over HTTP ends when its client deletes it, or with the process. Another replica than
    the one that opened it doesn't measure it.
    """

    def __init__(self, package: str) -> None:
        self._package = package
        self._started: OrderedDict[str, float] = OrderedDict()
        self.record: Record | None = None
        """A further receiver, besides OpenTelemetry."""

    @property
    def is_measured(self) -> bool:
        """Whether anything receives the durations."""
        return self.record is not None or is_observed()

    def begin(self, session_id: str) -> None:
        """Note the start of a session. The oldest of too many are forgotten."""
        self._started[session_id] = time.perf_counter()
        if len(self._started) > _MOST_SESSIONS:
            self._started.popitem(last=False)

    def end(self, session_id: str, attributes: Mapping[str, str]) -> None:
        """Measure a session whose start was noted."""
        started = self._started.pop(session_id, None)
        if started is None:
            return
        seconds = time.perf_counter() - started
        if self.record is not None:
            self.record(seconds, attributes)
        if is_observed():
            _histogram(self._package, SESSIONS).record(seconds, attributes)

    def watch(self, lifespan: Lifespan) -> Lifespan:
        """Return a lifespan that ends all sessions with the process."""

        @asynccontextmanager
        async def with_sessions(app: Any) -> AsyncGenerator[Any, None]:
            try:
                async with lifespan(app) as state:
                    yield state
            finally:
                for session_id in [*self._started]:
                    self.end(session_id, _OVER_HTTP)

        return with_sessions


_MOST_SESSIONS = 10_000
_OVER_HTTP = {"network.transport": "tcp", "network.protocol.name": "http"}


class SessionClock:
    """ASGI middleware that notes the start and the end of sessions."""

    def __init__(self, app: ASGIApp, sessions: Sessions) -> None:
        self._app = app
        self._sessions = sessions

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on a request, and look at the start of its response."""
        is_measured = scope["type"] == "http" and self._sessions.is_measured
        if not is_measured or route_path(scope) != ENDPOINT:
            await self._app(scope, receive, send)
            return

        async def noting(message: Message) -> None:
            if message["type"] == "http.response.start":
                self._note(scope, message)
            await send(message)

        await self._app(scope, receive, noting)

    def _note(self, scope: Scope, response: Message) -> None:
        session_id = header(scope, _SESSION_ID)
        if session_id and scope["method"] == "DELETE" and response["status"] < _REFUSED:
            version = header(scope, b"mcp-protocol-version")
            revision = {"mcp.protocol.version": version} if version in _WITH_SESSIONS else {}
            self._sessions.end(session_id, {**revision, **_OVER_HTTP})
        elif not session_id and (opened := header(response, _SESSION_ID)):
            self._sessions.begin(opened)


_SESSION_ID = b"mcp-session-id"
_REFUSED = 300
_WITH_SESSIONS = ("2025-03-26", "2025-06-18", "2025-11-25")


@cache
def _histogram(package: str, metric: Metric) -> Any:
    from opentelemetry import metrics

    return metrics.get_meter(package).create_histogram(
        metric.name,
        unit="s",
        description=metric.description,
        explicit_bucket_boundaries_advisory=[*BUCKETS],
    )
