"""Every exception that a client raises; each carries its facts as attributes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, overload

from .abbreviate import plain, quoted
from .problem import Problem

if TYPE_CHECKING:
    from mcp.types import CallToolResult


@dataclass(frozen=True)
class Change:
    """One way in which the live server differs from its contract."""

    tool: str
    what: str

    def __str__(self) -> str:
        return f"{self.tool}: {self.what}"


@dataclass(eq=False, repr=False)
class ClientError(Exception):
    """Base of every error that this package raises."""

    def __str__(self) -> str:
        from .redaction.credentials import CREDENTIALS

        return CREDENTIALS.hide(self._description())

    def _description(self) -> str:
        """Return what happened; credentials that the server repeats may be in it."""
        return type(self).__name__

    def __repr__(self) -> str:
        return f"{type(self).__name__}({quoted(str(self))})"

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the facts: what an exception keeps by itself depends on its kind."""
        facts = tuple(getattr(self, fact.name) for fact in fields(self))
        return type(self), facts, vars(self)


@dataclass(eq=False, repr=False)
class ToolError(ClientError):
    """The tool ran and said that it failed (``isError``); ``result`` is all it said.

    One that is made of a text alone is for fakes: it says that text, of no tool.
    """

    tool: str
    result: CallToolResult

    @overload
    def __init__(self, tool: str, result: CallToolResult) -> None: ...
    @overload
    def __init__(self, text: str, /) -> None: ...
    def __init__(self, tool: str, result: CallToolResult | None = None) -> None:
        if result is None:
            from mcp.types import CallToolResult, TextContent

            said = TextContent(type="text", text=tool)
            tool, result = "", CallToolResult(content=[said], is_error=True)
        self.tool = tool
        self.result = result

    @property
    def text(self) -> str:
        """The text of the result: a model that sees it may correct itself."""
        return "\n".join(block.text for block in self.result.content if block.type == "text")

    def _description(self) -> str:
        return f"{self.tool}: {self.text or 'the tool failed and did not say why'}"


@dataclass(eq=False, repr=False)
class ProtocolError(ClientError):
    """The server answered with a JSON-RPC error; ``code``, ``message``, ``data`` of it.

    ``target`` is the tool, prompt or resource that was asked for.
    """

    target: str
    code: int
    message: str
    data: Any = None

    def _description(self) -> str:
        return f"{self.target}: {self.message} ({self.code})"


@dataclass(eq=False, repr=False)
class InvalidArguments(ClientError):
    """The arguments break the tool's input schema; nothing was sent."""

    tool: str
    problems: Sequence[Problem]

    def _description(self) -> str:
        return _listed(f"{self.tool}: invalid arguments, nothing was sent", self.problems)


@dataclass(eq=False, repr=False)
class InvalidResult(ClientError, ValueError):
    """The answer breaks the tool's output schema or the protocol, or cannot be read.

    ``result`` is the answer, or ``None`` where it is not even a result of the protocol.
    """

    tool: str
    problems: Sequence[Problem]
    result: CallToolResult | None = None

    def _description(self) -> str:
        return _listed(f"{self.tool}: invalid result", self.problems)


@dataclass(eq=False, repr=False)
class UnexpectedResult(ClientError, UserWarning):
    """The answer is not of the type that others were seen to have; none was promised.

    A warning, or an error with ``unexpected="error"``. ``data`` is what the method
    returns of it, ``result`` all that the server said.
    """

    tool: str
    problems: Sequence[Problem]
    data: Any
    result: CallToolResult

    def _description(self) -> str:
        return _listed(
            f"{self.tool}: the answer is not as those that were observed",
            self.problems,
        )


@dataclass(eq=False, repr=False)
class InvalidAnswer(ClientError, ValueError):
    """An answer to the server breaks what it asked for; nothing was sent.

    ``asked`` is the server's question, or the tool that it offered to a model.
    """

    asked: str
    problems: Sequence[Problem]

    def _description(self) -> str:
        return _listed(f"{plain(self.asked)}: invalid answer, nothing was sent", self.problems)


@dataclass(eq=False, repr=False)
class CallTimeout(ClientError, TimeoutError):
    """No answer within ``seconds``."""

    target: str
    seconds: float | None

    def _description(self) -> str:
        within = "in time" if self.seconds is None else f"within {self.seconds:g} s"
        return f"{self.target}: no answer {within}"


@dataclass(eq=False, repr=False)
class UnknownTool(ClientError, LookupError):
    """The contract has no tool of that name; nothing was sent."""

    tool: str

    def _description(self) -> str:
        return f"the contract has no tool {self.tool!r}"


@dataclass(eq=False, repr=False)
class HttpError(ClientError):
    """The server answered with an HTTP status in place of a message of the protocol.

    ``retry_after`` are the seconds to wait, if the server says so, ``challenge`` is its
    header ``WWW-Authenticate``, ``body`` the start of what it said, and ``reason`` the
    phrase beside the status, if it is not left out.
    """

    target: str
    status: int
    retry_after: float | None = None
    challenge: str = ""
    body: str = ""
    reason: str = ""

    def _description(self) -> str:
        status = f"{self.status} {self.reason}".rstrip()
        message = f"{self.target}: the server answered HTTP {status}"
        return f"{message}: {self.body}" if self.body else message


@dataclass(eq=False, repr=False)
class ConnectionFailed(ClientError, ConnectionError):
    """The server cannot be reached; ``stderr`` is the end of what it printed.

    ``http`` has the facts, if it is because of an HTTP status.
    """

    server: str
    reason: str
    stderr: str = ""
    http: HttpError | None = None

    def _description(self) -> str:
        return _with_stderr(f"cannot connect to {self.server}: {self.reason}", self.stderr)


