"""Base class of synchronous clients, which also work within a running event loop."""

from __future__ import annotations

import copy
import functools
import inspect
from collections.abc import Callable, Coroutine
from contextlib import AbstractAsyncContextManager, AbstractContextManager
from operator import attrgetter
from typing import (
    TYPE_CHECKING,
    Any,
    ClassVar,
    Concatenate,
    Generic,
    ParamSpec,
    TypeVar,
    cast,
    overload,
)

from pydantic import MISSING
from typing_extensions import Self

from ..calls.caller import Caller, connection_of, record
from ..contract import ToolInfos
from ..models.response import Response
from ..options import Retry
from ..package import Package
from ..tool import Meta, OnProgress
from .base import FakeOf, McpClient

if TYPE_CHECKING:
    from ..agents.tools import SyncClientTools
    from ..calls.call_pipeline import Captured
    from ..calls.task import SyncTask
    from ..connection.pending_client import Failed
    from ..connection.portal import Portal

P = ParamSpec("P")
R = TypeVar("R")
T = TypeVar("T")
S = TypeVar("S")
C = TypeVar("C", bound=Caller)
M = TypeVar("M", bound=McpClient)


class SyncView(Generic[C]):
    """A synchronous client or view. Its calls run in the event loop of another thread."""

    def __init__(self, asynchronous: C, portal: Portal) -> None:
        self._asynchronous = asynchronous
        """The asynchronous counterpart."""
        self._portal = portal

    def __repr__(self) -> str:
        kind = type(self._asynchronous).__name__
        return repr(self._asynchronous).replace(kind, type(self).__name__, 1)

    def with_options(
        self,
        *,
        timeout: float | None = None,
        on_progress: OnProgress | None = None,
        meta: Meta | None = None,
        retry: Retry | MISSING | None = MISSING,
        timeout_resets_on_progress: bool | None = None,
        as_task: bool | None = None,
        task_ttl: float | None = None,
    ) -> Self:
        """Return a client with other call options on the same connection.

        Options that aren't given keep their values.

        Args:
            timeout: Time limit of a call, in seconds. ``math.inf`` means no limit.
            on_progress: Called in another thread with the progress of a call.
            meta: Properties of the request's ``_meta``.
            retry: When calls are retried. None means never.
            timeout_resets_on_progress: Whether progress restarts the time limit.
            as_task: Whether tools with optional task support run as tasks.
            task_ttl: Seconds that the server should keep a task after its start. Since
                revision 2026-07-28 the server decides.
        """
        other = copy.copy(self)
        other._asynchronous = self._asynchronous.with_options(
            timeout=timeout,
            on_progress=on_progress,
            meta=meta,
            retry=retry,
            timeout_resets_on_progress=timeout_resets_on_progress,
            as_task=as_task,
            task_ttl=task_ttl,
        )
        return other


_asynchronous_of: Callable[[SyncView[Any]], Caller] = attrgetter("_asynchronous")
_portal_of: Callable[[SyncView[Any]], Portal] = attrgetter("_portal")


def blocking(
    method: Callable[Concatenate[Any, P], Coroutine[Any, Any, R]],
) -> Callable[Concatenate[SyncView[Any], P], R]:
    """Return the synchronous counterpart of an async method."""

    name = method.__name__

    @functools.wraps(method)
    def wait(self: SyncView[Any], *args: P.args, **kwargs: P.kwargs) -> R:
        overridden = getattr(_asynchronous_of(self), name)  # by a subclass, maybe
        waited = functools.partial(overridden, *args, **kwargs)
        try:
            result: R = _portal_of(self).call(waited)
        except RuntimeError:
            connector = connection_of(_asynchronous_of(self)).connector
            if connector.is_closed:
                raise connector.closed_error() from None
            raise
        return result

    return cast("Callable[Concatenate[SyncView[Any], P], R]", wait)


class SyncConnecting(AbstractContextManager[S], Generic[S]):
    """A context manager that connects a client."""

    def __init__(self, open_: Callable[[Failed | None], S]) -> None:
        self._open = open_
        self._client: Any = None

    if not TYPE_CHECKING:  # type checkers know that there is no such attribute

        def __getattr__(self, name):
            way = "`with ...connect() as client:`, or `client = ...open()`"
            raise AttributeError(f"{name!r} is of the client: {way}")

    def __enter__(self) -> S:
        if self._client is not None:
            raise RuntimeError("the context manager was already entered")
        self._client = self._open(None)
        opened: S = self._client
        return opened

    def __exit__(self, *_: object) -> None:
        self._client.close()

    def attempt(self, failed: Failed) -> AbstractContextManager[S]:
        """Enter even if connecting fails: see :meth:`Connecting.attempt`."""
        return SyncConnecting(lambda _: self._open(failed))


class _Open(Generic[P]):
    """Derives ``open`` from the async ``connect``, for the class that it is looked up on."""

    def __init__(self, connect: Callable[P, AbstractAsyncContextManager[McpClient]]) -> None:
        del connect  # whose parameters it has
        self.__doc__ = (
            "Connect like :meth:`connect`, and stay connected until "
            ":meth:`SyncClient.close`.\n\n"
            "The client may be used and closed from any thread."
        )

    def __get__(self, instance: object, owner: type[S]) -> Callable[P, S]:
        def open_(*args: P.args, **kwargs: P.kwargs) -> S:
            return _opener(owner, *args, **kwargs)(None)

        open_.__doc__ = self.__doc__
        return open_


