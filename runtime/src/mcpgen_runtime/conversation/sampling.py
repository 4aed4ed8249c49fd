"""Sampling: requests of the server to the client's model, and their results."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias

from ..abbreviate import count_noun
from ..errors import InvalidAnswer
from ..problem import Problem

if TYPE_CHECKING:
    from mcp.client import ClientRequestContext
    from mcp.types import (
        CreateMessageRequestParams,
        CreateMessageResult,
        CreateMessageResultWithTools,
        ErrorData,
        ModelPreferences,
        SamplingMessage,
        SamplingMessageContentBlock,
        Tool,
        ToolUseContent,
    )

REJECTED = -1
"""Error code of a request that the user rejected."""

Block: TypeAlias = "SamplingMessageContentBlock"
Result: TypeAlias = "CreateMessageResult | CreateMessageResultWithTools | ErrorData"
Sampled: TypeAlias = "str | Block | Sequence[Block] | SamplingResult | Result"
"""The possible results of a model callback."""


class Sample(Protocol):
    """Callback that calls a model. May be ``async``."""

    def __call__(self, request: SamplingRequest, /) -> Sampled | Awaitable[Sampled]:
        """Call a model. A function that isn't ``async`` runs in a thread."""
        ...


@dataclass(frozen=True, repr=False)
class SamplingRequest:
    """A request of the server to a model. All of its text comes from the server.

    Attributes:
        server: The server's name, as shown in errors.
        params: The SDK's parameters. Messages, tools and preferences are those of
            ``mcp.types``.
        context: The SDK's context.
    """

    server: str
    messages: tuple[SamplingMessage, ...]
    max_tokens: int
    """Maximum number of tokens, from the request and the limits of this client."""
    tools: tuple[Tool, ...] = ()
    """Tools that the model may use. The server executes them."""
    tool_choice: Literal["auto", "required", "none"] = "auto"
    system_prompt: str | None = None
    model_preferences: ModelPreferences | None = None
    temperature: float | None = None
    stop_sequences: tuple[str, ...] = ()
    metadata: Mapping[str, Any] = field(default_factory=dict[str, Any])
    params: CreateMessageRequestParams | None = None
    context: ClientRequestContext | None = None

    def __repr__(self) -> str:
        messages = count_noun(len(self.messages), "message")
        tools = f", {count_noun(len(self.tools), 'tool')}" if self.tools else ""
        return f"<SamplingRequest: {messages}{tools}>"

    @property
    def rounds(self) -> int:
        """Number of messages of this conversation in which the model used tools."""
        return sum(
            any(block.type == "tool_use" for block in message.content_as_list)
            for message in self.messages
            if message.role == "assistant"
        )

    def use_tool(
        self, name: str, arguments: Mapping[str, Any], /, *, id: str | None = None
    ) -> ToolUseContent:
        """Return a content block in which the model uses a tool.

        Args:
            name: The name of an offered tool.
            arguments: Its arguments.
            id: The model's ID of this use. By default a new one.

        Raises:
            InvalidAnswer: The tool isn't offered, or the arguments violate its input
                schema.
        """
        import secrets

        from mcp.types import ToolUseContent

        from ..models.values import to_wire

        try:
            wire = to_wire(arguments)
        except (ValueError, RecursionError) as error:
            problem = Problem("", f"not JSON: {error}")
            raise InvalidAnswer(name, [problem]) from None
        use = ToolUseContent(name=name, id=id or f"use_{secrets.token_hex(8)}", input=wire)
        check_use(self, use)
        return use

    def answer(
        self,
        content: (str | SamplingMessageContentBlock | Sequence[SamplingMessageContentBlock]),
        /,
        *,
        model: str = "unknown",
        stop_reason: str | None = None,
        tokens: int | None = None,
    ) -> SamplingResult:
        """Return a result with more details than plain content.

        Args:
            content: A text, or one or more content blocks.
            model: The name of the model.
            stop_reason: Why the model stopped. By default derived from the content.
            tokens: Number of tokens, counted against ``max_total_tokens``.
        """
        return SamplingResult(content, model, stop_reason, tokens)

    def refuse(self, reason: str = "User rejected sampling request") -> ErrorData:
        """Refuse the request. In revision 2026-07-28 this ends the call."""
        from mcp.types import ErrorData

        return ErrorData(code=REJECTED, message=reason)


