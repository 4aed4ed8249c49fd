"""The context that methods of a server receive."""

from __future__ import annotations

import json
import logging
import math
from collections.abc import Hashable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, TypeVar

import anyio
from mcp import MCPError, types
from mcp.server import ServerRequestContext
from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from mcp.server.auth.provider import principal_components
from pydantic import ValidationError

if TYPE_CHECKING:
    from mcp.server.auth.provider import AccessToken

    from .conversation.forms import Unanswered
    from .conversation.sampling import Messages, SamplingResult, SamplingTool
    from .task_protocol.task import Task

F = TypeVar("F")
R = TypeVar("R", bound=types.Result)

MODERN = "2026-07-28"
"""The first revision in which structured content may be any JSON value, and questions to
the user are part of results.
"""

_OWN = "io.modelcontextprotocol/"
_LOGGER = logging.getLogger(__name__)
_LEVELS = (
    "debug",
    "info",
    "notice",
    "warning",
    "error",
    "critical",
    "alert",
    "emergency",
)


class InputRequired(BaseException):
    """Ends a method until its question is answered. Then the method is called again.

    ``except Exception`` doesn't catch it.
    """


@dataclass
class Context:
    """The caller of a request, with methods to send it messages and questions.

    ``sdk`` is the SDK's context, which has further details.
    """

    sdk: ServerRequestContext[Any]
    answers: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """The client's answers to questions of this request, by key."""

    state: str | None = None
    """The request state that the method itself returned in an earlier round, or None."""

    task: Task | None = field(default=None, repr=False)
    notes: dict[str, Any] = field(default_factory=dict[str, Any], repr=False)

    scope: anyio.CancelScope | None = field(default=None, repr=False)
    due: float = field(default=math.inf, repr=False)
    questions: dict[str, types.InputRequest] = field(
        default_factory=dict[str, types.InputRequest], repr=False
    )
    logs: str | None = field(default=None, repr=False)
    logger: logging.Logger = field(default=_LOGGER, repr=False)
    """The server's logger, for its operator. ``log`` sends messages to the client."""

    @property
    def is_modern(self) -> bool:
        """Whether the client speaks revision 2026-07-28 or a later one."""
        return self.sdk.protocol_version >= MODERN

    @property
    def is_task(self) -> bool:
        """Whether the call runs as a task, limited only by the task's time to live."""
        return self.task is not None

    @property
    def meta(self) -> dict[str, Any]:
        """The request's ``_meta`` without properties of the protocol itself."""
        meta: dict[str, Any] = dict(self.sdk.meta or {})
        return {name: meta[name] for name in meta if not name.startswith(_OWN)}

    @property
    def user(self) -> AccessToken | None:
        """The verified token of the caller, or None without authorization."""
        return user_of(self.sdk)

    @property
    def caller(self) -> Hashable:
        """The caller: a user, a network address, or "" for a process over stdio."""
        user = self.user
        if user is not None:
            return principal_components(user)
        client: Any = getattr(self.sdk.request, "client", None)
        return client.host if client is not None else ""

    async def progress(
        self, done: float, total: float | None = None, message: str | None = None
    ) -> None:
        """Report the progress of the call, if the client requested it.

        The progress of a task is also part of its status.
        """
        if self.task is None:
            await self.sdk.session.report_progress(done, total, message)
            return
        self.task.report(done, total, message)
        token = (self.sdk.meta or {}).get("progress_token")
        if self.is_modern or token is None:
            return
        params = types.ProgressNotificationParams(
            progress_token=token,
            progress=done,
            total=total,
            message=message,
            _meta=self.task.related_meta,
        )
        await self._tell(types.ProgressNotification(params=params))

    async def log(self, level: types.LoggingLevel, data: Any, logger: str | None = None) -> None:
        """Send a log message to the client.

        It is sent only if the contract declares ``logging`` and the client's minimum level
        allows it. Use ``logger`` for messages to the operator of the server.
        """
        least = self.logs
        if self.is_modern and least is not None:
            meta: Mapping[str, Any] = self.sdk.meta or {}
            least = meta.get(types.LOG_LEVEL_META_KEY)
        if least is None or _LEVELS.index(level) < _LEVELS.index(least):
            return
        task = self.task
        if task is not None and self.is_modern:
            return  # a task has no messages (MCP, tasks, "Task Status Notifications")
        params = types.LoggingMessageNotificationParams(
            level=level, data=data, logger=logger, _meta=task.related_meta if task else None
        )
        message = types.LoggingMessageNotification(params=params)
        if task is not None:
            await self._tell(message)
            return
        await self.sdk.session.send_notification(message, related_request_id=self.sdk.request_id)

    async def _tell(self, message: types.ServerNotification) -> None:
        """Send a notification of a task, whose request already has its response."""
        with suppress(anyio.BrokenResourceError, anyio.ClosedResourceError, MCPError):
            await self.sdk.session.send_notification(message)

    async def ask(self, form: type[F], message: str = "", *, key: str = "") -> F | Unanswered:
        """Ask the user to fill in a form. Never ask for a secret.

        Since revision 2026-07-28 the method ends here and is called again with the answer, so
        everything before the question runs once more.

        Args:
            form: A dataclass whose fields are strings, numbers, booleans, dates, enums, and
                ``Literal`` or lists of it. Fields with a default may be left out.
            message: The text of the question. By default the form's docstring.
            key: Identifies the question within the method. By default the form's name, so a
                method that asks the same form twice needs two keys.

        Raises:
            TypeError: The form has a field of another type, or there is no message.
            InvalidAnswer: The client's response violates the form.
            MCPError: The client can't ask its user.
        """
        from .conversation.forms import answer_of, message_of, schema_of

        text, schema = message or message_of(form), schema_of(form)
        return answer_of(form, await self.elicit(key or form.__name__, text, schema))

    async def elicit(self, key: str, message: str, schema: Mapping[str, Any]) -> types.ElicitResult:
        """Ask the user to fill in a form, given as a schema; see :meth:`ask`.

        Args:
            key: Identifies the question within the method.
            message: The text of the question.
            schema: JSON Schema of a flat object.

        Raises:
            MCPError: The client can't ask its user.
        """
        form = types.ElicitRequestFormParams(message=message, requested_schema=dict(schema))
        return await self.request(key, types.ElicitRequest(params=form), types.ElicitResult)

    async def elicit_url(self, key: str, message: str, url: str) -> types.ElicitResult:
        """Ask the user to open a page, for example to pay or to enter a secret."""
        page = types.ElicitRequestURLParams(message=message, url=url, elicitation_id=key)
        return await self.request(key, types.ElicitRequest(params=page), types.ElicitResult)

    async def sample(
        self,
        key: str,
        messages: Messages,
        *,
        max_tokens: int,
        tools: Sequence[types.Tool | SamplingTool] = (),
        tool_choice: Literal["auto", "required", "none"] | None = None,
        system_prompt: str | None = None,
        model_preferences: types.ModelPreferences | None = None,
        temperature: float | None = None,
        stop_sequences: Sequence[str] | None = None,
        metadata: Mapping[str, Any] | None = None,
        max_rounds: int = 10,
    ) -> SamplingResult:
        """Request a completion from the client's model.

        Tools with functions are called until the model stops using them. Each use is
        validated by the tool's schema and runs once, although since 2026-07-28 the method
        itself runs again for each round, as for :meth:`elicit`. After ``max_rounds`` the
        model is requested once more, without tools.

        Args:
            key: Identifies the question within the method.
            messages: The conversation. A string is one message of the user.
            max_tokens: Maximum number of tokens of a response.
            tools: Tools that the model may use.
            tool_choice: Whether the model may, must or must not use tools.
            system_prompt: The system prompt.
            model_preferences: Hints for the choice of a model.
            temperature: The sampling temperature.
            stop_sequences: Texts at which the response ends.
            metadata: Properties for the provider of the model.
            max_rounds: How many rounds of tool uses are allowed.

        Raises:
            MCPError: The client lacks the capability, or its user declined.
            TooManyRounds: The model still uses tools after the last round.
        """
        from .conversation.sampling import convert_messages, sample_until_answered

        params = types.CreateMessageRequestParams(
            messages=convert_messages(messages),
            max_tokens=max_tokens,
            tool_choice=types.ToolChoice(mode=tool_choice) if tool_choice else None,
            system_prompt=system_prompt,
            model_preferences=model_preferences,
            temperature=temperature,
            stop_sequences=None if stop_sequences is None else list(stop_sequences),
            metadata=None if metadata is None else dict(metadata),
        )
        return await sample_until_answered(self, key, params, tools, max_rounds)

    async def roots(self, key: str) -> tuple[types.Root, ...]:
        """Request the folders that the client works in.

        Raises:
            MCPError: The client lacks the capability.
        """
        request = types.ListRootsRequest()
        return tuple((await self.request(key, request, types.ListRootsResult)).roots)

    async def request(self, key: str, request: types.InputRequest, result: type[R]) -> R:
        """Send the client a request of any type; see :meth:`elicit`."""
        self.require(request)
        if key in self.answers and (self.is_modern or self.is_task):
            # A response to a different request counts as missing.
            with suppress(ValidationError):
                return result.model_validate(self.answers[key])
        if self.task is not None:
            return result.model_validate(await self.task.ask(key, request))
        if not self.is_modern:
            answer = await self._wait(request, result)
            dumped = answer.model_dump(by_alias=True, mode="json", exclude_none=True)
            self.answers = {**self.answers, key: dumped}
            return answer
        self.questions[key] = request
        raise InputRequired

    async def ask_all(self, required: types.InputRequiredResult, rounds: int) -> None:
        """Wait for the answers to the questions that the method of a task returned."""
        if self.task is not None:
            requests = required.input_requests or {}
            answers = await self.task.ask_all(requests, rounds)
            self.answers = {**self.answers, **answers}
            self.state = required.request_state

    async def _wait(self, request: types.InputRequest, result: type[R]) -> R:
        """Wait for the client. The time doesn't count against the limit of the tool."""
        from mcp.shared.message import ServerMessageMetadata

        started, due = anyio.current_time(), self.due
        self._set_due(math.inf)
        try:
            return await self.sdk.session.send_request(
                request,
                result,
                metadata=ServerMessageMetadata(related_request_id=self.sdk.request_id),
            )
        finally:
            self._set_due(due + anyio.current_time() - started)

    def _set_due(self, due: float) -> None:
        self.due = due
        if self.scope is not None:
            self.scope.deadline = due

    def require(self, request: types.InputRequest) -> None:
        """Raise if the client lacks the capability for a request."""
        declared = self.sdk.session.client_capabilities or types.ClientCapabilities()
        needed = _lacking(declared, request)
        if needed is not None:
            name = ".".join(_names(needed))
            raise MCPError(
                types.MISSING_REQUIRED_CLIENT_CAPABILITY,
                f"The client didn't declare the required capability {name!r}",
                {"requiredCapabilities": needed},
            )


