"""A standard-library server whose calls fail as planned, and which counts them. Usage: python
flaky_server.py ERA TOOLS LOG PLAN [PORT]. With a port, it serves over HTTP.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Lock
from typing import Any

Json = Any
Send = Callable[[Json], None]

ERA = sys.argv[1]
TOOLS: Json = json.loads(Path(sys.argv[2]).read_text("utf-8"))
LOG = Path(sys.argv[3])
PLAN = sys.argv[4].split(",")
CALLS = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}
COMPLETE = {"resultType": "complete", "ttlMs": 0, "cacheScope": "private"}
IS_MODERN = ERA >= "2026"
RESULTS: dict[str, Json] = {
    "tools/list": {"tools": TOOLS},
    "tools/call": {"content": [{"type": "text", "text": "done"}]},
    "prompts/get": {"messages": []},
    "resources/read": {"contents": [{"uri": "a://b", "text": "done"}]},
    "ping": {},
}
INFO = {"name": "flaky", "version": "1"}
CAPABILITIES: Json = {"tools": {}, "prompts": {}, "resources": {}}
_counting = Lock()


def next_outcome(message: Json) -> str:
    """Record a call and return its planned outcome."""
    method = message.get("method", "")
    if method not in CALLS:
        return "ok"
    with _counting, LOG.open("a+", encoding="utf-8") as log:
        log.write(f"{message['params'][CALLS[method]]}\n")
        log.flush()
        log.seek(0)
        number = len(log.readlines())
    return PLAN[min(number, len(PLAN)) - 1]


def answer(message: Json) -> Json:
    """Return the response to a request."""
    method, params = message["method"], message.get("params") or {}
    response = {"jsonrpc": "2.0", "id": message["id"]}
    result = RESULTS.get(method)
    if method == "initialize" and not IS_MODERN:
        version = params["protocolVersion"]
        result = {
            "protocolVersion": version,
            "capabilities": CAPABILITIES,
            "serverInfo": INFO,
        }
    if method == "server/discover" and IS_MODERN:
        result = {"supportedVersions": [ERA], "capabilities": CAPABILITIES}
    if result is None:
        return {
            **response,
            "error": {"code": -32601, "message": f"Method not found: {method}"},
        }
    return {**response, "result": {**result, **COMPLETE} if IS_MODERN else result}


def act(plan: str, message: Json, send: Send) -> None:
    """Carry out the plan before responding."""
    arg, *numbers = plan.split(":")
    if arg == "dies":
        os.kill(os.getpid(), signal.SIGKILL)
    if arg == "slow":
        time.sleep(float(numbers[0]))
    if arg == "progress":
        token = message["params"].get("_meta", {}).get("progressToken")
        for n in range(int(numbers[0])):
            time.sleep(float(numbers[1]))
            params = {"progressToken": token, "progress": n + 1}
            if token is not None:
                send(
                    {
                        "jsonrpc": "2.0",
                        "method": "notifications/progress",
                        "params": params,
                    }
                )


def serve() -> None:
    """Serve over stdio."""

    def send(message: Json) -> None:
        print(json.dumps(message), flush=True)

    for line in sys.stdin:
        message = json.loads(line)
        if "id" in message:
            act(next_outcome(message), message, send)
            send(answer(message))


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self._send(405)

    def do_POST(self) -> None:
        message = json.loads(self.rfile.read(int(self.headers["content-length"])))
        if "id" not in message:
            self._send(202)
            return
        plan = next_outcome(message)
        status, _, after = plan.partition(":")
        if plan == "cuts":
            self.close_connection = True
        elif status.isdecimal():
            self._send(int(status), b"", after)
        elif status == "progress":
            self._stream(plan, message)
        else:
            act(plan, message, lambda _: None)
            self._send(200, json.dumps(answer(message)).encode())

    def _send(self, status: int, body: bytes = b"", after: str = "") -> None:
        self.send_response(status)
        if after:
            self.send_header("retry-after", after)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def _stream(self, plan: str, message: Json) -> None:
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("connection", "close")
        self.end_headers()
        act(plan, message, self._event)
        self._event(answer(message))

    def _event(self, message: Json) -> None:
        self.wfile.write(b"event: message\ndata: " + json.dumps(message).encode() + b"\n\n")
        self.wfile.flush()

    def log_message(self, format: str, *args: Any) -> None:
        pass


def serve_http(port: int) -> None:
    """Serve over HTTP."""
    with ThreadingHTTPServer(("127.0.0.1", port), _Handler) as server:
        print(server.server_port, flush=True)
        server.serve_forever()


if __name__ == "__main__":
    if len(sys.argv) > 5:
        serve_http(int(sys.argv[5]))
    else:
        serve()
