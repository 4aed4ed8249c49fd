"""A server that repeats a credential in everything it sends, over stdio or HTTP."""

from __future__ import annotations

import base64
import json
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import quote, unquote

# Made up here, in parts, so that no scanner takes it for a leaked one.
TOKEN = "q7Zk/W2mX9+vL" + "r4=TbN8s~Yc"
PARTS = ("q7Zk/W2mX9", "TbN8s~Yc")
"""Each is long enough to tell that the token stands in a text, if it is broken over lines."""


def forms(token: str) -> dict[str, str]:
    """Return the spellings of a token in which a server may repeat it."""
    raw = token.encode()
    return {
        "plain": token,
        "base64": base64.b64encode(raw).decode(),
        "base64 of more": base64.b64encode(b"user:" + raw + b"!").decode(),
        "base64 for URLs": base64.urlsafe_b64encode(b"a" + raw).decode(),
        "percent-encoded": quote(token, safe=""),
        "percent-encoded in lower case": quote(token, safe="").lower().replace(
            "q7zk", "q7Zk").replace("w2mx9", "W2mX9").replace("vlr4", "vLr4").replace(
            "tbn8s", "TbN8s").replace("yc", "Yc"),
        "all percent-encoded": "".join(f"%{byte:02X}" for byte in raw),
        "escaped for JSON": "".join(f"\\u{byte:04x}" for byte in raw),
        "with escaped slashes": token.replace("/", "\\/"),
        "in two lines": f"{token[:10]}\n{token[10:]}",
        "in two indented lines": f"{token[:10]}\r\n    {token[10:]}",
    }  # fmt: skip


ALL = " | ".join(forms(TOKEN).values())
NAMED = dict.fromkeys(forms(TOKEN).values(), "x")
"""An object with the token as the names of its members."""


def _tool(name: str, **more: Any) -> dict[str, Any]:
    properties = {"a": {"type": "string", "description": ALL, "enum": ["b", ALL]}}
    return {
        "name": name,
        "title": ALL,
        "description": ALL,
        "inputSchema": {"type": "object", "properties": {**properties, TOKEN: {}}},
        "annotations": {"readOnlyHint": True},
        "_meta": {"x": ALL, TOKEN: 1},
        **more,
    }


_SCHEMA = {"type": "object", "properties": {"n": {"type": "integer", "title": ALL}}}
LISTS: dict[str, list[dict[str, Any]]] = {
    "tools": [
        _tool("plain"),
        _tool("failing"),
        _tool("refusing"),
        _tool("wrong", outputSchema=_SCHEMA),
        _tool("named"),
    ],
    "prompts": [{"name": "p", "description": ALL}],
    "resources": [{"name": "r", "uri": f"r:{quote(TOKEN, safe='')}", "description": ALL}],
    "resourceTemplates": [],
}
RESULTS: dict[str, dict[str, Any]] = {
    "plain": {"structuredContent": {"text": ALL}},
    "failing": {"isError": True},
    "wrong": {"structuredContent": {"n": ALL, **NAMED}},
    "named": {"structuredContent": {"of": NAMED}},
}
METHODS = {
    "tools/list": "tools",
    "prompts/list": "prompts",
    "resources/list": "resources",
    "resources/templates/list": "resourceTemplates",
}


def answer(method: str, params: Any) -> dict[str, Any]:
    """Return the result or error of a response."""
    if method == "initialize":
        capabilities: dict[str, Any] = {"tools": {}, "prompts": {}, "resources": {}, "logging": {}}
        info = {"name": "repeating", "title": ALL, "version": "1"}
        greeting = {"protocolVersion": "2025-11-25", "capabilities": capabilities}
        return {"result": {**greeting, "serverInfo": info, "instructions": ALL}}
    if method in METHODS:
        return {"result": {METHODS[method]: LISTS[METHODS[method]]}}
    text = {"type": "text", "text": ALL}
    if method == "tools/call" and params["name"] in RESULTS:
        return {"result": {"content": [text], **RESULTS[params["name"]]}}
    if method == "prompts/get":
        return {"result": {"messages": [{"role": "user", "content": text}]}}
    if method == "resources/read":
        return {"result": {"contents": [{"uri": params["uri"], "text": ALL}]}}
    return {"error": {"code": -32000, "message": ALL, "data": ALL}}


def stdio() -> None:
    """Answer each line of stdin, and log to stderr."""
    print(ALL, file=sys.stderr, flush=True)
    for line in sys.stdin:
        message = json.loads(line)
        if "id" not in message:
            continue
        note = {"method": "notifications/message", "params": {"level": "error", "data": ALL}}
        if message["method"] == "tools/call":
            print(json.dumps({"jsonrpc": "2.0", **note}), flush=True)
        content = answer(message["method"], message.get("params"))
        print(json.dumps({"jsonrpc": "2.0", "id": message["id"], **content}), flush=True)


class Handler(BaseHTTPRequestHandler):
    """Responds to clients that send the token in a header or the URL."""

    def do_POST(self) -> None:
        """Respond to a message."""
        size = int(self.headers["Content-Length"])
        body = self.rfile.read(size)
        if len(body) < size:  # the client has cancelled its request
            self.close_connection = True
            return None
        message = json.loads(body)
        if "id" not in message:
            return self._send(202, b"")
        if not self._is_authorized():
            return self._send(401, ALL.encode("ascii", "replace"))
        content = answer(message["method"], message.get("params"))
        return self._send(
            200, json.dumps({"jsonrpc": "2.0", "id": message["id"], **content}).encode()
        )

    def _is_authorized(self) -> bool:
        basic = [value[6:] for value in self.headers.values() if value.startswith("Basic ")]
        args = [base64.b64decode(text).decode() for text in basic]
        return any(
            TOKEN in header for header in (*self.headers.values(), unquote(self.path), *args)
        )

    def do_GET(self) -> None:
        """Refuse a stream."""
        self._send(405, b"")

    def do_DELETE(self) -> None:
        """Keep no session that could end."""
        self._send(405, b"")

    def _send(self, status: int, body: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        """Log nothing."""


class Server(ThreadingHTTPServer):
    """A server without messages about closed connections."""

    def handle_error(self, request: Any, client_address: Any) -> None:
        if not isinstance(sys.exc_info()[1], ConnectionError):
            super().handle_error(request, client_address)


def serve() -> ThreadingHTTPServer:
    """Return a server on a free port. The caller runs and closes it."""
    return Server(("127.0.0.1", 0), Handler)


if __name__ == "__main__":
    stdio()
