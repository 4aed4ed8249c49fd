"""What is wrong with a login, as a problem of the command line."""

from __future__ import annotations

from pathlib import Path

import jwt
from mcpgen_runtime.auth.login_errors import (
    AuthorizationRequired,
    LoginBusy,
    LoginError,
    LoginUnavailable,
    LoginUnreadable,
    SeveralLogins,
    login_command,
)

from mcpgen.errors import AuthorizationError, McpgenError, UnreachableError, UsageError

OTHERWISE = "or pass credentials: --header 'Authorization: Bearer ${TOKEN}'"


def problem(error: LoginError, where: str = "") -> McpgenError:
    """Say what to do about it; ``where`` is the server as the person named it."""
    where = where or error.server
    match error:
        case AuthorizationRequired():
            said = f"{error.reason} (scope {error.scope})" if error.scope else error.reason
            return AuthorizationError(said, where, f"run: {error.command}; {OTHERWISE}")
        case LoginUnreadable():
            hint = f"run: {login_command(error.server, error.account)}; {OTHERWISE}"
            said = f"the stored login is unreadable: {error.reason}"
            return AuthorizationError(said, where, hint)
        case SeveralLogins():
            names = ", ".join(error.accounts)
            return UsageError(
                f"there are several logins at this server: {names}",
                where,
                "say which: --account NAME, or account = in its table of [tool.mcpgen]",
            )
        case LoginUnavailable() | LoginBusy():
            return UnreachableError(str(error), where, "try again later")
        case _:
            return AuthorizationError(str(error), where)


_ALGORITHMS = ("RS256", "ES256", "ES384", "ES512", "EdDSA")


def algorithm(file: Path) -> str:
    """Return the algorithm of a key in a file; nothing of the key is said."""
    try:
        key = file.read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "it is no text"
        raise UsageError(f"the key cannot be read: {reason}", str(file)) from None
    for name in _ALGORITHMS:
        try:
            jwt.encode({}, key, algorithm=name)
        except Exception:  # noqa: S112 - whatever the library raises: not of this kind
            continue
        return name
    hint = "a PEM file without a password is needed: RSA, EC or Ed25519"
    raise UsageError("this is no private key that signs", str(file), hint)
