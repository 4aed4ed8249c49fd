"""A stdio server whose JSON contains a lone surrogate, in a result and in a definition.

Its tool ``only`` returns structured content without ``content``.

Its only argument is the era, ``modern`` or ``legacy``.
"""

from __future__ import annotations

import json
import sys
from typing import Any

INFO = {"name": "half", "version": "1"}
GET = {
    "name": "get",
    "inputSchema": {"type": "object"},
    "outputSchema": {"type": "object", "properties": {"a": {"type": "integer"}}},
}
ODD = {"name": "odd", "inputSchema": {"type": "object", "properties": {"\udc00": {}}}}
ONLY = {**GET, "name": "only"}
BROKEN = {"\udc00": 1, "a": 1}


def answer(method: str, params: Any) -> dict[str, Any] | None:
    """Return the result of a request."""
    modern = {"resultType": "complete", "ttlMs": 0, "cacheScope": "private"}
    capabilities = {"capabilities": {"tools": {}}}
    if method == "server/discover" and sys.argv[1] == "modern":
        meta = {"io.modelcontextprotocol/serverInfo": INFO}
        return {"supportedVersions": ["2026-07-28"], **capabilities, "_meta": meta, **modern}
    if method == "initialize":
        return {"protocolVersion": "2025-11-25", **capabilities, "serverInfo": INFO}
    if method == "tools/list":
        return {"tools": [GET, ODD, ONLY], **modern}
    if method == "tools/call" and params["name"] == "only":
        return {"structuredContent": {"a": 1}, **modern}
    if method == "tools/call":
        return {"content": [], "structuredContent": BROKEN, **modern}
    return None


def main() -> None:
    """Answer each line of stdin."""
    for line in sys.stdin:
        message = json.loads(line)
        if "id" not in message:
            continue
        result = answer(message["method"], message.get("params"))
        error = {"code": -32601, "message": "there is no such method"}
        rest = {"error": error} if result is None else {"result": result}
        print(json.dumps({"jsonrpc": "2.0", "id": message["id"], **rest}), flush=True)


if __name__ == "__main__":
    main()
