"""Opens a connection: one time limit, plain exceptions, tools as in the contract."""

from __future__ import annotations

import importlib.metadata
import inspect
from collections.abc import AsyncGenerator, Awaitable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Protocol, TypeAlias

from . import PACKAGE, law, status
from .drift import Verify, compare
from .errors import ClientError, ConnectionFailed
from .faults import Broken, Refused, Unreadable
from .link import Link, leaf, reason
from .target import Route, Target, route

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
class Manner:
    """How to connect: see :meth:`McpClient.connect`."""

    verify: Verify
    connect_timeout: float
    headers: Mapping[str, str] | None
    elicit: Elicit | None
    client_info: Implementation | None


@asynccontextmanager
async def opened(target: Target | None, manner: Manner) -> AsyncGenerator[Link]:
    """Connect to a server, compare its tools with the contract, disconnect at the end.

    What is raised inside comes out as it was raised; what becomes of the connection
    meanwhile is for the calls to say.
    """
    import anyio

    if manner.verify not in _VERIFY:
        raise ValueError(f"verify is one of {_VERIFY}, not {manner.verify!r}")
    way = route(target, manner.headers)
    if way.is_client and (manner.elicit or manner.client_info):
        given = "elicit" if manner.elicit else "client_info"
        raise TypeError(f"{given} cannot be set on a client that is given")
    link = Link.new(way)
    enter = partial(_entered, way=way, manner=manner)
    inside: BaseException | None = None
    failure: BaseException | None = None
    try:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(link.hold, enter, manner.connect_timeout)
            try:
                await link.settled.wait()
                if link.is_ready:
                    yield link
            except BaseException as error:
                inside = error
            finally:
                link.close()
    except BaseException as error:
        failure = leaf(error)
    failure = inside or failure or (None if link.is_ready else _refusal(link, manner))
    try:
        if failure is not None:
            raise failure
    finally:
        del inside, failure  # which refer to this frame in turn


def _refusal(link: Link, manner: Manner) -> ClientError:
    """Say why there is no connection."""
    from mcp import MCPError

    way = link.way
    if link.failure is None:
        said = _silence(way, manner)
        return ConnectionFailed(way.label, said, way.printed())
    error = leaf(link.failure)
    if isinstance(error, ConnectionFailed):
        error.stderr = error.stderr or way.printed()
    if isinstance(error, ClientError):
        return error
    fault = error.data if isinstance(error, MCPError) else None
    if not isinstance(fault, Refused):
        fault = _status(error) or way.refusal or fault
    if isinstance(fault, Broken | Refused | Unreadable):
        return status.of_connecting(fault, way)
    return ConnectionFailed(way.label, reason(error), way.printed())


def _status(error: BaseException) -> Refused | None:
    """Return the status that the older transport raises on connecting."""
    import httpx2

    if not isinstance(error, httpx2.HTTPStatusError):
        return None
    response = error.response
    return Refused(response.status_code, dict(response.headers))


def _silence(way: Route, manner: Manner) -> str:
    said = f"no answer within {manner.connect_timeout:g} s"
    is_junk = way.tap is not None and way.tap.junk
    return f"{said}; it printed what is no message of the protocol" if is_junk else said


async def _entered(stack: AsyncExitStack, way: Route, manner: Manner) -> Client:
    from mcp import Client

    if way.is_client:
        sdk = await _given(stack, way.server)
    else:
        answer = _answering(manner.elicit) if manner.elicit else _decline
        sdk = Client(
            way.server,
            mode=_era(way),
            client_info=manner.client_info or _client_info(),
            elicitation_callback=answer,
        )
        await stack.enter_async_context(sdk)
        _trust(sdk)
    if manner.verify != "off":
        await compare(sdk, way, manner.verify)
    return sdk


def _client_info() -> Implementation:
    """Name this package, with the version of the distribution that it is in, if any."""
    from mcp.types import Implementation

    try:
        version = importlib.metadata.version(PACKAGE.partition(".")[0])
    except importlib.metadata.PackageNotFoundError:
        version = "0"
    return Implementation(name=PACKAGE.rpartition(".")[2], version=version)


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


def _era(way: Route) -> str:
    """Return the handshake of the recording; some servers exit at a newer one."""
    if way.is_sse:  # which no revision with the newer one has
        return "legacy"
    revision: str = law.contract().get("revision") or _FIRST_STATELESS
    return "auto" if revision >= _FIRST_STATELESS else "legacy"
