"""Handles calls of tools: limits, validation, permission, the method and its log."""

from __future__ import annotations

import inspect
import logging
import time
from collections.abc import Awaitable, Callable, Generator, Mapping
from dataclasses import dataclass
from functools import partial
from types import coroutine
from typing import Any, TypeAlias, TypeVar, cast

import anyio
from mcp import MCPError, types
from mcp.server import ServerRequestContext
from pydantic import ValidationError

from ..contract import ToolInfo
from ..models.raw import remember
from ..package import Tool
from ..problem import problems_of
from ..validation import schemas as validation
from . import publish
from .auth.scopes import is_granted
from .context import Context, context_of, input_required
from .errors import InvalidArguments, InvalidResult, Refused, ToolError
from .policy import Admission, Policy
from .publish import Publication, has_structured_content
from .replicas.errors import StoreUnavailable
from .results import check_result, convert_value, result_of
from .task_protocol.eras import becomes_task

T = TypeVar("T")

ToolHandler: TypeAlias = Callable[[Any, Context], Awaitable[object]]
"""The author's method for calls of a tool."""


@dataclass(frozen=True)
class ToolDispatcher:
    """Calls the author's handlers and applies the policy to every call."""

    publication: Publication
    handlers: Mapping[str, ToolHandler]
    policy: Policy
    logs: Callable[[ServerRequestContext[Any]], str | None]
    admission: Admission
    is_alone: Callable[[], bool]
    """Return whether ``Publication.exact`` is the only middleware that sees results."""

    async def call(
        self, sdk: ServerRequestContext[Any], params: types.CallToolRequestParams
    ) -> types.CallToolResult | types.InputRequiredResult:
        """Run a call. Each failure becomes an error result, with a hint where that is safe."""
        handler = self.handlers.get(params.name)
        if handler is None or params.name in self.publication.availability.disabled:
            raise MCPError(types.INVALID_PARAMS, f"Unknown tool: {params.name}")
        context = context_of(sdk, params, self.logs(sdk), self.publication.log)
        call = partial(self._call, handler, params.name, params.arguments or {})
        support = self.publication.task_support
        if not support or not becomes_task(sdk, params, support.get(params.name)):
            return await call(context)
        questions = await self._before(params.name, params.arguments, context)
        if questions is not None:
            return questions
        from .tasks import start

        await start(context, params, self.policy.tasks, partial(call, context))
        return types.CallToolResult(content=[])  # the task replaces it

    async def _before(
        self, name: str, raw_arguments: dict[str, Any] | None, context: Context
    ) -> types.InputRequiredResult | None:
        """Ask the questions that precede a task."""
        before, info = self.policy.tasks.before, self._info(name)
        if before is None:
            return None
        arguments = raw_arguments or {}
        try:
            typed_arguments(self._tool(name), arguments)
            await self._permit(info, arguments, context)
        except Exception:  # which the task ends with
            return None
        seconds = self.policy.limits_for(name).timeout
        try:
            questions = await run_within(
                seconds, context, name, lambda: await_value(before(info, arguments, context))
            )
        except MCPError:
            raise
        except ToolError as error:
            raise MCPError(types.INTERNAL_ERROR, str(error)) from None
        except Exception:
            self.publication.log.exception("the questions before a task of %r failed", name)
            message = f"The tool {name} failed; its server's log has the reason."
            raise MCPError(types.INTERNAL_ERROR, message) from None
        return questions if isinstance(questions, types.InputRequiredResult) else None

    async def _permit(self, info: ToolInfo, arguments: dict[str, Any], context: Context) -> None:
        refuse_without_scopes(self.publication.scopes.tools.get(info.name), info.name, context)
        if self.policy.authorize is not None:
            allowed = await await_value(self.policy.authorize(info, arguments, context))
            if allowed is not True:
                raise Refused(f"You may not call {info.name} with these arguments.")

    async def _call(
        self,
        handler: ToolHandler,
        name: str,
        arguments: dict[str, Any],
        context: Context,
    ) -> types.CallToolResult | types.InputRequiredResult:
        """Call the author's method. Details of its exceptions stay in the log."""
        started = time.perf_counter()
        outcome = "failed"
        try:
            result = await self._answer(handler, name, arguments, context)
            outcome = _outcome(result)
            return result
        except ToolError as error:
            outcome = type(error).__name__
            return error_result(str(error))
        except (MCPError, StoreUnavailable) as error:
            outcome = type(error).__name__
            raise
        except NotImplementedError:
            outcome = NotImplementedError.__name__
            return error_result(f"The tool {name} is not implemented yet.")
        except anyio.get_cancelled_exc_class():
            outcome = "cancelled"
            raise
        except InvalidResult as error:
            outcome = type(error).__name__
            self.publication.log.error("%s", error)
            return error_result(f"The tool {name} returned an invalid result.")
        except Exception:
            self.publication.log.exception("the tool %r failed", name)
            return error_result(f"The tool {name} failed; its server's log has the reason.")
        finally:
            audit = self.publication.audit
            if audit.isEnabledFor(logging.INFO):
                seconds = time.perf_counter() - started
                line = "tool=%r caller=%r arguments=%r seconds=%.3f outcome=%s"
                keys = sorted(arguments)[:_MOST_NAMES]
                # Never a value of an argument or result.
                audit.info(line, name, context.caller, keys, seconds, outcome)

    async def _answer(
        self,
        handler: ToolHandler,
        name: str,
        arguments: dict[str, Any],
        context: Context,
    ) -> types.CallToolResult | types.InputRequiredResult:
        limits, info = self.policy.limits_for(name), self._info(name)
        await self.admission.admit("tool", name, context.caller, limits, arguments)
        tool = self._tool(name)
        typed = typed_arguments(tool, arguments)
        await self._permit(info, arguments, context)
        timeout = None if context.is_task else limits.timeout
        value = await run_within(timeout, context, name, lambda: handler(typed, context))
        rounds = 0
        while isinstance(value, types.InputRequiredResult):
            if not context.is_task:
                return value
            rounds += 1
            await context.ask_all(value, rounds)
            value = await run_within(None, context, name, lambda: handler(typed, context))
        revision = context.sdk.protocol_version
        if self.policy.sanitize is None:
            answer = convert_value(tool, value, revision, limits.result)
            if answer is not None:
                return self._with_structure(*answer)
        result = result_of(tool, value)
        if self.policy.sanitize is not None:
            result = await await_value(self.policy.sanitize(info, result, context))
        result = check_result(tool, result, revision, limits.result)
        is_meant = tool.result is not None or result.structured_content is not None
        if is_meant and has_structured_content(result):
            publish.keep(result.structured_content)
        return result

    def _with_structure(self, text: str, data: Any) -> types.CallToolResult:
        """Build a result, whose structured content may be inserted later."""
        content: list[types.ContentBlock] = [types.TextContent(type="text", text=text)]
        if publish.keep(data) and self.is_alone():
            return types.CallToolResult(content=content)
        return types.CallToolResult(content=content, structured_content=data)

    def _tool(self, name: str) -> Tool[Any]:
        return self.publication.tool(name)

    def _info(self, name: str) -> ToolInfo:
        return self.publication.package.tools[name]


