"""Converts login errors to errors of the command line."""

from __future__ import annotations

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


def unusable_certificates(error: OSError, where: str) -> McpgenError:
    """Return the error for a file in ``SSL_CERT_FILE`` that can't be used."""
    return UsageError(str(error), where, "unset it, or set it to a file of certificates (PEM)")


def problem(error: LoginError, where: str = "") -> McpgenError:
    """Return the error with a hint. ``where`` is the server as the user named it."""
    where = where or error.server
    match error:
        case AuthorizationRequired():
            text = f"{error.reason} (scope {error.scope})" if error.scope else error.reason
            return AuthorizationError(text, where, f"run: {error.command}; {OTHERWISE}")
        case LoginUnreadable():
            hint = f"run: {login_command(error.server, error.account)}; {OTHERWISE}"
            text = f"the stored login is unreadable: {error.reason}"
            return AuthorizationError(text, where, hint)
        case SeveralLogins():
            names = ", ".join(error.accounts)
            return UsageError(
                f"there are several logins at this server: {names}",
                where,
                "choose one: --account NAME, or account = in its table of [tool.mcpgen]",
            )
        case LoginUnavailable() | LoginBusy():
            return UnreachableError(str(error), where, "try again later")
        case _:
            return AuthorizationError(str(error), where)
