"""Connects the SDK's client to a server, and compares the server's tools."""

from __future__ import annotations

import importlib.metadata
import inspect
from collections.abc import Awaitable, Callable, Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, TypeAlias

from . import PACKAGE
from .contract import read_contract
from .drift import Verify, compare_tools
from .response import unrecorded
from .routes import Route
from .session import Session

if TYPE_CHECKING:
    from mcp import Client
    from mcp.client import ClientRequestContext
    from mcp.client.session import ElicitationFnT
    from mcp.types import (
        ElicitRequestParams,
        ElicitResult,
        ErrorData,
        Implementation,
    )


Answer: TypeAlias = "ElicitResult | ErrorData"


class Elicit(Protocol):
    """Answers a question that the server asks the user during a call."""

    def __call__(
        self, context: ClientRequestContext, params: ElicitRequestParams
    ) -> Answer | Awaitable[Answer]:
        """Ask the user, or decline; may be ``async``."""
        ...


OnSession: TypeAlias = Callable[["Session", AsyncExitStack], Awaitable[None]]

_FIRST_STATELESS = "2026-07-28"
_VERIFY = ("warn", "error", "off")


@dataclass(frozen=True)
class ConnectOptions:
    """How to connect: see :meth:`McpClient.connect`."""

    verify: Verify
    connect_timeout: float
    headers: Mapping[str, str] | None
    elicit: Elicit | None
    client_info: Implementation | None
    reconnect: bool = True
    on_session: tuple[OnSession, ...] = ()
    """Run for each new session once it is connected, in the task that holds it.

    What they enter into the stack is left before the SDK's client is. What they raise
    fails the connecting. They must not refer to the client that is made of it, or one
    that is dropped without being closed would never be noticed.
    """

    def __post_init__(self) -> None:
        if self.verify not in _VERIFY:
            raise ValueError(f"verify is one of {_VERIFY}, not {self.verify!r}")


def check_options(route: Route, options: ConnectOptions) -> None:
    """Refuse options that a route cannot have."""
    if route.is_client and (options.elicit or options.client_info):
        option = "elicit" if options.elicit else "client_info"
        raise TypeError(f"{option} cannot be set on a client that is given")


async def enter(
    session: Session, stack: AsyncExitStack, *, options: ConnectOptions
) -> Client:
    """Connect the SDK's client, and do what is to be done before any call."""
    route = session.route
    sdk = await _enter(stack, route, options)
    session.use(sdk)
    for hook in options.on_session:
        await hook(session, stack)
    return sdk


async def _enter(
    stack: AsyncExitStack, route: Route, options: ConnectOptions
) -> Client:
    from mcp import Client

    if route.is_client:
        sdk = await _use_given(stack, route.server)
    else:
        answer = _elicitation(options.elicit) if options.elicit else _decline
        sdk = Client(
            route.server,
            mode=_protocol_mode(route),
            client_info=options.client_info or _client_info(),
            elicitation_callback=answer,
        )
        await stack.enter_async_context(sdk)
        _skip_validation(sdk)
    if options.verify != "off":
        await compare_tools(sdk, route, options.verify)
    return sdk


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


def _elicitation(elicit: Elicit) -> ElicitationFnT:
    async def answer(
        context: ClientRequestContext, params: ElicitRequestParams
    ) -> Answer:
        with unrecorded():
            answered = elicit(context, params)
            return await answered if inspect.isawaitable(answered) else answered

    return answer


async def _decline(context: object, params: object) -> ElicitResult:
    """Answer as in the recording: some servers list more to those who can be asked."""
    from mcp.types import ElicitResult

    del context, params
    return ElicitResult(action="decline")


def _protocol_mode(route: Route) -> str:
    """Return the handshake of the recording; some servers exit at a newer one."""
    if route.is_sse:  # which no revision with the newer one has
        return "legacy"
    revision: str = read_contract().get("revision") or _FIRST_STATELESS
    return "auto" if revision >= _FIRST_STATELESS else "legacy"