_MOST_NAMES = 50


def _outcome(result: types.CallToolResult | types.InputRequiredResult) -> str:
    if isinstance(result, types.InputRequiredResult):
        return "asked"
    return "ToolError" if result.is_error else "done"


def error_result(text: str) -> types.CallToolResult:
    """Return the result of a tool that failed."""
    content = types.TextContent(type="text", text=text)
    return types.CallToolResult(content=[content], is_error=True)


async def run_within(
    seconds: float | None,
    context: Context,
    name: str,
    call: Callable[[], Awaitable[T]],
) -> T | types.InputRequiredResult:
    """Await the author's method. Questions to the user become a result."""
    try:
        with anyio.CancelScope() as scope:
            if seconds is not None:
                context.due = anyio.current_time() + seconds
            context.scope = scope
            answer = await _limit_time(call(), context, scope)
            if isinstance(answer, types.InputRequiredResult):
                for request in (answer.input_requests or {}).values():
                    context.require(request)
            return answer
    except anyio.get_cancelled_exc_class():
        raise
    except BaseException:
        # A question may propagate from a task group, inside an exception group.
        if not context.questions:
            raise
    if context.questions:
        return input_required(context)
    raise Refused(f"{name} did not finish within {seconds:g} seconds.")


@coroutine
def _limit_time(
    call: Awaitable[T], context: Context, scope: anyio.CancelScope
) -> Generator[Any, Any, T]:
    """Await a call, with a time limit that starts when it first suspends.

    Many calls never suspend, and reading the event loop's clock costs more than the rest.
    """
    steps = call.__await__()
    try:
        waits_for = next(steps)
        scope.deadline = context.due
        while True:
            try:
                value = yield waits_for
            except BaseException as error:
                waits_for = steps.throw(error)
            else:
                waits_for = steps.send(value)
    except StopIteration as end:
        return cast("T", end.value)


def refuse_without_scopes(needed: frozenset[str] | None, name: str, context: Context) -> None:
    """Reject a call without the scopes that it needs.

    Over HTTP, requests without them don't arrive here if the server was started with ``run``.
    Over stdio, the caller may call everything.
    """
    if not needed or (context.user is None and context.sdk.request is None):
        return
    if context.user is None or not is_granted(needed, context.user.scopes):
        raise Refused(f"You may not use {name}: it needs the scope {' '.join(sorted(needed))}.")


async def await_value(value: T | Awaitable[T]) -> T:
    """Await the return value of a hook if it is awaitable."""
    return await cast("Awaitable[T]", value) if inspect.isawaitable(value) else value


def typed_arguments(tool: Tool[Any], arguments: dict[str, Any]) -> Any:
    """Return arguments as their type, if the input schema allows them."""
    if tool.arguments is None:
        return arguments
    if not tool.exact_arguments:
        _validate(tool, arguments)
    try:
        typed = tool.arguments.validate_python(arguments, by_alias=True, by_name=False)
    except ValidationError as error:
        _validate(tool, arguments)
        raise InvalidArguments(tool.name, problems_of(error)) from None
    remember(typed, arguments)
    return typed


def _validate(tool: Tool[Any], arguments: dict[str, Any]) -> None:
    problems = validation.problems(tool, "inputSchema", arguments)
    if problems:
        raise InvalidArguments(tool.name, problems)
