"""The context of one request, as the author's methods get it."""

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

    from .sampling import Messages, SamplingResult, SamplingTool
    from .task import Task

R = TypeVar("R", bound=types.Result)

MODERN = "2026-07-28"
"""From this revision on, structured content may be any JSON value, and questions to the
user travel in results.
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
    """Ends a method whose question must first be answered; the method is called again.

    No ``except Exception`` catches it.
    """


@dataclass
class Context:
    """What is known of the caller, and what can be said to it before the answer.

    ``sdk`` is the SDK's own context, with all that is not here.
    """

    sdk: ServerRequestContext[Any]
    answers: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """What the client answered to questions of this request, by their keys."""

    state: str | None = None
    """What was asked of the client to be given back, if the method itself did so."""

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
        """Whether the call was answered with a task, and now goes on without a limit
        of time but that of its task.
        """
        return self.task is not None

    @property
    def meta(self) -> dict[str, Any]:
        """The request's ``_meta``, without what the protocol itself puts there."""
        meta: dict[str, Any] = dict(self.sdk.meta or {})
        return {name: meta[name] for name in meta if not name.startswith(_OWN)}

    @property
    def user(self) -> AccessToken | None:
        """The verified token of the caller; ``None`` where none is asked for."""
        scope: Mapping[str, Any] = getattr(self.sdk.request, "scope", {})
        user = scope.get("user")
        return user.access_token if isinstance(user, AuthenticatedUser) else None

    @property
    def caller(self) -> Hashable:
        """Who is calling, as far as is known: the user, the address, or one process."""
        user = self.user
        if user is not None:
            return principal_components(user)
        client: Any = getattr(self.sdk.request, "client", None)
        return client.host if client is not None else ""

    async def progress(
        self, done: float, total: float | None = None, message: str | None = None
    ) -> None:
        """Say how far the call has come, if the client asked to be told.

        A task says it to everyone who looks at its status, too.
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
            _meta=self.task.related,
        )
        await self._tell(types.ProgressNotification(params=params))

    async def log(self, level: types.LoggingLevel, data: Any, logger: str | None = None) -> None:
        """Send the client a message, if the contract declares ``logging`` and the
        client wants messages of this level; for the operator of the server, use
        ``logging``.
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
            level=level, data=data, logger=logger, _meta=task.related if task else None
        )
        message = types.LoggingMessageNotification(params=params)
        if task is not None:
            await self._tell(message)
            return
        await self.sdk.session.send_notification(message, related_request_id=self.sdk.request_id)

    async def _tell(self, message: types.ServerNotification) -> None:
        """Send what belongs to a task: its request was answered long ago."""
        with suppress(anyio.BrokenResourceError, anyio.ClosedResourceError, MCPError):
            await self.sdk.session.send_notification(message)

    async def elicit(self, key: str, message: str, schema: Mapping[str, Any]) -> types.ElicitResult:
        """Ask the user for the members of a flat object, which ``schema`` describes.

        From 2026-07-28 on the method ends here, and is called again with the answer:
        what stands before a question is done once more. ``key`` tells one question
        of a method from another. Never ask for a secret.

        Raises:
            MCPError: The client cannot ask its user.
        """
        form = types.ElicitRequestFormParams(message=message, requested_schema=dict(schema))
        return await self.ask(key, types.ElicitRequest(params=form), types.ElicitResult)

    async def elicit_url(self, key: str, message: str, url: str) -> types.ElicitResult:
        """Ask the user to visit a page, such as one for a payment or a secret."""
        page = types.ElicitRequestURLParams(message=message, url=url, elicitation_id=key)
        return await self.ask(key, types.ElicitRequest(params=page), types.ElicitResult)

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
        """Ask the client's model; a text is a message of the user.

        Where tools have functions, these are called until the model answers: each use
        is checked by the tool's schema, and each is done once, although from 2026-07-28
        on the method is called again for each round, as for :meth:`elicit`. After
        ``max_rounds`` of them the model is asked to answer without tools.

        Raises:
            MCPError: The client has no model, or none that uses tools, or its user
                refused.
            TooManyRounds: The model still wants tools, after all its rounds.
        """
        from .sampling import asked, sampled

        params = types.CreateMessageRequestParams(
            messages=asked(messages),
            max_tokens=max_tokens,
            tool_choice=types.ToolChoice(mode=tool_choice) if tool_choice else None,
            system_prompt=system_prompt,
            model_preferences=model_preferences,
            temperature=temperature,
            stop_sequences=None if stop_sequences is None else list(stop_sequences),
            metadata=None if metadata is None else dict(metadata),
        )
        return await sampled(self, key, params, tools, max_rounds)

    async def roots(self, key: str) -> tuple[types.Root, ...]:
        """Ask which folders of its user the client works in.

        Raises:
            MCPError: The client does not say.
        """
        request = types.ListRootsRequest()
        return tuple((await self.ask(key, request, types.ListRootsResult)).roots)

    async def ask(self, key: str, request: types.InputRequest, result: type[R]) -> R:
        """Ask the client anything that it may be asked; see :meth:`elicit`."""
        self.require(request)
        if key in self.answers and (self.is_modern or self.is_task):
            # An answer to something else than what was asked is none.
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

    async def ask_all(self, asked: types.InputRequiredResult, rounds: int) -> None:
        """Wait for the answers to what the method of a task returned as its questions,
        as the client does that is given them as a result.
        """
        if self.task is not None:
            requests = asked.input_requests or {}
            answers = await self.task.ask_all(requests, rounds)
            self.answers = {**self.answers, **answers}
            self.state = asked.request_state

    async def _wait(self, request: types.InputRequest, result: type[R]) -> R:
        """Wait for the client; the time that takes is not the tool's."""
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
        """Refuse to ask a client for what it did not say it can do."""
        declared = self.sdk.session.client_capabilities or types.ClientCapabilities()
        needed = _lacking(declared, request)
        if needed is not None:
            name = ".".join(_names(needed))
            raise MCPError(
                types.MISSING_REQUIRED_CLIENT_CAPABILITY,
                f"The client did not declare the capability {name!r}, which is needed",
                {"requiredCapabilities": needed},
            )


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
    """Say whether a client can ask its user; without a mode it means forms."""
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
    """Return the context of a request; answers of earlier rounds are in its state."""
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
    """Return the questions of a method, what has been answered and what done so far.

    The state is sealed by the SDK's ``RequestStateBoundary``: no client can change it.
    """
    return types.InputRequiredResult(
        input_requests=context.questions,
        request_state=_ANSWERS + json.dumps([context.answers, context.notes]),
    )
