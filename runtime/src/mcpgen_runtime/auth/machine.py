"""Tokens for a program that logs in as itself, with a secret or a private key."""

from __future__ import annotations

from pathlib import Path
from typing import Literal, TypeAlias, cast

import httpx2
from mcp.client.auth import OAuthFlowError, TokenStorage
from mcp.client.auth.extensions.client_credentials import (
    ClientCredentialsOAuthProvider,
    PrivateKeyJWTOAuthProvider,
    SignedJWTParameters,
)
from mcp.shared.auth import OAuthMetadata, ProtectedResourceMetadata

from .login_errors import LoginUnreadable
from .store import StoredLogin

_Method: TypeAlias = Literal["client_secret_basic", "client_secret_post"]


class BySecret(ClientCredentialsOAuthProvider):
    """The SDK's provider for client credentials with a secret."""

    async def request(self) -> httpx2.Request:
        """Return the request for tokens."""
        self.context.client_info = self._fixed_client_info
        return await self._perform_authorization()


class ByKey(PrivateKeyJWTOAuthProvider):
    """The SDK's provider for client credentials with a private key."""

    async def request(self) -> httpx2.Request:
        """Return the request for tokens."""
        self.context.client_info = self._fixed_client_info
        return await self._perform_authorization()


async def machine_request(
    login: StoredLogin, storage: TokenStorage, protocol_version: str | None
) -> httpx2.Request:
    """Return the request for tokens of a stored login."""
    provider = machine_provider(login, storage)
    context = provider.context
    context.protocol_version = protocol_version
    context.oauth_metadata = OAuthMetadata.model_validate(login.metadata)
    if login.resource is not None:
        resource = ProtectedResourceMetadata.model_validate(login.resource)
        context.protected_resource_metadata = resource
    try:
        return await provider.request()
    except OAuthFlowError:
        raise _unreadable(login, "of another authorization server") from None


def machine_provider(login: StoredLogin, storage: TokenStorage) -> BySecret | ByKey:
    """Return the SDK's provider for a program's own login."""
    client = {key: str(value) for key, value in login.client.items() if value}
    name, scope = client["client_id"], login.scope or None
    if login.grant == "client_credentials":
        method = client.get("token_endpoint_auth_method", "client_secret_basic")
        secret = client.get("client_secret", "")
        return BySecret(
            login.server,
            storage,
            name,
            secret,
            cast("_Method", method),
            scope,
            login.issuer,
        )
    try:
        key = Path(login.key_file).read_text(encoding="utf-8")
    except (OSError, ValueError):
        raise _unreadable(login, f"no private key at {login.key_file}") from None
    signed = SignedJWTParameters(
        issuer=name,
        subject=name,
        signing_key=key,
        signing_algorithm=login.algorithm or "RS256",
    )
    asserted = signed.create_assertion_provider()
    return ByKey(login.server, storage, name, asserted, scope, login.issuer)


def _unreadable(login: StoredLogin, reason: str) -> LoginUnreadable:
    return LoginUnreadable(login.server, login.account, reason)
