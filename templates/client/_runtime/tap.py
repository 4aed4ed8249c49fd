"""Listens to a transport, below the parser of the SDK.

The parser refuses a whole list for one odd tool. So while the tools are listed it is
shown of each no more than it needs, the name and the arguments that are mirrored into
headers, and the rest is kept here. It refuses a result that does not say that it is
complete, too, where a client must take it for complete.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, cast

from mcp.shared.message import SessionMessage
from mcp.types import JSONRPCError, JSONRPCRequest, JSONRPCResponse

_LIST = "tools/list"
_REVISION = "io.modelcontextprotocol/protocolVersion"


@dataclass
class Tap:
    """The raw definitions heard so far by name, and the first that was no message."""

    tools: dict[str, dict[str, Any]] = field(
        default_factory=dict[str, "dict[str, Any]"]
    )
    junk: str = ""
    is_open: bool = True
    _asked: set[str | int] = field(default_factory=set["str | int"])
    _typed: set[str | int] = field(default_factory=set["str | int"])

    def sent(self, item: SessionMessage) -> None:
        """Note which requests ask for tools, and which must be told what a result is.

        Since 2026-07-28 every request names its revision, and every result its type.
        """
        message = item.message
        if not isinstance(message, JSONRPCRequest):
            return
        if self.is_open and message.method == _LIST:
            self._asked.add(message.id)
        if _REVISION in _object((message.params or {}).get("_meta")):
            self._typed.add(message.id)

    def received(self, item: SessionMessage | Exception) -> None:
        """Keep the tools of an answer, and leave the SDK what it needs of them."""
        if isinstance(item, Exception):
            self.junk = self.junk or str(item)
            return
        answer = item.message
        if isinstance(answer, JSONRPCError) and answer.id is not None:
            self._typed.discard(answer.id)
        if not isinstance(answer, JSONRPCResponse):
            return
        if answer.id in self._typed:
            self._typed.discard(answer.id)
            answer.result.setdefault("resultType", "complete")
        if answer.id in self._asked:
            self._asked.discard(answer.id)
            listed = answer.result.get("tools")
            if isinstance(listed, list):
                tools = map(_object, cast("list[object]", listed))
                named = [tool for tool in tools if isinstance(tool.get("name"), str)]
                answer.result["tools"] = [self._keep(tool) for tool in named]

    def _keep(self, raw: dict[str, Any]) -> dict[str, Any]:
        self.tools.setdefault(raw["name"], raw)
        properties = _object(_object(raw.get("inputSchema")).get("properties"))
        kept = {name: _object(part) for name, part in properties.items()}
        return {
            "name": raw["name"],
            "inputSchema": {"type": "object", "properties": kept},
        }

    @asynccontextmanager
    async def on(
        self, transport: AbstractAsyncContextManager[Any]
    ) -> AsyncGenerator[Any]:
        """Open a transport and listen to both its directions."""
        async with transport as (read, write):
            yield _Reading(read, self), _Writing(write, self)


def _object(raw: object) -> dict[str, Any]:
    return cast("dict[str, Any]", raw) if isinstance(raw, dict) else {}


@dataclass
class _Reading:
    stream: Any
    tap: Tap

    @property
    def last_context(self) -> Any:
        return getattr(self.stream, "last_context", None)

    async def receive(self) -> Any:
        item = await self.stream.receive()
        self.tap.received(item)
        return item

    async def aclose(self) -> None:
        await self.stream.aclose()

    def __aiter__(self) -> _Reading:
        return self

    async def __anext__(self) -> Any:
        item = await self.stream.__anext__()
        self.tap.received(item)
        return item

    async def __aenter__(self) -> _Reading:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()


@dataclass
class _Writing:
    stream: Any
    tap: Tap

    async def send(self, item: SessionMessage) -> None:
        self.tap.sent(item)
        await self.stream.send(item)

    async def aclose(self) -> None:
        await self.stream.aclose()

    async def __aenter__(self) -> _Writing:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()
