"""Errors of a login name the command that helps, and can be pickled."""

from __future__ import annotations

import pickle
from dataclasses import replace

import anyio
import pytest
from authorization import AuthorizationServer
from mcpgen_runtime.auth import login_errors as errors
from mcpgen_runtime.auth.provider import SharedOAuth
from mcpgen_runtime.auth.store import Store
from stored_logins import ask, logged_in


def test_expired_login_error_names_the_command(server: AuthorizationServer, store: Store) -> None:
    auth = SharedOAuth(logged_in(server, store, expires_at=1.0), store)
    server.refresh.clear()
    with pytest.raises(errors.AuthorizationRequired) as caught:
        anyio.run(ask, server.mcp, auth)
    assert caught.value.command == f"mcpgen login {server.mcp}"
    assert "(invalid_grant)" in str(caught.value)
    assert not [text for text in server.issued if text in f"{caught.value!r}{caught.value}"]


def test_unrenewable_login_error_names_the_command(
    server: AuthorizationServer, store: Store
) -> None:
    login = logged_in(server, store, account="work", expires_at=1.0)
    tokens = {k: v for k, v in login.tokens.items() if k != "refresh_token"}
    store.write(replace(login, tokens=tokens))
    with pytest.raises(errors.AuthorizationRequired, match="--account work"):
        anyio.run(ask, server.mcp, SharedOAuth(login, store))


def test_an_error_can_be_pickled() -> None:
    error = errors.AuthorizationRequired("https://h/mcp", "work", "why", "admin")
    assert str(pickle.loads(pickle.dumps(error))) == str(error)
