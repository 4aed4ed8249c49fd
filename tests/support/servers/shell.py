"""A standard-library stdio server with the legacy handshake, which starts quickly. Its first
argument is a log file of calls. Tools accept any arguments.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

PIXEL = (
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJg"
    "gg=="
)
SCHEMA = {
    "type": "object",
    "properties": {
        "query": {"type": "string"},
        "limit": {"type": "integer", "maximum": 9},
        "genre": {"enum": ["crime", "nature"]},
        "timeout": {"type": "integer"},
        "json": {"type": "boolean"},
    },
}


def _tool(name: str, **more: Any) -> dict[str, Any]:
    return {"name": name, "inputSchema": SCHEMA, **more}


TOOLS = [
    _tool("echo", description="Return the arguments. Nothing else."),
    _tool("draw"),
    _tool("fail"),
    _tool("refuse"),
    _tool("die"),
    _tool("sleep"),
    _tool("ask"),
    _tool("lie", outputSchema={"type": "object", "required": ["a"]}),
    _tool("raw", description="Return the query unchanged."),
    _tool("burn", annotations={"destructiveHint": True}),
    _tool("spoof\x1b[31m\nname", description="A \x1b[2J description."),
]
ASKED = {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}


def main() -> None:
    """Respond until stdin ends."""
    for line in sys.stdin:
        message = json.loads(line)
        if "method" in message and "id" in message:
            params = message.get("params") or {}
            if message["method"] == "tools/call" and params["name"] == "raw":
                print(
                    f'{{"jsonrpc": "2.0", "id": {message["id"]}, {params["arguments"]["query"]}}}'
                )
                sys.stdout.flush()
            else:
                _say({"id": message["id"], **_answer(message["method"], params)})


def _answer(method: str, params: Any) -> Any:
    if method == "initialize":
        offered = {"tools": {}, "prompts": {}, "resources": {}}
        greeting = {"protocolVersion": "2025-11-25", "serverInfo": {"name": "s", "version": "1"}}
        return {"result": {**greeting, "capabilities": offered}}
    if method == "tools/list":
        return {"result": {"tools": TOOLS}}
    if method == "resources/read":
        blob = {"uri": params["uri"], "mimeType": "image/png", "blob": PIXEL}
        return {"result": {"contents": [blob, {"uri": params["uri"], "text": "and a text"}]}}
    if method == "tools/call":
        return _call_tool(params["name"], params["arguments"])
    if method.endswith("/list"):
        return {"result": {method.split("/")[-2]: []}}
    return {"error": {"code": -32601, "message": "Method not found"}}


def _call_tool(name: str, arguments: Any) -> Any:
    with Path(sys.argv[1]).open("a") as log:
        log.write(json.dumps([name, arguments]) + "\n")
    if name == "refuse":
        return {"error": {"code": -32000, "message": "not today"}}
    if name == "die":
        sys.exit("the end")
    if name == "sleep":
        sys.stdin.readline()
    if name == "ask":
        params = {"message": "Who?", "requestedSchema": ASKED, "mode": "form"}
        _say({"id": "q", "method": "elicitation/create", "params": params})
        text = json.dumps(json.loads(sys.stdin.readline())["result"])
        return {"result": {"content": [{"type": "text", "text": text}]}}
    if name == "lie":
        return {"result": {"content": [], "structuredContent": {"b": 1}}}
    content = [{"type": "text", "text": json.dumps(arguments)}]
    if name == "draw":
        content.append({"type": "image", "mimeType": "image/png", "data": PIXEL})
        resource = {"uri": "a://../../b", "mimeType": "../x", "blob": PIXEL}
        content.append({"type": "resource", "resource": resource})
    return {"result": {"content": content, "isError": name == "fail"}}


def _say(message: Any) -> None:
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
