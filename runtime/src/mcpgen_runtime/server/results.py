"""Conversion of the author's return values to results of the protocol."""

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
from pydantic_core import to_json, to_jsonable_python

from ..package import Tool
from ..problem import Problem
from ..validation import schemas as validation
from .context import MODERN
from .errors import InvalidResult
from .publish import has_structured_content

ToolOutput: TypeAlias = (
    str | ContentBlock | Sequence[ContentBlock] | CallToolResult | InputRequiredResult
)
"""The return value of a tool without an output schema."""

PromptOutput: TypeAlias = str | Sequence[PromptMessage] | GetPromptResult | InputRequiredResult
"""The return value of a prompt. A string is one message of the user."""

ResourceOutput: TypeAlias = str | bytes | ReadResourceResult | InputRequiredResult
"""The return value of a resource."""


def result_of(tool: Tool[Any], value: object) -> CallToolResult:
    """Convert a return value to a result, without validating its structured content."""
    if isinstance(value, CallToolResult):
        return value
    if tool.result is None:
        return CallToolResult(content=_blocks(tool.name, value))
    return CallToolResult(content=[], structured_content=_json_of(tool, value))


def _json_of(tool: Tool[Any], value: object) -> Any:
    try:
        data = to_jsonable_python(value, by_alias=True, inf_nan_mode="constants")
    except (ValueError, RecursionError) as error:
        raise InvalidResult(tool.name, [Problem("", f"no JSON: {error}")]) from None
    return {"result": data} if tool.unwrap else data


def convert_value(
    tool: Tool[Any], value: object, revision: str, most: int | None
) -> tuple[str, Any] | None:
    """Convert a return value to text and validated structured content in one pass.

    Returns None if this is not enough, and :func:`result_of` and :func:`check_result` are
    needed.
    """
    if tool.result is None or isinstance(value, CallToolResult):
        return None
    data = _json_of(tool, value)
    if revision < MODERN and not _is_object(data):
        return None
    try:
        text = to_json(data).decode()
    except ValueError:  # not encodable, such as a lone surrogate
        return None
    # The text bounds the size of both its copies, because no character takes more than four bytes.
    is_small = most is None or 2 * 4 * len(text) + _ENVELOPE < most
    if not is_small or "NaN" in text or "Infinity" in text:
        return None
    _validate(tool, data)
    return text, data


_ENVELOPE = 1_000
"""Upper limit of a result's size apart from the structured content and its text."""


def _is_object(value: object) -> bool:
    return isinstance(value, dict)


def _blocks(tool: str, value: object) -> list[ContentBlock]:
    if isinstance(value, str):
        return [TextContent(type="text", text=value)]
    blocks = list(cast("Sequence[object]", value if _is_list(value) else [value]))
    if all(isinstance(block, ContentBlock) for block in blocks):
        return cast("list[ContentBlock]", blocks)
    kinds = ", ".join(sorted({type(block).__name__ for block in blocks}))
    raise InvalidResult(tool, [Problem("", f"expected a string or content, not {kinds}")])


def _is_list(value: object) -> bool:
    return isinstance(value, list | tuple)


def check_result(
    tool: Tool[Any], result: CallToolResult, revision: str, most: int | None
) -> CallToolResult:
    """Validate a result, and add its JSON as text.

    Before 2026-07-28 structured content other than objects is sent as text only.
    """
    if tool.result is not None and not result.is_error:
        text = _conforming(tool, result)
        if not result.content:
            content = [TextContent(type="text", text=text)]
            result = result.model_copy(update={"content": content})
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
    """Return the structured content as text if it satisfies the output schema."""
    data: Any = result.structured_content
    if not has_structured_content(result):
        raise InvalidResult(tool.name, [Problem("", "there is no structured content")])
    try:
        text = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
        text.encode()
    except (ValueError, TypeError, RecursionError) as error:
        raise InvalidResult(tool.name, [Problem("", f"no JSON: {error}")]) from None
    _validate(tool, data)
    return text


def _validate(tool: Tool[Any], data: Any) -> None:
    if _is_exactly(tool, data):
        return
    problems = validation.problems(tool, "outputSchema", data)
    if problems:
        raise InvalidResult(tool.name, problems)


def _is_exactly(tool: Tool[Any], data: Any) -> bool:
    """Return True if an exact type has already proved the result valid."""
    if not tool.exact_result or tool.result is None:
        return False
    try:
        value = data["result"] if tool.unwrap else data
        tool.result.validate_python(value, by_alias=True, by_name=False)
    except (ValidationError, KeyError, TypeError):
        return False
    return True


def prompt_of(value: object, description: str) -> GetPromptResult:
    """Convert the return value of a prompt to a result."""
    if isinstance(value, GetPromptResult):
        return value
    if isinstance(value, str):
        text = TextContent(type="text", text=value)
        value = [PromptMessage(role="user", content=text)]
    messages = list(cast("Sequence[PromptMessage]", value))
    return GetPromptResult(description=description or None, messages=messages)


def contents_of(value: object, uri: str, mime_type: str) -> ReadResourceResult:
    """Convert the return value of a resource to a result."""
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
