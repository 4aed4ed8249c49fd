"""A client that doesn't read its stream doesn't hold up the others."""

from __future__ import annotations

from typing import Any

import anyio
import pytest
from mcp.server.streamable_http import (
    GET_STREAM_KEY,
    EventMessage,
    StreamableHTTPServerTransport,
)

pytestmark = pytest.mark.services
NOTIFICATION = {"jsonrpc": "2.0", "method": "notifications/tools/list_changed"}


def test_stream_of_a_client_that_does_not_read_is_closed() -> None:
    module: Any = pytest.importorskip("mcpgen_runtime.server.replicas.session_manager")

    async def check() -> None:
        transport = StreamableHTTPServerTransport("0123456789abcdef")
        session = module.LocalSession("0123456789abcdef", "key", transport)
        async with transport.connect():
            streams = anyio.create_memory_object_stream[EventMessage](2)
            transport._request_streams[GET_STREAM_KEY] = streams
            assert session.has_stream
            with anyio.fail_after(5):
                for _ in range(5):
                    await session.send(NOTIFICATION)
            assert not session.has_stream

    anyio.run(check)
