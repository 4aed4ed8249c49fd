"""A transport that is listened to: each answer is kept raw, below the SDK's parser.

The parser refuses a whole list for one bad tool and drops members that it does not know. So it is
given an empty list in place of each one, and never sees what was kept.
"""

from __future__ import annotations

import copy
from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from mcp import types
from mcp.shared.message import SessionMessage

from mcpgen.jsontext import Json
from mcpgen.live.lists import LISTS
from mcpgen.live.refusal import Refusal

_MEMBERS = {listing.method: listing.member for listing in LISTS}
_GREETINGS = ("initialize", "server/discover")
_CAPABILITIES = "io.modelcontextprotocol/clientCapabilities"


@dataclass(slots=True)
class Heard:
    """What went over the wire so far.

    ``junk`` is the first thing that was no JSON-RPC, ``junk_since`` the first since the last
    answer. ``unreadable`` is what was wrong with an answer that the SDK could not parse, so that
    none will come; ``give_up`` ends the conversation where waiting any longer makes no sense.
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
    give_up: Callable[[], None] = lambda: None

    def sent(self, message: Any) -> None:
        """Note a message on its way to the server."""
        if not isinstance(message, types.JSONRPCRequest):
            return
        self.asked[message.id] = message.method
        if message.method in _GREETINGS:
            params: Any = message.params or {}
            declared = params.get("capabilities") or params.get("_meta", {}).get(_CAPABILITIES)
            self.client_capabilities[message.method] = declared or {}

    def received(self, message: Any) -> None:
        """Keep an answer, and leave in its place what the SDK's parser will accept."""
        if isinstance(message, types.JSONRPCError | types.JSONRPCResponse):
            self.answered += 1
            self.junk_since = ""
        if not isinstance(message, types.JSONRPCResponse):
            return
        method = self.asked.pop(message.id, "")
        if method in _GREETINGS:
            self.greetings[method] = copy.deepcopy(message.result)
            message.result = _acceptable(message.result)
        elif method in _MEMBERS:
            self.pages.setdefault(method, []).append(message.result)
            message.result = _COMPLETE | {_MEMBERS[method]: []}

    def misheard(self, error: Exception) -> None:
        """Note what the server said when it was no JSON-RPC; blank lines do no harm."""
        details: list[Any] = getattr(error, "errors", list[Any])()
        text = str(details[0].get("input", "")) if details else str(error)
        self.junk = self.junk or text.strip()
        self.junk_since = self.junk_since or text.strip()
        if details and all(member in text for member in ('"jsonrpc"', '"id"', '"result"')):
            self.unreadable = str(details[0].get("msg", ""))
            self.give_up()


_COMPLETE: dict[str, Json] = {"resultType": "complete", "ttlMs": 0, "cacheScope": "private"}


def _acceptable(greeting: dict[str, Json]) -> dict[str, Json]:
    """Keep the revisions of a greeting, which the SDK decides by; the rest may be invalid."""
    revisions = {k: greeting[k] for k in ("protocolVersion", "supportedVersions") if k in greeting}
    nobody = {"name": "server", "version": "0"}
    return _COMPLETE | {"capabilities": {}, "serverInfo": nobody} | revisions


@asynccontextmanager
async def tap(transport: AbstractAsyncContextManager[Any], heard: Heard) -> AsyncGenerator[Any]:
    """Open a transport and listen to both its directions."""
    async with transport as (read, write):
        yield _Reading(read, heard), _Writing(write, heard)


@dataclass(slots=True)
class _Reading:
    stream: Any
    heard: Heard

    @property
    def last_context(self) -> Any:
        return getattr(self.stream, "last_context", None)

    async def receive(self) -> Any:
        return self._note(await self.stream.receive())

    async def aclose(self) -> None:
        await self.stream.aclose()

    def __aiter__(self) -> _Reading:
        return self

    async def __anext__(self) -> Any:
        return self._note(await self.stream.__anext__())

    async def __aenter__(self) -> _Reading:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    def _note(self, item: Any) -> Any:
        if isinstance(item, SessionMessage):
            self.heard.received(item.message)
        elif isinstance(item, Exception):
            self.heard.misheard(item)
        return item


@dataclass(slots=True)
class _Writing:
    stream: Any
    heard: Heard

    async def send(self, item: SessionMessage) -> None:
        self.heard.sent(item.message)
        await self.stream.send(item)

    async def aclose(self) -> None:
        await self.stream.aclose()

    async def __aenter__(self) -> _Writing:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()
