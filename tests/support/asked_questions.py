"""Servers that ask questions, and the forms they send."""

from __future__ import annotations

from typing import Any

from mcp import types
from mcpgen_runtime.conversation import questions
from runtime.packages import import_client

from runtime import asking_server

REVISIONS: list[Any] = ["2025-11-25", "2026-07-28"]

MADE = {
    revision: import_client(asking_server.contract(revision), f"asking_{revision[:4]}")
    for revision in REVISIONS
}

ANY: Any = MADE["2026-07-28"]


def form(properties: Any = None, *required: str, **more: Any) -> Any:
    schema = {"type": "object", "properties": properties or {}, "required": list(required)}
    return {"message": "Which?", "requestedSchema": {**schema, **more}}


def question(params: Any, server: str = "asking") -> Any:
    """Return a question as a callback receives it."""
    request = types.ElicitRequest.model_validate({"method": "elicitation/create", "params": params})
    return questions.read_question(server, request.params)
