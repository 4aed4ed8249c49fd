"""Tools for LangChain and LangGraph."""

from __future__ import annotations

import copy
from collections.abc import Iterable
from importlib import import_module
from types import new_class
from typing import Any

from ..messages import encode_base64, text_for
from ..result import AgentResult, is_image
from ..tool import AgentTool, result_of


def adapt_tools(
    tools: Iterable[AgentTool[Any]], *, approval: bool = False, waits: bool = False
) -> list[Any]:
    """Return a ``StructuredTool`` for each tool."""
    framework = import_module("langchain_core.tools")
    whole = new_class(
        "Whole",
        (framework.StructuredTool,),
        exec_body=lambda body: body.update(_to_args_and_kwargs=_pack_arguments),
    )
    return [
        _adapt_tool(framework, whole, tool, approval=approval and tool.needs_approval, waits=waits)
        for tool in tools
    ]


def _pack_arguments(_: Any, tool_input: Any, tool_call_id: Any) -> Any:
    """Pass all arguments as one.

    Separate arguments named ``config`` or ``run_manager`` would collide with LangChain's.
    """
    del tool_call_id
    arguments = {} if isinstance(tool_input, str) else dict(tool_input)
    return (), {"arguments": arguments}


def _adapt_tool(
    framework: Any,
    kind: Any,
    tool: AgentTool[Any],
    *,
    approval: bool,
    waits: bool,
) -> Any:
    def answer(result: AgentResult) -> tuple[Any, Any]:
        if result.is_error:
            raise framework.ToolException(text_for("mcp", result))
        return _content(result), result.structured  # which is not for the model

    async def call(arguments: dict[str, Any]) -> tuple[Any, Any]:
        return answer(await result_of(tool, arguments, waits=waits))

    def call_and_wait(arguments: dict[str, Any]) -> tuple[Any, Any]:
        return answer(tool.call(arguments))

    return kind(
        name=tool.name,
        description=tool.description,
        args_schema=copy.deepcopy(dict(tool.schema)),
        coroutine=call,
        func=call_and_wait if waits else None,
        response_format="content_and_artifact",
        handle_tool_error=True,
        metadata={"requires_approval": True} if approval else None,
    )


def _content(result: AgentResult) -> Any:
    """Return text, or blocks if there are images or audio."""
    if not result.media:
        return result.text
    return [
        (
            {"type": "text", "text": part}
            if isinstance(part, str)
            else {
                "type": "image" if is_image(part) else "audio",
                "base64": encode_base64(part),
                "mime_type": part.mime_type,
            }
        )
        for part in result.ordered
    ]
