"""Subscriptions: one request per resource up to 2025-11-25, a stream since 2026-07-28.

A new session subscribes again.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..errors import ProtocolError

if TYPE_CHECKING:
    import anyio
    from anyio.abc import TaskGroup
    from mcp import Client
    from mcp.types import EmptyResult

    from .events import Events
    from .session import ResourceUpdates, Session

STREAMS_SINCE = "2026-07-28"
_PATIENCE = 5.0
"""Seconds that a new session waits for its subscriptions before calls are made."""
_FIRST_DELAY = 0.1
_LONGEST_DELAY = 30.0


async def begin(session: Session, stack: AsyncExitStack, events: Events) -> None:
    """Subscribe in a new session. A failure doesn't end the session."""
    import anyio

    stack.callback(lambda: events.stop() if session.is_closed else None)
    tasks = await stack.enter_async_context(anyio.create_task_group())
    stack.callback(tasks.cancel_scope.cancel)
    sdk = session.sdk
    events.session_count += 1
    is_again = events.session_count > 1
    is_done = False
    with anyio.move_on_after(_PATIENCE):
        if sdk.protocol_version >= STREAMS_SINCE:
            stream = Stream(session, events, tasks, anyio.Lock())
            session.stream = stream
            await stream.begin()
        else:
            await _begin_by_requests(session, sdk, events)
        is_done = True
    if not is_done:
        session.package.logger().warning("the server doesn't respond to the subscriptions")
    if is_again:
        events.add_missed(session)


async def _begin_by_requests(session: Session, sdk: Client, events: Events) -> None:
    from mcp.types import EmptyResult, SetLevelRequest, SetLevelRequestParams

    level = events.callbacks.min_level
    if level and sdk.server_capabilities.logging is not None:
        request = SetLevelRequest(params=SetLevelRequestParams(level=level))
        asking = sdk.session.send_request(request, EmptyResult)
        await _try_request(session, asking, "the server doesn't support setting its log level")
    for uri in sorted(events.uris):
        what = f"the subscription to {uri} was not restored"
        await _try_request(session, _request(uri, None, sdk, is_wanted=True), what)


async def _try_request(session: Session, asking: Awaitable[object], otherwise: str) -> None:
    try:
        await asking
    except Exception as error:
        session.package.logger().warning("%s: %s", otherwise, error)


async def subscribe(
    session: Callable[[], Session], events: Events, uri: str, sdk: Client, meta: Any
) -> EmptyResult:
    """Request the updates of a resource, and request them again in each new session."""
    from mcp.types import EmptyResult

    if sdk.protocol_version < STREAMS_SINCE:
        result = await _request(uri, meta, sdk, is_wanted=True)
        events.uris.add(uri)
        return result
    is_new = uri not in events.uris
    events.uris.add(uri)
    is_subscribed = False
    try:
        await _stream_of(session()).require(uri)
        is_subscribed = True
    finally:
        if is_new and not is_subscribed:
            events.uris.discard(uri)
    return EmptyResult()


async def unsubscribe(
    session: Callable[[], Session], events: Events, uri: str, sdk: Client, meta: Any
) -> EmptyResult:
    """Unsubscribe from a resource."""
    from mcp.types import EmptyResult

    events.uris.discard(uri)
    if sdk.protocol_version < STREAMS_SINCE:
        return await _request(uri, meta, sdk, is_wanted=False)
    await _stream_of(session()).update()
    return EmptyResult()


def _stream_of(session: Session) -> ResourceUpdates:
    if session.stream is None:
        raise session.lost_error()
    return session.stream


def _request(uri: str, meta: Any, sdk: Client, *, is_wanted: bool) -> Awaitable[EmptyResult]:
    """Send the request directly, because the SDK's own methods for it are deprecated."""
    from mcp import types

    request = (
        types.SubscribeRequest(params=types.SubscribeRequestParams(uri=uri, _meta=meta))
        if is_wanted
        else types.UnsubscribeRequest(params=types.UnsubscribeRequestParams(uri=uri, _meta=meta))
    )
    return sdk.session.send_request(request, types.EmptyResult)


