"""Generates results of tools with observed results, in the same form."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING, Any, cast

from ..models.results import parse_json
from ..package import Tool

if TYPE_CHECKING:
    from mcp.types import CallToolResult

_WRAPPER = "result"


def observed_result(tool: Tool[Any], wire: object) -> CallToolResult:
    """Return a result that parses to this JSON or text."""
    if tool.observed == "json":
        return _of_texts([_json_text(wire)])
    if tool.observed == "json blocks" and isinstance(wire, list):
        return _of_texts(list(map(_json_text, cast("list[object]", wire))))
    if tool.observed == "json in result":
        return _structured_result({_WRAPPER: _json_text(wire)})
    if tool.observed == "text" and isinstance(wire, str) and not tool.promises:
        return _of_texts([wire])
    if not isinstance(wire, dict) or tool.unwrap:
        return _structured_result({_WRAPPER: cast("Any", wire)})
    members = cast("dict[str, object]", wire)
    is_wrapper = list(members) == [_WRAPPER]
    return _structured_result({_WRAPPER: members} if is_wrapper else members)


@cache
def observed_schema(tool: Tool[Any]) -> Mapping[str, Any]:
    """Return the observed schema of a tool."""
    document: dict[str, Any] = json.loads(tool.owner.read("contract.observed.json") or b"")
    schema: Mapping[str, Any] = document["tools"][tool.name]["schema"]
    return schema


def _structured_result(value: Mapping[str, object]) -> CallToolResult:
    result = _of_texts([json.dumps(value, ensure_ascii=False)])
    result.structured_content = dict(value)
    return result


def _of_texts(texts: list[str]) -> CallToolResult:
    from mcp.types import CallToolResult, TextContent

    return CallToolResult(content=[TextContent(type="text", text=text) for text in texts])


def _json_text(value: object) -> str:
    """Serialize JSON. A string that isn't JSON itself stays unchanged."""
    if isinstance(value, str):
        try:
            parse_json(value)
        except ValueError:
            return value
    return json.dumps(value, ensure_ascii=False)
