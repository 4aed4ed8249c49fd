"""Sampling with the model of one client, with limits and approval."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

from ..errors import InvalidAnswer
from ..problem import Problem
from .callbacks import answer_of, error_data
from .sampling import (
    REJECTED,
    Block,
    Result,
    Sample,
    Sampling,
    SamplingRequest,
    SamplingResult,
    check_use,
    imbalance,
    read_request,
)

if TYPE_CHECKING:
    import logging

    from mcp.client import ClientRequestContext
    from mcp.types import (
        CreateMessageRequestParams,
        ErrorData,
        SamplingContent,
    )

_MORE_ROUNDS = 10
"""Maximum number of rounds with other requests from a server, since 2026-07-28."""


class Sampler:
    """A model, and its remaining tokens in all sessions of a client."""

    def __init__(self, sampling: Sampling | Sample) -> None:
        rules = sampling if isinstance(sampling, Sampling) else Sampling(sampling)
        if not callable(rules.model):
            raise TypeError(f"sampling is a callable or a Sampling, not {sampling!r}")
        self._rules = rules
        self._left = self._rules.max_total_tokens

    def of_sdk(self, server: str, logger: logging.Logger) -> dict[str, Any]:
        """Return the arguments of the SDK's client."""
        from mcp.types import SamplingCapability, SamplingToolsCapability

        async def answer(
            context: ClientRequestContext, params: CreateMessageRequestParams
        ) -> Result:
            try:
                return await self._result(read_request(server, params, context))
            except _RefusedError as refused:
                return refused.error_data()
            except Exception as error:
                return error_data("sampling", error, logger)

        tools = SamplingToolsCapability() if self._rules.tools else None
        return {
            "sampling_callback": answer,
            "sampling_capabilities": SamplingCapability(tools=tools),
            "input_required_max_rounds": self._rules.max_rounds + _MORE_ROUNDS,
        }

    async def _result(self, request: SamplingRequest) -> Result:
        from mcp.types import ErrorData

        self._refuse_malformed(request)
        request = await self._approve_request(self._limit_request(request, request.rounds))
        allowed = self._take(request)
        answer = await answer_of(self._rules.model, request)
        if isinstance(answer, ErrorData):
            self._give_back(allowed)
            return answer
        result = _answer(answer)
        if result.tokens is not None:
            self._give_back(allowed - result.tokens)
        blocks = _blocks(result.content)
        await self._check(request, blocks)
        return _result(request, result, blocks)

    def _refuse_malformed(self, request: SamplingRequest) -> None:
        """Reject malformed requests (MCP 2025-11-25, client/sampling, "Errors")."""
        from mcp.types import INVALID_PARAMS

        params = request.params
        wants_tools = params and (params.tools is not None or params.tool_choice)
        if wants_tools and not self._rules.tools:
            raise _RefusedError("The client offers no tools to its model", INVALID_PARAMS)
        if problem := imbalance(request.messages):
            raise _RefusedError(problem, INVALID_PARAMS)

    def _limit_request(self, request: SamplingRequest, rounds: int) -> SamplingRequest:
        """Limit the rounds. The last one is without tools."""
        rules = self._rules
        if rounds > rules.max_rounds:
            raise _RefusedError(f"The limit is {rules.max_rounds} rounds of tool use")
        if request.tools and rounds == rules.max_rounds:
            request = replace(request, tool_choice="none")
        limits = (request.max_tokens, rules.max_tokens, self._left)
        most = min(limit for limit in limits if limit is not None)
        if most <= 0 < request.max_tokens:
            raise _RefusedError("The client's limit of tokens is reached")
        return replace(request, max_tokens=most)

    async def _approve_request(self, request: SamplingRequest) -> SamplingRequest:
        """Return the approved request. A changed one must satisfy the same limits."""
        if self._rules.approve_request is None:
            return request
        approved = await answer_of(self._rules.approve_request, request)
        if approved is True:
            approved = request
        if not isinstance(approved, SamplingRequest):
            raise _RefusedError
        most = min(approved.max_tokens, request.max_tokens)
        # Others may have spent tokens meanwhile.
        return self._limit_request(replace(approved, max_tokens=most), request.rounds)

    def _take(self, request: SamplingRequest) -> int:
        """Reserve the maximum number of tokens until the actual number is known."""
        allowed = max(request.max_tokens, 0)
        if self._left is not None:
            self._left -= allowed
        return allowed

    def _give_back(self, tokens: int) -> None:
        if self._left is not None:
            self._left += tokens

    async def _check(self, request: SamplingRequest, blocks: Sequence[Block]) -> None:
        if not blocks:
            raise InvalidAnswer("sampling", [Problem("/content", "it is empty")])
        uses = [block for block in blocks if block.type == "tool_use"]
        for use in uses:
            check_use(request, use)
        if len({use.id for use in uses}) < len(uses):
            raise InvalidAnswer("sampling", [Problem("/content", "two uses have one id")])
        approve = self._rules.approve_tool_use
        for use in uses:
            if approve is not None and await answer_of(approve, request, use) is not True:
                raise _RefusedError


class _RefusedError(Exception):
    """A rejection that the server receives. It doesn't count as a failure."""

    def __init__(
        self, reason: str = "User rejected sampling request", code: int = REJECTED
    ) -> None:
        super().__init__(reason)
        self.code = code

    def error_data(self) -> ErrorData:
        from mcp.types import ErrorData

        return ErrorData(code=self.code, message=str(self))


def _answer(answer: object) -> SamplingResult:
    """Convert any return value of a callback."""
    from mcp.types import CreateMessageResult, CreateMessageResultWithTools

    if isinstance(answer, SamplingResult):
        return answer
    if isinstance(answer, CreateMessageResult | CreateMessageResultWithTools):
        return SamplingResult(answer.content, answer.model, answer.stop_reason)
    return SamplingResult(cast("Any", answer))


def _blocks(content: object) -> list[Block]:
    from mcp.types import (
        AudioContent,
        ImageContent,
        TextContent,
        ToolUseContent,
    )

    if isinstance(content, str):
        return [TextContent(text=content)]
    kinds = (AudioContent, ImageContent, TextContent, ToolUseContent)
    if isinstance(content, kinds):
        return [content]
    if isinstance(content, Sequence):
        blocks = list(cast("Sequence[object]", content))
        if all(isinstance(block, kinds) for block in blocks):
            return cast("list[Block]", blocks)
    raise TypeError(f"{content!r} isn't a sampling result")


def _result(request: SamplingRequest, result: SamplingResult, blocks: list[Block]) -> Result:
    """Build the SDK's result. Several blocks are allowed only if tools are offered."""
    from mcp.types import CreateMessageResult, CreateMessageResultWithTools, TextContent

    uses = any(block.type == "tool_use" for block in blocks)
    reason = result.stop_reason or ("toolUse" if uses else "endTurn")
    if not request.tools and all(isinstance(block, TextContent) for block in blocks):
        text = "".join(cast("TextContent", block).text for block in blocks)
        blocks = [TextContent(text=text)]
    if request.tools or len(blocks) > 1:
        return CreateMessageResultWithTools(
            role="assistant", content=blocks, model=result.model, stop_reason=reason
        )
    return CreateMessageResult(
        role="assistant",
        content=cast("SamplingContent", blocks[0]),
        model=result.model,
        stop_reason=reason,
    )
