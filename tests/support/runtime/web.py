"""Servers over HTTP: the SDK's in a thread, the raw one in a process."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import uvicorn
from guards import until
from mcp.server import Server

RAW = str(Path(__file__).parent / "raw_server.py")


class Heard:
    """An ASGI application that remembers the headers of each request to another."""

    def __init__(self, app: Any) -> None:
        self.app = app
        self.headers: list[dict[str, str]] = []

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "http":
            self.headers.append({k.decode(): v.decode() for k, v in scope["headers"]})
        await self.app(scope, receive, send)


@contextmanager
def web(server: Server[Any]) -> Iterator[tuple[str, Heard]]:
    """Serve from a thread; yield the URL and what is heard."""
    heard = Heard(server.streamable_http_app())
    settings = uvicorn.Config(heard, port=0, log_level="warning", ws="none")
    runner = uvicorn.Server(settings)
    thread = threading.Thread(target=runner.run)
    thread.start()
    try:
        until(lambda: runner.started)
        port = runner.servers[0].sockets[0].getsockname()[1]
        yield f"http://127.0.0.1:{port}/mcp", heard
    finally:
        runner.should_exit = True
        thread.join()


@contextmanager
def raw_web(behaviour: str, port: int = 0) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """Start the raw server in a process; yield the URL and the process."""
    command = [sys.executable, RAW, "--http", behaviour, str(port)]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdout=pipe, stderr=subprocess.DEVNULL, text=True) as process:
        assert process.stdout is not None
        try:
            yield f"http://127.0.0.1:{int(process.stdout.readline())}/mcp", process
        finally:
            process.kill()
