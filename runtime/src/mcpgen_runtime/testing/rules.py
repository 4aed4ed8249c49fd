"""``FakeRule``: what a fake answers to calls of one method."""

from __future__ import annotations

import inspect
import math
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import (
    TYPE_CHECKING,
    Any,
    Generic,
    ParamSpec,
    Protocol,
    TypeAlias,
    TypeVar,
    cast,
    overload,
)

from pydantic import MISSING, ValidationError

from ..connection.callbacks import LogLevel
from ..errors import ClientError, ToolError
from ..models.content import AnyResult
from ..problem import problems_of
from ..threads import in_thread, is_async
from .calls import FakeCall, typed_arguments
from .errors import InvalidFake
from .made_up import made_up_result
from .method_targets import WHOLE, Target
from .results import result_of

if TYPE_CHECKING:
    from mcp.types import GetPromptResult

    from ..models.results import ResourceResult, ToolResult
    from ..package import Package
    from .results import Json

    _Text: TypeAlias = ToolResult | str | Json
    _Data: TypeAlias = ResourceResult | str | bytes | Json
    _Message: TypeAlias = GetPromptResult | str

P = ParamSpec("P")
T = TypeVar("T")


class Notifier(Protocol):
    """Sends progress, log messages and questions to the client during one call."""

    async def report(self, progress: float, total: float | None, message: str | None) -> None:
        """Report the progress of the call."""
        ...

    async def log(self, level: LogLevel, data: object, logger: str | None) -> None:
        """Log a message."""
        ...

    async def ask(self, message: str, schema: dict[str, Any]) -> None:
        """Ask the user a question."""
        ...


class RuleServer(Protocol):
    """The fake server that rules belong to."""

    package: Package
    waits: bool

    def add(self, rule: FakeRule[Any, Any]) -> None:
        """Add a rule."""
        ...


_Step: TypeAlias = "Callable[[Notifier], Awaitable[object]]"
_Answer: TypeAlias = "Callable[[FakeCall[Any]], Awaitable[AnyResult]]"


