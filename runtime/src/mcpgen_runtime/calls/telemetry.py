"""OpenTelemetry traces and metrics of calls, by the conventions for MCP.

This module is imported by the first call after the program has set up a provider.
"""

from __future__ import annotations

import importlib
import time
from collections.abc import Awaitable, Generator
from contextlib import AbstractContextManager, contextmanager, suppress
from contextvars import ContextVar, Token
from functools import cache
from typing import TYPE_CHECKING, Any, Literal, TypeVar
from urllib.parse import urlsplit

from opentelemetry import metrics, trace

from ..connection.routing.stderr import Stderr
from ..errors import (
    ConnectionFailed,
    ContractDrift,
    HttpError,
    InvalidArguments,
    InvalidResult,
    ProtocolError,
)
from ..tracing import add_drift

if TYPE_CHECKING:
    from types import TracebackType

    from ..connection.session import Session
    from ..connection.session_manager import SessionManager

T = TypeVar("T")

_METHODS = {
    "tool": "tools/call",
    "prompt": "prompts/get",
    "resource": "resources/read",
}
_NAMES = {"tool": "gen_ai.tool.name", "prompt": "gen_ai.prompt.name"}
_METHOD = "mcp.method.name"
_OF_SPANS_ALONE = ("mcp.session.id", "mcp.resource.uri")
"""Attributes with too many values for a metric."""

_MOST_TOLD = 20


@cache
def _duration(package: str) -> metrics.Histogram:
    return metrics.get_meter(package).create_histogram(
        "mcp.client.operation.duration",
        unit="s",
        description="Duration of the MCP request as observed by the client.",
        explicit_bucket_boundaries_advisory=[
            *(0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300)
        ],
    )


class Operation(AbstractContextManager["Operation"]):
    """A call from the arguments of its method to the return value or exception.

    Its span replaces the SDK's span for the same request. Its duration covers only the
    requests: no confirmation, and no cached result.
    """

    def __init__(
        self,
        connector: SessionManager,
        kind: Literal["tool", "prompt", "resource"],
        name: str,
    ) -> None:
        self.method = _METHODS[kind]
        self._connector = connector
        self._name, self._is_tool = name, kind == "tool"
        self._attributes: dict[str, Any] = {_METHOD: self.method}
        if kind in _NAMES:
            self._attributes[_NAMES[kind]] = name
        else:
            self._attributes["mcp.resource.uri"] = name
        if self._is_tool:
            self._attributes["gen_ai.operation.name"] = "execute_tool"
        target = f" {name}" if kind in _NAMES else ""
        self.span = trace.get_tracer(connector.package.name).start_span(
            self.method + target,
            kind=trace.SpanKind.CLIENT,
            attributes=self._attributes,
        )
        self._current = trace.use_span(
            self.span, record_exception=False, set_status_on_exception=False
        )
        self._token: Token[Operation | None] | None = None
        self._seconds = 0.0
        self._is_sent = False

    def __enter__(self) -> Operation:
        self._current.__enter__()
        self._token = _operation.set(self)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._token is not None:
            _operation.reset(self._token)
        session = self._connector.current
        attributes = {**_of_session(session), **_of_error(error)}
        self._attributes |= attributes
        self.span.set_attributes(attributes)
        self._add_events(error, session)
        if error is not None:
            message = error.message if isinstance(error, ProtocolError) else None
            self.span.set_status(trace.StatusCode.ERROR, message)
        if self._is_sent:
            measured = {
                name: value
                for name, value in self._attributes.items()
                if name not in _OF_SPANS_ALONE
            }
            _duration(self._connector.package.name).record(self._seconds, measured)
        self._current.__exit__(None, None, None)
        self.span.end()

    async def measure(self, asking: Awaitable[T]) -> T:
        """Wait for a request, and count its time."""
        started = time.perf_counter()
        self._is_sent = True
        try:
            return await asking
        finally:
            self._seconds += time.perf_counter() - started

    def _add_events(self, error: BaseException | None, session: Session) -> None:
        if isinstance(error, InvalidArguments | InvalidResult):
            is_result = isinstance(error, InvalidResult)
            _add_violation(self.span, error, "result" if is_result else "arguments")
        if isinstance(error, ContractDrift):
            add_drift(self.span, error.changes)
        elif self._is_tool and session.drift is not None:
            mine = [change for change in session.drift.changes if change.tool == self._name]
            add_drift(self.span, mine)


_operation: ContextVar[Operation | None] = ContextVar("operation", default=None)


def _add_violation(
    span: trace.Span, error: InvalidArguments | InvalidResult, direction: str
) -> None:
    """Add the location of a violation, but not the value."""
    pointers = [problem.pointer for problem in error.problems[:_MOST_TOLD]]
    event = {"mcpgen.side": direction, "mcpgen.pointers": pointers}
    span.add_event("mcpgen.schema_violation", event)


def _of_session(session: Session) -> dict[str, Any]:
    """Return the attributes of the connection that the last request used."""
    route = session.route
    attributes: dict[str, Any] = {}
    if session.is_ready:
        with suppress(RuntimeError):  # the client has been closed
            attributes["mcp.protocol.version"] = session.sdk.protocol_version
    if route.is_url:
        attributes |= {"network.transport": "tcp", "network.protocol.name": "http"}
        with suppress(ValueError):  # an invalid address
            attributes |= _of_address(route.label)
        if session_id := route.session_id():
            attributes["mcp.session.id"] = session_id
    elif isinstance(route.stderr, Stderr):
        attributes["network.transport"] = "pipe"
    return attributes


def _of_address(address: str) -> dict[str, Any]:
    url = urlsplit(address)
    port = url.port or (443 if url.scheme == "https" else 80)
    return {"server.address": url.hostname, "server.port": port} if url.hostname else {}


def _of_error(error: BaseException | None) -> dict[str, Any]:
    if error is None:
        return {}
    kind = type(error).__qualname__
    attributes: dict[str, Any] = {"error.type": kind}
    if isinstance(error, ProtocolError):
        attributes["rpc.response.status_code"] = str(error.code)
    http = error.http if isinstance(error, ConnectionFailed) else error
    if isinstance(http, HttpError):
        attributes["http.response.status_code"] = http.status
    return attributes


def _take_over() -> None:
    """Replace the SDK's span of each request by the span of the operation.

    If a release of the SDK makes spans differently, both appear.
    """
    dispatcher = vars(importlib.import_module("mcp.shared.jsonrpc_dispatcher"))
    sdk_span: Any = dispatcher.get("otel_span")
    if sdk_span is None:
        return

    @contextmanager
    def span(name: str, **options: Any) -> Generator[trace.Span]:
        operation = _operation.get()
        attributes: dict[str, Any] = options.get("attributes") or {}
        if operation is None or attributes.get(_METHOD) != operation.method:
            with sdk_span(name, **options) as new_span:
                yield new_span
            return
        operation.span.set_attributes(attributes)
        yield trace.INVALID_SPAN  # a single attempt doesn't determine the outcome of the call

    dispatcher["otel_span"] = span


_take_over()
