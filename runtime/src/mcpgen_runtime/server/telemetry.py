"""Measures the duration of requests, by the conventions of OpenTelemetry for MCP.

The SDK already records a span for each request. Metrics go to OpenTelemetry if the program has
set it up, and to Prometheus with ``--metrics``.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Container, Mapping
from functools import cache
from typing import Any, TypeAlias

from mcp import MCPError
from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.types import CallToolResult

from ..tracing import is_observed

NAME = "mcp.server.operation.duration"
DESCRIPTION = "Duration of the MCP request or notification as observed by the server."
BUCKETS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300)
ATTRIBUTES = (
    "mcp.method.name",
    "error.type",
    "gen_ai.operation.name",
    "gen_ai.tool.name",
    "gen_ai.prompt.name",
    "rpc.response.status_code",
    "mcp.protocol.version",
    "network.transport",
    "network.protocol.name",
)
"""The attributes of the metric. None of them has values that a caller can choose."""

Record: TypeAlias = Callable[[float, Mapping[str, str]], None]
"""Receives the seconds and the attributes of an operation."""


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
                _histogram(self._package).record(seconds, attributes)

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


@cache
def _histogram(package: str) -> Any:
    from opentelemetry import metrics

    return metrics.get_meter(package).create_histogram(
        NAME,
        unit="s",
        description=DESCRIPTION,
        explicit_bucket_boundaries_advisory=[*BUCKETS],
    )
