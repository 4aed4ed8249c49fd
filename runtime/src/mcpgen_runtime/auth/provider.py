"""A stored login as the ``auth`` of an HTTP client, shared between processes.

It never involves the user. One process refreshes an expired token while others wait for it.
"""

from __future__ import annotations

import asyncio
import json
import re
import time
from collections.abc import AsyncGenerator, Callable, Coroutine
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import partial
from typing import Any, TypeAlias, cast

import anyio
import httpx2
from mcp.client.auth import OAuthClientProvider
from mcp.client.auth.utils import (
    extract_field_from_www_auth,
    extract_scope_from_www_auth,
)
from mcp.shared.auth import (
    OAuthClientInformationFull,
    OAuthClientMetadata,
    OAuthMetadata,
    OAuthToken,
    ProtectedResourceMetadata,
)
from pydantic import ValidationError

from .bounded import bounded_client
from .locks import PATIENCE, StillHeld, hold_lock
from .login_errors import AuthorizationRequired, LoginBusy, LoginUnavailable, LoginUnreadable
from .store import State, Store, StoredLogin

_EARLY = 30.0
"""Seconds before its end that a token counts as expired, but at most a tenth of its lifetime."""
_VERSION = "mcp-protocol-version"

ClientFactory: TypeAlias = Callable[[], httpx2.AsyncClient]


class SharedOAuth(OAuthClientProvider):
    """The SDK's provider for a stored login that other processes share.

    It raises ``AuthorizationRequired`` if a person is needed. Tokens are requested with a
    separate client from ``client``, because a cancelled caller must not lose tokens that
    the server has already replaced.
    """

    def __init__(
        self,
        login: StoredLogin,
        store: Store | None = None,
        client: ClientFactory | None = None,
    ) -> None:
        self._login = login
        self._store = store or Store()
        self._client: ClientFactory = client or partial(bounded_client, login.server)
        self._state: State | None = None
        metadata = OAuthClientMetadata(redirect_uris=None)
        super().__init__(login.server, metadata, _Tokens(self))

    async def _auth_flow(
        self, request: httpx2.Request
    ) -> AsyncGenerator[httpx2.Request, httpx2.Response]:
        if not self._is_for(request):
            yield request
            return
        self.context.protocol_version = request.headers.get(_VERSION)
        self._load()
        sent_token, response = "", None
        if self.context.is_token_valid():
            sent_token = self._token()
            self._add_auth_header(request)
            response = yield request
            if not _is_refused(response):
                return  # many at once: no lock
        await self._succeed(sent_token, response)
        self._add_auth_header(request)
        response = yield request
        if _is_refused(response):
            raise self._refusal(response)

    def _is_for(self, request: httpx2.Request) -> bool:
        """Return True if a request goes to the server of the login."""
        own, url = httpx2.URL(self._login.server), request.url
        return (own.scheme, own.host, own.port) == (url.scheme, url.host, url.port)

    async def _initialize(self) -> None:
        self._load()

    async def _succeed(self, sent_token: str, refused: httpx2.Response | None) -> None:
        """Get a token other than the one sent, from the store or the server."""
        async with self._alone():
            self._load(is_anew=True)
            if self.context.is_token_valid() and self._token() != sent_token:
                return
            if refused is not None and refused.status_code == 403:
                raise self._refusal(refused)
            await _surely(self._renew(sent_token))

    async def _renew(self, sent_token: str) -> None:
        try:
            await self._ask(await self._renewal())
        except LoginUnavailable:
            if self._token() == sent_token or not self._is_alive():
                raise

    async def _renewal(self) -> httpx2.Request:
        """Return the request for new tokens."""
        if self._login.grant != "authorization_code":
            from .machine import machine_request

            storage, version = self.context.storage, self.context.protocol_version
            return await machine_request(self._login, storage, version)
        if not self.context.can_refresh_token():
            raise self._required_error("the login has expired")
        return await self._refresh_token()

    async def _ask(self, request: httpx2.Request) -> None:
        try:
            client = self._client()
            async with client:
                response = await client.send(request)
        except httpx2.HTTPError:
            raise LoginUnavailable(self._login.server) from None
        if response.status_code == 429 or response.status_code >= 500:
            raise LoginUnavailable(self._login.server, response.status_code)
        try:
            tokens = OAuthToken.model_validate_json(response.content)
        except ValidationError:  # it would quote the tokens
            raise self._required_error(_reason(response)) from None
        await self.context.storage.set_tokens(tokens)

    def keep(self, tokens: OAuthToken) -> None:
        """Store new tokens. Fields that the server omits keep their values."""
        before = {
            key: self._login.tokens[key]
            for key in ("scope", "refresh_token")
            if self._login.tokens.get(key)
        }
        fresh = before | tokens.model_dump(mode="json", exclude_none=True)
        self._login = replace(self._login, tokens=fresh, expires_at=expiry(tokens.expires_in))
        self._store.write(self._login)
        self._fill()

    def _load(self, *, is_anew: bool = False) -> None:
        """Load changes by other processes."""
        server, account = self._login.server, self._login.account
        state = self._store.state(server, account)
        if state is None:
            raise self._required_error("the login no longer exists")
        if state == self._state and not is_anew:
            return
        login = self._store.read(server, account)
        if login is None:
            raise self._required_error("the login no longer exists")
        self._login, self._state = login, state
        self._fill()

    def _fill(self) -> None:
        login, context = self._login, self.context
        try:
            context.current_tokens = OAuthToken.model_validate(login.tokens)
            context.client_info = _client_information(login)
            if login.metadata is not None:
                metadata = OAuthMetadata.model_validate(login.metadata)
                context.oauth_metadata = metadata
            if login.resource is not None:
                resource = ProtectedResourceMetadata.model_validate(login.resource)
                context.protected_resource_metadata = resource
        except ValidationError:  # it would quote the tokens
            reason = "it is damaged"
            raise LoginUnreadable(login.server, login.account, reason) from None
        life = float(login.tokens.get("expires_in") or 10 * _EARLY)
        early = min(_EARLY, life / 10)
        context.token_expiry_time = (
            None if login.expires_at is None else max(1.0, login.expires_at - early)
        )

    def _token(self) -> str:
        tokens = self.context.current_tokens
        return tokens.access_token if tokens else ""

    def _is_alive(self) -> bool:
        end = self._login.expires_at
        return bool(self._token()) and (end is None or time.time() < end)

    @asynccontextmanager
    async def _alone(self) -> AsyncGenerator[None]:
        """Lock out other tasks, then other processes."""
        server, account = self._login.server, self._login.account
        try:
            async with self.context.lock, hold_lock(self._store.lock(server, account)):
                yield
        except StillHeld:
            raise LoginBusy(server, PATIENCE) from None

    def _refusal(self, response: httpx2.Response) -> AuthorizationRequired:
        if response.status_code == 401:
            return self._required_error("the server refuses the login")
        scope = extract_scope_from_www_auth(response) or ""
        return self._required_error("the login does not reach far enough", scope)

    def _required_error(self, reason: str, scope: str = "") -> AuthorizationRequired:
        login = self._login
        return AuthorizationRequired(login.server, login.account, reason, scope)


