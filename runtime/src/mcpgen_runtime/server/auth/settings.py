"""Settings of authorization, as arguments or environment variables."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from dataclasses import MISSING, dataclass, field, fields
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from typing_extensions import Self

if TYPE_CHECKING:
    from mcp.server.auth.provider import AccessToken

LEEWAY = 30
"""Seconds by which the clocks of two machines may differ."""


def setting(variable: str, default: str | None = None, *, is_secret: bool = False) -> Any:
    """Return a dataclass field that ``from_env`` reads from an environment variable."""
    metadata = {"variable": variable}
    if default is None:
        return field(metadata=metadata, repr=not is_secret)
    return field(default=default, metadata=metadata, repr=not is_secret)


@dataclass(frozen=True, kw_only=True)
class Auth(ABC):
    """Verifies access tokens that an authorization server has issued for one resource.

    Attributes:
        issuer: The URL of the authorization server.
        resource: The external URL of the MCP endpoint, such as
            ``https://books.example.com/mcp``.
        audience: The ``aud`` of tokens for this server. Empty means the resource.
        scopes: Scopes that every request needs, separated by spaces.
    """

    issuer: str = setting("MCPGEN_AUTH_ISSUER")
    resource: str = setting("MCPGEN_AUTH_RESOURCE")
    audience: str = setting("MCPGEN_AUTH_AUDIENCE", "")
    scopes: str = setting("MCPGEN_AUTH_SCOPES", "")

    @classmethod
    def from_env(cls) -> Self:
        """Return the settings from environment variables.

        If a variable is missing or wrong, the server ends with exit code 2 when it starts over
        HTTP: it never starts without authorization by mistake. Stdio needs no variables.
        """
        values: dict[str, Any] = {}
        for member in fields(cls):
            variable: str = member.metadata.get("variable", "")
            text = os.environ.get(variable, "") if variable else ""
            if text or member.name in cls.required():
                values[member.name] = text
        return cls(**values)

    @classmethod
    def required(cls) -> dict[str, str]:
        """Return the variables of fields without a default, by field."""
        return {
            member.name: member.metadata["variable"]
            for member in fields(cls)
            if "variable" in member.metadata and member.default is MISSING
        }

    def check(self) -> None:
        """Reject settings with which tokens can't be verified safely.

        Raises:
            ValueError: A setting is missing, or a URL is neither https nor on this machine.
        """
        required = self.required().items()
        missing = [variable for name, variable in required if not getattr(self, name)]
        if missing:
            raise ValueError(f"{', '.join(missing)} must be set for {type(self).__name__}")
        check_url("issuer", self.issuer)
        if urlsplit(self.resource).scheme not in ("http", "https"):
            raise ValueError(f"the resource {self.resource!r} is not the URL of an MCP endpoint")

    @property
    def accepted_audience(self) -> str:
        """The ``aud`` that a token must have."""
        return self.audience or self.resource

    @property
    def base_scopes(self) -> frozenset[str]:
        """The scopes that every request needs."""
        return frozenset(self.scopes.split())

    @abstractmethod
    async def verify(self, token: str) -> AccessToken:
        """Return the scopes and the user of a token.

        Raises:
            Unauthorized: The token is not valid for this server.
            Unavailable: The authorization server doesn't respond.
        """


def check_url(name: str, url: str) -> None:
    """Reject URLs whose responses another machine could read or replace."""
    parts = urlsplit(url)
    is_private = parts.scheme == "http" and parts.hostname in _LOOPBACK
    if not parts.hostname or not (parts.scheme == "https" or is_private):
        raise ValueError(f"the {name} {url!r} must be a URL with https, or http on localhost")
    if parts.fragment or parts.username is not None:
        raise ValueError(f"the {name} {url!r} must not have a fragment or a user")


_LOOPBACK = ("localhost", "127.0.0.1", "::1")
