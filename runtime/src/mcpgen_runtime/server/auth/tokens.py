"""Reads claims of access tokens, from a JWT or an introspection response."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from mcp.server.auth.provider import AccessToken

from .errors import Unauthorized

MAX_LENGTH = 16_384


def access_token(token: str, claims: Mapping[str, Any], audience: str) -> AccessToken:
    """Return the scopes and the user of a token for this audience.

    Raises:
        Unauthorized: The token is for another resource, or bound to something other than a
            DPoP key.
    """
    audiences: Any = claims.get("aud")
    if audience not in (audiences if isinstance(audiences, list) else [audiences]):
        raise Unauthorized("The token was issued for another resource.")
    confirmation: Any = claims.get("cnf", {})
    if not isinstance(confirmation, dict) or confirmation.keys() - {"jkt"}:
        # Such as a client certificate (RFC 8705), which isn't checked here.
        raise Unauthorized("This server can't check the key that the token is bound to.")
    return AccessToken(
        token=token,
        client_id=_text(claims.get("client_id")) or _text(claims.get("azp")) or "",
        scopes=_scopes(claims),
        expires_at=int(claims["exp"]) if "exp" in claims else None,
        resource=audience,
        subject=_text(claims.get("sub")),
        claims=dict(claims),
    )


def key_thumbprint(token: AccessToken) -> str | None:
    """Return the thumbprint of the key that a token is bound to (RFC 9449 section 6)."""
    confirmation: Mapping[str, Any] = (token.claims or {}).get("cnf") or {}
    return confirmation.get("jkt")


def _scopes(claims: Mapping[str, Any]) -> list[str]:
    """Return the scopes. Some authorization servers list them as ``scp``."""
    scope: object = claims.get("scope", claims.get("scp", ""))
    if isinstance(scope, str):
        return scope.split()
    items = cast("list[object]", scope) if isinstance(scope, list) else []
    return [item for item in items if isinstance(item, str)]


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None
