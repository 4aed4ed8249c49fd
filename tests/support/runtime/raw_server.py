"""A standard-library server over stdio or HTTP that misbehaves as requested. Usage: python
raw_server.py BEHAVIOUR, or python raw_server.py --http BEHAVIOUR PORT.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

Json = Any

TOOLS: list[Json] = [
    {"name": name, "inputSchema": {"type": "object", "additionalProperties": False}}
    for name in ("ask", "beg", "cry")
]
PAGES: dict[Json, Json] = {
    None: {"tools": TOOLS[:1], "nextCursor": ""},
    "": {"tools": TOOLS[1:2], "nextCursor": "last"},
    "last": {"tools": TOOLS[2:]},
}
ODD: list[Json] = [
    {"name": "null_schema", "inputSchema": None},
    {"name": "no_type", "inputSchema": {"properties": {"a": True}}},
    {
        "name": "list_output",
        "inputSchema": {"type": "object"},
        "outputSchema": {"type": "array"},
    },
    {
        "name": "number_description",
        "inputSchema": {"type": "object"},
        "description": 12,
    },
    {"nameless": True},
    "no object",
]


DEEP = '{"not":' * 2000 + "{}" + "}" * 2000
UNHELD = json.dumps(TOOLS)[:-1] + "".join(
    f',{{"name":"{name}","inputSchema":{{"type":"object",{schema}}}}}'
    for name, schema in {
        "deep": f'"not":{DEEP}',
        "digits": f'"maxProperties":{"9" * 5000}',
        "huge": '"properties":{"n":{"maximum":1e400}}',
        "nested": f'"not":{DEEP[7 * 1770 : -1770]}',
    }.items()
)
GARBLED = {
    "number": "7",
    "deep": f'{{"content":[],"structuredContent":{"[" * 3000 + "]" * 3000}}}',
    "digits": f'{{"content":[],"structuredContent":{{"n":{"9" * 5000}}}}}',
    "no number": '{"content":[],"structuredContent":{"n":NaN}}',
    "list": "[]",
    "cut": '{"content":[',
}


def text_of(behaviour: str, message: Json, result: Json) -> bytes:
    """Serialize a response, or the corrupted form of some behaviors."""
    start = f'{{"jsonrpc":"2.0","id":{json.dumps(result["id"])},"result":'
    is_call = message["method"] == "tools/call" and message["params"]["name"] == "beg"
    if behaviour == "unheld" and message["method"] == "tools/list":
        return f'{start}{{"tools":{UNHELD}]}}}}'.encode()
    if behaviour.startswith("garbled ") and is_call:
        return f"{start}{GARBLED[behaviour[8:].removesuffix(' sse')]}}}".encode()
    if behaviour == "not utf-8" and is_call:
        return start.encode() + b'{"content":[{"type":"text","text":"\xff"}]}}'
    return json.dumps(result).encode()


def list_page(behaviour: str, params: Json) -> Json:
    """Return a page of the tools, or an error."""
    if behaviour == "unlistable":
        return {"error": {"code": -32603, "message": "no list today"}}
    return {"result": page(behaviour, params)}


def page(behaviour: str, params: Json) -> Json:
    if behaviour == "paged":
        return PAGES[params.get("cursor")]
    if behaviour == "many":
        return {"tools": [*TOOLS, *({"name": str(n)} for n in range(10_000))]}
    return {"tools": tools_of(behaviour)}


def tools_of(behaviour: str) -> list[Json]:
    if behaviour == "drifted":
        other = {"type": "object", "properties": {"new": {"type": "string"}}}
        return [TOOLS[0], {**TOOLS[1], "inputSchema": other}, TOOLS[2]]
    if behaviour == "removed":
        return TOOLS[:2]
    if behaviour == "more":
        return [*TOOLS, {"name": "new", "inputSchema": {"type": "object"}}]
    if behaviour == "odd":
        return [*ODD, *TOOLS]
    return TOOLS


def answer(behaviour: str, message: Json) -> Json:
    """Return the response to a message, or None for a notification."""
    if "id" not in message:
        return None
    method, params = message["method"], message.get("params") or {}
    response = {"jsonrpc": "2.0", "id": message["id"]}
    if method == "initialize":
        info = {"name": "raw", "version": "1"}
        version = params["protocolVersion"]
        greeting = {
            "protocolVersion": version,
            "capabilities": {"tools": {}},
            "serverInfo": info,
        }
        return {**response, "result": greeting}
    if method == "tools/list":
        return {**response, **list_page(behaviour, params)}
    if method == "tools/call":
        if behaviour == "waits, then dies" and params["name"] == "beg":
            return None
        return (
            None if behaviour == "hangs" else {**response, "result": call_result(behaviour, params)}
        )
    return {
        **response,
        "error": {"code": -32601, "message": f"Method not found: {method}"},
    }


def call_result(behaviour: str, params: Json) -> Json:
    """Return the result of a call, if the server survives."""
    if "dies" in behaviour:
        print("fatal: the shelf fell", file=sys.stderr, flush=True)
        os.kill(os.getpid(), signal.SIGKILL)
    if behaviour == "deaf":  # input is no longer read, and the process stays
        os.dup2(os.pipe()[0], 0)
    secret = os.environ.get("RAW_TOKEN", "")
    text = json.dumps({"tool": params["name"], "token": secret})
    return {"content": [{"type": "text", "text": text}]}


def serve(behaviour: str) -> None:
    """Serve over stdio."""
    if behaviour == "exits":
        print("fatal: no database", file=sys.stderr)
        sys.exit(3)
    if behaviour == "rants":
        sys.exit("no " * 1_000_000)
    if behaviour == "banner":
        print("Welcome to the shop!", flush=True)
    if behaviour == "noisy":
        print("x" * 80 + "\n", file=sys.stderr, end="")
        sys.stderr.write("noise\n" * 200_000)
    if behaviour == "grandchild":
        command = [sys.executable, "-c", "import time; time.sleep(3600)"]
        subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    if behaviour.startswith("forks"):
        stays = "import signal, time; signal.signal(15, signal.SIG_IGN); time.sleep(60)"
        code = stays if behaviour == "forks and stays" else "import time; time.sleep(60)"
        child = subprocess.Popen([sys.executable, "-S", "-c", code])
        Path(sys.argv[2]).write_text(str(child.pid))
    for line in sys.stdin:
        if behaviour == "leaves early" and "tools/list" in line:
            sys.exit("fatal: out of shelves")
        if behaviour == "junk":
            print("hello, is there anybody?", flush=True)
            continue
        message = json.loads(line)
        response = None if behaviour == "silent" else answer(behaviour, message)
        if behaviour == "binary":
            sys.stdout.buffer.write(b"\xff\n")
        if response is not None:
            sys.stdout.buffer.write(text_of(behaviour, message, response) + b"\n")
            sys.stdout.buffer.flush()
        if behaviour == "leaves" and "tools/call" in line:
            print("goodbye", file=sys.stderr, flush=True)
            return


class _Handler(BaseHTTPRequestHandler):
    behaviour = ""
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self._send(405, b"")

    def do_DELETE(self) -> None:
        self._send(200, b"")

    def do_POST(self) -> None:
        message = json.loads(self.rfile.read(int(self.headers["content-length"])))
        late = self.behaviour == "401 late" and message["method"] == "tools/list"
        if late or self.behaviour.isdecimal():
            self._send(int(self.behaviour[:3]), b"")
            return
        is_call = message["method"] == "tools/call" and message["params"]["name"] == "beg"
        if is_call and self.behaviour.startswith("call "):
            self._send(int(self.behaviour[5:]), b'{"detail": "no\\u0000pe"}')
            return
        if is_call and self.behaviour == "forgets":
            self._send(404, b"")
            return
        if is_call and self.behaviour == "forgets in words":
            error = {
                "code": -32000,
                "message": "Bad Request: No valid session ID provided",
            }
            body = {"jsonrpc": "2.0", "id": None, "error": error}
            self._send(400, json.dumps(body).encode())
            return
        if is_call and self.behaviour == "cuts":
            self.close_connection = True
            return
        response = answer(self.behaviour, message)
        if response is None:
            self._send(202, b"")
        else:
            self._send(200, text_of(self.behaviour, message, response))

    def _send(self, status: int, body: bytes) -> None:
        self.send_response(status)
        if status >= 400:
            self.send_header("retry-after", "7")
            self.send_header("www-authenticate", 'Bearer scope="admin"')
        if self.behaviour.endswith(" sse") and status == 200 and body:
            self.send_header("content-type", "text/event-stream")
            body = b"event: message\ndata: " + body + b"\n\n"
        else:
            self.send_header("content-type", "application/json")
        if self.behaviour.startswith("forgets") and status == 200:
            self.send_header("mcp-session-id", "7")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        pass


def serve_http(behaviour: str, port: int) -> None:
    """Serve over HTTP."""
    _Handler.behaviour = behaviour
    with ThreadingHTTPServer(("127.0.0.1", port), _Handler) as server:
        print(server.server_port, flush=True)
        server.serve_forever()


if __name__ == "__main__":
    if sys.argv[1] == "--http":
        serve_http(sys.argv[2], int(sys.argv[3]))
    else:
        serve(sys.argv[1])