class FakeRule(Generic[P, T]):
    """What a fake answers; of several rules that fit a call the last one counts.

    Each answer is that of one call, in their order, and the last one that of all
    further calls.
    """

    def __init__(
        self, server: RuleServer, target: Target, exact: Mapping[str, Any] | None = None
    ) -> None:
        self._server = server
        self._exact = exact
        self._target = target
        self._arguments: dict[str, Any] = {}
        self._steps: list[_Step] = []
        self._answers: list[_Answer] = []
        self._used = 0

    def __repr__(self) -> str:
        return f"<FakeRule: {self._target.method}, {len(self._answers)} answers>"

    def when(self, **arguments: object) -> FakeRule[P, T]:
        """Answer only calls with these arguments, whatever else they are given.

        The names are checked when this line runs. Type checkers check those of
        ``fake.on(method, ...)``, which takes all arguments of a call.

        Args:
            **arguments: Arguments of the method; ``MISSING`` for one that is not given.
        """
        self._arguments.update(self._target.on_the_wire(arguments))
        return self

    @overload
    def returns(self: FakeRule[P, ToolResult], *values: _Text) -> FakeRule[P, T]: ...
    @overload
    def returns(self: FakeRule[P, ResourceResult], *values: _Data) -> FakeRule[P, T]: ...
    @overload
    def returns(self: FakeRule[P, GetPromptResult], *values: _Message) -> FakeRule[P, T]: ...
    @overload
    def returns(self, *values: T) -> FakeRule[P, T]: ...
    def returns(self, *values: object) -> FakeRule[P, T]:
        """Answer with what the method returns, one value a call, the last for good.

        Where there is no output schema a text will do, or data that is sent as JSON;
        for a resource bytes, too.

        Raises:
            InvalidFake: The contract rules the value out.
        """
        if not values:
            raise TypeError("returns() takes what the method is to return")
        return self._answered(*map(self._value, values))

    def raises(self, *errors: ClientError) -> FakeRule[P, T]:
        """Fail, one error a call, the last for good.

        A ``ToolError`` is sent as the result of a tool that failed; what a client
        repeats after an error, it repeats here.
        """
        if not errors:
            raise TypeError("raises() takes what the method is to raise")
        for error in errors:
            self._check(error)
        return self._answered(*(self._failure(error) for error in errors))

    @overload
    def runs(
        self: FakeRule[P, ToolResult],
        function: Callable[P, _Text | Awaitable[_Text]],
    ) -> FakeRule[P, T]: ...
    @overload
    def runs(
        self: FakeRule[P, ResourceResult],
        function: Callable[P, _Data | Awaitable[_Data]],
    ) -> FakeRule[P, T]: ...
    @overload
    def runs(
        self: FakeRule[P, GetPromptResult],
        function: Callable[P, _Message | Awaitable[_Message]],
    ) -> FakeRule[P, T]: ...
    @overload
    def runs(self, function: Callable[P, T | Awaitable[T]]) -> FakeRule[P, T]: ...
    def runs(self, function: Callable[..., Any]) -> FakeRule[P, T]:
        """Answer with what a function returns, or raises.

        Args:
            function: Is given the arguments that the call was, as the method is; may be
                ``async``.
        """
        if not callable(function):
            raise TypeError("runs() takes a function")

        async def answer(call: FakeCall[Any]) -> AnyResult:
            called = partial(function, **self._called(call))
            waits = self._server.waits and not is_async(function)
            value: Any = await in_thread(called) if waits else called()
            if inspect.isawaitable(value):
                value = await value
            return result_of(call.package, call.kind, call.name, value)

        return self._answered(answer)

    def sends(self, *results: AnyResult) -> FakeRule[P, T]:
        """Answer with results of the SDK: all that a server sends, with its content.

        Raises:
            InvalidFake: The contract rules the result out.
        """
        if not results:
            raise TypeError("sends() takes what the server is to send")
        return self._answered(*map(self._value, results))

    def generates(self) -> FakeRule[P, T]:
        """Answer with data that is made up, and that the contract allows."""

        async def answer(call: FakeCall[Any]) -> AnyResult:
            return made_up_result(call)

        return self._answered(answer)

    def after(self, seconds: float) -> FakeRule[P, T]:
        """Take so many seconds; ``math.inf``, which needs no answer, is for ever."""

        async def wait(_: object) -> Any:
            import anyio

            await anyio.sleep(seconds)

        self._steps.append(wait)
        if math.isinf(seconds) and not self._answers:
            return self._answered(wait)
        return self

    def reports(
        self, progress: float, total: float | None = None, message: str | None = None
    ) -> FakeRule[P, T]:
        """Tell ``on_progress`` how far the tool has come, before it answers."""
        self._steps.append(lambda asking: asking.report(progress, total, message))
        return self

    def logs(
        self, data: object, level: LogLevel = "info", logger: str | None = None
    ) -> FakeRule[P, T]:
        """Log a message, of which ``on_log`` is told before the answer."""
        self._steps.append(lambda asking: asking.log(level, data, logger))
        return self

    def asks(self, message: str, schema: Mapping[str, Any]) -> FakeRule[P, T]:
        """Ask the user, by ``elicit``, before it answers.

        What is answered is in ``replies`` of the call.

        Args:
            message: The question.
            schema: The form, as a server sends it.
        """
        self._steps.append(lambda asking: asking.ask(message, dict(schema)))
        return self

    def _answered(self, *answers: _Answer) -> FakeRule[P, T]:
        self._answers += answers
        self._server.add(cast("FakeRule[Any, Any]", self))
        return self

    def _value(self, value: object) -> _Answer:
        target = self._target
        result_of(self._server.package, target.kind, target.name, value)

        async def answer(call: FakeCall[Any]) -> AnyResult:
            return result_of(call.package, call.kind, call.name, value)

        return answer

    def _check(self, error: object) -> None:
        if not isinstance(error, ClientError):
            kind = type(error).__name__
            raise TypeError(f"a client raises nothing but a ClientError, no {kind}")
        if isinstance(error, ToolError) and self._target.kind != "tool":
            raise TypeError(f"a {self._target.kind} raises no ToolError")

    def _failure(self, error: ClientError) -> _Answer:
        async def answer(_: FakeCall[Any]) -> AnyResult:
            raise error

        return answer

    def is_of(self, call: FakeCall[Any]) -> bool:
        """Tell whether it is about what is called, be it with other arguments."""
        return self._target.variables(call.kind, call.name, call.sent) is not None

    def fits(self, call: FakeCall[Any]) -> bool:
        """Tell whether it has an answer to a call."""
        given = self._target.variables(call.kind, call.name, call.sent)
        if self._exact is not None and given != self._exact:
            return False
        return given is not None and all(
            name not in given if value is MISSING else _is(given, name, value)
            for name, value in self._arguments.items()
        )

    async def answer(self, call: FakeCall[Any], asking: Any) -> Any:
        """Do what is done before the next answer; return it as the SDK does."""
        place = min(self._used, len(self._answers) - 1)
        self._used += 1
        for step in self._steps:
            await step(asking)
        try:
            return await self._answers[place](call)
        except ToolError as error:
            return error.result
        except ValidationError as error:  # of a function that makes its result
            raise InvalidFake(call.name, problems_of(error)) from error

    def _called(self, call: FakeCall[Any]) -> dict[str, Any]:
        """Return the arguments of a call as the method was given them."""
        target = self._target
        given = target.variables(call.kind, call.name, call.sent)
        if call.kind == "tool" and WHOLE not in target.parameters:
            given = {**given, **_typed(call.package, call.name, given)}
        return target.called(given)


def _is(given: Mapping[str, Any], name: str, value: object) -> bool:
    if name == WHOLE and WHOLE not in given:
        return bool(given == value)
    return name in given and bool(given[name] == value)


def _typed(package: Package, tool: str, sent: Mapping[str, Any]) -> dict[str, Any]:
    """Return those arguments, by their names on the wire, that have a type."""
    arguments: object = typed_arguments(package, tool, sent)
    fields: dict[str, Any] = getattr(type(arguments), "__pydantic_fields__", {})
    names = {field.alias or name: name for name, field in fields.items()}
    return {wire: getattr(arguments, name) for wire, name in names.items() if wire in sent}
