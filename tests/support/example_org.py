"""Serves https://example.org from this machine, for the examples in docs/."""

from __future__ import annotations

import httpx2


def route(port: int) -> None:
    """Send all requests for example.org to a local port. Proxies and certificates are ignored."""
    send = httpx2.AsyncHTTPTransport.handle_async_request
    # Without connections that are kept, it works in any event loop.
    plain = httpx2.AsyncHTTPTransport(limits=httpx2.Limits(max_keepalive_connections=0))

    async def handle(_: httpx2.AsyncHTTPTransport, request: httpx2.Request) -> httpx2.Response:
        assert request.url.host == "example.org", request.url
        url = request.url.copy_with(scheme="http", host="127.0.0.1", port=port)
        headers = {**request.headers, "host": f"127.0.0.1:{port}"}
        local = httpx2.Request(
            request.method,
            url,
            headers=headers,
            stream=request.stream,
            extensions=request.extensions,
        )
        return await send(plain, local)

    httpx2.AsyncHTTPTransport.handle_async_request = handle
