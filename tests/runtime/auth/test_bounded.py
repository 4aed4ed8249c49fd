"""The HTTP client of a login has limits, because the authorization server isn't trusted."""

from __future__ import annotations

import asyncio
import gzip
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import httpx2
import pytest
from mcpgen_runtime.auth import bounded
from mcpgen_runtime.auth.bounded import InsecureURLError, ResponseTooLargeError, bounded_client


@contextmanager
def serving(*, body: bytes, encoding: str = "", drip: float = 0.0) -> Iterator[str]:
    """Serve a body, at once or byte by byte."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            if encoding:
                self.send_header("content-encoding", encoding)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            for part in [body[at : at + 1] for at in range(len(body))] if drip else [body]:
                try:
                    self.wfile.write(part)
                except OSError:
                    return
                if stopped.wait(drip):
                    return

        def log_message(self, *_: Any) -> None:
            pass

    stopped = threading.Event()
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/"
    finally:
        stopped.set()
        server.shutdown()
        thread.join()
        server.server_close()


def get(url: str) -> bytes:
    async def inside() -> bytes:
        async with bounded_client("https://mcp.example/mcp") as client:
            return (await client.get(url)).content

    return asyncio.run(inside())


def test_ordinary_response_is_read() -> None:
    with serving(body=b"{}") as url:
        assert get(url) == b"{}"


def test_large_response_is_refused() -> None:
    with serving(body=b"x" * (bounded.MAX_BYTES + 1)) as url, pytest.raises(ResponseTooLargeError):
        get(url)


def test_compressed_response_is_refused() -> None:
    body = gzip.compress(b"x" * 10_000_000)
    with serving(body=body, encoding="gzip") as url, pytest.raises(ResponseTooLargeError):
        get(url)


def test_dripping_response_has_a_time_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bounded, "MAX_SECONDS", 0.5)
    with serving(body=b"x" * 1000, drip=0.05) as url, pytest.raises(httpx2.ReadTimeout):
        get(url)


@pytest.mark.parametrize("url", ["http://a.example/", "http://10.0.0.1/", "http://[2001:db8::1]/"])
def test_plain_http_to_another_machine_is_refused(url: str) -> None:
    with pytest.raises(InsecureURLError):
        get(url)


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "127.8.9.1", "::1", "a.localhost"])
def test_this_machine_is_loopback(host: str) -> None:
    assert bounded.is_loopback(host)
    assert not bounded.is_loopback(f"{host}.example")
