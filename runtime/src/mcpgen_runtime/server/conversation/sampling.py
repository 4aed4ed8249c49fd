"""Requests sampling from the client's model, and calls the functions of tools that it uses."""

from __future__ import annotations

import inspect
import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeAlias, TypeVar, cast

from mcp import MCPError, types
from mcp.server.validation import validate_tool_use_result_messages
from pydantic_core import to_json, to_jsonable_python

from ...validation import schemas as validation
from ..errors import ToolError, TooManyRounds

R = TypeVar("R", bound=types.Result)


class Asker(Protocol):
    """Sends requests to the client: the context of a call."""

    notes: dict[str, Any]
    logger: logging.Logger

    async def request(self, key: str, request: types.InputRequest, result: type[R]) -> R:
        """Send a request of the server and return the client's answer."""
        ...


Messages: TypeAlias = "str | types.SamplingMessage | Sequence[str | types.SamplingMessage]"
"""The messages for a model. A string is one message of the user."""

ToolFunction: TypeAlias = "Callable[[dict[str, Any]], object | Awaitable[object]]"
"""Called with the validated arguments of a tool use.

It returns text, content blocks, a ``CallToolResult`` or any JSON, or raises a
``ToolError``, whose text the model reads.
"""


@dataclass(frozen=True)
class SamplingTool:
    """A tool for the model during sampling. Uses of a tool without a function are returned."""

    name: str
    description: str = ""
    input_schema: Mapping[str, Any] = field(default_factory=lambda: {"type": "object"})
    function: ToolFunction | None = None

    @property
    def definition(self) -> types.Tool:
        """The definition for the client."""
        return types.Tool(
            name=self.name,
            description=self.description or None,
            input_schema=dict(self.input_schema),
        )


@dataclass(frozen=True)
class SamplingResult:
    """The response of a model. ``messages`` is the conversation including the response."""

    content: tuple[types.SamplingMessageContentBlock, ...]
    model: str
    stop_reason: str | None
    messages: tuple[types.SamplingMessage, ...] = field(repr=False)

    @property
    def text(self) -> str:
        """The text blocks of the response, joined by newlines."""
        texts = [item.text for item in self.content if item.type == "text"]
        return "\n".join(texts)

    @property
    def tool_uses(self) -> tuple[types.ToolUseContent, ...]:
        """The tool uses in the response."""
        return tuple(item for item in self.content if item.type == "tool_use")


def convert_messages(messages: Messages) -> list[types.SamplingMessage]:
    """Convert messages to the protocol's type."""
    one_or_more = [messages] if isinstance(messages, str | types.SamplingMessage) else messages
    return [_of_user(item) if isinstance(item, str) else item for item in one_or_more]


def _of_user(text: str) -> types.SamplingMessage:
    content = types.TextContent(type="text", text=text)
    return types.SamplingMessage(role="user", content=content)


async def sample_until_answered(
    context: Asker,
    key: str,
    params: types.CreateMessageRequestParams,
    tools: Sequence[types.Tool | SamplingTool],
    most: int,
) -> SamplingResult:
    """Request the model repeatedly, with the results of its tools, until its final response."""
    offered = [_definition(tool) for tool in tools] or None
    functions = {
        item.name: item
        for item in tools
        if isinstance(item, SamplingTool) and item.function is not None
    }
    messages = params.messages
    for round_number in range(most + 1):
        if round_number and round_number == most:  # SEP-1577: the last round is final
            params = params.model_copy(update={"tool_choice": types.ToolChoice(mode="none")})
        validate_tool_use_result_messages(messages)
        name = f"{key}:{round_number + 1}" if round_number else key
        request = types.CreateMessageRequest(
            params=params.model_copy(update={"messages": messages, "tools": offered})
        )
        result = await context.request(name, request, types.CreateMessageResultWithTools)
        answer = _sampling_result(result, messages)
        uses = answer.tool_uses
        if not uses or any(_lacks(use, functions, offered) for use in uses):
            return answer
        if round_number == most:
            break
        messages = [*answer.messages, await _once(context, name, uses, functions)]
    raise TooManyRounds(f"The model still wants to use tools, after {most} rounds.")


