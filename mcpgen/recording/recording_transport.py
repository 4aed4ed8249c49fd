"""Shows a transcript what goes over a transport of the SDK, below its parser.

The parser refuses a whole list for one bad tool and drops members that it does not know. So it is
given an empty list in place of each one, and never sees what was recorded.
"""

from __future__ import annotations

from dataclasses import dataclass

from mcp import types
from mcp.shared.message import SessionMessage

from mcpgen.recording.transcript import Transcript
from mcpgen.recording.wire import listen, messages
from mcpgen.recording.wire.messages import Flawed, Junk, Read
from mcpgen.recording.wire.pending import Pending


@dataclass(slots=True)
class Recording:
    """Listens to a transport; ``pending`` is of an HTTP connection."""

    transcript: Transcript
    pending: Pending | None = None

    def sent(self, item: SessionMessage) -> None:
        """Note a message on its way to the server."""
        message = item.message
        if isinstance(message, types.JSONRPCRequest):
            self.transcript.note_request(message.id, message.method, message.params)

    def received(self, item: listen.Incoming) -> SessionMessage | None:
        """Record an answer, and leave in its place what the SDK's parser will accept."""
        if self.pending is not None and isinstance(item, SessionMessage):
            item = self.pending.take(item) or item
        if isinstance(item, Junk):
            self.transcript.note_junk(str(item))
            return None
        self.transcript.note_size(item.size if isinstance(item, Read | Flawed) else 0)
        message = item.message
        if isinstance(message, types.JSONRPCError):
            self.transcript.note_error(message.error.data)
        elif isinstance(message, types.JSONRPCResponse):
            message.result = self.transcript.note_result(message.id, message.result)
        elif isinstance(item, Flawed):
            return None
        return SessionMessage(message)

    def ended(self, reason: str) -> None:
        """Note that nothing will come any more."""
        if reason == str(messages.TooLong()):
            self.transcript.stop(reason)
