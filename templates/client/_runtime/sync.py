"""The same client for code without ``async``, also inside a running event loop."""

from __future__ import annotations

import functools
from collections.abc import Callable, Coroutine, Generator, Mapping
from contextlib import (
    AbstractAsyncContextManager,
    AbstractContextManager,
    contextmanager,
)
from typing import (
    TYPE_CHECKING,
    Any,
    ClassVar,
    Concatenate,
    Generic,
    ParamSpec,
    TypeVar,
    cast,
)

from .calls import Line
from .client import McpClient
from .law import ToolInfo, ToolInfos
from .link import CLOSED, Link

if TYPE_CHECKING:
    from anyio.from_thread import BlockingPortal

P = ParamSpec("P")
R = TypeVar("R")
T = TypeVar("T")
S = TypeVar("S")
C = TypeVar("C", bound=McpClient)


class SyncFace(Generic[T]):
    """One face of a client, whose methods run in the event loop of another thread."""

    def __init__(self, asynchronous: T, portal: BlockingPortal) -> None:
        self.asynchronous = asynchronous
        """The face that this one stands for."""
        self.portal = portal


def _closed(face: SyncFace[Any]) -> Link | None:
    """Return the connection of a face whose loop runs no more."""
    line = cast("Line", vars(face.asynchronous)["_line"])
    return line.link if line.link.lost == CLOSED else None


def blocking(
    method: Callable[Concatenate[Any, P], Coroutine[Any, Any, R]],
) -> Callable[Concatenate[SyncFace[Any], P], R]:
    """Make of an async method one that waits for its result."""

    @functools.wraps(method)
    def face(self: SyncFace[Any], *args: P.args, **kwargs: P.kwargs) -> R:
        waited = functools.partial(method, self.asynchronous, *args, **kwargs)
        try:
            result: R = self.portal.call(waited)
        except RuntimeError:
            if link := _closed(self):
                raise link.gone() from None
            raise
        return result

    return cast("Callable[Concatenate[SyncFace[Any], P], R]", face)


class _Connect(Generic[P]):
    """Turns ``connect`` of an async client into that of the class it is asked of."""

    def __init__(
        self, connect: Callable[P, AbstractAsyncContextManager[McpClient]]
    ) -> None:
        self.__doc__ = connect.__doc__

    def __get__(
        self, instance: object, owner: type[S]
    ) -> Callable[P, AbstractContextManager[S]]:
        @contextmanager
        def connect(*args: P.args, **kwargs: P.kwargs) -> Generator[S]:
            from anyio.from_thread import start_blocking_portal

            made: Any = owner
            with start_blocking_portal() as portal:
                opening = made.asynchronous_class.connect(*args, **kwargs)
                with portal.wrap_async_context_manager(opening) as client:
                    yield made(client, portal)

        connect.__doc__ = self.__doc__
        return connect


class SyncClient(SyncFace[C]):
    """Base of the clients that wait; connected like the async ones."""

    asynchronous_class: ClassVar[type[McpClient]]
    tools: ClassVar[Mapping[str, ToolInfo]] = ToolInfos()

    connect = _Connect(McpClient.connect)
    call = blocking(McpClient.call)
