"""What goes over a transport is recorded: each answer stays raw, below the SDK's parser.

The parser refuses a whole list for one bad tool and drops members that it does not know. So it is
given an empty list in place of each one, and never sees what was recorded.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from mcp import types
from mcp.shared.message import SessionMessage

from mcpgen.contract.lists import LISTINGS, Listing
from mcpgen.jsontext import Json, is_array, is_object
from mcpgen.recording.http_refusal import Refusal
from mcpgen.recording.wire import json_text, listen, messages
from mcpgen.recording.wire.faults import Unreadable
from mcpgen.recording.wire.messages import Flawed, Junk, Read
from mcpgen.recording.wire.pending import Pending

MOST_BYTES = 4 * messages.MOST_BYTES
"""How much a server may send while it is recorded."""
MOST_ENTRIES = 10_000
"""How many tools, prompts, resources or resource templates it may list."""

_BY_METHOD = {listing.method: listing for listing in LISTINGS}
_GREETINGS = ("initialize", "server/discover")
_CAPABILITIES = "io.modelcontextprotocol/clientCapabilities"


@dataclass(slots=True)
class Transcript:
    """What went over the wire so far.

    ``junk`` is the first thing that was no JSON-RPC, ``junk_since`` the first since the last
    answer. ``unreadable`` is what was wrong with an answer that cannot be read, ``too_much`` says
    that there was more than is waited for, and ``received_bytes`` how many bytes there were.
    ``pending`` is of an HTTP connection. ``give_up`` ends the session where waiting makes no sense.
    """

    pages: dict[str, list[Json]] = field(default_factory=dict[str, "list[Json]"])
    greetings: dict[str, Json] = field(default_factory=dict[str, Json])
    client_capabilities: dict[str, dict[str, Json]] = field(
        default_factory=dict[str, "dict[str, Json]"]
    )
    asked: dict[Any, str] = field(default_factory=dict[Any, str])
    answered: int = 0
    junk: str = ""
    junk_since: str = ""
    status: int = 0
    refusal: Refusal | None = None
    unreadable: str = ""
    too_much: str = ""
    received_bytes: int = 0
    pending: Pending | None = None
    give_up: Callable[[], None] = lambda: None

    def sent(self, item: SessionMessage) -> None:
        """Note a message on its way to the server."""
        message = item.message
        if not isinstance(message, types.JSONRPCRequest):
            return
        self.asked[message.id] = message.method
        if message.method in _GREETINGS:
            params: Any = message.params or {}
            declared = params.get("capabilities") or params.get("_meta", {}).get(_CAPABILITIES)
            self.client_capabilities[message.method] = declared or {}

    def received(self, item: listen.Incoming) -> SessionMessage | None:
        """Record an answer, and leave in its place what the SDK's parser will accept."""
        if self.pending is not None and isinstance(item, SessionMessage):
            item = self.pending.take(item) or item
        if isinstance(item, Junk):
            self._record_junk(str(item))
            return None
        self._count_bytes(item)
        message = item.message
        if isinstance(message, types.JSONRPCError | types.JSONRPCResponse):
            self.answered += 1
            self.junk_since = ""
        if isinstance(message, types.JSONRPCError):
            fault = message.error.data
            self.unreadable = fault.reason if isinstance(fault, Unreadable) else ""
        elif isinstance(message, types.JSONRPCResponse):
            self._record(message, self.asked.pop(message.id, ""))
        elif isinstance(item, Flawed):
            return None
        return SessionMessage(message)

    def ended(self, reason: str) -> None:
        """Note that nothing will come any more."""
        if reason == str(messages.TooLong()):
            self.stop(reason)

    def stop(self, reason: str) -> None:
        """End the session: what the server sends is more than is waited for."""
        self.too_much = self.too_much or reason
        self.give_up()

    def _count_bytes(self, item: SessionMessage | Flawed) -> None:
        self.received_bytes += item.size if isinstance(item, Read | Flawed) else 0
        if self.received_bytes > MOST_BYTES:
            self.stop(f"it sent more than {MOST_BYTES >> 20} MiB")

    def _record(self, message: types.JSONRPCResponse, method: str) -> None:
        self.unreadable = ""
        raw = _as_json(message.result)
        if method in _GREETINGS:
            self.greetings[method] = copy.deepcopy(raw)
            message.result = _acceptable(raw)
        elif method in _BY_METHOD:
            self._record_page(raw, _BY_METHOD[method])
            message.result = _COMPLETE | {_BY_METHOD[method].member: []}

    def _record_page(self, page: Json, listing: Listing) -> None:
        pages = self.pages.setdefault(listing.method, [])
        pages.append(page)
        lists = [each.get(listing.member) for each in pages]
        if sum(len(each) for each in lists if is_array(each)) > MOST_ENTRIES:
            self.stop(f"{listing.method} lists more than {MOST_ENTRIES:,} {listing.member}")

    def _record_junk(self, text: str) -> None:
        """Note what the server sent that was no JSON-RPC; blank lines do no harm."""
        self.junk = self.junk or text.strip()
        self.junk_since = self.junk_since or text.strip()


def _as_json(value: Json) -> Json:
    """Return JSON in which a number that says so stands for what cannot be read."""
    if is_object(value):
        return {key: _as_json(each) for key, each in value.items()}
    if is_array(value):
        return [_as_json(each) for each in value]
    return math.nan if isinstance(value, json_text.Unread) else json_text.exact(value)


_COMPLETE: dict[str, Json] = {"resultType": "complete", "ttlMs": 0, "cacheScope": "private"}


def _acceptable(greeting: dict[str, Json]) -> dict[str, Json]:
    """Keep the revisions of a greeting, which the SDK decides by; the rest may be invalid."""
    revisions = {k: greeting[k] for k in ("protocolVersion", "supportedVersions") if k in greeting}
    nobody = {"name": "server", "version": "0"}
    return _COMPLETE | {"capabilities": {}, "serverInfo": nobody} | revisions
