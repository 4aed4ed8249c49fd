"""Errors of requests without authorization."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(eq=False)
class Unauthorized(Exception):
    """The request has no valid token. The response has status 401.

    Attributes:
        description: The reason, without text from the token. Empty if there is no token.
        error: The error code of RFC 6750 section 3.1 or RFC 9449 section 7.1.
        scheme: The scheme of the challenge, ``Bearer`` or ``DPoP``.
    """

    description: str = ""
    error: str = "invalid_token"
    scheme: str = "Bearer"

    def __str__(self) -> str:
        return self.description or "There is no token."


@dataclass(eq=False)
class Unavailable(Exception):
    """The token can't be verified now. The response has status 503."""

    reason: str

    def __str__(self) -> str:
        return self.reason
