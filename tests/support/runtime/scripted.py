"""A server with configured responses that records its requests."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable
from typing import Any

import anyio
from mcp import types
from runtime.packages import Style, package
from stand_in import MODERN, Context, StandIn

from mcpgen.contract.document import Contract
from runtime import contracts

Act = Callable[[Any, "Scripted"], Awaitable[Any]]


class Scripted(StandIn):
    """A stand-in for a server. A test overrides its responses.

    A response is structured content, a complete result, an exception, or a function of context and
    arguments.
    """

    def __init__(self, contract: Contract = contracts.SHOP, page: int = 50, **answers: Any) -> None:
        super().__init__(contract, page)
        self.answers = answers
        self.sent: list[tuple[str, Any]] = []
        self.metas: list[Any] = []

    async def call_tool(self, ctx: Context, params: types.CallToolRequestParams) -> Any:
        self.sent.append((params.name, params.arguments))
        self.metas.append(params.meta)
        if params.name not in self.answers:
            return await super().call_tool(ctx, params)
        answer = self.answers[params.name]
        if callable(answer):
            answer = answer(ctx, params)
        if inspect.isawaitable(answer):
            answer = await answer
        if isinstance(answer, Exception):
            raise answer
        if isinstance(answer, types.Result):
            return answer
        return structured_result(answer) if ctx.protocol_version >= MODERN else as_text(answer)


def structured_result(value: Any, *blocks: Any) -> types.CallToolResult:
    return types.CallToolResult(content=list(blocks), structured_content=value)


def as_text(value: Any) -> types.CallToolResult:
    """Return the result that servers send if structured content must be an object."""
    import json

    if isinstance(value, dict):
        return structured_result(value)
    return text_result(value if isinstance(value, str) else json.dumps(value))


def text_result(*texts: str, is_error: bool = False) -> types.CallToolResult:
    blocks = [types.TextContent(type="text", text=text) for text in texts]
    return types.CallToolResult(content=list(blocks), is_error=is_error)


def using(
    act: Act,
    server: Scripted | None = None,
    *,
    style: Style = "dataclass",
    **options: Any,
) -> Any:
    """Connect a shop client to a server, run a function with both, and return its result."""
    shop = server or Scripted()

    async def inside() -> Any:
        # The SDK cannot publish a tool without an input schema, so "loose" would differ.
        settings: Any = {"verify": "off", **options}
        async with package(style).Client.connect(shop.server, **settings) as client:
            return await act(client, shop)

    return anyio.run(inside)


def call_without_arguments(
    tool: str, answer: Any, *, style: Style = "dataclass", **options: Any
) -> Any:
    """Call a tool without arguments that returns this response."""

    async def act(client: Any, _: Scripted) -> Any:
        return await getattr(client, tool)()

    return using(act, Scripted(**{tool: answer}), style=style, **options)
