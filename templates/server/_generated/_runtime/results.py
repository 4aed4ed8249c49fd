"""Makes results of the protocol of what the author's methods return."""

from __future__ import annotations

import base64
import json
from collections.abc import Sequence
from typing import Any, TypeAlias, cast

from mcp.types import (
    BlobResourceContents,
    CallToolResult,
    ContentBlock,
    GetPromptResult,
    InputRequiredResult,
    PromptMessage,
    ReadResourceResult,
    TextContent,
    TextResourceContents,
)
from pydantic import ValidationError
from pydantic_core import to_jsonable_python

from . import validation
from .context import MODERN
from .errors import InvalidResult
from .problem import Problem
from .publish import has_structured_content
from .tool import Tool

Answer: TypeAlias = (
    str | ContentBlock | Sequence[ContentBlock] | CallToolResult | InputRequiredResult
)
"""What a tool without an output schema returns."""

PromptAnswer: TypeAlias = (
    str | Sequence[PromptMessage] | GetPromptResult | InputRequiredResult
)
"""What a prompt returns; a text is a message of the user."""

ResourceAnswer: TypeAlias = str | bytes | ReadResourceResult | InputRequiredResult
"""What a resource returns."""


def result_of(tool: Tool[Any], value: object) -> CallToolResult:
    """Return an answer as a result; its structured content is not checked yet."""
    if isinstance(value, CallToolResult):
        return value
    if tool.result is None:
        return CallToolResult(content=_blocks(tool.name, value))
    try:
        data = to_jsonable_python(value, by_alias=True, inf_nan_mode="constants")
    except (ValueError, RecursionError) as error:
        raise InvalidResult(tool.name, [Problem("", f"no JSON: {error}")]) from None
    wire = {"result": data} if tool.unwrap else data
    return CallToolResult(content=[], structured_content=wire)


def _blocks(tool: str, value: object) -> list[ContentBlock]:
    if isinstance(value, str):
        return [TextContent(type="text", text=value)]
    blocks = list(cast("Sequence[object]", value if _is_list(value) else [value]))
    if all(isinstance(block, ContentBlock) for block in blocks):
        return cast("list[ContentBlock]", blocks)
    kinds = ", ".join(sorted({type(block).__name__ for block in blocks}))
    raise InvalidResult(
        tool, [Problem("", f"a text or content is needed, not {kinds}")]
    )


def _is_list(value: object) -> bool:
    return isinstance(value, list | tuple)


def checked(
    tool: Tool[Any], result: CallToolResult, revision: str, most: int | None
) -> CallToolResult:
    """Return a result that keeps its promises, with its JSON also as text.

    Before 2026-07-28 structured content that is no object can only be sent as text.
    """
    if tool.result is not None and not result.is_error:
        text = _conforming(tool, result)
        update: dict[str, object] = {}
        if not result.content:
            update["content"] = [TextContent(type="text", text=text)]
        result = result.model_copy(update=update)
        if revision < MODERN and not isinstance(result.structured_content, dict):
            result = CallToolResult(content=result.content, _meta=result.meta)
    try:
        size = len(result.model_dump_json(by_alias=True).encode())
    except (ValueError, RecursionError) as error:
        raise InvalidResult(tool.name, [Problem("", f"no JSON: {error}")]) from None
    if most is not None and size > most:
        problem = Problem("", f"it has {size} bytes, and {most} are allowed")
        raise InvalidResult(tool.name, [problem])
    return result


def _conforming(tool: Tool[Any], result: CallToolResult) -> str:
    """Return the structured content as text, if it is what the output schema says."""
    data: Any = result.structured_content
    if not has_structured_content(result):
        raise InvalidResult(tool.name, [Problem("", "there is no structured content")])
    try:
        text = json.dumps(data, ensure_ascii=False, allow_nan=False)
        text.encode()
    except (ValueError, TypeError, RecursionError) as error:
        raise InvalidResult(tool.name, [Problem("", f"no JSON: {error}")]) from None
    if not _is_exactly(tool, data):
        problems = validation.problems(tool.name, "outputSchema", data)
        if problems:
            raise InvalidResult(tool.name, problems)
    return text


def _is_exactly(tool: Tool[Any], data: Any) -> bool:
    """Say whether the type alone, where it says all, knows that a result is valid."""
    if not tool.exact_result or tool.result is None:
        return False
    try:
        value = data["result"] if tool.unwrap else data
        tool.result.validate_python(value, by_alias=True, by_name=False)
    except (ValidationError, KeyError, TypeError):
        return False
    return True


def prompt_of(value: object, description: str) -> GetPromptResult:
    """Return what a prompt returned as a result."""
    if isinstance(value, GetPromptResult):
        return value
    if isinstance(value, str):
        text = TextContent(type="text", text=value)
        value = [PromptMessage(role="user", content=text)]
    messages = list(cast("Sequence[PromptMessage]", value))
    return GetPromptResult(description=description or None, messages=messages)


def contents_of(value: object, uri: str, mime_type: str) -> ReadResourceResult:
    """Return what a resource returned as a result."""
    if isinstance(value, ReadResourceResult):
        return value
    kind = mime_type or None
    if isinstance(value, bytes):
        blob = base64.b64encode(value).decode()
        return ReadResourceResult(
            contents=[BlobResourceContents(uri=uri, mime_type=kind, blob=blob)]
        )
    return ReadResourceResult(
        contents=[TextResourceContents(uri=uri, mime_type=kind, text=str(value))]
    )
