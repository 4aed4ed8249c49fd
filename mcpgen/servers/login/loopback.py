"""Receives the redirect of a login at a local address, once."""

from __future__ import annotations

import asyncio
import hmac
import socket
import sys
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager, suppress
from urllib.parse import parse_qs, urlsplit

from mcpgen.errors import UsageError

HOST = "127.0.0.1"
PATH = "/callback"

_LONGEST = 16_384
_PATIENCE = 10.0
_PAGE = """\
<!doctype html><meta charset="utf-8"><title>mcpgen</title>
<p>{text} You can close this window."""
_HEADERS = """\
HTTP/1.1 {status}\r
Content-Type: text/html; charset=utf-8\r
Content-Length: {length}\r
Cache-Control: no-store\r
Referrer-Policy: no-referrer\r
Content-Security-Policy: default-src 'none'\r
Connection: close\r
\r
"""


class Answers:
    """The result of the redirect. Only requests with the expected ``state`` count."""

    def __init__(self) -> None:
        self.state = ""
        self._answer: asyncio.Future[Mapping[str, str]] | None = None

    async def first(self) -> Mapping[str, str]:
        """Wait for the result."""
        if self._answer is None:
            self._answer = asyncio.get_running_loop().create_future()
        return await self._answer

    def take(self, target: str) -> str:
        """Handle a request of the browser, and return the HTTP status."""
        parts = urlsplit(target)
        query = {name: values[0] for name, values in parse_qs(parts.query).items()}
        if parts.path != PATH:
            return "404 Not Found"
        if not self.state or not is_same(query.get("state", ""), self.state):
            return "400 Bad Request"
        if self._answer is None:
            self._answer = asyncio.get_running_loop().create_future()
        if not self._answer.done():
            self._answer.set_result(query)
        return "200 OK"


def is_same(state: str, expected: str) -> bool:
    """Compare two strings in constant time."""
    return hmac.compare_digest(state.encode(), expected.encode())


def free_port(port: int = 0) -> int:
    """Return a free port: the requested one, or any."""
    with socket.socket() as listener:
        if sys.platform != "win32":  # where another process could take over the port
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((HOST, port))
        except OSError:
            if not port:
                raise
            return free_port()
        return int(listener.getsockname()[1])


def port_of(redirect: str) -> int:
    """Return the port of a redirect URI, or 0 if it has none."""
    return urlsplit(redirect).port or 0


def address(port: int) -> str:
    """Return the redirect URI."""
    return f"http://{HOST}:{port}{PATH}"


@asynccontextmanager
async def listening(port: int) -> AsyncGenerator[Answers]:
    """Listen on a local port until the result arrives."""
    answers = Answers()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            with suppress(OSError, ValueError, asyncio.TimeoutError):
                await asyncio.wait_for(_serve(reader, writer, answers), _PATIENCE)
        finally:
            writer.close()

    try:
        server = await asyncio.start_server(serve, HOST, port, limit=_LONGEST)
    except OSError:
        problem = f"port {port} of {HOST} cannot be listened on"
        raise UsageError(problem, "--redirect-port", "name another") from None
    try:
        yield answers
    finally:
        server.close()


async def _serve(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, answers: Answers
) -> None:
    line = (await reader.readline()).decode("ascii", "replace").split()
    while await reader.readline() not in (b"\r\n", b"\n", b""):
        pass
    status = "405 Method Not Allowed"
    if len(line) == 3 and line[0] == "GET":
        status = answers.take(line[1])
    text = (
        "mcpgen received the response."
        if status == "200 OK"
        else "This isn't the expected response."
    )
    page = _PAGE.format(text=text).encode()
    head = _HEADERS.format(status=status, length=len(page)).encode()
    writer.write(head + page)
    await writer.drain()
