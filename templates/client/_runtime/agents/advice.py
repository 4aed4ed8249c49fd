"""What a model is told of an error: what it may do about it, and nothing internal."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from .. import PACKAGE
from ..brief import line, quoted
from ..contract import ToolInfo
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
from .result import AgentResult, told
from .schemas import members

E = TypeVar("E", bound=ClientError)

UNEXPECTED = "The call failed."
"""What a model is told of a mistake of the program, where that ends no run."""
MOST_NAMES = 30
_LONGEST_MESSAGE = 2_000
_MAY_HAVE_RUN = "It is not known whether the call has run."
_NOT_SENT = "Nothing was sent."


def failed(error: ClientError, info: ToolInfo) -> AgentResult:
    """Return what a model is told of an error of a call."""
    if isinstance(error, ToolError):
        result = told(error.result)
        text = result.text or "the tool failed, and did not say why"
        return AgentResult(
            text, result.media, is_error=True, raw=error.result, error=error
        )
    if isinstance(error, ConnectionFailed | ConnectionLost | HttpError):
        # The program hears of it too: the model can do nothing about it.
        log = logging.getLogger(PACKAGE)
        log.warning("a call of %s for a model failed: %s", info.name, error)
    return AgentResult(advice(error, info), is_error=True, error=error)


def advice(error: ClientError, info: ToolInfo) -> str:
    """Say what went wrong, without what the program alone should know."""
    for kind, say in _SAID:
        if isinstance(error, kind):
            return say(error, info)
    return f"The call failed ({_kind(error)})."


def unknown(name: str, known: Iterable[str]) -> str:
    """Say that there is no tool of a name, and which one may have been meant."""
    import difflib

    names = list(known)
    near = difflib.get_close_matches(name, names, n=3)
    listed = ", ".join(map(line, near or names[:MOST_NAMES]))
    more = "" if near or len(names) <= MOST_NAMES else ", ..."
    meant = "Did you mean" if near else "The tools are"
    end = "?" if near else "."
    said = f"There is no tool {quoted(name)}. {_NOT_SENT}"
    return f"{said} {meant}: {listed}{more}{end}"


def _arguments(error: InvalidArguments, info: ToolInfo) -> str:
    lines = [f"The arguments are not valid. {_NOT_SENT}"]
    lines += [f"- {line(str(problem))}" for problem in error.problems]
    named = members(members(info.definition.get("inputSchema")).get("properties"))
    if named and any(not each.pointer for each in error.problems):
        names = ", ".join(map(line, list(named)[:MOST_NAMES]))
        lines.append(f"The arguments of this tool are: {names}.")
    return "\n".join(lines)


def _protocol(error: ProtocolError, _: ToolInfo) -> str:
    message = line(error.message[:_LONGEST_MESSAGE])
    return f"The server refused the call: {message} ({error.code})"


def _result(error: InvalidResult, _: ToolInfo) -> str:
    said = ["The tool's answer breaks its own schema, and is not shown."]
    return "\n".join(
        [*said, *(f"- {line(str(problem))}" for problem in error.problems)]
    )


def _timeout(error: CallTimeout, info: ToolInfo) -> str:
    within = "in time" if error.seconds is None else f"within {error.seconds:g} s"
    reads = info.annotations.get("readOnlyHint") is True
    return f"There was no answer {within}.{'' if reads else f' {_MAY_HAVE_RUN}'}"


def _lost(error: ConnectionLost, _: ToolInfo) -> str:
    sent = _MAY_HAVE_RUN if error.may_have_run else _NOT_SENT
    return f"The connection to the tool's server was lost. {sent}"


def _many(error: TooManyCalls, _: ToolInfo) -> str:
    wait = f"the next may be in {error.retry_after:.3g} s"
    return f"There were too many calls in the last minute; {wait}. {_NOT_SENT}"


def _capability(error: MissingCapability, _: ToolInfo) -> str:
    lacking = " and ".join(error.capabilities)
    return f"This tool cannot be used here: it needs {lacking}. {_NOT_SENT}"


def _says(text: str) -> Callable[[Any, ToolInfo], str]:
    return lambda _, __: text


_SAID: list[tuple[type[ClientError], Callable[[Any, ToolInfo], str]]] = [
    (InvalidArguments, _arguments),
    (ProtocolError, _protocol),
    (InvalidResult, _result),
    (CallTimeout, _timeout),
    (ConnectionLost, _lost),
    (TooManyCalls, _many),
    (MissingCapability, _capability),
    (NotConfirmed, _says(f"The call was not confirmed. {_NOT_SENT}")),
    (
        ContractDrift,
        _says(f"The tool has changed, and cannot be called. {_NOT_SENT}"),
    ),
    (
        AuthorizationRequired,
        _says(f"The tool's server wants authorization first. {_MAY_HAVE_RUN}"),
    ),
    (
        ConnectionFailed,
        _says(f"The tool's server cannot be reached now. {_NOT_SENT}"),
    ),
    (
        HttpError,
        lambda error, _: (
            f"The tool's server answered HTTP {error.status}. {_MAY_HAVE_RUN}"
        ),
    ),
    (TaskCancelled, _says("The call was cancelled before it was done.")),
]
"""What is said of each kind of error; the first kind that fits counts."""


def _kind(error: Exception) -> str:
    return type(error).__name__
