"""Connects many servers at once, each by the client of its own package.

Such packages have nothing in common but how their clients look, so that is what counts.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Generator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import (
    AbstractAsyncContextManager,
    AbstractContextManager,
    asynccontextmanager,
    contextmanager,
)
from contextvars import copy_context
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, TypeVar, overload

from typing_extensions import TypeVarTuple, Unpack

from ..connection.session import innermost

if TYPE_CHECKING:
    import anyio

T_co = TypeVar("T_co", covariant=True)
A = TypeVar("A")
B = TypeVar("B")
C = TypeVar("C")
D = TypeVar("D")
E = TypeVar("E")
F = TypeVar("F")
All = TypeVarTuple("All")


class Attempt(Protocol[T_co]):
    """What ``connect`` of a client returns."""

    def attempt(
        self, failed: Callable[[Exception], object], /
    ) -> AbstractAsyncContextManager[T_co]:
        """Make a client, be it that it cannot be connected now."""
        ...


class ClientClass(Protocol[T_co]):
    """The class of a client, which connects to the server that was recorded."""

    def connect(self) -> Attempt[T_co]:
        """Say how to connect."""
        ...


class SyncAttempt(Protocol[T_co]):
    """What ``connect`` of a client without ``async`` returns."""

    def attempt(self, failed: Callable[[Exception], object], /) -> AbstractContextManager[T_co]:
        """Make a client, be it that it cannot be connected now."""
        ...


Server: TypeAlias = "ClientClass[A] | Attempt[A]"


class Clients(tuple[Unpack[All]]):
    """Clients in the order of their servers.

    ``failures`` are the errors of those that could not be connected, by their place.
    """

    failures: Mapping[int, Exception]


class NamedClients:
    """Clients as attributes.

    ``failures`` are the errors of those that could not be connected, by their name.
    """

    failures: Mapping[str, Exception]

    def __init__(self, clients: Mapping[str, Any], failures: Mapping[str, Exception]) -> None:
        vars(self).update(clients, failures=failures)

    def __repr__(self) -> str:
        shown = (f"{name}={client!r}" for name, client in vars(self).items())
        return f"{type(self).__name__}({', '.join(shown)})"

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            """Return the client of that name."""
            ...


Together: TypeAlias = "AbstractAsyncContextManager[Clients[Unpack[All]]]"
SyncTogether: TypeAlias = "AbstractContextManager[Clients[Unpack[All]]]"


@overload
def connect_all(a: Server[A], b: Server[B], /) -> Together[A, B]: ...
@overload
def connect_all(a: Server[A], b: Server[B], c: Server[C], /) -> Together[A, B, C]: ...
@overload
def connect_all(
    a: Server[A], b: Server[B], c: Server[C], d: Server[D], /
) -> Together[A, B, C, D]: ...
@overload
def connect_all(
    a: Server[A], b: Server[B], c: Server[C], d: Server[D], e: Server[E], /
) -> Together[A, B, C, D, E]: ...
@overload
def connect_all(
    a: Server[A],
    b: Server[B],
    c: Server[C],
    d: Server[D],
    e: Server[E],
    f: Server[F],
    /,
) -> Together[A, B, C, D, E, F]: ...
@overload
def connect_all(*servers: Server[A]) -> Together[Unpack[tuple[A, ...]]]: ...
@overload
def connect_all(
    **servers: Server[Any],
) -> AbstractAsyncContextManager[NamedClients]: ...
def connect_all(*servers: Server[Any], **named: Server[Any]) -> AbstractAsyncContextManager[Any]:
    """Connect to many servers at once, and disconnect from all at the end.

    One that cannot be connected does not keep the others from it: its error is in
    ``failures``, and its calls raise it, or connect where that can be done by then.

    Args:
        *servers: Classes of clients, or what their ``connect`` returns, of any
            packages; entered, they are a tuple of clients.
        **named: The same by names; entered, the clients are attributes.
    """
    wanted = _wanted(servers, named)
    return _together(_Opening(wanted), is_named=bool(named))


@overload
def connect_all_sync(a: SyncAttempt[A], b: SyncAttempt[B], /) -> SyncTogether[A, B]: ...
@overload
def connect_all_sync(
    a: SyncAttempt[A], b: SyncAttempt[B], c: SyncAttempt[C], /
) -> SyncTogether[A, B, C]: ...
@overload
def connect_all_sync(
    a: SyncAttempt[A], b: SyncAttempt[B], c: SyncAttempt[C], d: SyncAttempt[D], /
) -> SyncTogether[A, B, C, D]: ...
@overload
def connect_all_sync(
    a: SyncAttempt[A],
    b: SyncAttempt[B],
    c: SyncAttempt[C],
    d: SyncAttempt[D],
    e: SyncAttempt[E],
    /,
) -> SyncTogether[A, B, C, D, E]: ...
@overload
def connect_all_sync(
    a: SyncAttempt[A],
    b: SyncAttempt[B],
    c: SyncAttempt[C],
    d: SyncAttempt[D],
    e: SyncAttempt[E],
    f: SyncAttempt[F],
    /,
) -> SyncTogether[A, B, C, D, E, F]: ...
@overload
def connect_all_sync(
    *servers: SyncAttempt[A],
) -> SyncTogether[Unpack[tuple[A, ...]]]: ...
@overload
def connect_all_sync(
    **servers: SyncAttempt[Any],
) -> AbstractContextManager[NamedClients]: ...
def connect_all_sync(
    *servers: SyncAttempt[Any], **named: SyncAttempt[Any]
) -> AbstractContextManager[Any]:
    """Do what :func:`connect_all` does, for the clients without ``async``.

    Args:
        *servers: What ``connect`` of such clients returns.
        **named: The same by names.
    """
    wanted = _wanted(servers, named)
    return _sync_together(_Opening(wanted), is_named=bool(named))


def _wanted(servers: Sequence[Any], named: Mapping[str, Any]) -> dict[int, Any] | dict[str, Any]:
    if servers and named:
        raise TypeError("servers are given by their names or without, not in both ways")
    if "failures" in named:
        raise TypeError("no server can be called 'failures', which is an attribute")
    found: dict[Any, Any] = dict(named) or dict(enumerate(servers))
    return {
        name: server.connect() if hasattr(server, "connect") else server
        for name, server in found.items()
    }


@dataclass
class _Opening:
    """Servers by name or place, and what becomes of each."""

    wanted: Mapping[Any, Any]
    clients: dict[Any, Any] = field(default_factory=dict[Any, Any])
    failures: dict[Any, Exception] = field(default_factory=dict[Any, Exception])
    mistakes: list[BaseException] = field(default_factory=list[BaseException])
    """What is no failure of a server, such as an option that there is not."""

    def attempt(self, name: Any) -> Any:
        def failed(error: Exception) -> None:
            self.failures[name] = error

        return self.wanted[name].attempt(failed)

    def found(self, *, is_named: bool) -> Clients[Any] | NamedClients:
        clients = {name: self.clients[name] for name in self.wanted}
        if is_named:
            return NamedClients(clients, self.failures)
        in_order: Clients[Any] = Clients(clients.values())
        in_order.failures = self.failures
        return in_order


@asynccontextmanager
async def _together(opening: _Opening, *, is_named: bool) -> AsyncGenerator[Any]:
    """Hold each client in a task of its own, which opens it and closes it."""
    import anyio

    stop = anyio.Event()
    raised: BaseException | None = None
    try:
        async with anyio.create_task_group() as tasks:
            settled = [anyio.Event() for _ in opening.wanted]
            for name, event in zip(opening.wanted, settled, strict=True):
                tasks.start_soon(_hold, opening, name, event, stop)
            try:
                for event in settled:
                    await event.wait()
                    if opening.mistakes:
                        tasks.cancel_scope.cancel()
                if not opening.mistakes:
                    yield opening.found(is_named=is_named)
            except BaseException as error:
                raised = error
            finally:
                stop.set()
    except BaseException as error:
        raised = raised or innermost(error)
    raised = opening.mistakes[0] if opening.mistakes else raised
    try:
        if raised is not None:
            raise raised
    finally:
        del raised  # which refers to this frame in turn


async def _hold(opening: _Opening, name: Any, settled: anyio.Event, stop: anyio.Event) -> None:
    try:
        async with opening.attempt(name) as client:
            opening.clients[name] = client
            settled.set()
            await stop.wait()
    except Exception as error:
        opening.mistakes.append(error)
    finally:
        settled.set()


@contextmanager
def _sync_together(opening: _Opening, *, is_named: bool) -> Generator[Any]:
    """Open the clients in a thread each, and close them likewise."""
    attempts = {name: opening.attempt(name) for name in opening.wanted}

    def enter(name: Any) -> None:
        opening.clients[name] = attempts[name].__enter__()

    def leave(name: Any) -> None:
        attempts[name].__exit__(None, None, None)

    try:
        _in_threads(enter, attempts)
        yield opening.found(is_named=is_named)
    finally:
        _in_threads(leave, opening.clients)


def _in_threads(act: Callable[[Any], None], names: Mapping[Any, Any]) -> None:
    """Do it for all at once, and raise what went wrong once all is done."""
    with ThreadPoolExecutor(len(names) or 1) as threads:
        done: list[Future[None]] = [threads.submit(copy_context().run, act, name) for name in names]
        wait(done)
    for each in done:
        each.result()
