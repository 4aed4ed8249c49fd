"""Connects several clients at once."""

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


class Connectable(Protocol[T_co]):
    """The result of ``connect`` of an async client."""

    def attempt(
        self, failed: Callable[[Exception], object], /
    ) -> AbstractAsyncContextManager[T_co]:
        """Return a context manager that yields a client even if the server is unreachable."""
        ...


class ClientClass(Protocol[T_co]):
    """A client class, which connects to the recorded server."""

    def connect(self) -> Connectable[T_co]:
        """Return a context manager that connects."""
        ...


class SyncAttempt(Protocol[T_co]):
    """The result of ``connect`` of a synchronous client."""

    def attempt(self, failed: Callable[[Exception], object], /) -> AbstractContextManager[T_co]:
        """Return a context manager that yields a client even if the server is unreachable."""
        ...


Server: TypeAlias = "ClientClass[A] | Connectable[A]"


class Clients(tuple[Unpack[All]]):
    """Clients in the order of the arguments.

    ``failures`` contains the errors of clients that couldn't connect, by index.
    """

    failures: Mapping[int, Exception]


class NamedClients:
    """Clients as attributes.

    ``failures`` contains the errors of clients that couldn't connect, by name.
    """

    failures: Mapping[str, Exception]

    def __init__(self, clients: Mapping[str, Any], failures: Mapping[str, Exception]) -> None:
        vars(self).update(clients, failures=failures)

    def __repr__(self) -> str:
        clients_text = (f"{name}={client!r}" for name, client in vars(self).items())
        return f"{type(self).__name__}({', '.join(clients_text)})"

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            """Return the client with this name."""
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
    """Connect several clients at once, and disconnect all of them at the end.

    If a client can't connect, its error is in ``failures`` and the others stay usable. Its
    calls try to connect again, or raise the error.

    Args:
        *servers: Client classes, or results of their ``connect``. The context manager
            returns a tuple of clients.
        **named: The same by name. The context manager returns an object with the clients as
            attributes.

    Raises:
        TypeError: Both kinds of arguments were given, or a name is ``failures``.
    """
    clients = _clients_by_key(servers, named)
    return _together(_ParallelConnect(clients), is_named=bool(named))


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
    """Connect several synchronous clients at once: see :func:`connect_all`.

    Args:
        *servers: Results of ``connect`` of synchronous clients.
        **named: The same by name.
    """
    clients = _clients_by_key(servers, named)
    return _sync_together(_ParallelConnect(clients), is_named=bool(named))


def _clients_by_key(
    servers: Sequence[Any], named: Mapping[str, Any]
) -> dict[int, Any] | dict[str, Any]:
    if servers and named:
        raise TypeError("give all servers by name, or none")
    if "failures" in named:
        raise TypeError("no server can be named 'failures'")
    servers_by_key: dict[Any, Any] = dict(named) or dict(enumerate(servers))
    return {
        name: server.connect() if hasattr(server, "connect") else server
        for name, server in servers_by_key.items()
    }


@dataclass
class _ParallelConnect:
    """Clients that are being connected, by name or index."""

    pending: Mapping[Any, Any]
    clients: dict[Any, Any] = field(default_factory=dict[Any, Any])
    failures: dict[Any, Exception] = field(default_factory=dict[Any, Exception])
    mistakes: list[BaseException] = field(default_factory=list[BaseException])
    """Errors of the caller, such as an invalid option."""

    def attempt(self, name: Any) -> Any:
        def note_failure(error: Exception) -> None:
            self.failures[name] = error

        return self.pending[name].attempt(note_failure)

    def collect(self, *, is_named: bool) -> Clients[Any] | NamedClients:
        clients = {name: self.clients[name] for name in self.pending}
        if is_named:
            return NamedClients(clients, self.failures)
        in_order: Clients[Any] = Clients(clients.values())
        in_order.failures = self.failures
        return in_order


@asynccontextmanager
async def _together(opening: _ParallelConnect, *, is_named: bool) -> AsyncGenerator[Any]:
    """Open and close each client in a task of its own."""
    import anyio

    stop = anyio.Event()
    raised: BaseException | None = None
    try:
        async with anyio.create_task_group() as tasks:
            settled = [anyio.Event() for _ in opening.pending]
            for name, event in zip(opening.pending, settled, strict=True):
                tasks.start_soon(_hold, opening, name, event, stop)
            try:
                for event in settled:
                    await event.wait()
                    if opening.mistakes:
                        tasks.cancel_scope.cancel()
                if not opening.mistakes:
                    yield opening.collect(is_named=is_named)
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


async def _hold(
    opening: _ParallelConnect, name: Any, settled: anyio.Event, stop: anyio.Event
) -> None:
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
def _sync_together(opening: _ParallelConnect, *, is_named: bool) -> Generator[Any]:
    """Open and close each client in a thread of its own."""
    attempts = {name: opening.attempt(name) for name in opening.pending}

    def enter(name: Any) -> None:
        opening.clients[name] = attempts[name].__enter__()

    def leave(name: Any) -> None:
        attempts[name].__exit__(None, None, None)

    try:
        _in_threads(enter, attempts)
        yield opening.collect(is_named=is_named)
    finally:
        _in_threads(leave, opening.clients)


def _in_threads(act: Callable[[Any], None], names: Mapping[Any, Any]) -> None:
    """Call a function for all names in parallel, then raise the first error."""
    with ThreadPoolExecutor(len(names) or 1) as threads:
        futures: list[Future[None]] = [
            threads.submit(copy_context().run, act, name) for name in names
        ]
        wait(futures)
    for future in futures:
        future.result()
