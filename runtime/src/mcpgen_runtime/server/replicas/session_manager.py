"""Serves a session of the legacy protocol on any replica.

This is the only module that uses private names of the SDK: its session manager knows the
sessions of one process only.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, cast

import anyio
from anyio.abc import TaskStatus
from mcp import types
from mcp.server import Server
from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser, authorization_context
from mcp.server.runner import serve_loop
from mcp.server.streamable_http import (
    GET_STREAM_KEY,
    MCP_SESSION_ID_HEADER,
    StreamableHTTPServerTransport,
)
from mcp.server.streamable_http_manager import (
    StreamableHTTPSessionManager,
    _error_response,  # pyright: ignore[reportPrivateUsage]
    _send_and_report_status,  # pyright: ignore[reportPrivateUsage]
)
from mcp.shared.message import ServerMessageMetadata, SessionMessage
from mcp.shared.subscriptions import ResourceUpdated, ServerEvent, event_to_notification
from mcp.types import JSONRPCError, JSONRPCNotification, JSONRPCRequest
from mcp.types import jsonrpc_message_adapter as messages
from pydantic_core import from_json, to_json
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from .connection import digest
from .errors import StoreUnavailable
from .hub import Hub
from .session_store import SessionStore, StoredSession

if TYPE_CHECKING:
    from mcp.server.transport_security import TransportSecuritySettings
    from starlette.types import Message, Receive, Scope, Send

_LOG = logging.getLogger(__name__)
_SLOW = 0.5
_CLOSED = (anyio.BrokenResourceError, anyio.ClosedResourceError)


@dataclass(eq=False)
class LocalSession:
    """A session that this replica serves too.

    Attributes:
        key: The SHA-256 of its ID, which is how other replicas name it.
        uris: The resources that it subscribes to, while its stream is open here.
        forwarded: The holders of the stream that questions were forwarded to, by ID.
    """

    id: str
    key: str
    transport: StreamableHTTPServerTransport
    uris: set[str] = field(default_factory=set[str])
    forwarded: dict[str, str] = field(default_factory=dict[str, str])

    @property
    def has_stream(self) -> bool:
        """Whether the client's stream for notifications is open at this replica."""
        return GET_STREAM_KEY in self.transport._request_streams  # pyright: ignore[reportPrivateUsage]

    async def receive(self, message: Any, request: Request | None = None) -> None:
        """Handle a message as if the client had sent it here."""
        writer = self.transport._read_stream_writer  # pyright: ignore[reportPrivateUsage]
        metadata = ServerMessageMetadata(request_context=request)
        parsed = messages.validate_python(message, by_name=False)
        if writer is not None:
            with suppress(*_CLOSED), anyio.move_on_after(_SLOW):
                await writer.send(SessionMessage(parsed, metadata=metadata))

    async def send(self, message: Any) -> None:
        """Send a message on the client's stream for notifications.

        If the client doesn't read, its stream is closed, because it would delay the messages for
        all other clients.
        """
        writer = self.transport._write_stream  # pyright: ignore[reportPrivateUsage]
        parsed = messages.validate_python(message, by_name=False)
        if writer is None:
            return
        with suppress(*_CLOSED), anyio.move_on_after(_SLOW) as sending:
            await writer.send(SessionMessage(parsed))
        if sending.cancelled_caught:
            self.transport.close_standalone_sse_stream()


