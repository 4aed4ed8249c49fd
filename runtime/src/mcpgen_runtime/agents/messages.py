"""The outcome of a call as a message for each API."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from typing import Any

from ..abbreviate import count_noun, plain
from ..models.content import Binary
from .result import AgentResult
from .tool_requests import AgentApi, ToolRequest

_ANTHROPIC = {"image/jpeg", "image/png", "image/gif", "image/webp"}
_OPENAI = _ANTHROPIC
_GEMINI = {"image/jpeg", "image/png", "image/webp"}


def message(request: ToolRequest, result: AgentResult) -> dict[str, Any]:
    """Return the message that contains the result of a call."""
    return _MESSAGES[request.api](request, result)


def data_url(part: Binary) -> str:
    """Return an image as a data URL."""
    return f"data:{part.mime_type};base64,{encode_base64(part)}"


def encode_base64(part: Binary) -> str:
    """Return the bytes as base64."""
    return base64.b64encode(part.data).decode()


def text_for(api: AgentApi, result: AgentResult) -> str:
    """Return the text of a result, including a note about media that this API can't show."""
    visible_parts = shown_by(api, result)
    notes = [_left_out(part) for part in result.media if part not in visible_parts]
    text = "\n".join(part for part in (result.text, *notes) if part)
    return f"Error: {text}" if result.is_error and api not in _FLAGGED else text


def shown_by(api: AgentApi, result: AgentResult) -> tuple[Binary, ...]:
    """Return the media that an API shows to its models."""
    supported = _TAKEN[api]
    return tuple(part for part in result.media if supported and part.mime_type in supported)


def shown_parts(api: AgentApi, result: AgentResult) -> list[str | Binary]:
    """Return the texts and the media that an API can show, in the order of the result.

    Strings are not empty, and adjacent strings are joined.
    """
    visible_parts = shown_by(api, result)
    parts: list[str | Binary] = []
    for part in result.ordered:
        if isinstance(part, str) or part not in visible_parts:
            text = part if isinstance(part, str) else _left_out(part)
            before = parts.pop() if parts and isinstance(parts[-1], str) else ""
            parts.append(f"{before}\n{text}" if before else text)
        else:
            parts.append(part)
    if result.is_error and api not in _FLAGGED:
        first = parts.pop(0) if parts and isinstance(parts[0], str) else ""
        parts.insert(0, f"Error: {first}")
    return parts


_FLAGGED = ("anthropic", "gemini", "mcp")  # they have a property for errors
_TAKEN: dict[AgentApi, set[str]] = {
    "openai": set(),  # a tool message is text in this API
    "openai-responses": _OPENAI,
    "anthropic": _ANTHROPIC,
    "gemini": _GEMINI,
    "mcp": set(),
}


def _left_out(part: Binary) -> str:
    size = count_noun(len(part.data), "byte")
    return f"[{plain(part.mime_type)}, {size}: it cannot be shown here]"


def _openai(request: ToolRequest, result: AgentResult) -> dict[str, Any]:
    text = text_for("openai", result)
    return {"role": "tool", "tool_call_id": request.id or "", "content": text}


def _responses(request: ToolRequest, result: AgentResult) -> dict[str, Any]:
    content = [
        (
            {"type": "input_text", "text": part}
            if isinstance(part, str)
            else {"type": "input_image", "image_url": data_url(part)}
        )
        for part in shown_parts("openai-responses", result)
    ]
    has_images = bool(shown_by("openai-responses", result))
    return {
        "type": "function_call_output",
        "call_id": request.id or "",
        "output": content if has_images else text_for("openai-responses", result),
    }


def _anthropic(request: ToolRequest, result: AgentResult) -> dict[str, Any]:
    answer: dict[str, Any] = {
        "type": "tool_result",
        "tool_use_id": request.id or "",
        "content": anthropic_blocks(result),
    }
    return {**answer, "is_error": True} if result.is_error else answer


def anthropic_blocks(result: AgentResult) -> list[dict[str, Any]]:
    """Return the content blocks of a result without empty ones, which the API rejects."""
    blocks: list[dict[str, Any]] = []
    for part in shown_parts("anthropic", result):
        if isinstance(part, str):
            blocks.append({"type": "text", "text": part})
            continue
        source = {
            "type": "base64",
            "media_type": part.mime_type,
            "data": encode_base64(part),
        }
        blocks.append({"type": "image", "source": source})
    return blocks


def _gemini(request: ToolRequest, result: AgentResult) -> dict[str, Any]:
    text = text_for("gemini", result)
    is_structured = text == json.dumps(result.structured, ensure_ascii=False)
    is_finite = "Infinity" not in text and "NaN" not in text  # the API takes only JSON
    output: Any = result.structured if is_structured and is_finite else text
    response: dict[str, Any] = {
        "name": request.name,
        "response": {"error": text} if result.is_error else {"output": output},
    }
    if request.id is not None:
        response["id"] = request.id
    parts = [
        {"inlineData": {"mimeType": part.mime_type, "data": encode_base64(part)}}
        for part in shown_by("gemini", result)
    ]
    if parts:
        response["parts"] = parts
    return {"functionResponse": response}


def _mcp(_: ToolRequest, result: AgentResult) -> dict[str, Any]:
    if result.raw is not None:
        whole: dict[str, Any] = result.raw.model_dump(mode="json", by_alias=True, exclude_none=True)
        return whole
    content: list[dict[str, Any]] = []
    for part in result.ordered:
        if isinstance(part, str):
            content.append({"type": "text", "text": part})
            continue
        kind = part.mime_type.partition("/")[0]
        block = {"type": kind, "data": encode_base64(part), "mimeType": part.mime_type}
        content.append(block)
    return {"content": content, "isError": result.is_error}


_MESSAGES: dict[AgentApi, Callable[[ToolRequest, AgentResult], dict[str, Any]]] = {
    "openai": _openai,
    "openai-responses": _responses,
    "anthropic": _anthropic,
    "gemini": _gemini,
    "mcp": _mcp,
}
