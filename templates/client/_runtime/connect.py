"""Opens a connection: one time limit, plain exceptions, tools as in the contract."""

from __future__ import annotations

import inspect
from collections.abc import AsyncGenerator, Awaitable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, TypeAlias

from . import law
from .drift import Verify, compare
from .errors import (
    AuthorizationRequired,
    ClientError,
    ConnectionFailed,
    ConnectionLost,
)
from .target import Route, Target, route

if TYPE_CHECKING:
    from mcp import Client
    from mcp.client import ClientRequestContext
    from mcp.client.session import ElicitationFnT
    from mcp.types import ElicitRequestParams, ElicitResult, ErrorData


Answer: TypeAlias = "ElicitResult | ErrorData"


class Elicit(Protocol):
    """Answers a question that the server asks the user during a call."""

    def __call__(
        self, context: ClientRequestContext, params: ElicitRequestParams
    ) -> Answer | Awaitable[Answer]:
        """Ask the user, or decline; may be ``async``."""
        ...


_FIRST_STATELESS = "2026-07-28"


@dataclass(frozen=True)
class Manner:
    """How to connect: see :meth:`McpClient.connect`."""

    verify: Verify
    connect_timeout: float
    headers: Mapping[str, str] | None
    elicit: Elicit | None


@asynccontextmanager
async def opened(
    target: Target | None, manner: Manner
) -> AsyncGenerator[tuple[Client, Route]]:
    """Connect to a server, compare its tools with the contract, disconnect at the end.

    The SDK wraps whatever is raised inside, be it the caller's own, in exception
    groups; here it comes out as it was raised.
    """
    import anyio

    way = route(target, manner.headers)
    if manner.elicit and way.is_client:
        raise TypeError("elicit cannot be set on a client that is given")
    is_ready = False
    inside: BaseException | None = None
    failure: BaseException | None = None
    try:
        # Lifted once connected: a scope cannot be left while the client is open.
        with anyio.CancelScope(
            deadline=anyio.current_time() + manner.connect_timeout
        ) as scope:
            async with AsyncExitStack() as stack:
                sdk = await _entered(stack, way, manner)
                if manner.verify != "off":
                    await compare(sdk, way, manner.verify)
                scope.deadline = float("inf")
                is_ready = True
                try:
                    yield sdk, way
                except BaseException as error:
                    inside = error
                    raise
    except BaseException as error:
        failure = error
    if failure is None and not is_ready:
        raise ConnectionFailed(way.label, _silence(way, manner), way.printed())
    if failure is not None:
        raise _plain(failure, inside, way, is_ready=is_ready)


def _silence(way: Route, manner: Manner) -> str:
    said = f"no answer within {manner.connect_timeout:g} s"
    is_junk = way.tap is not None and way.tap.junk
    return f"{said}; it printed what is no message of the protocol" if is_junk else said


async def _entered(stack: AsyncExitStack, way: Route, manner: Manner) -> Client:
    from mcp import Client

    if way.is_client:
        return await _given(stack, way.server)
    server = way.server
    if way.is_stream:
        from .tap import Tap

        way.tap = Tap()
        server = way.tap.on(server)
    answer = _answering(manner.elicit) if manner.elicit else _decline
    sdk = Client(server, mode=_era(), elicitation_callback=answer)
    await stack.enter_async_context(sdk)
    _trust(sdk)
    return sdk


async def _given(stack: AsyncExitStack, sdk: Client) -> Client:
    try:
        session = vars(sdk.session)
    except RuntimeError:  # it is not yet connected
        await stack.enter_async_context(sdk)
        session = vars(sdk.session)
    _trust(sdk)
    stack.callback(session.pop, "validate_tool_result")
    return sdk


def _trust(sdk: Client) -> None:
    """Switch off the SDK's check of structured content: ours does it, and is faster."""
    vars(sdk.session)["validate_tool_result"] = _accept


async def _accept(name: str, result: object) -> None:
    del name, result


def _answering(elicit: Elicit) -> ElicitationFnT:
    async def answer(
        context: ClientRequestContext, params: ElicitRequestParams
    ) -> Answer:
        said = elicit(context, params)
        return await said if inspect.isawaitable(said) else said

    return answer


async def _decline(context: object, params: object) -> ElicitResult:
    """Answer as in the recording: some servers list more to those who can be asked."""
    from mcp.types import ElicitResult

    del context, params
    return ElicitResult(action="decline")


def _era() -> str:
    """Return the handshake of the recording; some servers exit at a newer one."""
    revision: str = law.contract().get("revision") or _FIRST_STATELESS
    return "auto" if revision >= _FIRST_STATELESS else "legacy"


def _plain(
    failure: BaseException,
    inside: BaseException | None,
    way: Route,
    *,
    is_ready: bool,
) -> BaseException:
    """Return what the caller is to see: their own exception, or why it failed."""
    import anyio

    error = _leaf(failure)
    if inside is not None and not isinstance(
        _leaf(inside), anyio.get_cancelled_exc_class()
    ):
        error = inside
    if isinstance(error, ConnectionFailed | ConnectionLost):
        error.stderr = error.stderr or way.printed()
    if (
        isinstance(error, ClientError)
        or not isinstance(error, Exception)
        or error is inside
    ):
        return error
    if is_ready:
        return ConnectionLost(_reason(error), way.printed())
    if way.refusal:
        said = f"it answered {way.refusal}"
        return AuthorizationRequired(way.label, said, way.printed())
    return ConnectionFailed(way.label, _reason(error), way.printed())


def _leaf(error: BaseException) -> BaseException:
    while inner := getattr(error, "exceptions", None):
        error = next((e for e in inner if isinstance(_leaf(e), Exception)), inner[0])
    return error


def _reason(error: Exception) -> str:
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    said = str(error)
    return (
        "the server closed the connection"
        if said == "Connection closed"
        else said or repr(error)
    )
