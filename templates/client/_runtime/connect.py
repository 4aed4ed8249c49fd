"""Connects to a server within one time limit, and compares its tools."""

from __future__ import annotations

import importlib.metadata
import inspect
from collections.abc import AsyncGenerator, Awaitable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Protocol, TypeAlias

from . import PACKAGE
from .contract import read_contract
from .drift import Verify, compare_tools
from .errors import ClientError, ConnectionFailed
from .response import unrecorded
from .routes import Route, Target, find_route
from .session import Session, innermost, reason
from .wire.faults import Broken, Refused, Unreadable

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


@asynccontextmanager
async def open_session(
    target: Target | None, options: ConnectOptions
) -> AsyncGenerator[Session]:
    """Connect to a server, compare its tools with the contract, disconnect at the end.

    What is raised inside comes out as it was raised; what becomes of the connection
    meanwhile is for the calls to say.
    """
    import anyio

    if options.verify not in _VERIFY:
        raise ValueError(f"verify is one of {_VERIFY}, not {options.verify!r}")
    route = find_route(target, options.headers)
    if route.is_client and (options.elicit or options.client_info):
        option = "elicit" if options.elicit else "client_info"
        raise TypeError(f"{option} cannot be set on a client that is given")
    session = Session.new(route)
    enter = partial(_enter, route=route, options=options)
    raised_inside: BaseException | None = None
    failure: BaseException | None = None
    try:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(session.run, enter, options.connect_timeout)
            try:
                await session.settled.wait()
                if session.is_ready:
                    yield session
            except BaseException as error:
                raised_inside = error
            finally:
                session.close()
    except BaseException as error:
        failure = innermost(error)
    failure = (
        raised_inside
        or failure
        or (None if session.is_ready else _connect_error(session, options))
    )
    try:
        if failure is not None:
            raise failure
    finally:
        del raised_inside, failure  # which refer to this frame in turn


def _connect_error(session: Session, options: ConnectOptions) -> ClientError:
    """Say why there is no connection."""
    from mcp import MCPError

    from .http_errors import connect_error

    route = session.route
    if session.failure is None:
        message = _no_answer(route, options)
        return ConnectionFailed(route.label, message, route.printed())
    error = innermost(session.failure)
    if isinstance(error, ConnectionFailed):
        error.stderr = error.stderr or route.printed()
    if isinstance(error, ClientError):
        return error
    fault = error.data if isinstance(error, MCPError) else None
    if not isinstance(fault, Refused):
        fault = _raised_status(error) or route.refusal or fault
    if isinstance(fault, Broken | Refused | Unreadable):
        return connect_error(fault, route)
    return ConnectionFailed(route.label, reason(error), route.printed())


def _raised_status(error: BaseException) -> Refused | None:
    """Return the status that the older transport raises on connecting."""
    import httpx2

    if not isinstance(error, httpx2.HTTPStatusError):
        return None
    response = error.response
    headers, phrase = dict(response.headers), response.reason_phrase
    return Refused(response.status_code, headers, reason=phrase)


def _no_answer(route: Route, options: ConnectOptions) -> str:
    message = f"no answer within {options.connect_timeout:g} s"
    is_junk = route.observer is not None and route.observer.junk
    return (
        f"{message}; it printed what is no message of the protocol"
        if is_junk
        else message
    )


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
