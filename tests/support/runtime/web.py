"""Servers over HTTP: the SDK's in a thread, the raw one in a process."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import urlsplit

import uvicorn
from guards import until
from mcp.server import Server

RAW = str(Path(__file__).parent / "raw_server.py")


class RecordingApp:
    """An ASGI application that remembers the headers of each request to another."""

    def __init__(self, app: Any) -> None:
        self.app = app
        self.headers: list[dict[str, str]] = []

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "http":
            self.headers.append({k.decode(): v.decode() for k, v in scope["headers"]})
        await self.app(scope, receive, send)


class GuardedApp(RecordingApp):
    """Like ``Heard``, but responds only to known clients. Others get a status and a challenge."""

    def __init__(self, app: Any) -> None:
        super().__init__(app)
        self.known = {"Bearer good"}
        self.status = 401
        self.challenge = 'Bearer resource_metadata="http://127.0.0.1:1/about"'

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        credentials = dict(scope.get("headers", ())).get(b"authorization", b"").decode()
        if scope["type"] != "http" or credentials in self.known:
            await super().__call__(scope, receive, send)
            return
        self.headers.append({k.decode(): v.decode() for k, v in scope["headers"]})
        headers = [
            (b"www-authenticate", self.challenge.encode()),
            (b"set-cookie", b"seen=yes"),
        ]
        await send({"type": "http.response.start", "status": self.status, "headers": headers})
        await send({"type": "http.response.body", "body": f"who is {credentials}?".encode()})


class ProxiedApp(RecordingApp):
    """Like ``Heard``, reached by the absolute URLs sent to a proxy."""

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "http" and "//" in scope["path"]:
            path = urlsplit(scope["path"]).path
            rest = [pair for pair in scope["headers"] if pair[0] != b"host"]
            host = (b"host", f"127.0.0.1:{scope['server'][1]}".encode())
            scope = {
                **scope,
                "path": path,
                "raw_path": path.encode(),
                "headers": [*rest, host],
            }
        await super().__call__(scope, receive, send)


H = TypeVar("H", bound=RecordingApp)


def web(server: Server[Any]) -> AbstractContextManager[tuple[str, RecordingApp]]:
    """Serve from a thread and yield the URL and the request log."""
    return serving(RecordingApp(server.streamable_http_app()))


@contextmanager
def serving(transcript: H, **options: Any) -> Iterator[tuple[str, H]]:
    """Serve an application from a thread and yield the URL and the application."""
    settings = uvicorn.Config(transcript, port=0, log_level="warning", ws="none", **options)
    runner = uvicorn.Server(settings)
    thread = threading.Thread(target=runner.run)
    thread.start()
    try:
        until(lambda: runner.started)
        port = runner.servers[0].sockets[0].getsockname()[1]
        scheme = "https" if settings.is_ssl else "http"
        yield f"{scheme}://127.0.0.1:{port}/mcp", transcript
    finally:
        runner.should_exit = True
        thread.join()


@contextmanager
def raw_web(behaviour: str, port: int = 0) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """Start the raw server in a process and yield the URL and the process."""
    command = [sys.executable, RAW, "--http", behaviour, str(port)]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdout=pipe, stderr=subprocess.DEVNULL, text=True) as process:
        assert process.stdout is not None
        try:
            yield f"http://127.0.0.1:{int(process.stdout.readline())}/mcp", process
        finally:
            process.kill()
