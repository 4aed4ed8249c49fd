"""Connects the SDK's client to a server, and compares the server's tools."""

from __future__ import annotations

import importlib.metadata
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, get_args

from ..auth.options import HttpOptions
from ..options import Era, SessionOptions
from ..package import Package
from .drift import Verify
from .routing.route import Route
from .session import Session
from .tool_comparison import compare_tools

if TYPE_CHECKING:
    import logging

    from mcp import Client
    from mcp.client import ClientExtension, IncomingMessage
    from mcp.client.session import MessageHandlerFnT
    from mcp.types import ElicitResult, Implementation

    from ..errors import Change
    from ..tool import OnProgress
    from .events import Events


OnSession: TypeAlias = Callable[["Session", AsyncExitStack], Awaitable[None]]

_FIRST_STATELESS = "2026-07-28"
_VERIFY = get_args(Verify)


class ServerRequests(Protocol):
    """Responds to requests of the server: elicitation, sampling, roots."""

    @property
    def options(self) -> tuple[str, ...]:
        """The names of the given options of ``connect``."""
        ...

    def sdk_callbacks(self, server: str, logger: logging.Logger) -> dict[str, Any]:
        """Return arguments of the SDK's client, which declares the matching capabilities."""
        ...


class TaskUpdates(Protocol):
    """Declares the tasks extension and receives the progress of tasks."""

    @property
    def listeners(self) -> dict[str | int, OnProgress]:
        """Callbacks by progress token, for progress after the response to a call."""
        ...

    @property
    def extensions(self) -> Sequence[ClientExtension]:
        """The extensions of the SDK's client."""
        ...

    async def hear(self, message: IncomingMessage) -> None:
        """Forward a progress notification of a task to the caller."""
        ...


@dataclass(frozen=True)
class ConnectOptions:
    """How to connect: see :meth:`McpClient.connect`."""

    package: Package
    verify: Verify
    sessions: SessionOptions
    http: HttpOptions
    on_session: tuple[OnSession, ...] = ()
    """Called for each new session once it is connected, in the task that holds it.

    The stack is unwound before the SDK's client exits. An exception makes connecting fail.
    The functions must not refer to the client, because a dropped client that nobody closed
    could then not be detected.
    """

    events: Events | None = None
    """Delivers notifications of the server."""
    logged: set[Change] = field(default_factory=set["Change"])
    """The changes that have been logged."""
    requests: ServerRequests | None = None
    """Responds to the server's requests, or None if the caller passed no callback for them."""
    tasks: TaskUpdates | None = None
    """Tracks tasks, or None if the recorded server has none."""
    replays: str = ""
    """The name of the recording that replaces the server, or ``""``."""

    def answers(self, option: str) -> bool:
        """Return True if an option for requests of the server was given."""
        return self.requests is not None and option in self.requests.options

    def __post_init__(self) -> None:
        if self.verify not in _VERIFY:
            raise ValueError(f"verify is one of {_VERIFY}, not {self.verify!r}")


def check_options(route: Route, options: ConnectOptions) -> None:
    """Reject options that a route can't have."""
    if not route.is_client:
        return
    sdk_options = {
        **{name: options.answers(name) for name in ("elicit", "sampling", "roots")},
        "client_info": options.sessions.client_info,
        "era": options.sessions.era,
        "a callback": options.events and options.events.callbacks.are_some,
    }
    for option, value in sdk_options.items():
        if value:
            raise TypeError(f"{option} can't be set for a client of the caller")


async def enter(
    session: Session, stack: AsyncExitStack, *, options: ConnectOptions
) -> Client | None:
    """Connect the SDK's client and do everything that precedes the first call."""
    if options.replays:
        return None
    sdk = await _enter(stack, session, options)
    session.use(sdk)
    if options.verify != "off":
        await compare_tools(session, options.verify, options.logged)
    if options.events is not None:
        from .subscriptions import begin

        await begin(session, stack, options.events)
    for hook in options.on_session:
        await hook(session, stack)
    return sdk


