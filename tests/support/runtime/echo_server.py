"""A stdio server that answers every call, prompt and resource with the JSON of a file.

Its arguments are the era, ``modern`` or ``legacy``, and the file.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

INFO = {"name": "echo", "version": "1"}
LISTS: dict[str, Any] = {
    "tools": [{"name": "echo", "inputSchema": {"type": "object"}}],
    "prompts": [{"name": "echo"}],
    "resources": [{"name": "echo", "uri": "echo:a"}],
    "resourceTemplates": [],
}
LIST_METHODS = {"resourceTemplates": "resources/templates/list"}
MODERN = {"resultType": "complete", "ttlMs": 0, "cacheScope": "private"}


def answer(method: str, era: str, result: Any) -> Any:
    """Return the result of a request."""
    capabilities = {"capabilities": {"tools": {}, "prompts": {}, "resources": {}}}
    if method == "server/discover" and era == "modern":
        meta = {"io.modelcontextprotocol/serverInfo": INFO}
        return {"supportedVersions": ["2026-07-28"], **capabilities, "_meta": meta, **MODERN}
    if method == "initialize":
        return {"protocolVersion": "2025-11-25", **capabilities, "serverInfo": INFO}
    for name, entries in LISTS.items():
        if method == LIST_METHODS.get(name, f"{name}/list"):
            return {name: entries, **(MODERN if era == "modern" else {})}
    if method in ("tools/call", "prompts/get", "resources/read"):
        return {**result, "resultType": "complete"} if era == "modern" else result
    return None


def main(era: str, file: str) -> None:
    """Answer each line of stdin."""
    expected = json.loads(Path(file).read_text())
    for line in sys.stdin:
        message = json.loads(line)
        if "id" not in message:
            continue
        result = answer(message["method"], era, expected)
        error = {"code": -32601, "message": "there is no such method"}
        rest = {"error": error} if result is None else {"result": result}
        print(json.dumps({"jsonrpc": "2.0", "id": message["id"], **rest}), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
