"""Responses of a server, and hostile mutations of their values and bytes."""

from __future__ import annotations

import base64
import copy
import json
import random
from dataclasses import dataclass
from functools import cache
from typing import Any

from mcpgen.contract.document import Contract
from mcpgen.schemas import examples

MODERN = "2026-07-28"
LEGACY = "2025-11-25"

DEEP = "[" * 5000 + "]" * 5000
NUMBER = "9" * 5000
RAW = [
    "NaN",
    "Infinity",
    "-Infinity",
    "1e400",
    "-1e400",
    "1e-400",
    NUMBER,
    DEEP,
    '{"a":' * 250 + "1" + "}" * 250,
    '{"a":1,"a":2}',
    '"\\ud800"',
    '"\\u0000"',
    "-0",
    "1.0",
    "[[[]]]",
    "0.1e1",
    "tru",
    "",
    "'x'",
]
VALUES: list[Any] = [
    None,
    True,
    False,
    0,
    -1,
    1.5,
    2**53,
    2**64,
    -(10**300),
    "",
    "x",
    "\0",
    "é",
    "😀",
    " ",
    [],
    {},
    [[]],
    [None],
    {"": None},
    {"type": "text"},
    {"type": "text", "text": 7},
    {"type": "image", "data": "!!", "mimeType": "x"},
    {"type": "audio", "data": "AAA", "mimeType": ""},
    {"type": "image", "data": "é", "mimeType": "image/png"},
    {"type": "resource", "resource": {"uri": "a://b", "blob": "%%%"}},
    {"type": "resource_link", "uri": 5, "name": []},
    {"type": "resource", "resource": {"uri": "", "text": "t"}},
    {"type": "unknown"},
    "text",
    "object",
    "[" * 100_000,
    "{" * 5000,
    '{"a":' * 5000,
    "1" * 5000,
    '{"f": NaN}',
    "NaN",
    "1e400",
    "null",
    "input_required",
    "complete",
    "task",
    {"content": []},
    {"result": None},
    {"task": {"taskId": "1", "status": "working"}},
    "2026-07-28",
    "1999-01-01",
    "A" * 100_000,
    {"$ref": "#"},
    "io.modelcontextprotocol/serverInfo",
    -32000,
    -32001,
    -32022,
    -32020,
    -32042,
]
NAMES = (
    "jsonrpc id method params result error code message data content structuredContent"
    " isError _meta resultType inputRequests requestState requestedSchema tools nextCursor"
    " name inputSchema type text data mimeType resource uri blob contents messages role ttlMs"
    " cacheScope progressToken progress total serverInfo protocolVersion supportedVersions"
    " capabilities supported"
).split()


