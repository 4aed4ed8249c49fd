"""The two ways to stay connected: within ``async with``, and until it is closed."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from types import TracebackType
from typing import TYPE_CHECKING, Generic, TypeAlias, TypeVar

from ..errors import ClientError
from .connect import ConnectOptions
from .routing.routes import Target
from .session import Act, innermost
from .session_manager import SessionManager

T = TypeVar("T")

Failed: TypeAlias = Callable[[Exception], object]
"""Receives the reason if a client couldn't connect."""

if TYPE_CHECKING:
    _Running = set[asyncio.Task[None]]

_running: _Running = set()
"""Strong references to tasks, because asyncio has only weak ones."""


class PendingClient(AbstractAsyncContextManager[T], Generic[T]):
    """A client that connects when it is entered or opened."""

    def __init__(
        self,
        target: Target | None,
        options: ConnectOptions,
        make: Callable[[SessionManager], T],
    ) -> None:
        self._target = target
        self._options = options
        self._make = make
        self._entered: AbstractAsyncContextManager[T] | None = None

    if not TYPE_CHECKING:  # type checkers know that there is no such attribute

        def __getattr__(self, name):
            raise AttributeError(
                f"{name!r} is of the client: `async with ...connect() as client:`,"
                " or `client = await ...connect().open()`"
            )

    async def __aenter__(self) -> T:
        if self._entered is not None:
            raise RuntimeError("it was entered already")
        self._entered = self._inside()
        return await self._entered.__aenter__()

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> bool | None:
        assert self._entered is not None
        return await self._entered.__aexit__(kind, error, traceback)

    def attempt(self, failed: Failed) -> AbstractAsyncContextManager[T]:
        """Enter even if the connection fails. Each call then retries or raises the reason."""
        return self._inside(failed)

    async def open(self, failed: Failed | None = None) -> T:
        """Connect and stay connected until the client is closed.

        With ``failed`` the client is returned even if the connection fails, and ``failed``
        gets the reason, as in :meth:`attempt`.
        """
        try:
            asyncio.get_running_loop()
        except RuntimeError:
            reason = "open() needs asyncio; elsewhere there is `async with connect()`"
            raise RuntimeError(reason) from None
        connector = SessionManager(self._target, self._options, _start_task, is_left_open=True)
        try:
            await _connect(connector, failed)
        except BaseException:
            connector.close()
            raise
        return self._make(connector)

    @asynccontextmanager
    async def _inside(self, failed: Failed | None = None) -> AsyncGenerator[T]:
        """Hold the sessions in a task group.

        Exceptions of the body propagate unchanged. A lost connection is raised by calls
        only.
        """
        import anyio

        failure: BaseException | None = None
        raised_inside: BaseException | None = None
        try:
            async with anyio.create_task_group() as tasks:
                connector = SessionManager(
                    self._target, self._options, tasks.start_soon, is_left_open=False
                )
                try:
                    await _connect(connector, failed)
                    yield self._make(connector)
                except BaseException as error:
                    raised_inside = error
                finally:
                    connector.close()
        except BaseException as error:
            failure = innermost(error)
        failure = raised_inside or failure
        try:
            if failure is not None:
                raise failure
        finally:
            del raised_inside, failure  # which refer to this frame in turn


async def _connect(connector: SessionManager, failed: Failed | None) -> None:
    try:
        await connector.session()
    except ClientError as error:
        if failed is None:
            raise
        failed(error)


def _start_task(act: Act) -> None:
    task = asyncio.get_running_loop().create_task(act())
    _running.add(task)
    task.add_done_callback(_running.discard)
