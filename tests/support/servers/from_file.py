"""A standard-library server with the tools listed in a file. Usage: python from_file.py FILE
[HOW]. Without the file, it exits at once. With HOW, it also has a prompt.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

GREETING = {
    "capabilities": {"tools": {}},
    "serverInfo": {"name": "from-file", "version": "1"},
}
HOW = sys.argv[2] if len(sys.argv) > 2 else ""


def answer(message: Any, tools: Any) -> Any:
    method, revision = message["method"], "2025-11-25"
    if method == "initialize":
        prompts = {"prompts": {}} if HOW else {}
        capabilities = {"capabilities": {"tools": {}, **prompts}}
        return {"result": {"protocolVersion": revision, **GREETING, **capabilities}}
    if method == "prompts/list" and HOW:
        if HOW == "gone":
            sys.exit()
        failed = {"error": {"code": -32603, "message": "the database is away"}}
        return {"result": {"prompts": [{"name": "ask"}]}} if HOW == "well" else failed
    if method == "tools/list":
        return {"result": {"tools": tools}}
    return {"error": {"code": -32601, "message": f"no method {method}"}}


def main() -> None:
    tools = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    for line in sys.stdin:
        message = json.loads(line)
        if "id" in message:
            response = {"jsonrpc": "2.0", "id": message["id"], **answer(message, tools)}
            print(json.dumps(response), flush=True)


if __name__ == "__main__":
    main()