@dataclass
class Hostile:
    """A server of a contract with arbitrary responses. ``chance`` makes every choice."""

    contract: Contract
    chance: random.Random
    is_modern: bool
    calm: float = 0.95
    """How likely it is that an answer while connecting is as it should be."""

    def answers(self, message: Any) -> list[bytes]:
        """Return the messages that follow one of the client's, each as bytes without framing."""
        if not isinstance(message, dict) or "id" not in message or "method" not in message:
            return []
        good = self._good(message)
        is_greeting = message["method"] in ("initialize", "server/discover", "tools/list")
        if self.chance.random() < (self.calm if is_greeting else 0.25):
            return [json.dumps(good).encode()]
        messages = self._server_messages(message) if self.chance.random() < 0.4 else []
        return [*messages, *self._bad(good)]

    def _good(self, message: Any) -> Any:
        result = self._result(message["method"], message.get("params") or {})
        answer = {"jsonrpc": "2.0", "id": message["id"]}
        if result is None:
            return {**answer, "error": {"code": -32601, "message": "Method not found"}}
        if self.is_modern:
            result = {"resultType": "complete", "ttlMs": 0, "cacheScope": "private", **result}
        return {**answer, "result": result}

    def _result(self, method: str, params: Any) -> Any:
        capabilities = {"tools": {}, "prompts": {}, "resources": {}}
        info = {"name": "hostile", "version": "1"}
        if method == "initialize" and not self.is_modern:
            return {"protocolVersion": LEGACY, "capabilities": capabilities, "serverInfo": info}
        if method == "server/discover" and self.is_modern:
            return {"supportedVersions": [MODERN], "capabilities": capabilities}
        if method == "tools/list":
            return self._page(params)
        if method == "tools/call":
            return self._call_result(self.contract.tools.get(params.get("name"), {}))
        both = [{"uri": "a://b", "text": "{}"}, {"uri": "a://c", "blob": "aGVsbG8="}]
        results = {
            "prompts/get": {"messages": [{"role": "user", "content": self._block()}]},
            "resources/read": {"contents": self.chance.sample(both, self.chance.randint(0, 2))},
            "ping": {},
        }
        return results.get(method)

    def _page(self, params: Any) -> Any:
        tools = list(self.contract.tools.values())
        if self.chance.random() < 0.05:  # a cursor that never ends
            return {"tools": tools[:1], "nextCursor": str(self.chance.random())}
        half = len(tools) // 2
        if self.chance.random() < 0.3 and half:
            is_first = params.get("cursor") is None
            return (
                {"tools": tools[:half], "nextCursor": ""} if is_first else {"tools": tools[half:]}
            )
        return {"tools": tools}

    def _call_result(self, tool: Any) -> Any:
        blocks = [self._block() for _ in range(self.chance.randint(0, 3))]
        result: dict[str, Any] = {"content": blocks}
        schema = tool.get("outputSchema")
        if schema is not None or self.chance.random() < 0.3:
            value = example(schema if schema is not None else {})
            if self.is_modern or isinstance(value, dict):
                result["structuredContent"] = value
            if self.chance.random() < 0.5:
                result["content"] = [{"type": "text", "text": json.dumps(value)}]
        if self.chance.random() < 0.1:
            result["isError"] = True
        if self.is_modern and self.chance.random() < 0.15:
            form = {"message": "?", "requestedSchema": {"type": "object", "properties": {}}}
            request_ = {"method": "elicitation/create", "params": {"mode": "form", **form}}
            result = {"resultType": "input_required", "inputRequests": {"q": request_}}
        return result

    def _block(self) -> Any:
        data = base64.b64encode(b"data").decode()
        return self.chance.choice(
            [
                {"type": "text", "text": self.chance.choice(["", "hi", "{}", "[1]", "7"])},
                {"type": "image", "data": data, "mimeType": "image/png"},
                {"type": "audio", "data": data, "mimeType": "audio/wav"},
                {"type": "resource_link", "uri": "a://b", "name": "b"},
                {"type": "resource", "resource": {"uri": "a://b", "text": "t"}},
                {"type": "resource", "resource": {"uri": "a://b", "blob": data}},
            ]
        )

    def _server_messages(self, message: Any) -> list[bytes]:
        """Build notifications and server requests, valid or not."""
        number = message["id"]
        chance = self.chance
        messages: list[Any] = [
            _notice(
                "notifications/progress",
                {"progressToken": number, "progress": chance.choice([1, *VALUES])},
            ),
            _notice(
                "notifications/progress",
                {"progressToken": chance.choice(VALUES), "progress": 1, "total": "x"},
            ),
            _notice("notifications/message", {"level": "info", "data": chance.choice(VALUES)}),
            _notice("notifications/tools/list_changed", None),
            _notice("notifications/cancelled", {"requestId": number}),
            _notice(
                chance.choice(["x", "", "notifications/initialized"]), {"a": chance.choice(VALUES)}
            ),
            _question("ping", {}, chance.choice([number, 7, "a", -1])),
            _question("roots/list", {}, 8),
            _question(
                "sampling/createMessage",
                {"messages": [], "maxTokens": chance.choice([1, *VALUES])},
                9,
            ),
            _question(
                "elicitation/create", {"message": "?", "requestedSchema": chance.choice(VALUES)}, 10
            ),
            _question(
                "elicitation/create",
                {"mode": "url", "message": "?", "url": "x", "elicitationId": "1"},
                11,
            ),
            _question("no/such", {"x": 1}, 12),
        ]
        chosen = [chance.choice(messages) for _ in range(chance.randint(1, 4))]
        return [self._encode(item, 0.1) for item in chosen]

    def _bad(self, good: Any) -> list[bytes]:
        chance = self.chance
        bad = copy.deepcopy(good)
        way = chance.randrange(12)
        if way == 0:
            return []
        if way == 1:  # to another question, or to none
            bad["id"] = chance.choice([None, -1, 999, str(bad["id"]), float(bad["id"]), [], True])
        elif way == 2:
            return [json.dumps(bad).encode()] * chance.randint(2, 4)
        elif way == 3:
            code = chance.choice(
                [-32000, -32001, -32601, -32602, -32020, -32022, -32042, 0, 10**30, "x"]
            )
            text = chance.choice(["Connection closed", "no", "", None, 7, "SSE stream ended"])
            bad = {"jsonrpc": "2.0", "id": bad["id"], "error": {"code": code, "message": text}}
            if chance.random() < 0.5:
                bad["error"]["data"] = chance.choice(
                    [*VALUES, {"supported": [MODERN]}, {"supported": ["x"]}]
                )
        elif way == 4:
            return [json.dumps([bad]).encode()]
        elif way <= 9:
            for _ in range(chance.choice([1, 1, 1, 2, 5])):
                mutate_value(chance, bad)
        return [self._encode(bad, 0.4 if way > 9 else 0.1)]

    def _encode(self, value: Any, wildness: float) -> bytes:
        """Serialize a value as JSON, or as almost valid JSON."""
        chance = self.chance
        text = json.dumps(value, ensure_ascii=chance.random() < 0.5)
        if chance.random() < wildness:
            text = _with_raw(chance, value)
        data = text.encode("utf-8", "surrogatepass")
        if chance.random() < wildness:
            data = mutate_bytes(chance, data)
        return data.replace(b"\n", b" ")


