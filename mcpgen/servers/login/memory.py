"""Keeps tokens and client data in memory while a login is made or revoked."""

from __future__ import annotations

from dataclasses import dataclass

from mcp.shared.auth import OAuthClientInformationFull, OAuthToken
from mcpgen_runtime.auth.provider import expiry


@dataclass
class Memory:
    """A storage for the SDK, without tokens at first, so that the SDK makes a new login."""

    client: OAuthClientInformationFull | None = None
    tokens: OAuthToken | None = None
    expires_at: float | None = None

    async def get_tokens(self) -> OAuthToken | None:
        return None

    async def set_tokens(self, tokens: OAuthToken) -> None:
        self.tokens, self.expires_at = tokens, expiry(tokens.expires_in)

    async def get_client_info(self) -> OAuthClientInformationFull | None:
        return self.client

    async def set_client_info(self, client_info: OAuthClientInformationFull) -> None:
        self.client = client_info
