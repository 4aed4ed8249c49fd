"""Replacement for the SDK's client that responds by rules."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, cast, get_args

from ..calls.middleware import Kind
from ..connection.callbacks import Callbacks, LogLevel
from ..conversation.questions import Elicit
from ..errors import ProtocolError
from ..models.content import AnyResult
from ..models.response import suspend_recording
from ..package import Package
from .calls import FakeCall
from .errors import NoMatchingRule
from .made_up import made_up_result

if TYPE_CHECKING:
    from mcp.shared.dispatcher import ProgressFnT
    from mcp.types import CallToolResult, GetPromptResult, ReadResourceResult

    from .rules import FakeRule

Unmatched: TypeAlias = Literal["error", "generate"]
"""What happens to a call without a matching rule."""

_UNANSWERED = get_args(Unmatched)
_LEVELS = get_args(LogLevel)
LABEL = "a fake"
_NOT_SUPPORTED = -32601


class FakeServer:
    """The rules of a fake, and the calls that reached it."""

    def __init__(
        self, package: Package, unmatched: Unmatched, callbacks: Callbacks, elicit: Elicit | None
    ) -> None:
        if unmatched not in _UNANSWERED:
            raise ValueError(f"unmatched is one of {_UNANSWERED}, not {unmatched!r}")
        self.package = package
        self.calls: list[FakeCall[Any]] = []
        self.waits = False
        """Whether functions of rules may call the fake from their thread."""
        self.protocol_version = str(package.contract.get("revision") or "")
        self.callbacks = callbacks
        self.elicit = elicit
        self._unmatched = unmatched
        self._rules: list[FakeRule[Any, Any]] = []

    def add(self, rule: FakeRule[Any, Any]) -> None:
        """Add a rule, which takes precedence over earlier ones."""
        if rule not in self._rules:
            self._rules.append(rule)

    async def call_tool(
        self,
        name: str,
        arguments: dict[str, Any],
        progress_callback: ProgressFnT | None = None,
        meta: Mapping[str, Any] | None = None,
    ) -> CallToolResult:
        """Respond to a call of a tool."""
        result = await self._answer("tool", name, arguments, meta, progress_callback)
        return cast("CallToolResult", result)

    async def get_prompt(
        self,
        name: str,
        arguments: dict[str, str],
        *,
        meta: Mapping[str, Any] | None = None,
    ) -> GetPromptResult:
        """Respond with a prompt."""
        result = await self._answer("prompt", name, arguments, meta)
        return cast("GetPromptResult", result)

    async def read_resource(
        self, uri: str, *, meta: Mapping[str, Any] | None = None
    ) -> ReadResourceResult:
        """Return the contents of a resource."""
        result = await self._answer("resource", uri, {}, meta)
        return cast("ReadResourceResult", result)

    async def complete(
        self, reference: object, argument: Mapping[str, str], context: object
    ) -> Any:
        """Raise: completions can't be faked."""
        del reference, context
        hint = "completions can't be faked: use a server in this process"
        raise NoMatchingRule(f"completion of {argument['name']}", dict(argument), hint)

    async def _answer(
        self,
        kind: Kind,
        name: str,
        sent: Mapping[str, Any],
        meta: Mapping[str, Any] | None,
        tell: ProgressFnT | None = None,
    ) -> AnyResult:
        call: FakeCall[Any] = FakeCall(self.package, kind, name, sent, meta or {})
        self.calls.append(call)
        try:
            with suspend_recording():
                result = await self._find_answer(call, tell)
        except BaseException as error:
            call.error = error
            raise
        # Changes by the caller must not affect later results.
        call.raw = result.model_copy(deep=True)
        return result.model_copy(deep=True)

    async def _find_answer(self, call: FakeCall[Any], tell: ProgressFnT | None) -> AnyResult:
        rules = [rule for rule in reversed(self._rules) if rule.fits(call)]
        if rules:
            result: AnyResult = await rules[0].answer(call, FakeRequests(self, call, tell))
            return result
        if self._unmatched == "generate":
            return made_up_result(call)
        hint = _hint(call, is_for_others=any(rule.is_of(call) for rule in self._rules))
        raise NoMatchingRule(call.name, dict(call.sent), hint)


@dataclass(frozen=True)
class FakeRequests:
    """The messages of a fake to its client during one call."""

    server: FakeServer
    call: FakeCall[Any]
    tell: ProgressFnT | None

    async def report(self, progress: float, total: float | None, message: str | None) -> None:
        """Report progress, if the call has a callback."""
        if self.tell is not None:
            await self.tell(progress, total, message)

    async def log(self, level: LogLevel, data: object, logger: str | None) -> None:
        """Log a message, if it is severe enough."""
        callbacks = self.server.callbacks
        least = callbacks.min_level
        if callbacks.on_log is None or least is None:
            return
        if _LEVELS.index(level) >= _LEVELS.index(least):
            waiting = callbacks.on_log(level, data, logger)
            if inspect.isawaitable(waiting):
                await waiting

    async def ask(self, message: str, schema: dict[str, Any]) -> None:
        """Ask the user, and store the answer."""
        from mcp.types import ElicitRequestFormParams

        from ..conversation.callbacks import answer_of
        from ..conversation.questions import read_question

        if self.server.elicit is None:
            reason = "the client was made without elicit=, so it can't answer questions"
            raise ProtocolError(self.call.name, _NOT_SUPPORTED, reason)
        params = ElicitRequestFormParams(message=message, requested_schema=schema)
        question = read_question(LABEL, params)
        self.call.replies.append(await answer_of(self.server.elicit, question))


def _hint(call: FakeCall[Any], *, is_for_others: bool) -> str:
    """Return a hint for adding a rule for a call."""
    if is_for_others:
        return "its rules are for other arguments: see their when(...)"
    return (
        f"write fake.on({_method(call)}).returns(...) to define its result, or"
        ' make the fake with unmatched="generate"'
    )


def _method(call: FakeCall[Any]) -> str:
    if call.kind == "tool":
        tools = call.package.modules
        return f"fake.{tools[call.name].partition(' ')[0]}"
    return "fake.prompts...." if call.kind == "prompt" else "fake.resources...."
