"""The authorization options of ``connect``."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    import httpx2


@dataclass(frozen=True)
class Login:
    """A login stored by ``mcpgen login``.

    Without an account, it is the only login for the server, or the one without a name.
    """

    account: str | None = None


TokenSource: TypeAlias = Callable[[], "str | Awaitable[str]"]
"""Returns a token. May be ``async``."""

Auth: TypeAlias = "str | TokenSource | Login | httpx2.Auth"
"""A token, a callable that returns one, a stored login, or an ``httpx2.Auth``."""


def bearer(token: object) -> str:
    """Return the header for a token."""
    text = token.strip() if isinstance(token, str) else ""
    # HTTP's error would quote an invalid token.
    if not text.isascii() or not text.isprintable() or not text or " " in text:
        raise ValueError("a token is a text without spaces, and without 'Bearer'")
    return f"Bearer {text}"


@dataclass(frozen=True, repr=False)
class HttpOptions:
    """The options of ``connect`` that apply only to URLs."""

    headers: Mapping[str, str] | None = None
    auth: Auth | None = None
    http_client: httpx2.AsyncClient | None = None

    def __post_init__(self) -> None:
        is_known = isinstance(self.auth, str | Login | None) or callable(self.auth)
        if not is_known and not hasattr(self.auth, "async_auth_flow"):
            raise TypeError(f"auth cannot be of type {type(self.auth).__name__}")
        if isinstance(self.auth, str):
            bearer(self.auth)

    @property
    def authorizes(self) -> bool:
        """Return True if an option authorizes requests."""
        client = self.http_client
        if self.auth is not None or "authorization" in map(str.lower, self.headers or ()):
            return True
        return client is not None and (client.auth is not None or "authorization" in client.headers)

    def refuse(self) -> None:
        """Reject options that don't apply to the server."""
        if self.headers:
            raise TypeError("headers are for a URL")
        if self.auth is not None:
            raise TypeError("auth is for a URL")
        if self.http_client is not None:
            raise TypeError("http_client is for a URL")
