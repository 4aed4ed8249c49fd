"""Sets up OpenTelemetry for the tests of one module, as a program does once."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from mcp.shared import _otel
from opentelemetry import metrics, trace
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter


@contextmanager
def providers(spans: InMemorySpanExporter, reader: InMemoryMetricReader) -> Iterator[None]:
    """Install the providers that a program sets once, and remove them for other tests."""
    before = vars(trace)["_TRACER_PROVIDER"], vars(metrics._internal)["_METER_PROVIDER"]
    tracing = TracerProvider()
    tracing.add_span_processor(SimpleSpanProcessor(spans))
    vars(trace)["_TRACER_PROVIDER"] = tracing
    metering = MeterProvider([reader])
    metrics._internal._METER_PROVIDER = metering
    metrics._internal._PROXY_METER_PROVIDER.on_set_meter_provider(metering)
    yield
    spans.shutdown()
    vars(vars(_otel)["_tracer"])["_real_tracer"] = None  # which keeps its provider
    vars(trace)["_TRACER_PROVIDER"] = before[0]
    metrics._internal._METER_PROVIDER = before[1]
