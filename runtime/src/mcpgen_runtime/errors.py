"""Exceptions of clients. Each has its facts as attributes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, overload

from .abbreviate import plain, quote_text
from .problem import Problem

if TYPE_CHECKING:
    from mcp.types import CallToolResult


@dataclass(frozen=True)
class Change:
    """A difference between the live server and the contract."""

    tool: str
    what: str

    def __str__(self) -> str:
        return f"{self.tool}: {self.what}"


@dataclass(eq=False, repr=False)
class ClientError(Exception):
    """Base class of all errors that clients raise."""

    def __str__(self) -> str:
        from .redaction.credentials import CREDENTIALS

        return CREDENTIALS.hide(self._description())

    def _description(self) -> str:
        """Return the message, which may repeat credentials."""
        return type(self).__name__

    def __repr__(self) -> str:
        return f"{type(self).__name__}({quote_text(str(self))})"

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the fields. Not every exception keeps them in ``args``."""
        facts = tuple(getattr(self, fact.name) for fact in fields(self))
        return type(self), facts, vars(self)


@dataclass(eq=False, repr=False)
class ToolError(ClientError):
    """The tool reported an error (``isError``).

    ``result`` is the complete result. In tests of your own, ``ToolError("text")`` creates an error
    with this text for a fake.
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

            block = TextContent(type="text", text=tool)
            tool, result = "", CallToolResult(content=[block], is_error=True)
        self.tool = tool
        self.result = result

    @property
    def text(self) -> str:
        """The text of the result, which may help a model to correct its call."""
        return "\n".join(block.text for block in self.result.content if block.type == "text")

    def _description(self) -> str:
        return f"{self.tool}: {self.text or 'the tool failed without a message'}"


@dataclass(eq=False, repr=False)
class ProtocolError(ClientError):
    """The response was a JSON-RPC error, with its ``code``, ``message`` and ``data``.

    ``target`` is the name of the tool or prompt, or the URI of the resource.
    """

    target: str
    code: int
    message: str
    data: Any = None

    def _description(self) -> str:
        return f"{self.target}: {self.message} ({self.code})"


@dataclass(eq=False, repr=False)
class InvalidArguments(ClientError):
    """The arguments violate the tool's input schema. Nothing was sent."""

    tool: str
    problems: Sequence[Problem]

    def _description(self) -> str:
        return _list_facts(f"{self.tool}: invalid arguments, nothing was sent", self.problems)


@dataclass(eq=False, repr=False)
class InvalidResult(ClientError, ValueError):
    """The result violates the tool's output schema or the protocol, or can't be parsed.

    ``result`` is None if the response doesn't contain a result at all.
    """

    tool: str
    problems: Sequence[Problem]
    result: CallToolResult | None = None

    def _description(self) -> str:
        return _list_facts(f"{self.tool}: invalid result", self.problems)


@dataclass(eq=False, repr=False)
class UnexpectedResult(ClientError, UserWarning):
    """The result doesn't have the observed type. The server declares no other.

    Raised as a warning, or as an error with ``unexpected="error"``. ``data`` is what the
    method returns, ``result`` the complete result.
    """

    tool: str
    problems: Sequence[Problem]
    data: Any
    result: CallToolResult

    def _description(self) -> str:
        return _list_facts(
            f"{self.tool}: the result differs from the observed ones",
            self.problems,
        )


@dataclass(eq=False, repr=False)
class InvalidAnswer(ClientError, ValueError):
    """An answer to the server violates the schema of its question. Nothing was sent.

    ``asked`` is the message of the question, or the tool that the server offered to a
    model.
    """

    asked: str
    problems: Sequence[Problem]

    def _description(self) -> str:
        return _list_facts(f"{plain(self.asked)}: invalid answer, nothing was sent", self.problems)


@dataclass(eq=False, repr=False)
class CallTimeout(ClientError, TimeoutError):
    """No response arrived within ``seconds``."""

    target: str
    seconds: float | None

    def _description(self) -> str:
        within = "in time" if self.seconds is None else f"within {self.seconds:g} s"
        return f"{self.target}: no response {within}"


@dataclass(eq=False, repr=False)
class UnknownTool(ClientError, LookupError):
    """The contract has no tool with this name. Nothing was sent."""

    tool: str

    def _description(self) -> str:
        return f"the contract has no tool {self.tool!r}"


@dataclass(eq=False, repr=False)
class HttpError(ClientError):
    """The server responded with an HTTP error instead of a message of the protocol.

    Attributes:
        target: The tool, prompt or resource.
        status: The HTTP status code.
        retry_after: Seconds to wait according to ``Retry-After``, or None.
        challenge: The header ``WWW-Authenticate``, or "".
        body: The beginning of the response body.
        reason: The reason phrase, or "".
    """

    target: str
    status: int
    retry_after: float | None = None
    challenge: str = ""
    body: str = ""
    reason: str = ""

    def _description(self) -> str:
        status = f"{self.status} {self.reason}".rstrip()
        message = f"{self.target}: the server responded with HTTP {status}"
        return f"{message}: {self.body}" if self.body else message


