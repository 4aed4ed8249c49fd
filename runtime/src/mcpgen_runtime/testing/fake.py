"""``Fake`` and ``SyncFake``: the methods that fakes add to those of the client."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from types import TracebackType
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar, cast, overload

from typing_extensions import Self

from ..calls.caller import Caller
from ..client.base import McpClient
from ..client.sync import SyncClient
from ..client.views import ResourcesView
from ..models.results import ResourceResult
from .calls import FakeCall
from .connection import FakeCallPipeline, FakeSessionManager
from .method_targets import ResolvedTarget, is_asking, request_of, target_of
from .rules import FakeRule
from .server import FakeServer

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mcp import Client

P = ParamSpec("P")
T = TypeVar("T")
M = TypeVar("M", bound=McpClient)
V = TypeVar("V", bound=Caller)


class Fake(McpClient):
    """A client that responds by rules instead of a server, created by ``fake`` of the client class.

    ``async with`` closes it at the end, like a client.
    """

    _connection: FakeCallPipeline

    async def __aenter__(self) -> Self:
        """Enter the fake. A closed fake can be entered again."""
        _connector(self).reopen()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Close the fake."""
        await self.aclose()

    @overload
    def on(self, method: Callable[P, Awaitable[T]], /) -> FakeRule[P, T]: ...
    @overload
    def on(
        self, method: Callable[P, Awaitable[T]], /, *args: P.args, **kwargs: P.kwargs
    ) -> FakeRule[P, T]: ...
    def on(self, method: Callable[..., Any], /, *args: Any, **kwargs: Any) -> FakeRule[Any, Any]:
        """Return a rule for the calls of a method.

        Args:
            method: A method of this fake, or of its prompts or resources.
            *args: Only calls with exactly these arguments.
            **kwargs: The same.
        """
        exact = request_of(self, method, *args, **kwargs) if args or kwargs else None
        return FakeRule(_server(self), target_of(self, method), exact)

    @overload
    def calls(self, method: None = None, /) -> list[FakeCall[Any]]: ...
    @overload
    def calls(self, method: Callable[..., Awaitable[T]], /) -> list[FakeCall[T]]: ...
    @overload
    def calls(
        self, method: Callable[P, Awaitable[T]], /, *args: P.args, **kwargs: P.kwargs
    ) -> list[FakeCall[T]]: ...
    def calls(
        self, method: Callable[..., Any] | None = None, /, *args: Any, **kwargs: Any
    ) -> list[FakeCall[Any]]:
        """Return the calls that reached the fake, in order.

        Args:
            method: Only calls of this method.
            *args: Only calls with exactly these arguments.
            **kwargs: The same for keyword arguments.
        """
        calls = list(_server(self).calls)
        if method is None:
            return calls
        target = target_of(self, method)
        calls_with_variables = [(c, target.variables(c.kind, c.name, c.sent)) for c in calls]
        mine = [
            (call, variables) for call, variables in calls_with_variables if variables is not None
        ]
        if args or kwargs:
            expected = request_of(self, method, *args, **kwargs)
            mine = [(call, sent) for call, sent in mine if sent == expected]
        return [call for call, _ in mine]

    @property
    def session(self) -> Client:
        """The SDK's own client, which a fake does not have."""
        raise TypeError("a fake has no client of the SDK")

    def _view(self, kind: type[V]) -> V:
        if issubclass(kind, ResourcesView):
            kind = cast("type[V]", type(kind.__name__, (_Resources, kind), {}))
        return super()._view(kind)


class _Resources(ResourcesView):
    """Resources of a fake, whose templates reveal their variables."""

    async def _expand(self, template: str, arguments: Mapping[str, object]) -> ResourceResult:
        if is_asking():
            raise ResolvedTarget("resource", template, arguments)
        return await super()._expand(template, arguments)

    async def _ask_for(self, ask: Callable[..., Awaitable[object]], uri: str) -> None:
        del ask
        raise TypeError(
            f"{uri}: a fake sends no notifications: in a test, call your on_resource_updated"
            " callback instead"
        )


class SyncFake(SyncClient[M]):
    """A fake with synchronous methods; otherwise like :class:`Fake`.

    ``with`` closes it at the end, like a client.
    """

    def __enter__(self) -> Self:
        """Enter the fake. A closed fake can be entered again."""
        _connector(self._asynchronous).reopen()
        return self

    def __exit__(self, *_: object) -> None:
        """Close the fake."""
        self.close()

    def close(self) -> None:
        """Allow no more calls until the fake is entered again."""
        self._portal.call(self._asynchronous.aclose)

    @overload
    def on(self, method: Callable[P, T], /) -> FakeRule[P, T]: ...
    @overload
    def on(
        self, method: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs
    ) -> FakeRule[P, T]: ...
    def on(self, method: Callable[..., Any], /, *args: Any, **kwargs: Any) -> FakeRule[Any, Any]:
        """Return a rule for the calls of a method.

        Args:
            method: A method of this fake, or of its prompts or resources.
            *args: Only calls with exactly these arguments.
            **kwargs: The same.
        """
        fake = self._fake
        exact = request_of(fake, method, *args, **kwargs) if args or kwargs else None
        return FakeRule(_server(fake), target_of(fake, method), exact)

    @overload
    def calls(self, method: None = None, /) -> list[FakeCall[Any]]: ...
    @overload
    def calls(self, method: Callable[..., T], /) -> list[FakeCall[T]]: ...
    @overload
    def calls(
        self, method: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs
    ) -> list[FakeCall[T]]: ...
    def calls(
        self, method: Callable[..., Any] | None = None, /, *args: Any, **kwargs: Any
    ) -> list[FakeCall[Any]]:
        """Return the calls that reached the fake, in order.

        Args:
            method: Only calls of this method.
            *args: Only calls with exactly these arguments.
            **kwargs: The same for keyword arguments.
        """
        if method is None:
            return self._fake.calls()
        return self._fake.calls(method, *args, **kwargs)

    @property
    def _fake(self) -> Fake:
        return cast("Fake", self._asynchronous)


def _connector(client: McpClient) -> FakeSessionManager:
    return cast("FakeSessionManager", vars(client)["_connection"].connector)


def _server(client: McpClient) -> FakeServer:
    return _connector(client).server
