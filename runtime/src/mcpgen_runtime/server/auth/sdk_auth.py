"""A token verifier that the author wrote with the classes of the SDK."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from typing_extensions import Self

from .errors import Unauthorized
from .settings import Auth

if TYPE_CHECKING:
    from mcp.server.auth.provider import AccessToken, TokenVerifier
    from mcp.server.auth.settings import AuthSettings


@dataclass(frozen=True, kw_only=True)
class SdkAuth(Auth):
    """Uses ``AuthSettings`` and a ``TokenVerifier`` of the SDK.

    A token with a known resource must have been issued for this server. With
    ``validate_token_resource``, its resource must be known.
    """

    verifier: TokenVerifier
    needs_resource: bool = False

    @classmethod
    def from_settings(cls, settings: AuthSettings, verifier: TokenVerifier | None) -> Self:
        """Convert the settings.

        Raises:
            ValueError: There is nothing to verify tokens with, or no resource URL.
        """
        if verifier is None:
            raise ValueError("auth needs a token_verifier")
        if settings.resource_server_url is None:
            raise ValueError("auth needs a resource_server_url")
        return cls(
            issuer=str(settings.issuer_url),
            resource=str(settings.resource_server_url),
            scopes=" ".join(settings.required_scopes or []),
            verifier=verifier,
            needs_resource=bool(settings.validate_token_resource),
        )

    async def verify(self, token: str) -> AccessToken:
        """Ask the author's verifier."""
        access = await self.verifier.verify_token(token)
        if access is None:
            raise Unauthorized("The token is invalid.")
        if access.expires_at is not None and access.expires_at < time.time():
            raise Unauthorized("The token has expired.")
        if access.resource is None and not self.needs_resource:
            return access
        if (access.resource or "").removesuffix("/") != self.resource.removesuffix("/"):
            raise Unauthorized("The token was issued for another resource.")
        return access
