"""The stored login that a server is asked with, unless credentials were given."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcpgen.endpoint import Http
from mcpgen.errors import AuthorizationError
from mcpgen.login.errors import LoginError, login_command
from mcpgen.login.problems import problem
from mcpgen.login.store import Store

if TYPE_CHECKING:
    import httpx2


def login_of(target: Http) -> httpx2.Auth | None:
    """Return the login to use, None where there is none or a header says who asks."""
    if any(name.lower() == "authorization" for name in target.headers):
        return None
    store = Store()
    try:
        login = store.find(target.url, target.account)
    except LoginError as error:
        raise problem(error, target.redacted()) from None
    if login is None and target.account is not None:
        said = f"there is no login with the account {target.account!r}"
        hint = f"run: {login_command(target.redacted(), target.account)}"
        raise AuthorizationError(said, target.redacted(), hint)
    if login is None:
        return None
    from mcpgen.login.provider import SharedOAuth

    return SharedOAuth(login, store)
