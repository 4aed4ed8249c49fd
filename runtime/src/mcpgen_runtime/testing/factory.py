"""``FakeFactory``: creates fakes of a client class."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from ..calls.confirm import Confirm, Confirmation, ConfirmWhen
from ..calls.limits import CallLimits
from ..calls.middleware import Middleware, check_middleware
from ..client.base import McpClient
from ..connection.callbacks import Callbacks
from ..options import BY_HINTS, ONCE, CallOptions, Retry, Unexpected
from ..package import Package
from .connection import FakeCallPipeline, FakeSessionManager
from .server import FakeServer, Unmatched

if TYPE_CHECKING:
    from ..conversation.questions import Elicit

F = TypeVar("F")

_asynchronous_class: Callable[[Any], type[Any]] = attrgetter("_asynchronous_class")
_trust: Callable[[Any], bool] = attrgetter("_trust")


class FakeFactory(Generic[F]):
    """Creates fakes of one client class. Each fake has its own rules."""

    def __init__(self, owner: type[Any]) -> None:
        self._owner = owner

    def __call__(
        self,
        unmatched: Unmatched = "error",
        *,
        timeout: float | None = 60.0,
        confirm: Confirm | None = None,
        confirm_when: ConfirmWhen = "risky",
        trust: bool | None = None,
        elicit: Elicit | None = None,
        callbacks: Callbacks | None = None,
        retry: Retry | None = BY_HINTS,
        limit: int | Mapping[str, int] | None = None,
        timeout_resets_on_progress: bool = False,
        middleware: Sequence[Middleware] = (),
        unexpected: Unexpected = "warn",
    ) -> F:
        """Return a fake client. Rules define its results.

        All options except the first one are those of :meth:`McpClient.connect`.

        Args:
            unmatched: What happens to a call that no rule matches: ``"error"`` raises
                ``NoMatchingRule``, ``"generate"`` returns data made from the output schema.
            timeout: Default time limit of a call, in seconds. None means no limit.
            confirm: Hook that is called before each call.
            confirm_when: ``"always"`` calls the hook for every tool, even with ``trust``.
            trust: Whether to believe tool annotations.
            elicit: Answers the questions of the fake.
            callbacks: Callbacks for log messages of the fake.
            retry: When calls are retried, which a fake does without waiting. None means
                never.
            limit: Maximum number of calls per minute.
            timeout_resets_on_progress: Whether progress restarts the time limit of a call.
            middleware: Functions around each call.
            unexpected: What to do with a result that doesn't have the observed type.
        """
        package = _package(self._owner)
        server = FakeServer(package, unmatched, callbacks or Callbacks(), elicit)
        options = CallOptions(
            math.inf if timeout is None else timeout,
            retry=retry or ONCE,
            timeout_resets_on_progress=timeout_resets_on_progress,
        )
        owner = self._owner
        is_async = issubclass(owner, McpClient)
        by_default = _trust(owner if is_async else _asynchronous_class(owner))
        trusted = by_default if trust is None else trust
        server.waits = not issubclass(self._owner, McpClient)
        connection = FakeCallPipeline(
            FakeSessionManager(server),
            options,
            Confirmation.from_options(confirm, confirm_when, trust=trusted),
            None if limit is None else CallLimits.from_option(limit, package),
            check_middleware(middleware, package),
            unexpected=unexpected,
            trust=trusted,
        )
        fake: F = _create(self._owner, connection)
        return fake


def _create(owner: type[Any], connection: FakeCallPipeline) -> Any:
    """Create a fake of a client class, which may be a subclass of the user."""
    if issubclass(owner, McpClient):
        return _class(owner, "FAKE")(connection)
    from ..connection.portal import Portal

    fake = _class(_asynchronous_class(owner), "FAKE")(connection)
    return _class(owner, "SYNC_FAKE")(fake, Portal())


def _class(owner: type[Any], name: str) -> type[Any]:
    generated: type[Any] = getattr(_package(owner).fakes, name)
    if issubclass(owner, generated):
        return owner
    if issubclass(generated, owner):
        return generated
    return type(f"Fake{owner.__name__}", (generated, owner), {})


def _package(owner: type[Any]) -> Package:
    asynchronous: Any = owner if issubclass(owner, McpClient) else _asynchronous_class(owner)
    package: Package = asynchronous._package
    return package
