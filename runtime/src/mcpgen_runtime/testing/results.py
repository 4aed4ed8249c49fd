"""Converts a Python value to the result that a server would send, and validates it."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from ..errors import ClientError, InvalidResult, ToolError
from ..models.content import AnyResult
from ..models.results import ResourceResult, ToolResult
from ..models.values import decode_result, to_wire
from ..package import Package, Tool
from ..problem import Problem
from .errors import InvalidFake
from .observed import observed_result

if TYPE_CHECKING:
    from mcp.types import (
        BlobResourceContents,
        CallToolResult,
        GetPromptResult,
        ReadResourceResult,
        TextResourceContents,
    )

Json: TypeAlias = "dict[str, Any] | list[Any]"
"""JSON that is sent as text if there is no output schema."""


def tool_result(package: Package, name: str, value: object) -> CallToolResult:
    """Return the result of a tool, or raise ``InvalidFake`` if the contract forbids it."""
    from mcp.types import CallToolResult

    tool = package.tool(name)
    if isinstance(value, ToolResult):
        result = value.raw
    elif isinstance(value, CallToolResult):
        result = value
    elif tool.observed is not None:
        is_text = tool.result is None
        wire = _text(name, value) if is_text else _json(name, value)
        result = observed_result(tool, wire)
    elif tool.result is None:
        result = CallToolResult(content=[_block(_text(name, value))])
    else:
        result = _structured_result(tool, value)
    check_result(tool, result)
    return result


def check_result(tool: Tool[Any], result: CallToolResult) -> Any:
    """Return the client's conversion of a result, which may be an error of the tool.

    A result may differ from the observed type, because no contract promises that type.
    """
    try:
        return decode_result(tool, result, "ignore")
    except ToolError:
        return None
    except InvalidResult as error:
        raise InvalidFake(tool.name, error.problems) from None
    except ClientError as error:
        raise InvalidFake(tool.name, [Problem("", str(error))]) from None


def structured_result(value: object) -> CallToolResult:
    """Return structured content as servers send it: as a text, too."""
    from mcp.types import CallToolResult

    text = json.dumps(value, ensure_ascii=False)
    return CallToolResult(content=[_block(text)], structured_content=value)


def _structured_result(tool: Tool[Any], value: object) -> CallToolResult:
    wire = _json(tool.name, value)
    return structured_result({"result": wire} if tool.unwrap else wire)


def _json(target: str, value: object) -> Any:
    try:
        return to_wire({"": value})[""]
    except (ValueError, RecursionError) as error:
        problem = Problem("", f"not JSON: {error}")
        raise InvalidFake(target, [problem]) from None


def _text(target: str, value: object) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, dict | list):
        return json.dumps(_json(target, cast("object", value)), ensure_ascii=False)
    kind = type(value).__name__
    raise InvalidFake(target, [Problem("", f"{kind} can't be its result")])


def _block(text: str) -> Any:
    from mcp.types import TextContent

    return TextContent(type="text", text=text)


def prompt_result(name: str, value: object) -> GetPromptResult:
    """Return the result of a prompt. A string is one message of the user."""
    from mcp.types import GetPromptResult, PromptMessage

    if isinstance(value, GetPromptResult):
        return value
    if not isinstance(value, str):
        kind = type(value).__name__
        raise InvalidFake(name, [Problem("", f"{kind} isn't a result of a prompt")])
    message = PromptMessage(role="user", content=_block(value))
    return GetPromptResult(messages=[message])


def resource_result(package: Package, uri: str, value: object) -> ReadResourceResult:
    """Return the contents of a resource: a string, bytes, or data as JSON."""
    from mcp.types import (
        BlobResourceContents,
        ReadResourceResult,
        TextResourceContents,
    )

    if isinstance(value, ResourceResult):
        return value.raw
    if isinstance(value, ReadResourceResult):
        return value
    mime = mime_type(package, uri)
    contents: TextResourceContents | BlobResourceContents
    if isinstance(value, bytes):
        blob = base64.b64encode(value).decode()
        contents = BlobResourceContents(uri=uri, mime_type=mime, blob=blob)
    else:
        text = _text(uri, value)
        contents = TextResourceContents(uri=uri, mime_type=mime, text=text)
    return ReadResourceResult(contents=[contents])


def mime_type(package: Package, uri: str) -> str | None:
    """Return the MIME type of a resource in the contract, or None."""
    entry: Any = resource_of(package, uri)
    declared = entry.get("mimeType")
    return declared if isinstance(declared, str) else None


def resource_of(package: Package, uri: str) -> Mapping[str, Any]:
    """Return the contract entry of a resource, or of a matching template."""
    from mcp import UriTemplate

    contract = package.contract
    resources: dict[str, Any] = contract.get("resources") or {}
    for name, entry in resources.items():
        raw = _definition(entry)
        if uri in (name, raw.get("uri")):
            return raw
    templates: dict[str, Any] = contract.get("resourceTemplates") or {}
    for name, entry in templates.items():
        raw = _definition(entry)
        try:
            template = UriTemplate.parse(str(raw.get("uriTemplate", name)))
        except ValueError:
            continue
        if template.match(uri) is not None:
            return raw
    return {}


def _definition(entry: Any) -> Mapping[str, Any]:
    inner = entry.get("definition", entry)
    return cast("Mapping[str, Any]", inner)


def result_of(package: Package, kind: str, name: str, value: object) -> AnyResult:
    """Return the result of a request of any kind."""
    if kind == "tool":
        return tool_result(package, name, value)
    if kind == "prompt":
        return prompt_result(name, value)
    return resource_result(package, name, value)
