"""The two ways to stay connected: within ``async with``, and until it is closed."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from types import TracebackType
from typing import TYPE_CHECKING, Generic, TypeVar

from .connect import ConnectOptions
from .connector import Act, Connector
from .routes import Target
from .session import innermost

T = TypeVar("T")

if TYPE_CHECKING:
    _Running = set[asyncio.Task[None]]

_running: _Running = set()
"""What asyncio itself refers to only weakly."""


class Connecting(AbstractAsyncContextManager[T], Generic[T]):
    """A client to be: it connects when it is entered or opened."""

    def __init__(
        self,
        target: Target | None,
        options: ConnectOptions,
        make: Callable[[Connector], T],
    ) -> None:
        self._target = target
        self._options = options
        self._make = make
        self._entered: AbstractAsyncContextManager[T] | None = None

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

    async def open(self) -> T:
        """Connect, and stay connected until the client is closed."""
        try:
            asyncio.get_running_loop()
        except RuntimeError:
            reason = "open() needs asyncio; elsewhere there is `async with connect()`"
            raise RuntimeError(reason) from None
        connector = Connector(
            self._target, self._options, _start_task, is_left_open=True
        )
        try:
            await connector.session()
        except BaseException:
            connector.close()
            raise
        return self._make(connector)

    @asynccontextmanager
    async def _inside(self) -> AsyncGenerator[T]:
        """Hold the sessions in a task group.

        What is raised inside comes out as it was raised; what becomes of the connection
        meanwhile is for the calls to say.
        """
        import anyio

        failure: BaseException | None = None
        raised_inside: BaseException | None = None
        try:
            async with anyio.create_task_group() as tasks:
                connector = Connector(
                    self._target, self._options, tasks.start_soon, is_left_open=False
                )
                try:
                    await connector.session()
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


def _start_task(act: Act) -> None:
    task = asyncio.get_running_loop().create_task(act())
    _running.add(task)
    task.add_done_callback(_running.discard)