@dataclass(eq=False)
class _Listening:
    """One ``subscriptions/listen`` request, which lasts until its response."""

    uris: frozenset[str]
    acknowledged: anyio.Event
    """Set once the server has acknowledged or rejected the request."""
    scope: anyio.CancelScope
    honored: frozenset[str] = frozenset()
    failure: BaseException | None = None
    is_over: bool = False


@dataclass(eq=False)
class Stream:
    """The stream of a session, restarted whenever its subscriptions change."""

    session: Session
    events: Events
    tasks: TaskGroup
    lock: anyio.Lock
    _current: _Listening | None = None
    _is_trying: bool = False

    async def begin(self) -> None:
        """Start to listen, and retry later if the server refuses."""
        if not self._is_wanted:
            return
        try:
            await self.update()
        except Exception as error:
            self._handle_failure(error)

    async def require(self, uri: str) -> None:
        """Add a resource, and raise if the server doesn't support its updates."""
        await self.update()
        if self._current is None or uri not in self._current.honored:
            raise ProtocolError(uri, 0, "the server doesn't support resource subscriptions")

    async def update(self) -> None:
        """Listen to the current subscriptions, then stop the previous request."""
        async with self.lock:
            before, self._current = self._current, None
            try:
                if self._is_wanted:
                    self._current = await self._open_stream()
            except BaseException:
                self._current = before
                raise
            if before is not None:
                before.scope.cancel()

    async def _open_stream(self) -> _Listening:
        import anyio

        uris = frozenset(self.events.uris)
        new = _Listening(uris, anyio.Event(), anyio.CancelScope())
        self.tasks.start_soon(self._listen, new)
        try:
            await new.acknowledged.wait()
        except BaseException:
            new.scope.cancel()
            raise
        if new.failure is not None:
            raise new.failure
        return new

    @property
    def _is_heard(self) -> bool:
        return self._current is not None and not self._current.is_over

    @property
    def _is_wanted(self) -> bool:
        return bool(self.events.uris) or self._wants_tools

    @property
    def _wants_tools(self) -> bool:
        events = self.events
        is_told = events.callbacks.on_tools_changed is not None
        return is_told or events.verify == "compatible"

    async def _listen(self, listening: _Listening) -> None:
        from mcp.client.subscriptions import SubscriptionLost

        try:
            with listening.scope:
                opening = self.session.sdk.listen(
                    tools_list_changed=self._wants_tools,
                    resource_subscriptions=sorted(listening.uris),
                )
                async with opening as stream:
                    uris = stream.honored.resource_subscriptions or ()
                    listening.honored = frozenset(map(str, uris))
                    listening.acknowledged.set()
                    async for _ in stream:  # the message handler gets every message
                        pass
        except SubscriptionLost as error:
            listening.failure = error.__cause__ or error
        except Exception as error:
            listening.failure = error
        listening.is_over = True
        is_known = listening.acknowledged.is_set()
        listening.acknowledged.set()
        if is_known and listening is self._current:
            self._handle_failure(listening.failure)

    def _handle_failure(self, failure: BaseException | None) -> None:
        """Listen again after a pause, unless the server doesn't support the request."""
        from mcp import MCPError
        from mcp.types import METHOD_NOT_FOUND

        if isinstance(failure, MCPError) and failure.code == METHOD_NOT_FOUND:
            self.session.package.logger().info("the server doesn't report changes")
        elif not self._is_trying and not self.session.lost:
            self._is_trying = True
            self.tasks.start_soon(self._again)

    async def _again(self) -> None:
        """Listen again, and report everything as changed because updates may be missing."""
        import anyio

        delay = _FIRST_DELAY
        while True:
            await anyio.sleep(delay)
            if self.session.lost or self._is_heard:
                break
            try:
                await self.update()
            except Exception:
                delay = min(2 * delay, _LONGEST_DELAY)
            else:
                self.events.add_missed(self.session)
                break
        self._is_trying = False
