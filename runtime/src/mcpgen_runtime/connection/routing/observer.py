"""Observation of a transport below the SDK's parser, and repair of odd messages.

The SDK rejects a whole list because of one invalid tool. So while tools are listed, its
parser gets only the name and the arguments that are mirrored in headers; the complete
definitions are kept here. The SDK also rejects a result without a result type, which a
client must treat as complete.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, cast

from mcp.shared.message import SessionMessage
from mcp.types import (
    CONNECTION_CLOSED,
    JSONRPCError,
    JSONRPCRequest,
    JSONRPCResponse,
)

from ...abbreviate import line, quote_text
from ...redaction.credentials import CREDENTIALS
from ..wire import json_text, messages
from ..wire import results as wire_results
from ..wire.faults import Broken, HttpRejection, Unreadable
from ..wire.messages import InvalidMessage, PartialMessage, Read

if TYPE_CHECKING:
    from ..wire.listen import Incoming
    from ..wire.pending import Pending

MOST_TOOLS = 10_000
"""Maximum number of observed tools."""
_LIST = "tools/list"
_HANDSHAKES = ("initialize", "server/discover")
_REVISION = "io.modelcontextprotocol/protocolVersion"
# The SDK's own messages for requests whose stream has ended.
_ENDED = ("SSE stream ended", "SSE stream failed")


@dataclass
class TransportObserver:
    """Keeps the raw tool definitions, and the first line that wasn't a message.

    Attributes:
        unread: Why a tool can't be read, by its name.
        pending: Messages of HTTP connections that the SDK sees as stubs.
    """

    on_end: Callable[[str], None]
    logger: logging.Logger
    pending: Pending | None = None
    tools: dict[str, dict[str, Any]] = field(default_factory=dict[str, "dict[str, Any]"])
    unread: dict[str, str] = field(default_factory=dict[str, str])
    junk: str = ""
    is_open: bool = True
    _refused: dict[str | int, HttpRejection] = field(
        default_factory=dict["str | int", HttpRejection]
    )
    _list_requests: set[str | int] = field(default_factory=set["str | int"])
    _handshakes: set[str | int] = field(default_factory=set["str | int"])
    _result_requests: set[str | int] = field(default_factory=set["str | int"])
    _typed_requests: set[str | int] = field(default_factory=set["str | int"])

    @property
    def is_full(self) -> bool:
        """Whether there are more tools than the limit."""
        return len(self.tools) > MOST_TOOLS

    def open(self) -> None:
        """Start to collect listed tools, and drop an earlier list."""
        self.tools.clear()
        self.unread.clear()
        self.is_open = True

    def note_end(self, reason: str) -> None:
        """Report that the connection has ended."""
        self.on_end(reason)

    def note_refusal(self, number: str | int, refusal: HttpRejection) -> None:
        """Note the HTTP status of the response to a request, which the SDK drops."""
        self._refused[number] = refusal

    def note_sent(self, item: SessionMessage) -> None:
        """Note which requests list tools, and which responses need a result type.

        Since 2026-07-28 every request names its revision and every result its type.
        """
        message = item.message
        if not isinstance(message, JSONRPCRequest):
            return
        if self.is_open and message.method == _LIST:
            self._list_requests.add(message.id)
        if message.method in _HANDSHAKES:
            self._handshakes.add(message.id)
        if message.method in wire_results.METHODS:
            self._result_requests.add(message.id)
        if _REVISION in _object((message.params or {}).get("_meta")):
            self._typed_requests.add(message.id)

    def filter_received(self, item: Incoming) -> SessionMessage | None:
        """Keep the tools of a response, and pass on the parts that the SDK needs."""
        if self.pending is not None and isinstance(item, SessionMessage):
            item = self.pending.take(item) or _with_fault(item)
        is_unusual = isinstance(item, PartialMessage | Read) and item.is_unusual
        if isinstance(item, PartialMessage):
            item = self._repair_message(item)
        if isinstance(item, InvalidMessage):
            self._log_junk(str(item).strip())
            return None
        answer = item.message
        if isinstance(answer, JSONRPCError) and answer.id is not None:
            if isinstance(fault := answer.error.data, Unreadable):
                self._log(f"the response {answer.id} can't be read: {fault}")
            self._forget(answer.id)
            if refusal := self._refused.pop(answer.id, None):
                if answer.error.data is None:
                    answer.error.data = refusal
            elif self.pending is None and _is_ended(answer):
                answer.error.data = Broken(answer.error.message)
        elif isinstance(answer, JSONRPCResponse):
            self._complete(answer, is_unusual=is_unusual)
        return item

    def _log(self, message: str) -> None:
        self.logger.warning("%s", line(CREDENTIALS.hide(message)))

    def _log_junk(self, text: str) -> None:
        """Log the first output that isn't a message. Servers often print a banner."""
        if not self.junk:
            self._log(f"the server sent an invalid message: {quote_text(text)}")
        self.junk = self.junk or text

    def _repair_message(self, item: PartialMessage) -> SessionMessage | InvalidMessage:
        """Remove the unreadable parts of a message if the rest is useful."""
        answer = item.message
        if isinstance(answer, JSONRPCResponse) and answer.id in self._list_requests:
            listed = answer.result.get("tools")
            if isinstance(listed, list):
                tools = [self._readable(tool) for tool in cast("list[object]", listed)]
                rest = json_text.remove_unread({**answer.result, "tools": None})
                answer.result = {**rest, "tools": tools}
                return SessionMessage(answer)
        if isinstance(answer, JSONRPCResponse) and answer.id in self._handshakes:
            answer.result = json_text.remove_unread(answer.result)
            return SessionMessage(answer)
        return messages.reject_partial(item)

    def _readable(self, tool: object) -> object:
        reason = json_text.unread(tool)
        name = _object(tool).get("name")
        if not reason or not isinstance(name, str):
            return json_text.remove_unread(tool)
        self.unread.setdefault(name, reason)
        return {"name": name}

    def _complete(self, answer: JSONRPCResponse, *, is_unusual: bool) -> None:
        if answer.id in self._typed_requests:
            answer.result.setdefault("resultType", "complete")
        if "structuredContent" in answer.result:  # a tool may return only that
            answer.result.setdefault("content", [])
        if answer.id in self._result_requests:
            answer.result = wire_results.without_content(answer.result)
        if answer.id in self._list_requests:
            listed = answer.result.get("tools")
            if isinstance(listed, list):
                first = cast("list[object]", listed)[: MOST_TOOLS + 1]
                tools = map(_object, json_text.exact(first) if is_unusual else first)
                with_name = [
                    tool
                    for tool in tools
                    if isinstance(tool.get("name"), str) and _is_encodable(tool["name"])
                ]
                answer.result["tools"] = [self._store(tool) for tool in with_name]
        self._forget(answer.id)

    def _forget(self, number: str | int) -> None:
        for requests in (
            self._list_requests,
            self._handshakes,
            self._result_requests,
            self._typed_requests,
        ):
            requests.discard(number)

    def _store(self, raw: dict[str, Any]) -> dict[str, Any]:
        self.tools.setdefault(raw["name"], raw)
        properties = _object(_object(raw.get("inputSchema")).get("properties"))
        parameters = {name: _object(part) for name, part in properties.items()}
        if not _is_encodable(parameters):  # the SDK would fail, and with it all tools
            parameters = {
                name: part for name, part in parameters.items() if _is_encodable([name, part])
            }
        return {
            "name": raw["name"],
            "inputSchema": {"type": "object", "properties": parameters},
        }


def _is_encodable(value: object) -> bool:
    """Return False for JSON with a lone surrogate."""
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return False
    return True


def _object(raw: object) -> dict[str, Any]:
    return cast("dict[str, Any]", raw) if isinstance(raw, dict) else {}


def _is_ended(answer: JSONRPCError) -> bool:
    error = answer.error
    return error.code == CONNECTION_CLOSED and error.message.startswith(_ENDED)


def _with_fault(item: SessionMessage) -> SessionMessage:
    """Mark an error as the SDK's own. Errors of a server arrive as stubs."""
    answer = item.message
    if isinstance(answer, JSONRPCError):
        error = answer.error
        is_end = error.code == CONNECTION_CLOSED
        error.data = (Broken if is_end else Unreadable)(error.message)
    return item
