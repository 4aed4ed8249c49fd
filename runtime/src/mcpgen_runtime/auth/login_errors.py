"""Errors of logins, without secrets in their messages."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass, fields


@dataclass(eq=False)
class LoginError(Exception):
    """A stored login can't be used. ``server`` is its URL without the query."""

    server: str

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), tuple(getattr(self, fact.name) for fact in fields(self))


@dataclass(eq=False)
class AuthorizationRequired(LoginError):
    """A person must log in or grant more permissions by running ``command``.

    ``scope`` is the scope that the server requires, if known.
    """

    account: str = ""
    reason: str = "the server wants a login"
    scope: str = ""

    @property
    def command(self) -> str:
        """The command line that makes the login."""
        return login_command(self.server, self.account, self.scope)

    def __str__(self) -> str:
        return f"{self.reason}; run: {self.command}"


@dataclass(eq=False)
class LoginUnavailable(LoginError):
    """The authorization server couldn't refresh the login for now.

    ``status`` is its HTTP status, or 0 without a response.
    """

    status: int = 0

    def __str__(self) -> str:
        status_text = f"HTTP {self.status}" if self.status else "no answer"
        return f"the login at {self.server} could not be renewed: {status_text}"


@dataclass(eq=False)
class LoginBusy(LoginError):
    """The lock of the login was held by another process for too long."""

    seconds: float = 0.0

    def __str__(self) -> str:
        return f"another process holds the login at {self.server} for {self.seconds:g} s"


@dataclass(eq=False)
class LoginUnreadable(LoginError):
    """The stored login can't be read."""

    account: str = ""
    reason: str = ""

    def __str__(self) -> str:
        command = login_command(self.server, self.account)
        return f"the stored login is unreadable: {self.reason}; run: {command}"


@dataclass(eq=False)
class SeveralLogins(LoginError):
    """There are several logins for a server, and none was selected."""

    accounts: Sequence[str] = ()

    def __str__(self) -> str:
        names = ", ".join(self.accounts)
        return f"there are several logins at {self.server}; name an account: {names}"


def login_command(server: str, account: str = "", scope: str = "") -> str:
    """Return the command line that logs in at a server."""
    command = ["mcpgen", "login", server]
    command += ["--account", account] if account else []
    command += ["--scope", scope] if scope else []
    return shlex.join(command)