@dataclass(frozen=True)
class SamplingResult:
    """The result of a model callback.

    ``tokens`` is the number of tokens, or None if unknown. The maximum of the request then
    counts against ``max_total_tokens``.
    """

    content: str | SamplingMessageContentBlock | Sequence[SamplingMessageContentBlock]
    model: str = "unknown"
    stop_reason: str | None = None
    tokens: int | None = None


ApproveRequest: TypeAlias = Callable[
    [SamplingRequest], "bool | SamplingRequest | Awaitable[bool | SamplingRequest]"
]
"""Approves a request to the model with ``True``, or returns a changed request."""
ApproveToolUse: TypeAlias = Callable[[SamplingRequest, "ToolUseContent"], "bool | Awaitable[bool]"]
"""Approves the use of a tool with ``True``."""


@dataclass(frozen=True)
class Sampling:
    """A model for requests of servers, with approval and limits.

    Args:
        model: Calls the model.
        approve_request: Called before each request to the model, which it may change.
        approve_tool_use: Called for each tool that the model wants to use.
        max_rounds: How often the model may use tools in a conversation.
        max_tokens: Maximum number of tokens of a result.
        max_total_tokens: Maximum number of tokens of all results for one client.
        tools: Whether to declare support for tools.

    Raises:
        ValueError: A limit is negative.
    """

    model: Sample
    approve_request: ApproveRequest | None = None
    approve_tool_use: ApproveToolUse | None = None
    max_rounds: int = 10
    max_tokens: int | None = None
    max_total_tokens: int | None = None
    tools: bool = True

    def __post_init__(self) -> None:
        limits = {
            "max_rounds": self.max_rounds,
            "max_tokens": self.max_tokens,
            "max_total_tokens": self.max_total_tokens,
        }
        for name, limit in limits.items():
            if limit is not None and limit < 0:
                raise ValueError(f"{name} can't be negative: {limit!r}")


def read_request(
    server: str,
    params: CreateMessageRequestParams,
    context: ClientRequestContext | None = None,
) -> SamplingRequest:
    """Convert the SDK's parameters of a sampling request."""
    choice = params.tool_choice.mode if params.tool_choice else None
    return SamplingRequest(
        server,
        tuple(params.messages),
        params.max_tokens,
        tuple(params.tools or ()),
        choice or "auto",
        params.system_prompt,
        params.model_preferences,
        params.temperature,
        tuple(params.stop_sequences or ()),
        params.metadata or {},
        params,
        context,
    )


def check_use(request: SamplingRequest, use: ToolUseContent) -> None:
    """Raise ``InvalidAnswer`` for a tool that isn't offered, or invalid arguments."""
    from ..validation.schemas import problems_in

    tool = next((tool for tool in request.tools if tool.name == use.name), None)
    if tool is None or request.tool_choice == "none":
        raise InvalidAnswer(use.name, [Problem("", "the tool is not offered")])
    if problems := problems_in(tool.input_schema, use.input):
        raise InvalidAnswer(use.name, problems)


def imbalance(messages: Sequence[SamplingMessage]) -> str:
    """Return why tool uses and tool results don't match, or "".

    Source: MCP 2025-11-25, client/sampling, "Message Constraints".
    """
    open_uses: set[str] = set()
    for message in messages:
        blocks = message.content_as_list
        results = {b.tool_use_id for b in blocks if b.type == "tool_result"}
        if results and any(b.type != "tool_result" for b in blocks):
            return "Tool results mixed with other content"
        if results != open_uses:
            return "Tool result missing in request"
        open_uses = {b.id for b in blocks if b.type == "tool_use"}
    return "Tool result missing in request" if open_uses else ""
