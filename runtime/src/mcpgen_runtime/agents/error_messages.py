"""Error messages for a model: how to continue, without internal details."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, TypeVar

from ..abbreviate import quote_text
from ..contract import ToolInfo
from ..display import ModelText, model_line, model_lines
from ..errors import (
    AuthorizationRequired,
    CallTimeout,
    ClientError,
    ConnectionFailed,
    ConnectionLost,
    ContractDrift,
    HttpError,
    InvalidArguments,
    InvalidResult,
    MissingCapability,
    NotConfirmed,
    ProtocolError,
    TaskCancelled,
    ToolError,
    TooManyCalls,
)
from ..package import Package
from .definitions.schemas import members
from .result import AgentResult, agent_result

if TYPE_CHECKING:
    from typing_extensions import LiteralString

E = TypeVar("E", bound=ClientError)

UNEXPECTED = "The call failed."
"""The text for a model after a programming error that doesn't end the run."""
MOST_NAMES = 30
_LONGEST_MESSAGE = 2_000
_MAY_HAVE_RUN = "The call may have run."
_NOT_SENT = "Nothing was sent."


def error_result(error: ClientError, info: ToolInfo, package: Package) -> AgentResult:
    """Convert an error of a call to a result for a model."""
    if isinstance(error, ToolError):
        result = agent_result(error.result)
        text = result.text or "the tool failed without a message"
        return AgentResult(text, result.media, is_error=True, raw=error.result, error=error)
    if isinstance(error, ConnectionFailed | ConnectionLost | HttpError):
        # The exception also reaches the program, because a model can't handle it.
        package.logger().warning("a call of %s for a model failed: %s", info.name, error)
    return AgentResult(advice(error, info), is_error=True, error=error)


def advice(error: ClientError, info: ToolInfo) -> ModelText:
    """Describe an error for a model, without details that are only for the program."""
    for kind, say in _FORMATTERS:
        if isinstance(error, kind):
            return say(error, info)
    return model_line("The call failed ({}).", _kind(error))


def unknown_tool_message(name: str, known_names: Iterable[str]) -> ModelText:
    """Describe that a tool doesn't exist, and suggest similar names."""
    import difflib

    names = list(known_names)
    near = difflib.get_close_matches(name, names, n=3)
    listed = ", ".join(near or names[:MOST_NAMES])
    more = "" if near or len(names) <= MOST_NAMES else ", ..."
    if near:
        template: LiteralString = "There is no tool {}. {} Did you mean: {}{}?"
    else:
        template = "There is no tool {}. {} The tools are: {}{}."
    return model_line(template, quote_text(name), _NOT_SENT, listed, more)


def _arguments(error: InvalidArguments, info: ToolInfo) -> ModelText:
    lines = [model_line("The arguments are not valid. {}", _NOT_SENT)]
    lines += [model_line("- {}", problem) for problem in error.problems]
    named = members(members(info.definition.get("inputSchema")).get("properties"))
    if named and any(not item.pointer for item in error.problems):
        names = ", ".join(list(named)[:MOST_NAMES])
        lines.append(model_line("The arguments of this tool are: {}.", names))
    return model_lines(lines)


def _protocol(error: ProtocolError, _: ToolInfo) -> ModelText:
    message = error.message[:_LONGEST_MESSAGE]
    return model_line("The server refused the call: {} ({})", message, error.code)


def _result(error: InvalidResult, _: ToolInfo) -> ModelText:
    text = model_line("The tool's result violates its own schema and is not shown.")
    return model_lines([text, *(model_line("- {}", problem) for problem in error.problems)])


def _timeout(error: CallTimeout, info: ToolInfo) -> ModelText:
    within = "in time" if error.seconds is None else f"within {error.seconds:g} s"
    reads = info.annotations.get("readOnlyHint") is True
    end = "" if reads else f" {_MAY_HAVE_RUN}"
    return model_line("There was no response {}.{}", within, end)


def _connection_lost_text(error: ConnectionLost, _: ToolInfo) -> ModelText:
    outcome = _MAY_HAVE_RUN if error.may_have_run else _NOT_SENT
    return model_line("The connection to the tool's server was lost. {}", outcome)


def _many(error: TooManyCalls, _: ToolInfo) -> ModelText:
    wait = f"{error.retry_after:.3g}"
    return model_line(
        "There were too many calls in the last minute; the next may be in {} s. {}",
        wait,
        _NOT_SENT,
    )


def _capability(error: MissingCapability, _: ToolInfo) -> ModelText:
    lacking = " and ".join(error.capabilities)
    return model_line("This tool cannot be used here: it needs {}. {}", lacking, _NOT_SENT)


def _fixed_text(template: LiteralString, outcome: str) -> Callable[[Any, ToolInfo], ModelText]:
    return lambda _, __: model_line(template, outcome)


_FORMATTERS: list[tuple[type[ClientError], Callable[[Any, ToolInfo], ModelText]]] = [
    (InvalidArguments, _arguments),
    (ProtocolError, _protocol),
    (InvalidResult, _result),
    (CallTimeout, _timeout),
    (ConnectionLost, _connection_lost_text),
    (TooManyCalls, _many),
    (MissingCapability, _capability),
    (NotConfirmed, _fixed_text("The call was not confirmed. {}", _NOT_SENT)),
    (
        ContractDrift,
        _fixed_text("The tool has changed, and cannot be called. {}", _NOT_SENT),
    ),
    (
        AuthorizationRequired,
        _fixed_text("The tool's server requires authorization first. {}", _MAY_HAVE_RUN),
    ),
    (
        ConnectionFailed,
        _fixed_text("The tool's server cannot be reached now. {}", _NOT_SENT),
    ),
    (
        HttpError,
        lambda error, _: model_line(
            "The tool's server responded with HTTP {}. {}", error.status, _MAY_HAVE_RUN
        ),
    ),
    (TaskCancelled, _fixed_text("The call was cancelled before it was done.{}", "")),
]
"""The formatter of each error class. The first match is used."""


def _kind(error: Exception) -> str:
    return type(error).__name__
