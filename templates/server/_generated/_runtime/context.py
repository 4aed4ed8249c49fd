"""The context of one request, as the author's methods get it."""

from __future__ import annotations

import json
import math
from collections.abc import Hashable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import anyio
from mcp import MCPError, types
from mcp.server import ServerRequestContext
from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from mcp.server.auth.provider import principal_components
from pydantic import ValidationError

if TYPE_CHECKING:
    from mcp.server.auth.provider import AccessToken

MODERN = "2026-07-28"
"""From this revision on, structured content may be any JSON value, and questions to the
user travel in results.
"""

_OWN = "io.modelcontextprotocol/"
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

    scope: anyio.CancelScope | None = field(default=None, repr=False)
    due: float = field(default=math.inf, repr=False)
    questions: dict[str, types.InputRequest] = field(
        default_factory=dict[str, types.InputRequest], repr=False
    )
    logs: str | None = field(default=None, repr=False)

    @property
    def is_modern(self) -> bool:
        """Whether the client speaks revision 2026-07-28 or a later one."""
        return self.sdk.protocol_version >= MODERN

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
        """Say how far the call has come, if the client asked to be told."""
        await self.sdk.session.report_progress(done, total, message)

    async def log(
        self, level: types.LoggingLevel, data: Any, logger: str | None = None
    ) -> None:
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
        params = types.LoggingMessageNotificationParams(
            level=level, data=data, logger=logger
        )
        await self.sdk.session.send_notification(
            types.LoggingMessageNotification(params=params),
            related_request_id=self.sdk.request_id,
        )

    async def elicit(
        self, key: str, message: str, schema: Mapping[str, Any]
    ) -> types.ElicitResult:
        """Ask the user for the members of a flat object, which ``schema`` describes.

        From 2026-07-28 on the method ends here, and is called again with the answer:
        what stands before a question is done once more. ``key`` tells one question
        of a method from another. Never ask for a secret.

        Raises:
            MCPError: The client cannot ask its user.
        """
        form = types.ElicitRequestFormParams(
            message=message, requested_schema=dict(schema)
        )
        return await self._ask(key, form)

    async def elicit_url(self, key: str, message: str, url: str) -> types.ElicitResult:
        """Ask the user to visit a page, such as one for a payment or a secret."""
        form = types.ElicitRequestURLParams(
            message=message, url=url, elicitation_id=key
        )
        return await self._ask(key, form)

    async def _ask(
        self,
        key: str,
        params: types.ElicitRequestFormParams | types.ElicitRequestURLParams,
    ) -> types.ElicitResult:
        request = types.ElicitRequest(params=params)
        self.require(request)
        if not self.is_modern:
            return await self._wait(request)
        if key in self.answers:
            # An answer to something else than what was asked is none.
            with suppress(ValidationError):
                return types.ElicitResult.model_validate(self.answers[key])
        self.questions[key] = request
        raise InputRequired

    async def _wait(self, request: types.ElicitRequest) -> types.ElicitResult:
        """Wait for the user; the time that takes is not the tool's."""
        from mcp.shared.message import ServerMessageMetadata

        started, due = anyio.current_time(), self.due
        self._set_due(math.inf)
        try:
            return await self.sdk.session.send_request(
                request,
                types.ElicitResult,
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
        if isinstance(request, types.CreateMessageRequest):
            kind, is_able = "sampling", declared.sampling is not None
        elif isinstance(request, types.ListRootsRequest):
            kind, is_able = "roots", declared.roots is not None
        else:
            kind, is_able = "elicitation", _can_elicit(declared.elicitation, request)
        if not is_able:
            raise MCPError(
                types.MISSING_REQUIRED_CLIENT_CAPABILITY,
                f"The client did not declare the capability {kind!r}, which is needed",
                {"requiredCapabilities": {kind: {}}},
            )


def _can_elicit(
    declared: types.ElicitationCapability | None, request: types.ElicitRequest
) -> bool:
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
) -> Context:
    """Return the context of a request; answers of earlier rounds are in its state."""
    answers: dict[str, Any] = {}
    state = params.request_state
    if state is not None and state.startswith(_ANSWERS):
        answers, state = json.loads(state.removeprefix(_ANSWERS)), None
    for key, answer in (params.input_responses or {}).items():
        answers[key] = answer.model_dump(by_alias=True, mode="json", exclude_none=True)
    return Context(sdk, answers, state, logs=logs)


_ANSWERS = "answers:"


def input_required(context: Context) -> types.InputRequiredResult:
    """Return the questions of a method, and what has been answered so far.

    The state is sealed by the SDK's ``RequestStateBoundary``: no client can change it.
    """
    return types.InputRequiredResult(
        input_requests=context.questions,
        request_state=_ANSWERS + json.dumps(context.answers),
    )