class SharedSessionManager(StreamableHTTPSessionManager):
    """Reopens sessions that another replica has opened, and forwards their messages.

    Args:
        app: The server.
        hub: The other replicas.
        security: The allowed hosts and origins.
        on_level: Receives the ID of a session and its minimum level of log messages.
    """

    def __init__(
        self,
        app: Server[Any],
        hub: Hub,
        security: TransportSecuritySettings,
        on_level: Callable[[str, str], None],
    ) -> None:
        super().__init__(app, security_settings=security)
        self.hub = hub
        self._store = SessionStore(hub.connection)
        self._local: dict[str, LocalSession] = {}
        self._on_level = on_level
        hub.on("answer", self._take)
        hub.on("note", self._take)
        hub.on("push", self._push)
        hub.on("level", self._change_level)
        hub.on("subscribed", self._change_uris)
        hub.on("ended", self._end)
        hub.on("taken", self._close_stream)
        hub.on_beat(self._keep_streams)
        hub.on_gap(self._close_streams)

    async def set_level(self, session: str, level: str) -> None:
        """Store the minimum level of log messages for all replicas."""
        await self._store.set_level(session, level)
        await self.hub.tell_all("level", session=digest(session), level=level)

    async def subscribe(self, session: str, uri: str, *, is_on: bool) -> None:
        """Store a subscription, or its end, for all replicas."""
        await self._store.subscribe(session, uri, is_on=is_on)
        change = {"session": digest(session), "uri": uri, "is_on": is_on}
        await self._change_uris(change)
        await self.hub.tell_all("subscribed", **change)

    async def deliver(self, event: ServerEvent) -> None:
        """Send an event to each session whose stream is open here."""
        notification = event_to_notification(event, {})
        dumped = notification.model_dump(by_alias=True, mode="json", exclude_none=True)
        dumped.get("params", {}).pop("_meta", None)
        for session in [*self._local.values()]:
            is_wanted = not isinstance(event, ResourceUpdated) or event.uri in session.uris
            if session.has_stream and is_wanted:
                await session.send({"jsonrpc": "2.0", **dumped})

    # Requests of clients

    async def _handle_stateful_request(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope, receive)
        session_id = request.headers.get(MCP_SESSION_ID_HEADER)
        try:
            if session_id is None:
                await self._open(request, send)
                return
            session = await self._find(session_id, request)
            if isinstance(session, Response):
                await session(scope, receive, send)
            elif request.method == "GET":
                await self._serve_stream(session, scope, receive, send)
            elif request.method == "POST":
                await self._serve_message(session, request, send)
            else:
                await super()._handle_stateful_request(scope, receive, send)
                if session.transport.is_terminated:
                    await self._store.forget(session_id)
                    await self.hub.tell_all("ended", session=session.key)
        except StoreUnavailable:
            await refusal()(scope, receive, send)

    async def _open(self, request: Request, send: Send) -> None:
        """Open a session, and store it before the client learns its ID."""
        body = await request.body()
        scope, receive = request.scope, _replay(body, request.receive)
        message = _parse(body)
        if message.get("method") != "initialize":
            await super()._handle_stateful_request(scope, receive, send)
            return
        owner = _owner(scope)
        async with self._session_creation_lock:
            transport = self._admit_session(owner)
        if transport is None:
            response = _error_response("Too many open sessions", 503, types.INTERNAL_ERROR)
            await response(scope, receive, send)
            return
        session_id = str(transport.mcp_session_id)
        try:
            await self._store.save(session_id, message, owner)
        except StoreUnavailable:
            await self._discard_session(session_id, transport)
            raise
        await self._serve_opening_request(transport, scope, receive, send)
        if session_id not in self._server_instances:
            await self._store.forget(session_id)

    async def _find(self, session_id: str, request: Request) -> LocalSession | Response:
        """Return the caller's session. If another replica opened it, reopen it here."""
        owner = _owner(request.scope)
        session = self._local.get(digest(session_id))
        if session is not None and session_id in self._server_instances:
            if owner != self._session_owners.get(session_id):
                return _error_response("Session not found", 404)
            if await self._store.touch(session_id):
                return session
            await self._discard_session(session_id, session.transport)
            return _error_response("Session not found", 404)
        stored = await self._store.load(session_id)
        if stored is None or not self._store.is_owner(stored, owner):
            return _error_response("Session not found", 404)
        await self._store.touch(session_id)
        async with self._session_creation_lock:
            return await self._reopen(session_id, stored, request)

    async def _reopen(
        self, session_id: str, stored: StoredSession, request: Request
    ) -> LocalSession | Response:
        """Replay the request that opened a session."""
        if session_id in self._server_instances:  # by another request in the meantime
            return self._local[digest(session_id)]
        if self.max_sessions is not None and len(self._server_instances) >= self.max_sessions:
            return _error_response("Too many open sessions", 503, types.INTERNAL_ERROR)
        transport = StreamableHTTPServerTransport(
            mcp_session_id=session_id,
            security_settings=self.security_settings,
            idle_timeout=self.session_idle_timeout,
        )
        owner = _owner(request.scope)
        if owner is not None:
            self._session_owners[session_id] = owner
        self._server_instances[session_id] = transport
        await self._start(transport)
        session = self._local[digest(session_id)]
        await session.receive(stored.initialize, request)
        await session.receive(_INITIALIZED, request)
        if stored.level is not None:
            self._on_level(session_id, stored.level)
        return session

    async def _serve_opening_request(
        self,
        http_transport: StreamableHTTPServerTransport,
        scope: Scope,
        receive: Receive,
        send: Send,
    ) -> None:
        is_established = False
        try:
            await self._start(http_transport)
            status = await _send_and_report_status(
                http_transport.handle_request, scope, receive, send
            )
            is_established = status is not None and status < 400
        finally:
            if not is_established:
                await self._discard_session(str(http_transport.mcp_session_id), http_transport)

    async def _start(self, transport: StreamableHTTPServerTransport) -> None:
        assert self._task_group is not None
        await self._task_group.start(self._serve, transport)

    async def _serve(
        self,
        transport: StreamableHTTPServerTransport,
        *,
        task_status: TaskStatus[None] = anyio.TASK_STATUS_IGNORED,
    ) -> None:
        """Serve a session until it ends here."""
        session_id = str(transport.mcp_session_id)
        session = LocalSession(session_id, digest(session_id), transport)
        self._local[session.key] = session
        try:
            async with transport.connect() as (read, write):
                outgoing: Any = _Outgoing(write, self, session)
                task_status.started()
                with transport.idle_scope or anyio.CancelScope():
                    await serve_loop(
                        self.app,
                        read,
                        outgoing,
                        lifespan_state=self._lifespan_state,
                        session_id=session_id,
                    )
        except Exception:
            _LOG.exception("a session has crashed")
        finally:
            self._local.pop(session.key, None)
            await self._discard_session(session_id, transport)

    async def _serve_stream(
        self, session: LocalSession, scope: Scope, receive: Receive, send: Send
    ) -> None:
        """Serve the client's stream for notifications, and close its stream at other replicas."""
        if session.has_stream:
            await super()._handle_stateful_request(scope, receive, send)  # which rejects it
            return
        before = await self._store.claim_stream(session.id, self.hub.replica)
        session.uris = await self._store.uris(session.id)
        if before not in (None, self.hub.replica):
            await self.hub.tell(str(before), "taken", session=session.key)
        try:
            await super()._handle_stateful_request(scope, receive, send)
        finally:
            with anyio.CancelScope(shield=True), suppress(StoreUnavailable):
                await self._store.release_stream(session.id, self.hub.replica)

    async def _serve_message(self, session: LocalSession, request: Request, send: Send) -> None:
        """Serve a message, or forward it to the replica that it is meant for."""
        body = await request.body()
        message = _parse(body)
        replica, restored = _addressee(message)
        if replica is not None and replica != self.hub.replica:
            await self.hub.tell(replica, "answer", session=session.key, message=restored)
            await Response(status_code=202)(request.scope, request.receive, send)
            return
        if replica is not None:
            session.forwarded.pop(json.dumps(restored.get("id")), None)
            body = to_json(restored)
        elif "id" not in message and message.get("method") not in (None, _INITIALIZED["method"]):
            await self.hub.tell_all("note", session=session.key, message=message)
        receive = _replay(body, request.receive)
        await super()._handle_stateful_request(request.scope, receive, send)

    # Messages of the server to a client

    async def push(self, session: LocalSession, message: Any) -> None:
        """Forward a message to the replica that has the client's open stream."""
        holder, is_sent = None, False
        try:
            holder = await self._store.stream_holder(session.id)
            dumped = messages.dump_python(message, by_alias=True, mode="json", exclude_none=True)
            if holder is not None:
                is_sent = await self.hub.tell(holder, "push", session=session.key, message=dumped)
        except StoreUnavailable as error:
            _LOG.warning("a message to a client was lost: %s", error)
        if isinstance(message, JSONRPCRequest):
            own = _addressee({"id": message.id, "result": None})[1]["id"]
            if is_sent:
                session.forwarded[json.dumps(own)] = str(holder)
            else:
                self._fail(session, own)

    def _fail(self, session: LocalSession, question: Any) -> None:
        """End a question whose client can't be reached."""
        error = types.ErrorData(code=types.CONNECTION_CLOSED, message=_NO_STREAM)
        failure = JSONRPCError(jsonrpc="2.0", id=question, error=error)
        dumped = failure.model_dump(by_alias=True, mode="json", exclude_none=True)
        if self._task_group is not None:
            # Not awaited: the session that receives it may be waiting for its caller.
            self._task_group.start_soon(session.receive, dumped)

    # Messages of other replicas

    def _session(self, message: Mapping[str, Any]) -> LocalSession | None:
        return self._local.get(message["session"])

    async def _take(self, message: Mapping[str, Any]) -> None:
        if session := self._session(message):
            session.forwarded.pop(json.dumps(message["message"].get("id")), None)
            await session.receive(message["message"])

    async def _push(self, message: Mapping[str, Any]) -> None:
        session = self._session(message)
        if session is not None and session.has_stream:
            await session.send(message["message"])

    async def _change_level(self, message: Mapping[str, Any]) -> None:
        if session := self._session(message):
            self._on_level(session.id, message["level"])

    async def _change_uris(self, message: Mapping[str, Any]) -> None:
        if session := self._session(message):
            change = session.uris.add if message["is_on"] else session.uris.discard
            change(message["uri"])

    async def _end(self, message: Mapping[str, Any]) -> None:
        if session := self._session(message):
            await self._discard_session(session.id, session.transport)

    async def _close_stream(self, message: Mapping[str, Any]) -> None:
        if session := self._session(message):
            session.transport.close_standalone_sse_stream()

    def _close_streams(self) -> None:
        """Close all streams. Then clients open them again, and read the resources again."""
        for session in [*self._local.values()]:
            if session.has_stream:
                session.transport.close_standalone_sse_stream()

    async def _keep_streams(self) -> None:
        """Extend sessions with open streams, and end questions to dead replicas."""
        for session in [*self._local.values()]:
            if session.has_stream:
                await self._store.touch(session.id)
            for question, holder in [*session.forwarded.items()]:
                if not await self.hub.is_alive(holder):
                    session.forwarded.pop(question, None)
                    self._fail(session, json.loads(question))