def _with_raw(chance: random.Random, value: Any) -> str:
    """Insert text that no JSON value can represent into a value."""
    changeable = copy.deepcopy(value)
    holder, key = chance.choice(places(changeable))
    holder[key] = "\x07mark\x07"
    return json.dumps(changeable).replace('"\\u0007mark\\u0007"', chance.choice(RAW))


def _notice(method: str, params: Any) -> Any:
    return {"jsonrpc": "2.0", "method": method, **({} if params is None else {"params": params})}


def _question(method: str, params: Any, number: Any) -> Any:
    return {"jsonrpc": "2.0", "id": number, "method": method, "params": params}


def example(schema: Any) -> Any:
    """Return a valid value of a schema, or an empty object without one."""
    return json.loads(_example(json.dumps(schema)))


@cache
def _example(schema: str) -> str:
    try:
        return json.dumps(examples.example(json.loads(schema)))
    except Exception:  # a schema may be odd or unsatisfiable: then this is a wrong answer
        return "{}"


def places(value: Any) -> list[tuple[Any, Any]]:
    """Return every position in a value as its container and key."""
    places_found: list[tuple[Any, Any]] = []
    waiting = [value]
    while waiting:
        item = waiting.pop()
        for key in list(item) if isinstance(item, dict) else range(len(item)):
            places_found.append((item, key))
            if isinstance(item[key], dict | list):
                waiting.append(item[key])
    return places_found


def mutate_value(chance: random.Random, value: Any) -> None:
    """Change one position of a value."""
    holder, key = chance.choice(places(value) or [({"": 0}, "")])
    way = chance.randrange(6)
    if way <= 2:
        holder[key] = copy.deepcopy(chance.choice(VALUES))
    elif way == 3 and isinstance(holder, dict):
        holder[chance.choice(NAMES)] = copy.deepcopy(chance.choice(VALUES))
    elif way == 4 and len(holder) > 1:
        del holder[key]
    else:
        holder[key] = (
            [holder[key]] if chance.random() < 0.5 else {chance.choice(NAMES): holder[key]}
        )


def mutate_bytes(chance: random.Random, text: bytes) -> bytes:
    """Change bytes: cut, insert, swap, repeat."""
    at = chance.randrange(len(text) + 1)
    bad = chance.choice(
        [
            b"\xff",
            b"\x00",
            b"\xc3\x28",
            b"\xed\xa0\x80",
            b"\xf0\x9f",
            b'"',
            b"{",
            b"\\",
            b",",
            b"\r",
        ]
    )
    way = chance.randrange(5)
    if way == 0:
        return text[:at]
    if way == 1:
        return text[:at] + bad + text[at:]
    if way == 2:
        return text[:at] + bad + text[at + 1 :]
    if way == 3:
        return text[:at] + text[chance.randrange(at + 1) :]
    return chance.choice(
        [b"", b"hello", b"\xef\xbb\xbf" + text, b"\xff\xfe" + text, text + text, b" " * 1000 + text]
    )
