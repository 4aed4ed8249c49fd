"""Records the raw messages of a session.

No message parser is needed here, so both clients of stdio servers share it.
"""

from __future__ import annotations

import contextlib
import copy
import math
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from mcpgen_runtime.connection.wire import json_text
from mcpgen_runtime.connection.wire.faults import Unreadable

from mcpgen.contract.lists import LISTINGS, Listing
from mcpgen.jsontext import Json, is_array, is_object
from mcpgen.servers.recording.wire.server_process import LONGEST_LINE

if TYPE_CHECKING:
    from mcpgen.servers.recording.wire.http_refusal import Refusal

MOST_BYTES = 4 * LONGEST_LINE
"""Maximum number of bytes that a server may send while it is recorded."""
MOST_ENTRIES = 10_000
"""Maximum number of tools, prompts, resources or resource templates."""

_TOOLS = LISTINGS[0]
_BY_METHOD = {listing.method: listing for listing in LISTINGS}
_GREETINGS = ("initialize", "server/discover")
_CAPABILITIES = "io.modelcontextprotocol/clientCapabilities"


@dataclass(slots=True)
class Transcript:
    """The messages so far. ``junk`` is the first text that wasn't JSON-RPC.

    ``junk_since`` is the first one since the last response. ``unreadable`` is why a response
    couldn't be read. ``too_much`` means that the size limit was exceeded, and ``received_bytes`` is
    the size. ``answer`` is the last result that is neither a handshake nor a page.
    ``mirrors_headers`` means that tools will be called, so that a parser must know the arguments
    sent as headers. ``give_up`` ends a hopeless session. Within ``pause`` the time limit is
    suspended.
    """

    pages: dict[str, list[Json]] = field(default_factory=dict[str, "list[Json]"])
    greetings: dict[str, Json] = field(default_factory=dict[str, Json])
    client_capabilities: dict[str, dict[str, Json]] = field(
        default_factory=dict[str, "dict[str, Json]"]
    )
    pending: dict[Any, str] = field(default_factory=dict[Any, str])
    answered: int = 0
    junk: str = ""
    junk_since: str = ""
    status: int = 0
    refusal: Refusal | None = None
    unreadable: str = ""
    too_much: str = ""
    received_bytes: int = 0
    answer: dict[str, Json] | None = None
    mirrors_headers: bool = False
    pause: Callable[[], AbstractContextManager[None]] = contextlib.nullcontext
    give_up: Callable[[], None] = lambda: None

    def note_request(self, number: str | int, method: str, params: Json) -> None:
        """Note a request on its way to the server."""
        self.pending[number] = method
        if method in _GREETINGS:
            params = params or {}
            declared = params.get("capabilities") or params.get("_meta", {}).get(_CAPABILITIES)
            self.client_capabilities[method] = declared or {}

    def note_result(self, number: str | int, result: dict[str, Json]) -> dict[str, Json]:
        """Record a result, and return a replacement that the parser accepts."""
        self._note_answer()
        self.unreadable = ""
        method = self.pending.pop(_to_number(number), "")
        raw = as_json(result)
        if method in _GREETINGS:
            self.greetings[method] = copy.deepcopy(raw)
            return _acceptable(raw)
        if method in _BY_METHOD:
            self._record_page(raw, _BY_METHOD[method])
            return _COMPLETE | {_BY_METHOD[method].member: self._parser_page(raw)}
        self.answer = raw
        return result

    def note_error(self, data: object) -> None:
        """Record an error response. Its data may be a fault of the connection."""
        self._note_answer()
        self.unreadable = data.reason if isinstance(data, Unreadable) else ""

    def note_size(self, size: int) -> None:
        """Count the bytes of a message."""
        self.received_bytes += size
        if self.received_bytes > MOST_BYTES:
            self.stop(f"it sent more than {MOST_BYTES >> 20} MiB")

    def note_junk(self, text: str) -> None:
        """Record text that wasn't JSON-RPC. Blank lines are harmless."""
        self.junk = self.junk or text.strip()
        self.junk_since = self.junk_since or text.strip()

    def stop(self, reason: str) -> None:
        """End the session because the server sends too much."""
        self.too_much = self.too_much or reason
        self.give_up()

    def note_raw_list(self, text: bytes) -> None:
        """End the session before a page with too many tools is parsed, which takes 1 GB."""
        is_listing = _TOOLS.method in self.pending.values()
        if is_listing and text.count(b'"inputSchema"') > MOST_ENTRIES:
            self._stop_listing(_TOOLS)

    def _stop_listing(self, listing: Listing) -> None:
        self.stop(f"{listing.method} lists more than {MOST_ENTRIES:,} {listing.member}")

    def _note_answer(self) -> None:
        self.answered += 1
        self.junk_since = ""

    def _parser_page(self, page: Json) -> list[Json]:
        """Return the part of a page that the parser needs: tools with header arguments."""
        if not self.mirrors_headers or not is_array(page.get("tools")):
            return []
        return [_stub(tool) for tool in page["tools"] if has_headers(tool)]

    def _record_page(self, page: Json, listing: Listing) -> None:
        pages = self.pages.setdefault(listing.method, [])
        pages.append(page)
        lists = [value.get(listing.member) for value in pages]
        if sum(len(value) for value in lists if is_array(value)) > MOST_ENTRIES:
            self._stop_listing(listing)


def has_headers(tool: Json) -> bool:
    """Return True if an argument of a tool is also sent as a header."""
    return any("x-mcp-header" in part for part in _parameters(tool).values())


def _stub(tool: Json) -> Json:
    schema = {"type": "object", "properties": _parameters(tool)}
    return {"name": tool["name"], "inputSchema": schema}


def _parameters(tool: Json) -> dict[str, Json]:
    schema = tool.get("inputSchema") if is_object(tool) else None
    listed = schema.get("properties") if is_object(schema) else None
    if not is_object(listed) or not isinstance(tool.get("name"), str):
        return {}
    return {name: part for name, part in listed.items() if is_object(part)}


def _to_number(number: str | int) -> str | int:
    """Return the ID of a request as sent. Some servers return it as a string."""
    with contextlib.suppress(ValueError):
        return int(number)
    return number


def as_json(value: Json) -> Json:
    """Return JSON in which a marker number stands for unreadable values."""
    if is_object(value):
        return {key: as_json(item) for key, item in value.items()}
    if is_array(value):
        return [as_json(item) for item in value]
    return math.nan if isinstance(value, json_text.UnreadNumber) else json_text.exact(value)


_COMPLETE: dict[str, Json] = {"resultType": "complete", "ttlMs": 0, "cacheScope": "private"}


def _acceptable(greeting: dict[str, Json]) -> dict[str, Json]:
    """Return a valid handshake with the server's revisions. The rest may be invalid."""
    revisions = {k: greeting[k] for k in ("protocolVersion", "supportedVersions") if k in greeting}
    nobody = {"name": "server", "version": "0"}
    return _COMPLETE | {"capabilities": {}, "serverInfo": nobody} | revisions
