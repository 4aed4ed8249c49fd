"""Displays a login without its secrets."""

from __future__ import annotations

from datetime import datetime, timezone
from typing import Any

from mcpgen_runtime.auth.store import Store, StoredLogin


def document(login: StoredLogin, store: Store) -> dict[str, Any]:
    """Describe a login for a JSON document."""
    return {
        "server": login.server,
        "account": login.account,
        "grant": login.grant,
        "scopes": login.scope.split(),
        "expires": _end(login),
        "renewable": is_renewable(login),
        "kept": store.place(login.server, login.account),
    }


def line(login: StoredLogin, store: Store) -> str:
    """Describe a login on one line."""
    account = f" ({login.account})" if login.account else ""
    scopes = login.scope or "no scopes named"
    end = _end(login)
    until = f"until {end}" if end else "no end named"
    if is_renewable(login):
        until = "renewed by itself"
    where_stored = store.place(login.server, login.account)
    return f"{login.server}{account}: {scopes}; {until}; in {where_stored}"


def is_renewable(login: StoredLogin) -> bool:
    """Return True if the login can be renewed without the user."""
    return login.grant != "authorization_code" or bool(login.tokens.get("refresh_token"))


def _end(login: StoredLogin) -> str | None:
    if login.expires_at is None:
        return None
    try:
        end = datetime.fromtimestamp(login.expires_at, timezone.utc)
    except (OverflowError, OSError, ValueError):  # beyond the year 9999
        return None
    return end.strftime("%Y-%m-%dT%H:%M:%SZ")