async def _enter(stack: AsyncExitStack, session: Session, options: ConnectOptions) -> Client:
    from mcp import Client

    route = session.route
    if route.is_client:
        sdk = await _use_given(stack, route.server)
    else:
        answering: dict[str, Any] = {}
        if options.requests is not None:
            logger = options.package.logger()
            answering = options.requests.sdk_callbacks(route.label, logger)
        if not options.answers("elicit") and _is_declined(options.package):
            answering["elicitation_callback"] = _decline
        sdk = Client(
            route.server,
            mode=_protocol_mode(route, options.sessions.era),
            client_info=options.sessions.client_info or _client_info(options.package),
            log_level=options.events.callbacks.min_level if options.events else None,
            message_handler=_listener(session, options),
            **answering,
            extensions=options.tasks.extensions if options.tasks else (),
        )
        await stack.enter_async_context(sdk)
        _skip_validation(sdk)
    return sdk


def _is_declined(package: Package) -> bool:
    """Return True if the client declares elicitation although it declines every request.

    Some servers list fewer tools to a client without the capability. If the contract says
    which servers do, the others don't need it.
    """
    contract = package.contract
    declared: dict[str, Any] = contract.get("clientCapabilities") or {}
    return "elicitation" in declared and "toolCapabilities" not in contract


async def _decline(context: object, params: object) -> ElicitResult:
    from mcp.types import ElicitResult

    del context, params
    return ElicitResult(action="decline")


def _listener(session: Session, options: ConnectOptions) -> MessageHandlerFnT:
    """Return the handler of the server's messages, or a function that ignores them."""
    events = options.events

    async def hear(message: IncomingMessage) -> None:
        nonlocal events
        if _is_news(message):
            session.news += 1
        if options.tasks is not None:
            await options.tasks.hear(message)
        if events is None:
            from mcp.types import ToolListChangedNotification

            is_news = isinstance(message, ToolListChangedNotification)
            if not is_news or options.verify == "off":
                return
            from .callbacks import Callbacks
            from .events import Events

            limit = options.sessions.connect_timeout
            events = Events(Callbacks(), options.verify, limit, options.logged)
        events.hear(session, message)

    return hear


def _is_news(message: IncomingMessage) -> bool:
    """Return True for a notification that a list or a resource has changed."""
    method = getattr(message, "method", "")
    return method.endswith(("/list_changed", "/updated"))


def _client_info(package: Package) -> Implementation:
    """Return the name of this package, with the version of its distribution, if any."""
    from mcp.types import Implementation

    try:
        version = importlib.metadata.version(package.name.partition(".")[0])
    except importlib.metadata.PackageNotFoundError:
        version = "0"
    return Implementation(name=package.name.rpartition(".")[2], version=version)


async def _use_given(stack: AsyncExitStack, sdk: Client) -> Client:
    try:
        session = vars(sdk.session)
    except RuntimeError:  # it is not yet connected
        await stack.enter_async_context(sdk)
        session = vars(sdk.session)
    _skip_validation(sdk)
    stack.callback(session.pop, "validate_tool_result")
    return sdk


def _skip_validation(sdk: Client) -> None:
    """Disable the SDK's validation of structured content, because ours is faster."""
    vars(sdk.session)["validate_tool_result"] = _accept


async def _accept(name: str, result: object) -> None:
    del name, result


def _protocol_mode(route: Route, era: Era | None) -> str:
    """Return the SDK's mode.

    By default this is the handshake of the recording, because some servers exit if a client
    offers a newer one.
    """
    if era is not None:
        return _FIRST_STATELESS if era == "modern" else era
    if route.is_sse:  # which no modern revision has
        return "legacy"
    revision: str = route.package.contract.get("revision") or _FIRST_STATELESS
    return "auto" if revision >= _FIRST_STATELESS else "legacy"
