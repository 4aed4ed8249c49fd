"""Calls the functions of a former server, written for the SDK's MCPServer or FastMCP."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, partial
from typing import Any, cast

import anyio.to_thread
from mcp import types
from pydantic import ValidationError, validate_call
from pydantic_core import to_json, to_jsonable_python

from ..models.raw import raw_json
from ..problem import problems_of
from .errors import InvalidArguments, ToolError

_BLOCKS = (
    types.TextContent,
    types.ImageContent,
    types.AudioContent,
    types.ResourceLink,
    types.EmbeddedResource,
)
_CONVERTERS = ("to_image_content", "to_audio_content", "to_resource_content")


async def call_former_tool(
    function: Callable[..., Any], arguments: object, *, key: str | None = None
) -> types.CallToolResult:
    """Call the function of a tool, and convert its return value as the former server did.

    Args:
        function: The function, which may block: it runs in a thread unless it is async.
        arguments: The arguments of the tool.
        key: The property of the structured content that has the value, "" if the value is the
            structured content, or None for text and content blocks only.

    Raises:
        ToolError: The function raised the former library's error of that name.
    """
    raw = cast("Mapping[str, Any]", raw_json(arguments))
    value = await _call(function, raw)
    if isinstance(value, types.CallToolResult):
        return value
    if hasattr(value, "structured_content") and hasattr(value, "content"):  # FastMCP's result
        return _result(list(_blocks(value.content)), value.structured_content)
    content = list(_blocks(value))
    if key is None:
        return _result(content, None)
    structured = to_jsonable_python(value, by_alias=True)
    return _result(content, {key: structured} if key else structured)


async def call_former_server(server: Any, name: str, arguments: object) -> types.CallToolResult:
    """Call a tool that only the former server's object has.

    Raises:
        ToolError: The tool raised the former library's error of that name.
    """
    try:
        result = await server.call_tool(name, raw_json(arguments))
    except Exception as error:
        cause = error.__cause__ or error
        if type(cause).__name__ != "ToolError":
            raise
        raise ToolError(str(cause)) from error
    if isinstance(result, types.CallToolResult):
        return result
    return _result(list(_blocks(result.content)), result.structured_content)


async def call_former_prompt(
    function: Callable[..., Any], arguments: Mapping[str, str | None]
) -> str | list[types.PromptMessage]:
    """Call the function of a prompt. Returns its text or messages."""
    value = await _call(function, _drop_absent(arguments))
    value = getattr(value, "messages", value)
    if isinstance(value, str):
        return value
    items = cast("Sequence[Any]", value if isinstance(value, list | tuple) else [value])
    return [_message(item) for item in items]


async def call_former_resource(
    function: Callable[..., Any], arguments: Mapping[str, Any] | None = None
) -> str | bytes:
    """Call the function of a resource or template. Values other than texts become JSON."""
    value = await _call(function, _drop_absent(arguments or {}))
    if isinstance(value, str | bytes):
        return value
    return to_json(value, by_alias=True, indent=2).decode()


def _drop_absent(arguments: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in arguments.items() if value is not None}


async def _call(function: Callable[..., Any], arguments: Mapping[str, Any]) -> Any:
    """Call a function with JSON values, converted to the types of its parameters."""
    validated = _with_validation(function)
    try:
        if inspect.iscoroutinefunction(function):
            return await validated(**arguments)
        value = await anyio.to_thread.run_sync(partial(validated, **arguments))
        return await value if inspect.isawaitable(value) else value
    except ValidationError as error:
        if error.title != function.__name__:
            raise
        raise InvalidArguments(function.__name__, problems_of(error)) from None
    except Exception as error:
        # The SDK and FastMCP each have a class of this name.
        if type(error).__name__ != "ToolError":
            raise
        raise ToolError(str(error)) from error


@cache
def _with_validation(function: Callable[..., Any]) -> Callable[..., Any]:
    return validate_call(config={"arbitrary_types_allowed": True})(function)


def _result(content: list[types.ContentBlock], structured: Any) -> types.CallToolResult:
    if structured is None:
        return types.CallToolResult(content=content)
    return types.CallToolResult(content=content, structured_content=structured)


def _blocks(value: Any) -> Iterator[types.ContentBlock]:
    """Yield the content for a value, as the SDK's server converts it."""
    if value is None:
        return
    if isinstance(value, _BLOCKS):
        yield value
        return
    if isinstance(value, list | tuple):
        for item in cast("Sequence[Any]", value):
            yield from _blocks(item)
        return
    convert = next((m for name in _CONVERTERS if (m := getattr(value, name, None))), None)
    if convert is not None:
        yield convert()
        return
    text = value if isinstance(value, str) else to_json(value, by_alias=True, indent=2).decode()
    yield types.TextContent(type="text", text=text)


def _message(item: Any) -> types.PromptMessage:
    """Convert a message of the SDK or FastMCP, or a text of the user."""
    role: types.Role = getattr(item, "role", "user")
    content = next(_blocks(getattr(item, "content", item)))
    return types.PromptMessage(role=role, content=content)
