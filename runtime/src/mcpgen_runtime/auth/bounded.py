"""An HTTP client for authorization servers, which untrusted servers choose.

Responses have size and time limits. Only https and this machine are allowed.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Generator, Mapping
from contextlib import contextmanager
from ipaddress import ip_address
from typing import Any

import anyio
import httpx2

from .. import tls

MAX_BYTES = 2**20
"""Metadata and tokens usually have a few kilobytes."""
MAX_SECONDS = 30.0
"""The time limit of one request and its response."""


class ResponseTooLargeError(httpx2.TransportError):
    """A response exceeds the size limit for logins."""


class InsecureURLError(httpx2.TransportError):
    """A login would use plain HTTP to another machine."""


def bounded_client(
    server: str,
    *,
    headers: Mapping[str, str] | None = None,
    transport: httpx2.AsyncBaseTransport | None = None,
) -> httpx2.AsyncClient:
    """Return a client for the login at an MCP server.

    The MCP server itself may use plain HTTP, because the user chose its URL. ``transport`` sends
    the requests.
    """
    transport = transport or httpx2.AsyncHTTPTransport(verify=tls.shared_settings())
    return httpx2.AsyncClient(
        transport=_BoundedTransport(httpx2.URL(server), transport),
        timeout=httpx2.Timeout(10, read=MAX_SECONDS),
        headers=dict(headers or {}),
    )


class _BoundedTransport(httpx2.AsyncBaseTransport):
    def __init__(self, server: httpx2.URL, transport: httpx2.AsyncBaseTransport) -> None:
        self._server = server
        self._transport = transport

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        url = request.url
        is_server = (url.scheme, url.host, url.port) == (
            self._server.scheme,
            self._server.host,
            self._server.port,
        )
        if url.scheme != "https" and not (is_server or is_loopback(url.host)):
            raise InsecureURLError("plain HTTP to another machine")
        # A compressed megabyte can expand to gigabytes.
        request.headers["accept-encoding"] = "identity"
        ends = anyio.current_time() + MAX_SECONDS
        with _limit(ends):
            response = await self._transport.handle_async_request(request)
        if response.headers.get("content-encoding", "identity") != "identity":
            await response.aclose()
            raise ResponseTooLargeError("a compressed response")
        return httpx2.Response(
            response.status_code,
            headers=response.headers,
            stream=_BoundedStream(response, ends),
            extensions=response.extensions,
        )

    async def aclose(self) -> None:
        await self._transport.aclose()


class _BoundedStream(httpx2.AsyncByteStream):
    def __init__(self, response: httpx2.Response, ends: float) -> None:
        self._response = response
        self._ends = ends

    async def __aiter__(self) -> AsyncIterator[bytes]:
        length = 0
        stream: Any = self._response.stream
        parts = stream.__aiter__()
        while True:
            with _limit(self._ends):
                part = await anext(parts, None)
            if part is None:
                return
            length += len(part)
            if length > MAX_BYTES:
                raise ResponseTooLargeError(f"more than {MAX_BYTES:,} bytes")
            yield part

    async def aclose(self) -> None:
        await self._response.aclose()


@contextmanager
def _limit(ends: float) -> Generator[None]:
    """Raise ``httpx2.ReadTimeout`` at a time of the event loop's clock."""
    with anyio.CancelScope(deadline=ends) as scope:
        yield
    if scope.cancelled_caught:
        raise httpx2.ReadTimeout("the whole response took too long")


def is_loopback(host: str) -> bool:
    """Return True for a name or an address of this machine."""
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False
