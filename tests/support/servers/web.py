"""The servers of ``bare`` over HTTP: ``/mcp/BEHAVIOUR``, ``/sse``, and paths that go wrong."""

from __future__ import annotations

import json
import queue
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import urlsplit

from servers import bare

OAUTH = (
    'Bearer error="invalid_token", error_description="it has expired", '
    'resource_metadata="https://example.org/.well-known/oauth-protected-resource"'
)
BODIES = {
    "/403/json": (
        "application/json",
        '{"error": {"message": "no, \\u001b[2J you (GIVEN)"}}',
    ),
    "/403/html": (
        "text/html",
        "<html><style>p {}</style><p>Ask <b>Ada</b> first.</p></html>",
    ),
    "/500/long": ("text/plain", "the database is away " * 100),
    "/400/tls": ("text/plain", "Client sent an HTTP request to an HTTPS server."),
}


class Web(ThreadingHTTPServer):
    """The server, its requests, and the pending messages of each SSE stream."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.over = threading.Event()
        self.streams: list[queue.Queue[str]] = []
        self.requests: list[tuple[str, dict[str, str]]] = []

    def handle_error(self, request: Any, client_address: Any) -> None:
        pass  # a client that has left already

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


@contextmanager
def running() -> Iterator[Web]:
    """Serve from a thread until the block ends."""
    with Web() as web:
        thread = threading.Thread(target=web.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        try:
            yield web
        finally:
            web.over.set()
            web.shutdown()
            thread.join()


class _Handler(BaseHTTPRequestHandler):
    server: Web
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        if self._failed():
            return
        path = urlsplit(self.path).path
        if path.endswith("/sse") or path.startswith("/events-of-the-older-kind"):
            self._stream()
        else:
            self._send(405)

    def do_DELETE(self) -> None:
        self._send(200)

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["content-length"]))
        headers = {name.lower(): value for name, value in self.headers.items()}
        self.server.requests.append((self.path, headers))
        if self._failed():
            return
        behaviour = urlsplit(self.path).path.split("/")[2]
        result = bare.answer(behaviour, json.loads(body))
        if self.path.startswith("/messages/"):
            self._send(202)
            if result:
                stream = self.server.streams[int(urlsplit(self.path).path.split("/")[3])]
                stream.put(f"event: message\ndata: {bare.text_of(behaviour, result)}\n\n")
        elif result is None:
            self._send(202)
        elif self.path.startswith("/events"):
            event = f"event: message\ndata: {bare.text_of(behaviour, result)}\n\n"
            self._send(200, event, {"content-type": "text/event-stream"})
        else:
            text = bare.text_of(behaviour, result)
            self._send(200, text, {"content-type": "application/json"})

    def _failed(self) -> bool:
        path = urlsplit(self.path).path
        headers: dict[str, str] = {}
        if path.startswith("/hang"):
            self.server.over.wait(20)
            self.close_connection = True
            return True
        if path.startswith("/moved"):
            self._send(307, "", {"location": path.replace("/moved", "/mcp")})
            return True
        if path.startswith("/html"):
            self._send(200, "<html>", {"content-type": "text/html"})
            return True
        if path.startswith("/text"):
            self._send(200, "{]", {"content-type": "application/json"})
            return True
        if not path[1:4].isdecimal():
            return False
        if path.startswith("/401"):
            headers["www-authenticate"] = 'Basic realm="here"'
        if path.startswith("/401/oauth"):
            headers["www-authenticate"] = OAUTH
        if path.startswith("/30"):
            headers["location"] = "https://me:canary@example.org/elsewhere?token=canary"
        if path.startswith("/429"):
            headers["retry-after"] = "7"
        kind, body = BODIES.get(path, ("text/plain", ""))
        authorization = self.headers.get("authorization", "")
        body = body.replace("GIVEN", authorization)
        self._send(int(path[1:4]), body, headers | {"content-type": kind})
        return True

    def _stream(self) -> None:
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("connection", "close")
        self.end_headers()
        events: queue.Queue[str] = queue.Queue()
        self.server.streams.append(events)
        number = len(self.server.streams) - 1
        target = "/401" if "refused" in self.path else f"/messages/all/{number}"
        self.wfile.write(f"event: endpoint\ndata: {target}\n\n".encode())
        self.wfile.flush()
        while not self.server.over.is_set():
            try:
                self.wfile.write(events.get(timeout=0.05).encode())
                self.wfile.flush()
            except queue.Empty:
                continue
            except OSError:
                break
        self.close_connection = True

    def _send(self, status: int, body: str = "", headers: dict[str, str] | None = None) -> None:
        self.send_response(status)
        for name, value in {
            **(headers or {}),
            "content-length": str(len(body)),
        }.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body.encode())

    def log_message(self, format: str, *args: Any) -> None:
        pass
