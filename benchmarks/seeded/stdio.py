"""Shared code of the seeded servers without the SDK: schemas, errors, and JSON-RPC over stdio."""

from __future__ import annotations

import json
import os
import sys
import threading
from collections.abc import Callable
from typing import Any

BUGS = os.environ.get("SEEDED_BUG", "").split(",")
TEXT = {"type": "string"}
READ = {"readOnlyHint": True}
SAFE = {"readOnlyHint": False, "destructiveHint": False}
DESTROYS = {"readOnlyHint": False, "destructiveHint": True}
OUTPUT = threading.Lock()


def bug(name: str) -> bool:
    return name in BUGS


def obj(required: list[str], **properties: Any) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": False,
    }


def listed(item: Any, **more: Any) -> dict[str, Any]:
    return {"type": "array", "items": item, **more}


def tool(name: str, text: str, arguments: Any, result: Any = None, **hints: Any) -> dict[str, Any]:
    definition = {"name": name, "description": text, "inputSchema": arguments, "annotations": hints}
    return {**definition, "outputSchema": result} if result else definition


class ToolError(Exception):
    """The tool fails, and its text is the result."""


class RpcError(Exception):
    """The request fails with a code."""

    def __init__(self, code: Any, message: str) -> None:
        super().__init__(message)
        self.code = code


def integral(value: Any) -> Any:
    """Return a value with an integer for each float that is one, as JSON Schema has it."""
    if isinstance(value, dict):
        return {key: integral(item) for key, item in value.items()}
    if isinstance(value, list):
        return [integral(item) for item in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


def initialized(name: str, params: Any, **capabilities: Any) -> dict[str, Any]:
    """Return the result of `initialize`."""
    revision = params.get("protocolVersion")
    revisions = ("2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05")
    return {
        "protocolVersion": revision if revision in revisions else revisions[0],
        "serverInfo": {"name": name, "version": "1"},
        "capabilities": {"tools": {}, "resources": {}, "prompts": {}, **capabilities},
    }


def say(message: Any) -> None:
    with OUTPUT:
        sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
        sys.stdout.flush()


def serve(
    answer: Callable[[str, Any], Any],
    id_of: Callable[[str, Any, bool], Any],
    answers_twice: Callable[[str, Any], bool] = lambda _method, _params: False,
) -> None:
    """Answer each request of stdin in a thread. `id_of` chooses the ID of a response."""

    def reply(message: Any) -> None:
        method, given = message["method"], message["id"]
        try:
            body = {"result": answer(method, message.get("params") or {})}
        except RpcError as error:
            body = {"error": {"code": error.code, "message": str(error)}}
        except Exception as error:
            text = f"internal error: {type(error).__name__}"
            body = {"error": {"code": -32603, "message": text}}
        response = {"id": id_of(method, given, "error" in body), **body}
        say(response)
        if answers_twice(method, message.get("params") or {}):
            say(response)

    for line in sys.stdin:
        message = json.loads(line)
        if "id" in message and "method" in message:
            threading.Thread(target=reply, args=(message,), daemon=True).start()
