"""Names used by the Python examples in docs/telemetry.md."""

from bookshelf import BookshelfClient
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

exporter = InMemorySpanExporter()
