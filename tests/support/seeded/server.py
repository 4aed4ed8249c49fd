"""A server for the bookshop's tools: one request gives one response, over either protocol."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from seeded.checks import problem
from seeded.definitions import BY_NAME, TOOLS
from seeded.shop import Rejection, Shop, result_of

Json = Any

COMPLETE = {"resultType": "complete"}
CACHED = {"ttlMs": 0, "cacheScope": "private"}
INFO = {"name": "bookshop", "version": "1.4.0"}
CAPABILITIES: Json = {"tools": {}, "resources": {}}
RESOURCES = [
    {"uri": f"bookshop://catalogue.{kind}", "name": f"catalogue.{kind}"} for kind in ("csv", "json")
]
LISTS: dict[str, Json] = {
    "tools/list": {"tools": TOOLS},
    "resources/list": {"resources": RESOURCES},
    "resources/templates/list": {"resourceTemplates": []},
}
CACHEABLE = {*LISTS, "resources/read"}


class Failure(Exception):
    """An error of the protocol."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code = code


class Server:
    """The correct server. Bugs replace its attributes."""

    def __init__(self, *, is_modern: bool) -> None:
        self.is_modern = is_modern
        self.shop = Shop()
        self.tools: dict[str, Callable[..., Json]] = {
            name: getattr(self.shop, name) for name in BY_NAME
        }
        self.problem: Callable[[str, Json], str] = self._problem
        self.run: Callable[[str, Json], Json] = self._run
        self.failed: Callable[[str, str], Json] = self._tool_error
        self.called: Callable[[str, Json], Json] = self._call_tool
        self.read: Callable[[str], Json] = self.shop.read
        self.received: Callable[[bytes], bytes] = lambda line: line
        self.respond: Callable[[Json], Json] = self._respond
        self.before_text = ""
        """What stands before the next answer on the wire; only a bug puts something there."""

    def answer(self, line: bytes) -> bytes | None:
        """Return the response to a message, or None for a notification."""
        try:
            message = json.loads(self.received(line))
        except (ValueError, RecursionError):
            wrong = {"code": -32700, "message": "The message is not JSON."}
            return json.dumps({"jsonrpc": "2.0", "id": None, "error": wrong}).encode()
        if "id" not in message or "method" not in message:
            return None
        response = self.respond(message)
        before, self.before_text = self.before_text, ""
        return (before + json.dumps(response)).encode()

    def _respond(self, message: Json) -> Json:
        head = {"jsonrpc": "2.0", "id": message["id"]}
        method, params = message["method"], message.get("params") or {}
        try:
            result = self._result(method, params)
        except Failure as error:
            return {**head, "error": {"code": error.code, "message": str(error)}}
        except Exception as error:
            wrong = {"code": -32603, "message": f"Internal error: {error!r}"}
            return {**head, "error": wrong}
        if self.is_modern:
            result = {**COMPLETE, **(CACHED if method in CACHEABLE else {}), **result}
        return {**head, "result": result}

    def _result(self, method: str, params: Json) -> Json:
        if method == "tools/call":
            return self.called(params.get("name"), params.get("arguments", {}))
        if method in LISTS and "cursor" in params:
            raise Failure(-32602, "There is only one page, so no cursor is known.")
        if method in LISTS:
            return LISTS[method]
        if method == "resources/read":
            return self._read(params.get("uri"))
        greeting = self._greeting(method, params)
        if greeting is None:
            raise Failure(-32601, f"Method not found: {method}")
        return greeting

    def _greeting(self, method: str, params: Json) -> Json:
        offered = {"capabilities": CAPABILITIES}
        if self.is_modern:
            more = {"supportedVersions": ["2026-07-28"], **CACHED}
            meta = {"_meta": {"io.modelcontextprotocol/serverInfo": INFO}}
            return {**offered, **more, **meta} if method == "server/discover" else None
        if method == "initialize":
            revision = params.get("protocolVersion")
            version = revision if revision in ("2025-06-18", "2025-11-25") else "2025-11-25"
            return {**offered, "protocolVersion": version, "serverInfo": INFO}
        return {} if method == "ping" else None

    def _read(self, uri: str) -> Json:
        contents = self.read(uri)
        if contents is None:
            code = -32602 if self.is_modern else -32002
            raise Failure(code, f"Resource not found: {uri}")
        return {"contents": [contents]}

    def _call_tool(self, name: str, arguments: Json) -> Json:
        if name not in BY_NAME:
            raise Failure(-32602, f"Unknown tool: {name}")
        wrong = self.problem(name, arguments)
        if wrong:
            return self.failed(name, wrong)
        try:
            return result_of(self.run(name, arguments))
        except Rejection as error:
            return self.failed(name, str(error))

    def _problem(self, name: str, arguments: Json) -> str:
        return problem(BY_NAME[name]["inputSchema"], arguments)

    def _run(self, name: str, arguments: Json) -> Json:
        with self.shop.lock:
            return self.tools[name](**{key: _whole(value) for key, value in arguments.items()})

    def _tool_error(self, name: str, text: str) -> Json:
        return {"content": [{"type": "text", "text": text}], "isError": True}


def _whole(value: Json) -> Json:
    """Return a number such as 5.0 as the integer that it is."""
    if isinstance(value, list):
        return [_whole(item) for item in value]
    if isinstance(value, dict):
        return {key: _whole(item) for key, item in value.items()}
    return int(value) if isinstance(value, float) and value == value // 1 else value