@dataclass(eq=False, repr=False)
class ConnectionFailed(ClientError, ConnectionError):
    """No connection to the server could be opened.

    ``stderr`` is the end of the server's output. ``http`` is the HTTP error that
    prevented the connection, or None.
    """

    server: str
    reason: str
    stderr: str = ""
    http: HttpError | None = None

    def _description(self) -> str:
        return _with_stderr(f"cannot connect to {self.server}: {self.reason}", self.stderr)


@dataclass(eq=False, repr=False)
class AuthorizationRequired(ConnectionFailed):
    """The server requires authorization, or rejected the credentials.

    Raised on connecting and by calls, for HTTP 401 and 403 (see ``http``). ``scope`` is
    the missing scope that the server names, or "".
    """

    scope: str = ""

    def _description(self) -> str:
        message = f"{self.server} requires authorization: {self.reason}"
        return _with_stderr(message, self.stderr)


@dataclass(eq=False, repr=False)
class ConnectionLost(ClientError, ConnectionError):
    """The connection ended.

    ``stderr`` is the end of the server's output. ``may_have_run`` is False if the request
    certainly didn't reach the server.
    """

    reason: str
    stderr: str = ""
    may_have_run: bool = True

    def _description(self) -> str:
        return _with_stderr(f"the connection was lost: {self.reason}", self.stderr)


@dataclass(eq=False, repr=False)
class ContractDrift(ClientError):
    """The live server differs from the contract, and ``verify`` is ``"error"``."""

    changes: Sequence[Change]

    def _description(self) -> str:
        return _list_facts(
            "the server differs from the contract; regenerate the client", self.changes
        )


@dataclass(eq=False, repr=False)
class ContractUnknown(ContractDrift):
    """The live tools couldn't be listed, so they couldn't be compared.

    A later call lists them again.
    """

    def _description(self) -> str:
        return _list_facts("the server could not be compared with the contract", self.changes)


@dataclass(eq=False, repr=False)
class MissingCapability(ClientError):
    """The server lists the tool only to clients with certain capabilities.

    Nothing was sent. ``capabilities`` are names of the protocol, such as ``sampling``.
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
"""Options of ``connect`` whose name differs from that of the capability."""


@dataclass(eq=False, repr=False)
class NotConfirmed(ClientError):
    """The ``confirm`` hook refused the call. Nothing was sent."""

    tool: str
    arguments: Mapping[str, Any]

    def _description(self) -> str:
        return f"{self.tool}: the call was not confirmed, nothing was sent"


@dataclass(eq=False, repr=False)
class TaskUnsupported(ClientError):
    """The tool can't run as a task, or the server doesn't support this request for tasks."""

    tool: str
    reason: str

    def _description(self) -> str:
        return f"{self.tool}: {self.reason}"


@dataclass(eq=False, repr=False)
class TaskCancelled(ClientError):
    """The task was cancelled by this or another client, so it has no result.

    ``message`` is the server's status message.
    """

    tool: str
    task: str
    message: str = ""

    def _description(self) -> str:
        detail = f": {self.message}" if self.message else ""
        return f"{self.tool}: the task was cancelled{detail}"


@dataclass(eq=False, repr=False)
class InvalidTask(ClientError, ValueError):
    """The text doesn't describe a task that this method can resume."""

    tool: str
    reason: str

    def _description(self) -> str:
        return f"{self.tool}: the task cannot be resumed: {self.reason}"


@dataclass(eq=False, repr=False)
class InvalidRecording(ClientError, ValueError):
    """A call recording can't be read or written.

    ``line`` is the number of the faulty line, or 0 if the file as a whole is the problem.
    """

    recording: str
    line: int
    reason: str

    def _description(self) -> str:
        where = f"{self.recording}:{self.line}" if self.line else self.recording
        return f"{where}: {self.reason}"


@dataclass(eq=False, repr=False)
class NotRecorded(ClientError, LookupError):
    """The replayed recording doesn't contain this call. No request was sent.

    ``nearest`` is the line of the most similar call, or 0. ``differences`` describes how
    its arguments differ.
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
    """The tool's schemas have changed since the call was recorded."""

    target: str
    recording: str
    line: int

    def _description(self) -> str:
        return (
            f"{self.target}: {self.recording}:{self.line} was recorded with other schemas of"
            " the tool; delete the line, and record the call again"
        )


@dataclass(eq=False, repr=False)
class TooManyCalls(ClientError):
    """The limit on calls per minute (``limit=``) was reached.

    Nothing was sent. ``retry_after`` is the number of seconds until the next call may be
    made.
    """

    target: str
    limit: int
    retry_after: float

    def _description(self) -> str:
        return (
            f"{self.target}: the limit is {self.limit:,} a minute, nothing was sent; "
            f"the next call is possible in {self.retry_after:.3g} s"
        )


def _list_facts(message: str, facts: Sequence[object]) -> str:
    return "\n  ".join([message, *(str(fact) for fact in facts)])


def _with_stderr(message: str, stderr: str) -> str:
    return "\n  | ".join([message, *stderr.splitlines()])