def user_of(sdk: ServerRequestContext[Any]) -> AccessToken | None:
    """Return the verified token of a request, or None without authorization."""
    scope: Mapping[str, Any] = getattr(sdk.request, "scope", {})
    user = scope.get("user")
    return user.access_token if isinstance(user, AuthenticatedUser) else None


def _lacking(
    declared: types.ClientCapabilities, request: types.InputRequest
) -> dict[str, Any] | None:
    """Return the capability that a client would need for a request, and has not."""
    if isinstance(request, types.ListRootsRequest):
        return {"roots": {}} if declared.roots is None else None
    if isinstance(request, types.ElicitRequest):
        is_able = _can_elicit(declared.elicitation, request)
        return None if is_able else {"elicitation": {}}
    if declared.sampling is None:
        return {"sampling": {}}
    wants_tools = request.params.tools or request.params.tool_choice
    if wants_tools and declared.sampling.tools is None:
        return {"sampling": {"tools": {}}}
    return None


def _names(capability: Mapping[str, Any]) -> Iterator[str]:
    for name, inner in capability.items():
        yield name
        yield from _names(inner)


def _can_elicit(declared: types.ElicitationCapability | None, request: types.ElicitRequest) -> bool:
    """Return True if a client can show a request. Without a mode it supports forms."""
    if declared is None:
        return False
    if request.params.mode == "url":
        return declared.url is not None
    return declared.form is not None or declared.url is None


def context_of(
    sdk: ServerRequestContext[Any],
    params: types.InputResponseRequestParams,
    logs: str | None,
    logger: logging.Logger,
) -> Context:
    """Build the context of a request. Its state contains the answers of earlier rounds."""
    answers: dict[str, Any] = {}
    notes: dict[str, Any] = {}
    state = params.request_state
    if state is not None and state.startswith(_ANSWERS):
        answers, notes = json.loads(state.removeprefix(_ANSWERS))
        state = None
    for key, answer in (params.input_responses or {}).items():
        answers[key] = answer.model_dump(by_alias=True, mode="json", exclude_none=True)
    return Context(sdk, answers, state, notes=notes, logs=logs, logger=logger)


_ANSWERS = "answers:"


def input_required(context: Context) -> types.InputRequiredResult:
    """Return the questions of a method, with its answers and notes so far.

    The SDK's ``RequestStateBoundary`` seals the state, so no client can change it.
    """
    return types.InputRequiredResult(
        input_requests=context.questions,
        request_state=_ANSWERS + json.dumps([context.answers, context.notes]),
    )
