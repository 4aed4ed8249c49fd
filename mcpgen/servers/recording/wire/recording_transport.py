"""Records messages of the SDK's transports below its parser.

The parser rejects a list because of one invalid tool, and drops unknown properties. So it gets an
empty list instead of the recorded one.
"""

from __future__ import annotations

from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Any, TextIO

import httpx2
from mcp import types
from mcp.shared.message import SessionMessage
from mcpgen_runtime.connection.wire import listen, messages
from mcpgen_runtime.connection.wire.messages import InvalidMessage, PartialMessage, Read
from mcpgen_runtime.connection.wire.pending import Pending

from mcpgen.servers.endpoint import Http, Stdio
from mcpgen.servers.recording.wire import http_refusal, transport
from mcpgen.servers.recording.wire.transcript import Transcript


def stdio(
    target: Stdio, transcript: Transcript, stderr: TextIO
) -> AbstractAsyncContextManager[Any]:
    """Start a command and record its messages."""
    return transport.stdio(target, Recording(transcript), stderr)


def http(target: Http, transcript: Transcript) -> AbstractAsyncContextManager[Any]:
    """Connect to a URL. Error responses are recorded, because the SDK hides their status."""

    async def note(response: httpx2.Response) -> None:
        is_sse = target.kind == "sse"
        if response.request.method == "POST" or is_sse:
            transcript.status = response.status_code
            transcript.refusal = await http_refusal.read(response, target)
        if is_sse and response.is_error:
            transcript.give_up()  # the SDK would wait for a response that can't come

    pending = Pending()
    return transport.http(target, Recording(transcript, pending), pending, note)


def memory(server: Any, transcript: Transcript) -> AbstractAsyncContextManager[Any]:
    """Run a server in this process and record its messages."""
    return transport.memory(server, Recording(transcript))


@dataclass(slots=True)
class Recording:
    """Listens to a transport. ``pending`` belongs to an HTTP connection."""

    transcript: Transcript
    pending: Pending | None = None

    def note_sent(self, item: SessionMessage) -> None:
        """Note a message on its way to the server."""
        message = item.message
        if isinstance(message, types.JSONRPCRequest):
            self.transcript.note_request(message.id, message.method, message.params)

    def filter_received(self, item: listen.Incoming) -> SessionMessage | None:
        """Record a response, and return a replacement that the SDK's parser accepts."""
        if self.pending is not None and isinstance(item, SessionMessage):
            item = self.pending.take(item) or item
        if isinstance(item, InvalidMessage):
            self.transcript.note_junk(str(item))
            return None
        self.transcript.note_size(item.size if isinstance(item, Read | PartialMessage) else 0)
        message = item.message
        if isinstance(message, types.JSONRPCError):
            self.transcript.note_error(message.error.data)
        elif isinstance(message, types.JSONRPCResponse):
            message.result = self.transcript.note_result(message.id, message.result)
        elif isinstance(item, PartialMessage):
            return None
        return SessionMessage(message)

    def note_end(self, reason: str) -> None:
        """Record that no more messages will come."""
        if reason == str(messages.TooLong()):
            self.transcript.stop(reason)
