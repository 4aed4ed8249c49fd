"""The state of OpenTelemetry, without importing it."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from opentelemetry import trace

    from .errors import Change

_NOOP_PROVIDERS = (
    "ProxyTracerProvider",
    "NoOpTracerProvider",
    "_ProxyMeterProvider",
    "NoOpMeterProvider",
)
_MAX_CHANGES = 20


def is_observed() -> bool:
    """Return True if the program has set up OpenTelemetry, whose API the SDK imports."""
    traces = sys.modules.get("opentelemetry.trace")
    metrics = sys.modules.get("opentelemetry.metrics")
    return (
        traces is not None and type(traces.get_tracer_provider()).__name__ not in _NOOP_PROVIDERS
    ) or (
        metrics is not None and type(metrics.get_meter_provider()).__name__ not in _NOOP_PROVIDERS
    )


def record_drift(changes: Sequence[Change]) -> None:
    """Add an event with the server's drift to the current span, if one is being recorded."""
    if not is_observed():
        return
    from opentelemetry import trace

    span = trace.get_current_span()
    if span.is_recording():
        add_drift(span, changes)


def add_drift(span: trace.Span, changes: Sequence[Change]) -> None:
    """Add an event with the server's drift to a span."""
    if changes:
        listed = [str(change) for change in changes[:_MAX_CHANGES]]
        span.add_event("mcpgen.contract_drift", {"mcpgen.changes": listed})
