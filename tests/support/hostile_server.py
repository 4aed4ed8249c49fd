"""A stdio server whose every text is hostile to the program that prints it."""

from __future__ import annotations

import json
import sys
from typing import Any

HALF = "\ud800"
FAKE = "\nerror: fake\n\rhint: fake\x1b[31m\x9b31m\x07"
UNSEEN = "\u202e\u200b\u2066\u3164\u034f\u17b4\U000e0101\u115f\u2800\ufeff\u00ad"
MARKS = "a" + "\u0301" * 40 + "\u0ebc" * 40
MARKUP = "[t](javascript:x)<b>&amp;|`$(touch x)`::error::x"
ALL = HALF + FAKE + UNSEEN + MARKS + MARKUP
PAYLOADS = ("", FAKE, UNSEEN, MARKS, MARKUP)


def tool(name: str, suffix: str = "") -> dict[str, Any]:
    """Return a definition with a payload in each text."""
    properties = {
        f"p{suffix}": {"type": "string", "description": ALL, "enum": [ALL, "a"], "default": "a"}
    }
    result = {f"r{suffix}": {"type": "integer", "title": ALL, "description": ALL}}
    return {
        "name": name + suffix,
        "title": ALL,
        "description": ALL,
        "inputSchema": {"type": "object", "properties": properties},
        "outputSchema": {"type": "object", "properties": result, "additionalProperties": False},
        "annotations": {"title": ALL, "readOnlyHint": True},
    }


NAMES = ("wrong", "failing", "refusing", "plain")
TOOLS = [tool(name) for name in NAMES] + [tool("t", payload) for payload in PAYLOADS[1:]]
DOCUMENT = {
    "tools": TOOLS,
    "prompts": [
        {"name": "p", "title": ALL, "description": ALL, "arguments": [{"name": "a" + FAKE}]}
    ],
    "resources": [{"name": "r" + ALL, "uri": "r:1", "description": ALL}],
    "resourceTemplates": [],
    "instructions": ALL,
}


def answer(method: str, params: Any) -> dict[str, Any]:
    """Return the result or error of a response."""
    listed = {
        "tools/list": "tools",
        "prompts/list": "prompts",
        "resources/list": "resources",
        "resources/templates/list": "resourceTemplates",
    }
    if method == "initialize":
        capabilities: dict[str, Any] = {"tools": {}, "prompts": {}, "resources": {}}
        info = {"name": "n" + ALL, "title": ALL, "version": ALL}
        greeting = {"protocolVersion": "2025-11-25", "capabilities": capabilities}
        return {"result": {**greeting, "serverInfo": info, "instructions": ALL}}
    if method in listed:
        return {"result": {listed[method]: DOCUMENT[listed[method]]}}
    text = {"type": "text", "text": ALL}
    if method == "tools/call" and params["name"] in ("wrong", "failing"):
        is_error = params["name"] == "failing"
        wrong = {f"r{ALL}": ALL, "r": ALL}
        return {"result": {"content": [text], "structuredContent": wrong, "isError": is_error}}
    if method == "tools/call" and params["name"] == "plain":
        return {"result": {"content": [text], "structuredContent": {"r": 1}}}
    methods: dict[str, dict[str, Any]] = {
        "prompts/get": {"messages": [{"role": "user", "content": text}]},
        "resources/read": {"contents": [{"uri": "r:1", "text": ALL}]},
    }
    if method in methods:
        return {"result": methods[method]}
    return {"error": {"code": -32000, "message": ALL, "data": ALL}}


def main() -> None:
    """Respond to each line of stdin, and log to stderr."""
    print(ALL.encode("ascii", "backslashreplace").decode(), FAKE, UNSEEN, file=sys.stderr)
    for line in sys.stdin:
        message = json.loads(line)
        if "id" in message:
            response = answer(message["method"], message.get("params") or {})
            print(json.dumps({"jsonrpc": "2.0", "id": message["id"], **response}), flush=True)


if __name__ == "__main__":
    main()