def _definition(tool: types.Tool | SamplingTool) -> types.Tool:
    return tool.definition if isinstance(tool, SamplingTool) else tool


def _sampling_result(
    result: types.CreateMessageResultWithTools,
    messages: Sequence[types.SamplingMessage],
) -> SamplingResult:
    message = types.SamplingMessage(role=result.role, content=result.content)
    return SamplingResult(
        content=tuple(result.content_as_list),
        model=result.model,
        stop_reason=result.stop_reason,
        messages=(*messages, message),
    )


def _lacks(
    use: types.ToolUseContent,
    functions: Mapping[str, SamplingTool],
    offered: Sequence[types.Tool] | None,
) -> bool:
    """Return True if the author has to handle a use because its tool has no function."""
    return use.name not in functions and use.name in {tool.name for tool in offered or ()}


async def _once(
    context: Asker,
    key: str,
    uses: Sequence[types.ToolUseContent],
    functions: Mapping[str, SamplingTool],
) -> types.SamplingMessage:
    """Return the results of tool uses, which earlier rounds may have computed."""
    if key not in context.notes:
        results = [await _result(context, use, functions.get(use.name)) for use in uses]
        context.notes[key] = [
            result.model_dump(by_alias=True, mode="json", exclude_none=True) for result in results
        ]
    tool_results = [types.ToolResultContent.model_validate(item) for item in context.notes[key]]
    return types.SamplingMessage(
        role="user", content=cast("list[types.SamplingMessageContentBlock]", tool_results)
    )


async def _result(
    context: Asker, use: types.ToolUseContent, tool: SamplingTool | None
) -> types.ToolResultContent:
    """Run a tool. Errors become results, so that the model can correct itself."""
    if tool is None or tool.function is None:
        return _wrong(use, f"There is no tool {use.name}.")
    problems = validation.problems_in(tool.input_schema, use.input)
    if problems:
        heading = f"Invalid arguments for {use.name}:"
        return _wrong(use, "\n  ".join([heading, *(str(problem) for problem in problems)]))
    try:
        value = tool.function(use.input)
        if inspect.isawaitable(value):
            value = await cast("Awaitable[object]", value)
        return _tool_result(use, value)
    except MCPError:
        raise
    except ToolError as error:
        return _wrong(use, str(error))
    except Exception:
        context.logger.exception("the tool %r, used by a model, failed", use.name)
        return _wrong(use, f"The tool {use.name} failed.")


def _tool_result(use: types.ToolUseContent, value: object) -> types.ToolResultContent:
    if isinstance(value, types.CallToolResult):
        return types.ToolResultContent(
            tool_use_id=use.id,
            content=value.content,
            structured_content=value.structured_content,
            is_error=value.is_error or None,
        )
    data: object = None
    if isinstance(value, str):
        content: list[types.ContentBlock] = [_text(value)]
    elif blocks := _blocks(value):
        content = blocks
    else:
        data = to_jsonable_python(value, by_alias=True)
        content = [_text(to_json(data).decode())]
    return types.ToolResultContent(
        tool_use_id=use.id,
        content=content,
        # Until 2025-11-25 structured content is an object.
        structured_content=cast("Any", data) if isinstance(data, dict) else None,
    )


def _blocks(value: object) -> list[types.ContentBlock]:
    """Return the content blocks of a function, or an empty list if it returned data."""
    blocks = list(cast("Sequence[object]", value if isinstance(value, list | tuple) else [value]))
    is_content = all(isinstance(block, types.ContentBlock) for block in blocks)
    return cast("list[types.ContentBlock]", blocks) if is_content else []


def _wrong(use: types.ToolUseContent, reason: str) -> types.ToolResultContent:
    return types.ToolResultContent(tool_use_id=use.id, content=[_text(reason)], is_error=True)


def _text(text: str) -> types.TextContent:
    return types.TextContent(type="text", text=text)