class _Outgoing:
    """The stream of a session's messages to its client.

    IDs of questions get the replica as a prefix, so that the answer finds it. Messages that
    belong to no request go to the replica that has the client's open stream.
    """

    def __init__(self, inner: Any, manager: SharedSessionManager, session: LocalSession) -> None:
        self._inner = inner
        self._manager = manager
        self._session = session

    async def send(self, item: SessionMessage) -> None:
        message = self._add_replica(item.message)
        metadata = item.metadata
        is_related = (
            isinstance(metadata, ServerMessageMetadata) and metadata.related_request_id is not None
        )
        is_own = isinstance(message, JSONRPCRequest | JSONRPCNotification)
        if is_own and not is_related and not self._session.has_stream:
            await self._manager.push(self._session, message)
            return
        await self._inner.send(SessionMessage(message, metadata=metadata))

    def _add_replica(self, message: Any) -> Any:
        replica = self._manager.hub.replica
        if isinstance(message, JSONRPCRequest):
            changes: dict[str, Any] = {"id": _prefix(replica, message.id)}
            meta: Mapping[str, Any] = (message.params or {}).get("_meta") or {}
            if "progressToken" in meta:
                token = _prefix(replica, meta["progressToken"])
                changes["params"] = {
                    **(message.params or {}),
                    "_meta": {**meta, "progressToken": token},
                }
            return message.model_copy(update=changes)
        if isinstance(message, JSONRPCNotification) and message.method == _CANCELLED:
            params = message.params or {}
            own = _prefix(replica, params.get("requestId"))
            return message.model_copy(update={"params": {**params, "requestId": own}})
        return message

    def close(self) -> None:
        self._inner.close()

    async def aclose(self) -> None:
        await self._inner.aclose()

    async def __aenter__(self) -> _Outgoing:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._inner.aclose()


