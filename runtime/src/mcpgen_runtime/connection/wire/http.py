"""An HTTP client that returns a response to each message, even if its request fails.

If one request fails, the SDK's transports end and cancel all others. They keep neither status nor
headers of an HTTP error, and lose messages that their parser rejects. So they see a stub for each
message, while the message is kept here.
"""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Callable
from contextlib import suppress
from typing import Any, TypeGuard, cast

import httpx2
from mcp.types import METHOD_NOT_FOUND, JSONRPCError

from ... import tls
from ...redaction.credentials import CREDENTIALS
from . import messages
from .events import Events, broken
from .faults import Fault, HttpRejection, Unreadable
from .listen import Injector
from .pending import Pending, is_error, set_response_id

_SESSION = "mcp-session-id"
_LONGEST_BODY = 2**16
_BAD_REQUEST, _NOT_FOUND = 400, 404
_NO_SESSION = re.compile(r"session|not initialized", re.IGNORECASE)
_CLEAR_BY_STATUS = frozenset({401, 403, 407, 429, 503})


class AnsweringClient(httpx2.AsyncClient):
    """The HTTP client for both of the SDK's HTTP transports.

    Attributes:
        injector: Sends messages of the HTTP+SSE transport, whose responses arrive on
            another connection.
        through: A client of the caller, which builds and sends the requests. Its
            timeouts are replaced, and it stays open.
        session_id: The session ID from the server, if there is one.
    """

    session_id: str | None = None

    def __init__(
        self,
        pending: Pending,
        injector: Injector | None = None,
        refused: Callable[[HttpRejection], None] | None = None,
        through: httpx2.AsyncClient | None = None,
        **options: Any,
    ) -> None:
        # Any number of calls may be pending, without blocking others.
        limits = httpx2.Limits(max_connections=None, max_keepalive_connections=20)
        if through is not None:
            options["transport"] = httpx2.AsyncBaseTransport()  # which is never used
            options["max_redirects"] = through.max_redirects
            options["timeout"] = _patient(through.timeout)
        else:
            options["verify"] = tls.shared_settings()
        super().__init__(limits=limits, **options)
        self._own_headers = options.get("headers")
        self._pending = pending
        self._injector = injector
        self._refused = refused
        self._through = through

    def build_request(self, method: str, url: httpx2.URL | str, **options: Any) -> httpx2.Request:
        """Build a request, with everything that the caller's client adds."""
        if self._through is None:
            return super().build_request(method, url, **options)
        headers = httpx2.Headers(self._own_headers)
        headers.update(options.pop("headers", None))
        options = {"timeout": self.timeout, **options}
        return self._through.build_request(method, url, headers=headers, **options)

    async def send(self, request: httpx2.Request, **options: Any) -> httpx2.Response:
        """Send a request of one of the SDK's transports, and handle its response."""
        if request.method == "POST":
            return await self._post(request, options)
        if request.method == "DELETE":
            return await self._leave(request, options)
        response = await self._send_request(request, options)
        if request.method == "GET" and response.is_error and self._refused:
            body = await _start(response)
            self._refused(_refusal(response, body))
        if request.method == "GET" and _kind(response) == "text/event-stream":
            return self._stream(response, None)
        return response

    async def _send_request(
        self, request: httpx2.Request, options: dict[str, Any]
    ) -> httpx2.Response:
        try:
            if self._through is None:
                response = await super().send(request, **options)
            else:
                if self.auth is not None:
                    options = {"auth": self.auth, **options}
                response = await self._through.send(request, **options)
        finally:
            CREDENTIALS.add_request(request)
        for hop in (*response.history, response):
            CREDENTIALS.add_request(hop.request)
        self.session_id = response.headers.get(_SESSION) or self.session_id
        return response

    async def _leave(self, request: httpx2.Request, options: dict[str, Any]) -> httpx2.Response:
        """End a session, even if the server no longer responds or has forgotten it."""
        request.extensions["timeout"] = dict.fromkeys(_PHASES, 2.0)
        with suppress(Exception):
            await (await self._send_request(request, options)).aclose()
        return httpx2.Response(200, request=request)

    async def _post(self, request: httpx2.Request, options: dict[str, Any]) -> httpx2.Response:
        message: dict[str, Any] = json.loads(await request.aread())
        number = message.get("id") if "method" in message else None
        try:
            response = await self._send_request(request, options)
        except Exception as error:  # also errors of an auth flow or a hook
            if not _is_status(error, request):
                return await self._fail(request, number, broken(error))
            response = error.response
        if response.status_code < 400 and (self._injector or number is None):
            return response
        if response.is_error:
            body = await _start(response)
            await response.aclose()
            if self._refused:
                self._refused(_refusal(response, body))
            return await self._error(request, response, number, body)
        if 300 <= response.status_code < 400:
            return response
        return await self._answer(request, response, cast("str | int", number))

    async def _answer(
        self, request: httpx2.Request, response: httpx2.Response, number: str | int
    ) -> httpx2.Response:
        kind = _kind(response)
        if kind == "text/event-stream":
            return self._stream(response, number)
        if kind != "application/json":
            await response.aclose()
            reason = f"HTTP {response.status_code} of type {kind or 'none'}"
            return await self._fail(request, number, Unreadable(reason))
        try:
            body = await _whole(response)
        except messages.TooLong as error:
            return await self._fail(request, number, Unreadable(str(error)))
        except Exception as error:  # any error of the connection
            return await self._fail(request, number, broken(error))
        finally:
            await response.aclose()
        answer = set_response_id(messages.read(body), number)
        if answer is None:
            fault = Unreadable("not a message of the protocol")
            return await self._fail(request, number, fault)
        return _build_response(request, response, self._pending.stub(answer, number))

    async def _error(
        self,
        request: httpx2.Request,
        response: httpx2.Response,
        number: str | int | None,
        body: bytes,
    ) -> httpx2.Response:
        """Convert an HTTP error to the JSON-RPC error in its body, or to its status."""
        if number is not None and response.status_code not in _CLEAR_BY_STATUS:
            error = set_response_id(messages.read(body), number)
            if is_error(error) and not _is_forgotten(response, body):
                if self._injector and self._injector.inject:
                    await self._injector.inject(error)
                    return httpx2.Response(202, request=request)
                return _build_response(request, response, self._pending.stub(error, number))
        return await self._fail(request, number, _refusal(response, body))

    async def _fail(
        self, request: httpx2.Request, number: str | int | None, fault: Fault
    ) -> httpx2.Response:
        accepted = httpx2.Response(202, request=request)
        if number is None:  # a notification has no response
            return accepted
        answer = messages.error_response(number, fault)
        if self._injector and self._injector.inject:
            await self._injector.inject(answer)
            return accepted
        return _build_response(request, None, self._pending.stub(answer, number))

    def _stream(self, response: httpx2.Response, number: str | int | None) -> httpx2.Response:
        stream = Events(response, self._pending, number, str(response.request.url))
        headers = {"content-type": "text/event-stream", **_session(response)}
        return httpx2.Response(
            response.status_code,
            headers=headers,
            stream=stream,
            request=response.request,
        )


