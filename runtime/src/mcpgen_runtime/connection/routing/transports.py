"""Opens stdio, HTTP and other transports, observed below the SDK's parser."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Generator
from contextlib import (
    AbstractAsyncContextManager,
    asynccontextmanager,
    contextmanager,
)
from typing import TYPE_CHECKING, Any

from ..wire.faults import HttpRejection
from .stderr import Stderr

if TYPE_CHECKING:
    from mcp import StdioServerParameters

    from .route import Route


@asynccontextmanager
async def open_transport(
    transport: AbstractAsyncContextManager[Any], route: Route
) -> AsyncGenerator[Any]:
    """Open a transport that the caller gave."""
    from ..wire.listen import listening
    from .http_status import observing_status
    from .observer import TransportObserver

    observer = route.observer = TransportObserver(route.on_end, route.package.logger())
    observed = observing_status(transport, observer.note_refusal)
    async with listening(observed, observer) as streams:
        with _closing(route):
            yield streams


@asynccontextmanager
async def open_stdio(command: StdioServerParameters, route: Route) -> AsyncGenerator[Any]:
    """Start a process and keep the end of its stderr."""
    import anyio

    from ..wire.listen import listening
    from ..wire.process import process
    from .observer import TransportObserver

    stderr = route.stderr = Stderr()
    observer = route.observer = TransportObserver(route.on_end, route.package.logger())
    try:
        async with listening(process(command, stderr.file), observer) as streams:
            with _closing(route):
                yield streams
    finally:
        with anyio.CancelScope(shield=True):
            await stderr.aclose()


@asynccontextmanager
async def open_http(url: str, route: Route) -> AsyncGenerator[Any]:
    """Connect to a URL with its transport."""
    import httpx2

    from ...auth.authorization import find_auth
    from ..wire.http import AnsweringClient
    from ..wire.listen import Injector, listening
    from ..wire.messages import MOST_BYTES
    from ..wire.pending import Pending
    from .observer import TransportObserver

    pending = Pending()
    injector = Injector() if route.is_sse else None
    observer = route.observer = TransportObserver(route.on_end, route.package.logger(), pending)

    def set_refusal(refusal: HttpRejection) -> None:
        route.refusal = refusal

    def client(
        headers: dict[str, str] | None = None,
        timeout: httpx2.Timeout | None = None,
        auth: httpx2.Auth | None = None,
    ) -> AnsweringClient:
        del timeout, auth  # a response may take long, and each call has its own limit
        on_refused = set_refusal if route.is_sse else None
        return AnsweringClient(
            pending,
            injector,
            on_refused,
            route.http.http_client,
            headers=headers,
            timeout=httpx2.Timeout(30, read=None),
            auth=find_auth(url, route.http, route.label, is_authorized=route.is_authorized),
        )

    headers = dict(route.headers)
    if route.is_sse:
        from mcp.client.sse import sse_client

        sse = sse_client(url, headers, httpx_client_factory=client)
        async with listening(sse, observer, injector) as streams:
            with _closing(route):
                yield streams
        return
    from mcp.client.streamable_http import streamable_http_client

    http = client(headers)
    route.session_id = lambda: http.session_id
    streamable = streamable_http_client(url, http_client=http, max_sse_event_size=MOST_BYTES)
    async with http, listening(streamable, observer) as streams:
        with _closing(route):
            yield streams


@contextmanager
def _closing(route: Route) -> Generator[None]:
    """Signal that the SDK will close a transport."""
    try:
        yield
    finally:
        route.on_close()
