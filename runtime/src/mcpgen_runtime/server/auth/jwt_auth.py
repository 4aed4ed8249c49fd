"""Verifies access tokens that are JWTs (RFC 9068)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import jwt

from .errors import Unauthorized
from .jwks import FAMILIES, KeySet
from .settings import LEEWAY, Auth, check_url, setting
from .tokens import MAX_LENGTH, access_token

if TYPE_CHECKING:
    from mcp.server.auth.provider import AccessToken


@dataclass(frozen=True, kw_only=True)
class JwtAuth(Auth):
    """Verifies JWTs with the keys of the authorization server.

    Attributes:
        jwks_url: The URL of its keys.
        algorithm: ``RS256``, ``PS256``, ``ES256`` or ``EdDSA``. Tokens can't choose another.
    """

    jwks_url: str = setting("MCPGEN_AUTH_JWKS_URL")
    algorithm: str = setting("MCPGEN_AUTH_ALGORITHM", "RS256")
    _keys: KeySet = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_keys", KeySet(self.jwks_url, self.algorithm))

    def check(self) -> None:
        """Reject settings with which tokens can't be verified safely."""
        super().check()
        check_url("JWKS URL", self.jwks_url)
        if self.algorithm not in FAMILIES:
            choices = ", ".join(FAMILIES)
            raise ValueError(f"the algorithm {self.algorithm!r} is not one of {choices}")

    async def verify(self, token: str) -> AccessToken:
        """Verify signature, issuer, audience and lifetime of a JWT."""
        if len(token) > MAX_LENGTH:
            raise Unauthorized("The token is too long.")
        key = await self._keys.key(self._key_id(token))
        try:
            claims = jwt.decode(
                token,
                key,
                algorithms=[self.algorithm],
                audience=self.accepted_audience,
                issuer=self.issuer,
                leeway=LEEWAY,
                options={"require": ["exp", "iss", "aud"]},
            )
        except jwt.InvalidTokenError as error:
            raise Unauthorized(_REASONS.get(type(error), "The token is invalid.")) from error
        return access_token(token, claims, self.accepted_audience)

    def _key_id(self, token: str) -> str | None:
        """Return the ``kid`` of a token. No other parameter of its header chooses a key."""
        try:
            header: dict[str, Any] = jwt.get_unverified_header(token)
        except jwt.InvalidTokenError:
            raise Unauthorized("The token isn't a JWT.") from None
        if header.get("alg") != self.algorithm:
            raise Unauthorized("The token was signed with another algorithm.")
        if "crit" in header:
            raise Unauthorized("The token has critical header parameters.")
        kind = str(header.get("typ", "JWT")).lower().removeprefix("application/")
        if kind not in ("at+jwt", "jwt"):
            raise Unauthorized("The JWT isn't an access token.")
        kid = header.get("kid")
        return kid if isinstance(kid, str) else None


_REASONS: dict[type[jwt.InvalidTokenError], str] = {
    jwt.ExpiredSignatureError: "The token has expired.",
    jwt.ImmatureSignatureError: "The token is not valid yet.",
    jwt.InvalidIssuerError: "The token is from another issuer.",
    jwt.InvalidAudienceError: "The token was issued for another resource.",
    jwt.InvalidSignatureError: "The signature of the token is wrong.",
    jwt.MissingRequiredClaimError: "The token lacks one of the claims exp, iss and aud.",
}
