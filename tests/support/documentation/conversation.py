"""What the Python in docs/conversation.md takes for granted."""

import socket
import ssl
import threading
import time

import httpx2
import uvicorn
from library import LibraryClient
from library.middleware import Call, Proceed, Result, WaitingProceed
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from mcpgen.demo import server

durations: list[tuple[str, float]] = []
seen: list[tuple[str, int]] = []
exporter = InMemorySpanExporter()


def serve() -> str:
    """Serve the library over HTTP until Python ends, and return where."""
    listener = socket.create_server(("127.0.0.1", 0))
    runner = uvicorn.Server(uvicorn.Config(server.streamable_http_app(), log_level="error"))
    threading.Thread(target=runner.run, kwargs={"sockets": [listener]}, daemon=True).start()
    return f"http://127.0.0.1:{listener.getsockname()[1]}/mcp"


url = serve()
