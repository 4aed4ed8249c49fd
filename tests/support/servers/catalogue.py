"""A standard-library server without output schemas and with read-only tools. Usage: python
catalogue.py LOG. Each call is appended to the log.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

READS = {"readOnlyHint": True}
QUERY = {"type": "object", "properties": {"q": {"type": "string"}}, "required": ["q"]}
NONE: dict[str, Any] = {"type": "object"}
WITH_EXAMPLES = {
    "type": "object",
    "properties": {"id": {"type": "integer", "examples": [1, 2]}},
    "required": ["id"],
}
TOOLS: list[dict[str, Any]] = [
    {"name": "search", "inputSchema": QUERY, "annotations": READS},
    {"name": "item", "inputSchema": WITH_EXAMPLES, "annotations": READS},
    {"name": "stats", "inputSchema": NONE, "annotations": READS},
    {"name": "note", "inputSchema": QUERY, "annotations": READS},
    {"name": "write", "inputSchema": NONE},
    {"name": "fails", "inputSchema": NONE},
    {
        "name": "told",
        "inputSchema": NONE,
        "annotations": READS,
        "outputSchema": {"type": "object", "properties": {"a": {"type": "integer"}}},
    },
]


def text(value: Any, **members: Any) -> Any:
    output = value if isinstance(value, str) else json.dumps(value)
    return {"content": [{"type": "text", "text": output}], **members}


def answer(name: str, arguments: Any) -> Any:
    if name == "search":
        results = [{"title": arguments["q"], "at": "/srv/private"}] if arguments["q"] else []
        return text({"found": results, "next": None if results else 2})
    if name == "item":
        return text({"success": False} if arguments["id"] > 1 else {"title": "Night", "id": 1})
    if name == "note":
        return text(arguments["q"])
    if name == "fails":
        return text("no", isError=True)
    return text({"items": 12}, structuredContent={"items": 12, "days": {"2026-01-02": 3}})


def main() -> None:
    for line in sys.stdin:
        requests = json.loads(line)
        method, params = requests["method"], requests.get("params", {})
        if "id" not in requests:
            continue
        result: Any = {}
        if method == "initialize":
            result = {
                "protocolVersion": params["protocolVersion"],
                "capabilities": {"tools": {}},
                "serverInfo": {"name": "catalogue", "version": "1"},
            }
        elif method == "tools/list":
            result = {"tools": TOOLS}
        elif method == "tools/call":
            with Path(sys.argv[1]).open("a", encoding="utf-8") as log:
                log.write(json.dumps([params["name"], params["arguments"]]) + "\n")
            result = answer(params["name"], params["arguments"])
        reply: dict[str, Any] = {"jsonrpc": "2.0", "id": requests["id"], "result": result}
        if method == "server/discover":
            del reply["result"]
            reply["error"] = {"code": -32601, "message": "Method not found"}
        print(json.dumps(reply), flush=True)


if __name__ == "__main__":
    main()
