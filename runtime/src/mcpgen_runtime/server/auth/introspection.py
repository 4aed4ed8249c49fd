"""Verifies opaque access tokens by introspection (RFC 7662)."""

from __future__ import annotations

import hashlib
import time
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import anyio

from .errors import Unauthorized
from .fetch import fetch
from .settings import LEEWAY, Auth, check_url, setting
from .tokens import MAX_LENGTH, access_token

if TYPE_CHECKING:
    from mcp.server.auth.provider import AccessToken

_SECONDS = 30.0
_MAX_CACHED = 10_000


@dataclass(frozen=True, kw_only=True)
class Introspection(Auth):
    """Asks the authorization server about each token, at most once in 30 seconds.

    A revoked token is therefore accepted for up to 30 seconds.

    Attributes:
        endpoint: The URL of its introspection endpoint.
        client_id: The ID under which this server asks.
        client_secret: The secret of that ID.
    """

    endpoint: str = setting("MCPGEN_AUTH_INTROSPECTION_URL")
    client_id: str = setting("MCPGEN_AUTH_CLIENT_ID")
    client_secret: str = setting("MCPGEN_AUTH_CLIENT_SECRET", is_secret=True)
    _cached: OrderedDict[bytes, tuple[float, Mapping[str, Any]]] = field(
        init=False,
        repr=False,
        compare=False,
        default_factory=OrderedDict[bytes, tuple[float, Mapping[str, Any]]],
    )
    _pending: dict[bytes, anyio.Event] = field(
        init=False, repr=False, compare=False, default_factory=dict[bytes, anyio.Event]
    )

    def check(self) -> None:
        """Reject settings with which tokens can't be verified safely."""
        super().check()
        check_url("introspection URL", self.endpoint)

    async def verify(self, token: str) -> AccessToken:
        """Ask whether a token is active, and check its issuer, audience and lifetime."""
        if len(token) > MAX_LENGTH:
            raise Unauthorized("The token is too long.")
        claims = await self._claims(token)
        if claims.get("active") is not True:
            raise Unauthorized("The token is not active.")
        if claims.get("iss", self.issuer) != self.issuer:
            raise Unauthorized("The token is from another issuer.")
        expires: Any = claims.get("exp")
        if isinstance(expires, int | float) and expires + LEEWAY < time.time():
            raise Unauthorized("The token has expired.")
        return access_token(token, claims, self.accepted_audience)

    async def _claims(self, token: str) -> Mapping[str, Any]:
        """Return the response about a token. Requests with the same token share one."""
        # The token itself is never kept.
        key = hashlib.sha256(token.encode()).digest()
        while (event := self._pending.get(key)) is not None:
            await event.wait()
        until, claims = self._cached.get(key, (0.0, {}))
        if time.monotonic() < until:
            return claims
        event = self._pending[key] = anyio.Event()
        try:
            form = {"token": token, "token_type_hint": "access_token"}
            login = (self.client_id, self.client_secret)
            claims = await fetch("POST", self.endpoint, form=form, login=login)
            self._cached[key] = (time.monotonic() + _SECONDS, claims)
            self._cached.move_to_end(key)
            if len(self._cached) > _MAX_CACHED:
                self._cached.popitem(last=False)
        finally:
            del self._pending[key]
            event.set()
        return claims