_PHASES = ("connect", "read", "write", "pool")


def _patient(timeout: httpx2.Timeout) -> httpx2.Timeout:
    """Remove the read timeout, because each call has its own time limit."""
    return httpx2.Timeout(connect=timeout.connect, read=None, write=timeout.write, pool=None)


def _is_status(error: Exception, request: httpx2.Request) -> TypeGuard[httpx2.HTTPStatusError]:
    """Return True if a hook raised the status of the response to this request."""
    if not isinstance(error, httpx2.HTTPStatusError):
        return False
    return error.response.is_error and error.request.url == request.url


def _kind(response: httpx2.Response) -> str:
    return response.headers.get("content-type", "").partition(";")[0].strip().lower()


def _session(response: httpx2.Response | None) -> dict[str, str]:
    if response is None or _SESSION not in response.headers:
        return {}
    return {_SESSION: response.headers[_SESSION]}


def _build_response(
    request: httpx2.Request, response: httpx2.Response | None, text: str
) -> httpx2.Response:
    headers = {"content-type": "application/json", **_session(response)}
    return httpx2.Response(200, headers=headers, text=text, request=request)


def _refusal(response: httpx2.Response, body: bytes) -> HttpRejection:
    return HttpRejection(
        response.status_code,
        dict(response.headers),
        _without_credentials(body.decode("utf-8", "replace"), response.request),
        is_forgotten=_is_forgotten(response, body),
        reason=response.reason_phrase,
    )


def _without_credentials(body: str, request: httpx2.Request) -> str:
    """Remove the request's credentials from the body of an error."""
    credentials = request.headers.get("authorization", "").rpartition(" ")[2]
    return body.replace(credentials, "...") if credentials else body


def _is_forgotten(response: httpx2.Response, body: bytes) -> bool:
    """Return True if the server doesn't know the session (MCP, Streamable HTTP).

    The specification requires 404, which can also mean an unknown method. Many servers send 400
    with an explanation.
    """
    if _SESSION not in response.request.headers:
        return False
    answer = getattr(messages.read(body), "message", None)
    error = answer.error if isinstance(answer, JSONRPCError) else None
    if response.status_code == _NOT_FOUND:
        return error is None or error.code != METHOD_NOT_FOUND
    if response.status_code == _BAD_REQUEST and error is not None:
        return _NO_SESSION.search(error.message) is not None
    return False


async def _whole(response: httpx2.Response) -> bytes:
    chunks: list[bytes] = []
    length = 0
    async for chunk in response.aiter_bytes():
        chunks.append(chunk)
        length += len(chunk)
        if length > messages.MOST_BYTES:
            raise messages.TooLong
    return b"".join(chunks)


async def _start(response: httpx2.Response) -> bytes:
    """Return the first part of an error's body, even if the rest doesn't arrive."""
    chunks: list[bytes] = []
    length = 0
    try:
        async for chunk in response.aiter_bytes():
            chunks.append(chunk)
            length += len(chunk)
            if length > _LONGEST_BODY:
                break
    except (httpx2.HTTPError, httpx2.StreamError):
        pass
    return b"".join(chunks)


for _name in ("httpx2", "mcp.client.streamable_http", "mcp.client.sse"):
    logging.getLogger(_name).addFilter(CREDENTIALS.hide_in_log)  # they log the URL
