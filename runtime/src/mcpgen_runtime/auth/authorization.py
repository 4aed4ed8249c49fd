"""Authorization of HTTP requests, with errors that don't quote secrets."""

from __future__ import annotations

import inspect
import logging
from collections.abc import AsyncGenerator, Generator
from contextvars import ContextVar
from functools import partial
from typing import TypeAlias
from urllib.parse import urlsplit

import httpx2

from ..abbreviate import plain
from ..errors import AuthorizationRequired, ClientError
from .options import HttpOptions, Login, TokenSource, bearer

Flow: TypeAlias = AsyncGenerator[httpx2.Request, httpx2.Response]

_UNAUTHORIZED = 401


def find_auth(
    url: str, http: HttpOptions, label: str, *, is_authorized: bool
) -> httpx2.Auth | None:
    """Return the authorization of requests to a URL, or None.

    The caller's ``auth`` comes first, then a header, then a stored login.

    Args:
        url: The server's URL.
        http: The caller's options for HTTP.
        label: The server's name in errors.
        is_authorized: Whether the headers contain ``Authorization``.
    """
    auth, client = http.auth, http.http_client
    if auth is None and client is not None:
        auth = client.auth
    if isinstance(auth, httpx2.Auth):
        return ErrorMappingAuth(auth, label)
    if isinstance(auth, str):
        return ErrorMappingAuth(BearerToken(auth), label)
    if callable(auth):
        return ErrorMappingAuth(CallableTokenAuth(auth), label)
    if auth is None and (is_authorized or urlsplit(url).username):
        return None
    return _of_login(url, auth, http, label)


def has_login(url: str) -> bool:
    """Return True if a login for a server is stored."""
    from .login_errors import LoginError
    from .store import Store

    try:
        return Store().find(url) is not None
    except LoginError:  # raised again when the login is used
        return True


def _of_login(url: str, login: Login | None, http: HttpOptions, label: str) -> httpx2.Auth | None:
    """Return a stored login, which is optional unless the caller passed one."""
    from .login_errors import LoginError, login_command
    from .store import Store

    account = None if login is None else login.account
    try:
        stored = Store().find(url, account)
    except LoginError as error:
        raise _failure(error, label) from None
    if stored is not None:
        from .provider import SharedOAuth

        through = http.http_client
        client = None if through is None else partial(_bounded_by, stored.server, through)
        return ErrorMappingAuth(SharedOAuth(stored, client=client), label)
    if login is None:
        return None
    command = login_command(label, account or "")
    raise AuthorizationRequired(label, f"there is no such login; run: {command}")


class BearerToken(httpx2.Auth):
    """Sends the same token with each request."""

    def __init__(self, token: str) -> None:
        self._header = bearer(token)

    def auth_flow(self, request: httpx2.Request) -> Generator[httpx2.Request, httpx2.Response]:
        request.headers["Authorization"] = self._header
        yield request


class CallableTokenAuth(httpx2.Auth):
    """Requests a token for each request, and once more after a rejection."""

    def __init__(self, ask: TokenSource) -> None:
        self._ask = ask

    async def async_auth_flow(self, request: httpx2.Request) -> Flow:
        header = request.headers["Authorization"] = await self._request_token()
        response = yield request
        if response.status_code != _UNAUTHORIZED:
            return
        another = await self._request_token()
        if another != header:
            request.headers["Authorization"] = another
            yield request

    async def _request_token(self) -> str:
        token = self._ask()
        return bearer(await token if inspect.isawaitable(token) else token)


class ErrorMappingAuth(httpx2.Auth):
    """Wraps another ``Auth``, and converts its exceptions to our errors."""

    def __init__(self, auth: httpx2.Auth, label: str) -> None:
        self._auth = auth
        self._label = label

    async def async_auth_flow(self, request: httpx2.Request) -> Flow:
        flow = self._auth.async_auth_flow(request)
        try:
            outgoing = await _quietly(flow, None)
            while True:
                response = yield outgoing
                outgoing = await _quietly(flow, response)
        except StopAsyncIteration:
            return
        except Exception as error:
            raise _failure(error, self._label) from _drop_server_text(error)
        finally:
            await flow.aclose()


async def _quietly(flow: Flow, response: httpx2.Response | None) -> httpx2.Request:
    is_ours = _is_ours.set(True)
    try:
        if response is None:
            return await anext(flow)
        return await flow.asend(response)
    finally:
        _is_ours.reset(is_ours)


def _failure(error: Exception, label: str) -> Exception:
    """Describe why authorization failed."""
    from .login_errors import AuthorizationRequired as LoginRequired
    from .login_errors import LoginBusy, LoginError, LoginUnavailable

    if isinstance(error, ClientError):
        return error
    if isinstance(error, LoginBusy | LoginUnavailable):  # for now: nothing was sent
        return httpx2.ConnectError(str(error))
    if isinstance(error, LoginError):
        scope = error.scope if isinstance(error, LoginRequired) else ""
        return AuthorizationRequired(label, str(error), scope=plain(scope))
    # After the first line, Pydantic quotes the server's response, including tokens.
    reason = plain(str(error).partition("\n")[0])
    return AuthorizationRequired(label, reason or type(error).__name__)


def _drop_server_text(error: Exception) -> Exception | None:
    """Return an exception without text of a server."""
    return None if type(error).__module__.startswith(("mcp.", "pydantic")) else error


class _ForwardingTransport(httpx2.AsyncBaseTransport):
    """Sends requests with the caller's client, which stays open."""

    def __init__(self, client: httpx2.AsyncClient) -> None:
        self._client = client

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        return await self._client.send(request, stream=True, auth=None)


def _bounded_by(server: str, through: httpx2.AsyncClient) -> httpx2.AsyncClient:
    """Return a client for OAuth requests that sends with the caller's client, within limits."""
    from .bounded import bounded_client

    return bounded_client(server, transport=_ForwardingTransport(through))


_is_ours: ContextVar[bool] = ContextVar("is_ours", default=False)


def _without_traceback(record: logging.LogRecord) -> bool:
    """Keep tokens out of the SDK's log: the traceback of its error may quote them."""
    if _is_ours.get():
        record.exc_info = None
    return True


logging.getLogger("mcp.client.auth.oauth2").addFilter(_without_traceback)
