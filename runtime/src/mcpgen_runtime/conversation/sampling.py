"""What the server asks the client's model, and what the model may answer."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias

from ..abbreviate import counted
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
"""The code of what the user, or who decides for the user, does not want."""

Block: TypeAlias = "SamplingMessageContentBlock"
Result: TypeAlias = "CreateMessageResult | CreateMessageResultWithTools | ErrorData"
Sampled: TypeAlias = "str | Block | Sequence[Block] | SamplingResult | Result"
"""What may be the answer of a model: a text, content, or either with its facts."""


class Sample(Protocol):
    """Answers in the place of the model that the server asks."""

    def __call__(self, request: SamplingRequest, /) -> Sampled | Awaitable[Sampled]:
        """Ask a model; may be ``async``, else it runs in a thread."""
        ...


@dataclass(frozen=True, repr=False)
class SamplingRequest:
    """What the server asks a model; all of it are the server's words.

    ``server`` is how this client is connected. Messages, tools and preferences are
    values of ``mcp.types``, and ``params`` and ``context`` what the SDK was asked.
    """

    server: str
    messages: tuple[SamplingMessage, ...]
    max_tokens: int
    """How long the answer may be, by what the server and this client allow."""
    tools: tuple[Tool, ...] = ()
    """What the model may use; it is the server that does what it is used for."""
    tool_choice: Literal["auto", "required", "none"] = "auto"
    system_prompt: str | None = None
    model_preferences: ModelPreferences | None = None
    temperature: float | None = None
    stop_sequences: tuple[str, ...] = ()
    metadata: Mapping[str, Any] = field(default_factory=dict[str, Any])
    params: CreateMessageRequestParams | None = None
    context: ClientRequestContext | None = None

    def __repr__(self) -> str:
        messages = counted(len(self.messages), "message")
        tools = f", {counted(len(self.tools), 'tool')}" if self.tools else ""
        return f"<SamplingRequest: {messages}{tools}>"

    @property
    def rounds(self) -> int:
        """How often the model has used tools in this conversation."""
        return sum(
            any(block.type == "tool_use" for block in message.content_as_list)
            for message in self.messages
            if message.role == "assistant"
        )

    def use_tool(
        self, name: str, arguments: Mapping[str, Any], /, *, id: str | None = None
    ) -> ToolUseContent:
        """Answer by the use of a tool, as one content block.

        Args:
            name: One of the tools that are offered.
            arguments: What its input schema allows.
            id: What the model calls this use; by default a new one.

        Raises:
            InvalidAnswer: The tool is not offered, or does not allow the arguments.
        """
        import secrets

        from mcp.types import ToolUseContent

        from ..models.values import to_wire

        try:
            given = to_wire(arguments)
        except (ValueError, RecursionError) as error:
            problem = Problem("", f"not JSON: {error}")
            raise InvalidAnswer(name, [problem]) from None
        use = ToolUseContent(name=name, id=id or f"use_{secrets.token_hex(8)}", input=given)
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
        """Answer with what is known of it, which a text or content alone does not say.

        Args:
            content: A text, a content block or several, such as uses of tools.
            model: The name of the model.
            stop_reason: Why it stopped; by default as the content looks.
            tokens: How many tokens it took, of those that ``max_total_tokens`` allows.
        """
        return SamplingResult(content, model, stop_reason, tokens)

    def refuse(self, reason: str = "User rejected sampling request") -> ErrorData:
        """Answer that no model is asked; in 2026-07-28 that ends the call."""
        from mcp.types import ErrorData

        return ErrorData(code=REJECTED, message=reason)


@dataclass(frozen=True)
class SamplingResult:
    """What a model answered, with its name, and why it stopped.

    ``tokens`` is how many it took, where that is known; else as many count against
    ``max_total_tokens`` as it was allowed.
    """

    content: str | SamplingMessageContentBlock | Sequence[SamplingMessageContentBlock]
    model: str = "unknown"
    stop_reason: str | None = None
    tokens: int | None = None


ApproveRequest: TypeAlias = Callable[
    [SamplingRequest], "bool | SamplingRequest | Awaitable[bool | SamplingRequest]"
]
"""Is asked before a model is: it says ``True``, or what to ask in place of it."""
ApproveToolUse: TypeAlias = Callable[[SamplingRequest, "ToolUseContent"], "bool | Awaitable[bool]"]
"""Is asked before the server is told to use a tool; only ``True`` lets it."""


@dataclass(frozen=True)
class Sampling:
    """A model that servers may ask, and within which limits.

    Args:
        model: Asks the model.
        approve_request: Is asked before each question to the model, which it may
            change.
        approve_tool_use: Is asked of each use of a tool that the model answers with.
        max_rounds: How often the model may use tools before it must answer; what
            counts are the rounds that the server shows to it.
        max_tokens: How long an answer may be at most, whatever the server wants.
        max_total_tokens: How long all answers to one client may be together.
        tools: Whether the model is offered tools; servers are told.
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
                raise ValueError(f"{name} is no less than 0, not {limit!r}")


def read_request(
    server: str,
    params: CreateMessageRequestParams,
    context: ClientRequestContext | None = None,
) -> SamplingRequest:
    """Take what the SDK was asked."""
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
    """Raise ``InvalidAnswer`` for a use that was not offered, or not like this."""
    from ..validation.schemas import problems_in

    tool = next((tool for tool in request.tools if tool.name == use.name), None)
    if tool is None or request.tool_choice == "none":
        raise InvalidAnswer(use.name, [Problem("", "the tool is not offered")])
    if problems := problems_in(tool.input_schema, use.input):
        raise InvalidAnswer(use.name, problems)


def imbalance(messages: Sequence[SamplingMessage]) -> str:
    """Say how uses of tools and their results do not fit together; empty if they do.

    MCP 2025-11-25, client/sampling, "Message Constraints".
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
