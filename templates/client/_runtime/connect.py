"""Connects the SDK's client to a server, and compares the server's tools."""

from __future__ import annotations

import importlib.metadata
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args

from . import PACKAGE
from .auth import HttpOptions
from .contract import has_tasks, read_contract
from .drift import Verify, compare_tools
from .routes import Route
from .session import Session

if TYPE_CHECKING:
    from mcp import Client
    from mcp.client import ClientExtension, IncomingMessage
    from mcp.client.session import MessageHandlerFnT
    from mcp.types import ElicitResult, Implementation

    from .errors import Change
    from .events import Events
    from .questions import Elicit
    from .roots import Roots
    from .sampler import Sampler
    from .tool import OnProgress


OnSession: TypeAlias = Callable[["Session", AsyncExitStack], Awaitable[None]]

_FIRST_STATELESS = "2026-07-28"
_VERIFY = get_args(Verify)
Era: TypeAlias = Literal["auto", "legacy", "modern"]
_ERAS = get_args(Era)


@dataclass(frozen=True)
class ConnectOptions:
    """How to connect: see :meth:`McpClient.connect`."""

    verify: Verify
    connect_timeout: float
    http: HttpOptions
    elicit: Elicit | None
    client_info: Implementation | None
    reconnect: bool = True
    era: Era | None = None
    """The handshake, or None for that of the recording."""
    on_session: tuple[OnSession, ...] = ()
    """Run for each new session once it is connected, in the task that holds it.

    What they enter into the stack is left before the SDK's client is. What they raise
    fails the connecting. They must not refer to the client that is made of it, or one
    that is dropped without being closed would never be noticed.
    """

    events: Events | None = None
    """Who is told what the server says by itself."""
    logged: set[Change] = field(default_factory=set["Change"])
    """The changes of the tools that the log has."""
    heard: dict[str | int, OnProgress] = field(
        default_factory=dict["str | int", "OnProgress"]
    )
    """Who is told of the progress of tasks, which goes on after an answer."""
    sampling: Sampler | None = None
    roots: Roots | None = None
    replays: str = ""
    """What answers in the place of a server, if anything does."""

    @property
    def answers(self) -> bool:
        """Whether the server may ask anything."""
        asked = (self.elicit, self.sampling, self.roots)
        return any(callback is not None for callback in asked)

    def __post_init__(self) -> None:
        if self.verify not in _VERIFY:
            raise ValueError(f"verify is one of {_VERIFY}, not {self.verify!r}")
        if self.era not in (None, *_ERAS):
            raise ValueError(f"era is one of {_ERAS}, not {self.era!r}")


def check_options(route: Route, options: ConnectOptions) -> None:
    """Refuse options that a route cannot have."""
    if not route.is_client:
        return
    given = {
        "elicit": options.elicit,
        "sampling": options.sampling,
        "roots": options.roots is not None,
        "client_info": options.client_info,
        "era": options.era,
        "a callback": options.events and options.events.callbacks.are_some,
    }
    for option, value in given.items():
        if value:
            raise TypeError(f"{option} cannot be set on a client that is given")


async def enter(
    session: Session, stack: AsyncExitStack, *, options: ConnectOptions
) -> Client | None:
    """Connect the SDK's client, and do what is to be done before any call."""
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


async def _enter(
    stack: AsyncExitStack, session: Session, options: ConnectOptions
) -> Client:
    from mcp import Client

    route = session.route
    if route.is_client:
        sdk = await _use_given(stack, route.server)
    else:
        answering: dict[str, Any] = {}
        if options.answers:
            from .answers import answering_of

            answering = answering_of(session, options)
        if options.elicit is None and _is_declined():
            answering["elicitation_callback"] = _decline
        sdk = Client(
            route.server,
            mode=_protocol_mode(route, options.era),
            client_info=options.client_info or _client_info(),
            log_level=options.events.callbacks.least if options.events else None,
            message_handler=_listener(session, options),
            **answering,
            extensions=_extensions(),
        )
        await stack.enter_async_context(sdk)
        _skip_validation(sdk)
    return sdk


def _is_declined() -> bool:
    """Whether to say that the user can be asked, as was said when it was recorded.

    Some servers list fewer tools to a client that says less. Where it is known which
    those are, nothing need be said.
    """
    contract = read_contract()
    declared: dict[str, Any] = contract.get("clientCapabilities") or {}
    return "elicitation" in declared and "toolCapabilities" not in contract


async def _decline(context: object, params: object) -> ElicitResult:
    from mcp.types import ElicitResult

    del context, params
    return ElicitResult(action="decline")


def _extensions() -> Sequence[ClientExtension]:
    """Declare tasks where the server that was recorded makes some."""
    if not has_tasks():
        return ()
    from .task_requests import Tasks

    return (Tasks(),)


def _listener(session: Session, options: ConnectOptions) -> MessageHandlerFnT:
    """Return what hears the messages of a server; most have nothing to say."""
    events = options.events

    async def hear(message: IncomingMessage) -> None:
        nonlocal events
        if _is_news(message):
            session.news += 1
        if options.heard:
            from .task_progress import tell

            await tell(options.heard, message)
        if events is None:
            from mcp.types import ToolListChangedNotification

            is_news = isinstance(message, ToolListChangedNotification)
            if not is_news or options.verify == "off":
                return
            from .callbacks import Callbacks
            from .events import Events

            limit = options.connect_timeout
            events = Events(Callbacks(), options.verify, limit, options.logged)
        events.hear(session, message)

    return hear


def _is_news(message: IncomingMessage) -> bool:
    """Tell what says that something has changed: lists, or a resource."""
    method = getattr(message, "method", "")
    return method.endswith(("/list_changed", "/updated"))


def _client_info() -> Implementation:
    """Name this package, with the version of the distribution that it is in, if any."""
    from mcp.types import Implementation

    try:
        version = importlib.metadata.version(PACKAGE.partition(".")[0])
    except importlib.metadata.PackageNotFoundError:
        version = "0"
    return Implementation(name=PACKAGE.rpartition(".")[2], version=version)


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
    """Switch off the SDK's check of structured content: ours does it, and is faster."""
    vars(sdk.session)["validate_tool_result"] = _accept


async def _accept(name: str, result: object) -> None:
    del name, result


def _protocol_mode(route: Route, era: Era | None) -> str:
    """Return the SDK's mode: by default the handshake of the recording, as some servers
    exit at a newer one.
    """
    if era is not None:
        return _FIRST_STATELESS if era == "modern" else era
    if route.is_sse:  # which no revision with the newer one has
        return "legacy"
    revision: str = read_contract().get("revision") or _FIRST_STATELESS
    return "auto" if revision >= _FIRST_STATELESS else "legacy"