class _Connect(Generic[P]):
    """Derives ``connect`` from the async one, for the class that it is looked up on."""

    def __init__(self, connect: Callable[P, AbstractAsyncContextManager[McpClient]]) -> None:
        self.__doc__ = connect.__doc__

    def __get__(self, instance: object, owner: type[S]) -> Callable[P, SyncConnecting[S]]:
        def connect(*args: P.args, **kwargs: P.kwargs) -> SyncConnecting[S]:
            return SyncConnecting(_opener(owner, *args, **kwargs))

        connect.__doc__ = self.__doc__
        return connect


def _opener(sync_class: type[S], *args: Any, **kwargs: Any) -> Callable[[Failed | None], S]:
    """Return a function that opens a client. Its argument handles failures."""
    created: Any = sync_class
    connecting = functools.partial(created._asynchronous_class.connect, *args, **kwargs)

    def open_(failed: Failed | None) -> S:
        from ..connection.portal import Portal

        portal = Portal()
        try:
            opened = portal.call(lambda: connecting().open(failed))
            client: S = created(opened, portal)
        except BaseException:
            portal.close()
            raise
        return client

    return open_


class _Tools:
    """The recorded tools of a class, or the tools that a client can offer to a model."""

    @overload
    def __get__(self, instance: None, owner: type[SyncView[Any]]) -> ToolInfos: ...
    @overload
    def __get__(self, instance: SyncView[Any], owner: type[SyncView[Any]]) -> SyncClientTools: ...
    def __get__(
        self, instance: SyncView[Any] | None, owner: type[SyncView[Any]]
    ) -> ToolInfos | SyncClientTools:
        if instance is None:
            asynchronous: Any = owner
            package: Package = asynchronous._asynchronous_class._package
            return package.tools
        from ..agents.tools import SyncClientTools

        return SyncClientTools(instance, _asynchronous_of(instance), _portal_of(instance))


class SyncClient(SyncView[M]):
    """Base class of synchronous clients. They connect like asynchronous ones."""

    _asynchronous_class: ClassVar[type[McpClient]]
    tools = _Tools()
    """The recorded tools by name. Those of a connected client can be offered to a model."""

    if not TYPE_CHECKING:  # generated classes declare the type of their fakes
        fake = FakeOf()

        def __init__(self, *args, **kwargs):
            if not args and not kwargs:
                way = f"`with {type(self).__name__}.connect() as client:`"
                raise TypeError(f"a client is made by connecting: {way}")
            super().__init__(*args, **kwargs)

    connect = _Connect(McpClient.connect)
    open = _Open(McpClient.connect)
    call = blocking(McpClient.call)
    roots_changed = blocking(McpClient.roots_changed)

    def close(self) -> None:
        """Disconnect. May be called from any thread. Pending calls fail."""
        try:
            self._portal.call(self._asynchronous.aclose)
        except RuntimeError:  # it is closed already
            return
        self._portal.close()

    def start(self, method: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> SyncTask[T]:
        """Start a tool as a task and return without waiting for its result.

        Args:
            method: The method of the tool, such as ``client.search``.
            *args: Positional arguments of the method.
            **kwargs: Keyword arguments of the method.

        Raises:
            TaskUnsupported: The tool can't run as a task. Nothing was sent.
        """
        from ..calls.task import SyncTask, start

        captured = self._capture_call(method, *args, **kwargs)
        return SyncTask(self._portal.call(lambda: start(captured)), self._portal)

    def resume(self, method: Callable[..., T], text: str) -> SyncTask[T]:
        """Return a task from the text that :meth:`SyncTask.to_text` created.

        Args:
            method: The method of the tool, such as ``client.search``.
            text: The text, possibly from another process. A server over HTTP keeps tasks
                for all authorized clients, a server over stdio until its process ends.

        Raises:
            InvalidTask: The text belongs to another server or tool, or the tool's contract
                has changed.
            ProtocolError: The server doesn't know the task.
        """
        from ..calls.task import SyncTask, arguments_for, resume

        captured = self._capture_call(method, **arguments_for(method, text))
        return SyncTask(self._portal.call(lambda: resume(captured, text)), self._portal)

    def _capture_call(self, method: Callable[..., object], *args: Any, **kwargs: Any) -> Captured:
        """Return the call that a method would make."""
        from ..calls.call_pipeline import Captured

        with record(self._asynchronous, method, waits=True, is_capturing=True):
            try:
                call = method(*args, **kwargs)
            except Captured as captured:
                return captured
        if inspect.iscoroutine(call):
            call.close()
            raise TypeError(f"{method!r} is async, and this client waits")
        raise TypeError(f"{method!r} doesn't call a tool over this connection")

    def response(self, method: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Response[T]:
        """Call a method of this client and return the complete response.

        Args:
            method: A method such as ``client.search``, or your own function that calls
                one. The last call replaces earlier ones.
            *args: Positional arguments of the method.
            **kwargs: Keyword arguments of the method.
        """
        with record(self._asynchronous, method, waits=True) as recorder:
            data = method(*args, **kwargs)
            if inspect.iscoroutine(data):
                data.close()
                raise TypeError(f"{method!r} is async, and this client waits")
        return recorder.response(data, method)