_CANCELLED = "notifications/cancelled"
_INITIALIZED = {"jsonrpc": "2.0", "method": "notifications/initialized"}
_NO_STREAM = "The client has no open stream, or its replica has ended."


def refusal() -> Response:
    """Return the response while the store doesn't respond."""
    return PlainTextResponse(
        "The server's store doesn't respond; try again later.\n", 503, {"retry-after": "2"}
    )


def _owner(scope: Scope) -> Any:
    user = scope.get("user")
    return authorization_context(user) if isinstance(user, AuthenticatedUser) else None


def _parse(body: bytes) -> dict[str, Any]:
    """Return a JSON object, or an empty one for anything else."""
    try:
        value = from_json(body)
    except ValueError:
        return {}
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def _prefix(replica: str, value: Any) -> str:
    return f"{replica}.{json.dumps(value)}"


def _addressee(message: Mapping[str, Any]) -> tuple[str | None, dict[str, Any]]:
    """Return the replica that an answer or progress is for, and the message with its own ID."""
    if "method" not in message and ("result" in message or "error" in message):
        replica, own = _split(message.get("id"))
        return replica, {**message, "id": own}
    params: Any = message.get("params")
    if message.get("method") == "notifications/progress" and isinstance(params, dict):
        replica, own = _split(cast("dict[str, Any]", params).get("progressToken"))
        return replica, {
            **message,
            "params": {**cast("dict[str, Any]", params), "progressToken": own},
        }
    return None, dict(message)


def _split(value: Any) -> tuple[str | None, Any]:
    """Return the replica in an ID, or None, and the ID in that replica."""
    if isinstance(value, str):
        replica, dot, own = value.partition(".")
        if dot and len(replica) == 16:
            with suppress(ValueError):
                return replica, json.loads(own)
    return None, value


def _replay(body: bytes, receive: Receive) -> Receive:
    parts: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def replay() -> Message:
        return parts.pop() if parts else await receive()

    return replay