@dataclass(eq=False, repr=False)
class AuthorizationRequired(ConnectionFailed):
    """The server asks for authorization, or refused the one it was given.

    Be it on connecting or at a call: HTTP 401 or 403, whose facts are in ``http``;
    ``scope`` is what a server wants that was given too little. Or nobody could be asked
    for authorization.
    """

    scope: str = ""

    def _description(self) -> str:
        message = f"{self.server} wants authorization: {self.reason}"
        return _with_stderr(message, self.stderr)


@dataclass(eq=False, repr=False)
class ConnectionLost(ClientError, ConnectionError):
    """The connection ended; ``stderr`` is the end of what the server printed.

    ``may_have_run`` is false where the request surely did not reach the server.
    """

    reason: str
    stderr: str = ""
    may_have_run: bool = True

    def _description(self) -> str:
        return _with_stderr(f"the connection was lost: {self.reason}", self.stderr)


@dataclass(eq=False, repr=False)
class ContractDrift(ClientError):
    """The live server is not what this was generated from (``verify="error"``)."""

    changes: Sequence[Change]

    def _description(self) -> str:
        return _listed("the server differs from the contract; generate again", self.changes)


@dataclass(eq=False, repr=False)
class ContractUnknown(ContractDrift):
    """The live tools could not be listed, so nobody knows whether they differ.

    They are listed again before a later call.
    """

    def _description(self) -> str:
        return _listed("the server could not be compared with the contract", self.changes)


@dataclass(eq=False, repr=False)
class MissingCapability(ClientError):
    """The server offers the tool only to clients with what this one lacks.

    Nothing was sent; ``capabilities`` are those of the protocol, such as ``sampling``.
    """

    tool: str
    capabilities: Sequence[str]

    def _description(self) -> str:
        options = (_OPTIONS.get(name, name) for name in self.capabilities)
        return (
            f"{self.tool}: the server offers it only to clients with"
            f" {' and '.join(self.capabilities)}; connect with"
            f" {', '.join(f'{option}=' for option in options)}"
        )


_OPTIONS = {"elicitation": "elicit"}
"""The options of ``connect`` that have another name than their capability."""


@dataclass(eq=False, repr=False)
class NotConfirmed(ClientError):
    """The ``confirm`` hook said no; nothing was sent."""

    tool: str
    arguments: Mapping[str, Any]

    def _description(self) -> str:
        return f"{self.tool}: the call was not confirmed, nothing was sent"


@dataclass(eq=False, repr=False)
class TaskUnsupported(ClientError):
    """The tool cannot run as a task, or the server cannot do that with its tasks."""

    tool: str
    reason: str

    def _description(self) -> str:
        return f"{self.tool}: {self.reason}"


@dataclass(eq=False, repr=False)
class TaskCancelled(ClientError):
    """The task was cancelled, here or elsewhere; it has no result.

    ``message`` is what the server said of it.
    """

    tool: str
    task: str
    message: str = ""

    def _description(self) -> str:
        said = f": {self.message}" if self.message else ""
        return f"{self.tool}: the task was cancelled{said}"


@dataclass(eq=False, repr=False)
class InvalidTask(ClientError, ValueError):
    """The text is of no task that can be resumed here by the method that was given."""

    tool: str
    reason: str

    def _description(self) -> str:
        return f"{self.tool}: the task cannot be resumed: {self.reason}"


@dataclass(eq=False, repr=False)
class InvalidRecording(ClientError, ValueError):
    """A recording of calls cannot be read or written.

    ``line`` is the number of the line, 0 where it is none of them.
    """

    recording: str
    line: int
    reason: str

    def _description(self) -> str:
        where = f"{self.recording}:{self.line}" if self.line else self.recording
        return f"{where}: {self.reason}"


@dataclass(eq=False, repr=False)
class NotRecorded(ClientError, LookupError):
    """A call is not in the recording that is replayed; no server was asked.

    ``nearest`` is the line of the call that is most like it, 0 where there is none, and
    ``differences`` say in what its arguments differ.
    """

    target: str
    recording: str
    reason: str
    nearest: int = 0
    differences: Sequence[str] = ()

    def _description(self) -> str:
        message = f"{self.target}: not in {self.recording}: {self.reason}"
        if not self.nearest:
            return message
        near = f"{message}\n  the nearest is line {self.nearest}:"
        return "\n    ".join([near, *self.differences])


@dataclass(eq=False, repr=False)
class StaleRecording(ClientError):
    """A call was recorded when the tool's schemas were others; record it again."""

    target: str
    recording: str
    line: int

    def _description(self) -> str:
        return (
            f"{self.target}: {self.recording}:{self.line} was recorded when the tool's"
            " schemas were others; delete the line, and record the call again"
        )


@dataclass(eq=False, repr=False)
class TooManyCalls(ClientError):
    """There were as many calls in the last minute as ``limit=`` allows.

    Nothing was sent; ``retry_after`` are the seconds until there may be another.
    """

    target: str
    limit: int
    retry_after: float

    def _description(self) -> str:
        return (
            f"{self.target}: the limit is {self.limit:,} a minute, nothing was sent;"
            f" the next may be in {self.retry_after:.3g} s"
        )


def _listed(message: str, facts: Sequence[object]) -> str:
    return "\n  ".join([message, *(str(fact) for fact in facts)])


def _with_stderr(message: str, stderr: str) -> str:
    return "\n  | ".join([message, *stderr.splitlines()])