class _Tokens:
    """The storage for the SDK. The provider itself loads changes of other processes."""

    def __init__(self, provider: SharedOAuth) -> None:
        self._provider = provider

    async def get_tokens(self) -> OAuthToken | None:
        return self._provider.context.current_tokens

    async def set_tokens(self, tokens: OAuthToken) -> None:
        self._provider.keep(tokens)

    async def get_client_info(self) -> OAuthClientInformationFull | None:
        return self._provider.context.client_info

    async def set_client_info(self, client_info: OAuthClientInformationFull) -> None:
        self._provider.context.client_info = client_info


async def _surely(work: Coroutine[Any, Any, None]) -> None:
    """Finish work even if the caller is cancelled, which waits for its end."""
    with anyio.CancelScope(shield=True):
        try:
            asyncio.get_running_loop()
        except RuntimeError:  # trio cancels only by scopes
            return await work
        task = asyncio.ensure_future(work)
        try:
            await asyncio.shield(task)
        except asyncio.CancelledError:
            await asyncio.wait([task])
            if not task.cancelled():
                task.exception()  # otherwise asyncio logs it
            raise


def expiry(seconds: int | None) -> float | None:
    """Return the Unix time at which a token expires, or None."""
    return None if seconds is None else time.time() + seconds


def _client_information(login: StoredLogin) -> OAuthClientInformationFull | None:
    if not login.client:
        return None
    return OAuthClientInformationFull.model_validate(login.client)


def _is_refused(response: httpx2.Response) -> bool:
    if response.status_code != 403:
        return response.status_code == 401
    return extract_field_from_www_auth(response, "error") == "insufficient_scope"


def _reason(response: httpx2.Response) -> str:
    """Return OAuth's error code as the reason why there are no new tokens."""
    try:
        answer: object = json.loads(response.content)
    except (ValueError, RecursionError):
        answer = None
    code = cast("dict[str, Any]", answer).get("error") if type(answer) is dict else None
    is_code = isinstance(code, str) and re.fullmatch(r"[a-z_]{1,40}", code)
    reason = code if is_code else f"HTTP {response.status_code}"
    return f"the login could not be renewed ({reason})"
