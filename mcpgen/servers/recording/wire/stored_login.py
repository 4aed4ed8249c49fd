"""Finds the stored login of a server, and all credentials sent to the server."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcpgen_runtime.redaction.credentials import CREDENTIALS, Credentials

from mcpgen.errors import AuthorizationError
from mcpgen.servers.endpoint import Http, Stdio
from mcpgen.servers.endpoint.target import Live

if TYPE_CHECKING:
    import httpx2


def login_of(target: Http) -> httpx2.Auth | None:
    """Return the login for a target, or None without one or with an authorization header."""
    if _has_authorization(target):
        return None
    from mcpgen_runtime.auth.login_errors import LoginError, login_command
    from mcpgen_runtime.auth.store import Store

    from mcpgen.servers.login.problems import problem

    store = Store()
    try:
        login = store.find(target.url, target.account)
    except LoginError as error:
        raise problem(error, target.redacted_text()) from None
    if login is None and target.account is not None:
        text = f"there is no login with the account {target.account!r}"
        hint = f"run: {login_command(target.redacted_text(), target.account)}"
        raise AuthorizationError(text, target.redacted_text(), hint)
    if login is None:
        return None
    from mcpgen_runtime.auth.provider import SharedOAuth

    return SharedOAuth(login, store)


def register_credentials(target: Live) -> Credentials:
    """Return the credentials of a server, and register them for redaction in the whole process."""
    origin = target.origin()
    own = Credentials(origin.secrets.values)
    paths = set(origin.paths.values())  # users may see them
    for credentials in (own, CREDENTIALS):
        credentials.add_given(value for value in origin.secrets.values if value not in paths)
        if isinstance(target, Stdio):
            credentials.add_command(target.argv)
        if isinstance(target, Http):
            credentials.add_headers(target.headers)
            credentials.add_url(target.url)
            credentials.add_all(_of_login(target))
    return own


def _of_login(target: Http) -> list[str]:
    """Return the secrets of the stored login for a server."""
    if _has_authorization(target):
        return []
    from mcpgen_runtime.auth.login_errors import LoginError
    from mcpgen_runtime.auth.store import Store

    try:
        login = Store().find(target.url, target.account)
    except LoginError:  # reported when the login is used
        return []
    return login.secrets if login else []


def _has_authorization(target: Http) -> bool:
    return any(name.lower() == "authorization" for name in target.headers)
