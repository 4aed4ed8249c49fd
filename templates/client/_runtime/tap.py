"""Listens to a transport while the tools are listed, below the parser of the SDK.

The parser refuses a whole list for one odd tool. So it is shown of each tool no more
than it needs, the name and the arguments that are mirrored into headers, and the rest
is kept here.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, cast

from mcp.shared.message import SessionMessage
from mcp.types import JSONRPCRequest, JSONRPCResponse

_LIST = "tools/list"


@dataclass
class Tap:
    """The raw definitions heard so far by name, and the first that was no message."""

    tools: dict[str, dict[str, Any]] = field(
        default_factory=dict[str, "dict[str, Any]"]
    )
    junk: str = ""
    is_open: bool = True
    _asked: set[str | int] = field(default_factory=set["str | int"])

    def sent(self, item: SessionMessage) -> None:
        """Note which requests ask for tools."""
        message = item.message
        if (
            self.is_open
            and isinstance(message, JSONRPCRequest)
            and message.method == _LIST
        ):
            self._asked.add(message.id)

    def received(self, item: SessionMessage | Exception) -> None:
        """Keep the tools of an answer, and leave the SDK what it needs of them."""
        if isinstance(item, Exception):
            self.junk = self.junk or str(item)
        elif (
            isinstance(item.message, JSONRPCResponse) and item.message.id in self._asked
        ):
            self._asked.discard(item.message.id)
            listed = item.message.result.get("tools")
            if isinstance(listed, list):
                tools = map(_object, cast("list[object]", listed))
                named = [tool for tool in tools if isinstance(tool.get("name"), str)]
                item.message.result["tools"] = [self._keep(tool) for tool in named]

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
