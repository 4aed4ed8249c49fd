"""``FakeRule``: the results of a fake for calls of one method."""

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
    """A rule for the results of a fake. The last rule that matches a call applies.

    Each result is returned once, in order. The last one is returned for all further
    calls.
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
        """Match only calls with these arguments. They may have others, too.

        Names are checked at run time. Type checkers check the arguments of
        ``fake.on(method, ...)``, which takes all arguments of a call.

        Args:
            **arguments: Arguments of the method. ``MISSING`` matches an absent one.
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
        """Return these values, one for each call.

        A tool without an output schema also takes text or JSON data, a resource also
        bytes.

        Raises:
            InvalidFake: The contract doesn't allow a value.
        """
        if not values:
            raise TypeError("returns() needs at least one value")
        return self._add_answers(*map(self._value, values))

    def raises(self, *errors: ClientError) -> FakeRule[P, T]:
        """Raise these errors, one per call.

        A ``ToolError`` becomes a result with ``isError``. Retries work as with a real
        server.
        """
        if not errors:
            raise TypeError("raises() needs at least one error")
        for error in errors:
            self._check(error)
        return self._add_answers(*(self._failure(error) for error in errors))

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
        """Return the result of a function, or raise its error.

        Args:
            function: Receives the arguments of the method. May be ``async``.
        """
        if not callable(function):
            raise TypeError("runs() takes a function")

        async def answer(call: FakeCall[Any]) -> AnyResult:
            called = partial(function, **self._python_arguments(call))
            waits = self._server.waits and not is_async(function)
            value: Any = await in_thread(called) if waits else called()
            if inspect.isawaitable(value):
                value = await value
            return result_of(call.package, call.kind, call.name, value)

        return self._add_answers(answer)

    def sends(self, *results: AnyResult) -> FakeRule[P, T]:
        """Return these results of the SDK, one for each call.

        Raises:
            InvalidFake: The contract doesn't allow a result.
        """
        if not results:
            raise TypeError("sends() needs at least one result")
        return self._add_answers(*map(self._value, results))

    def generates(self) -> FakeRule[P, T]:
        """Return data generated from the output schema."""

        async def answer(call: FakeCall[Any]) -> AnyResult:
            return made_up_result(call)

        return self._add_answers(answer)

    def after(self, seconds: float) -> FakeRule[P, T]:
        """Wait before the result, in seconds. ``math.inf`` never returns and needs no result."""

        async def wait(_: object) -> Any:
            import anyio

            await anyio.sleep(seconds)

        self._steps.append(wait)
        if math.isinf(seconds) and not self._answers:
            return self._add_answers(wait)
        return self

    def reports(
        self, progress: float, total: float | None = None, message: str | None = None
    ) -> FakeRule[P, T]:
        """Report progress to ``on_progress`` before the result."""
        self._steps.append(lambda asking: asking.report(progress, total, message))
        return self

    def logs(
        self, data: object, level: LogLevel = "info", logger: str | None = None
    ) -> FakeRule[P, T]:
        """Send a log message to ``on_log`` before the result."""
        self._steps.append(lambda asking: asking.log(level, data, logger))
        return self

    def asks(self, message: str, schema: Mapping[str, Any]) -> FakeRule[P, T]:
        """Ask the user a question with ``elicit`` before the result.

        ``FakeCall.replies`` contains the answers.

        Args:
            message: The text of the question.
            schema: JSON Schema of the form.
        """
        self._steps.append(lambda asking: asking.ask(message, dict(schema)))
        return self

    def _add_answers(self, *answers: _Answer) -> FakeRule[P, T]:
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
            raise TypeError(f"a client only raises ClientError, not {kind}")
        if isinstance(error, ToolError) and self._target.kind != "tool":
            raise TypeError(f"a {self._target.kind} raises no ToolError")

    def _failure(self, error: ClientError) -> _Answer:
        async def answer(_: FakeCall[Any]) -> AnyResult:
            raise error

        return answer

    def is_of(self, call: FakeCall[Any]) -> bool:
        """Return True if the rule is for the target of a call, with any arguments."""
        return self._target.variables(call.kind, call.name, call.sent) is not None

    def fits(self, call: FakeCall[Any]) -> bool:
        """Return True if the rule has a result for a call."""
        variables = self._target.variables(call.kind, call.name, call.sent)
        if self._exact is not None and variables != self._exact:
            return False
        return variables is not None and all(
            name not in variables if value is MISSING else _is(variables, name, value)
            for name, value in self._arguments.items()
        )

    async def answer(self, call: FakeCall[Any], asking: Any) -> Any:
        """Run the actions before the next result, and return it as the SDK does."""
        index = min(self._used, len(self._answers) - 1)
        self._used += 1
        for step in self._steps:
            await step(asking)
        try:
            return await self._answers[index](call)
        except ToolError as error:
            return error.result
        except ValidationError as error:  # a function that builds its result
            raise InvalidFake(call.name, problems_of(error)) from error

    def _python_arguments(self, call: FakeCall[Any]) -> dict[str, Any]:
        """Return the arguments of a call as passed to the method."""
        target = self._target
        variables = target.variables(call.kind, call.name, call.sent)
        if call.kind == "tool" and WHOLE not in target.parameters:
            variables = {**variables, **_typed_arguments(call.package, call.name, variables)}
        return target.python_arguments(variables)


def _is(arguments: Mapping[str, Any], name: str, value: object) -> bool:
    if name == WHOLE and WHOLE not in arguments:
        return bool(arguments == value)
    return name in arguments and bool(arguments[name] == value)


def _typed_arguments(
    package: Package, tool: str, wire_arguments: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the arguments that have a type, by JSON name."""
    arguments: object = typed_arguments(package, tool, wire_arguments)
    fields: dict[str, Any] = getattr(type(arguments), "__pydantic_fields__", {})
    names = {field.alias or name: name for name, field in fields.items()}
    return {
        wire: getattr(arguments, name) for wire, name in names.items() if wire in wire_arguments
    }
