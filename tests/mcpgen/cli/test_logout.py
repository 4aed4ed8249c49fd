"""`mcpgen logout` and `logins`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from authorization import AuthorizationServer
from login_servers import Command
from mcpgen_runtime.auth.store import Store


def test_public_client_logs_out_if_server_requires_a_secret(
    command: Command, server: AuthorizationServer
) -> None:
    server.wants_secret_member = True
    assert command("login", server.mcp).code == 0
    outcome = command("logout", server.mcp)
    assert (outcome.code, "revoked at the server" in outcome.err) == (0, True)


def test_logout_revokes_at_the_server(command: Command, server: AuthorizationServer) -> None:
    assert command("login", server.mcp).code == 0
    outcome = command("logout", server.mcp)
    assert (outcome.code, "forgotten; revoked at the server" in outcome.err) == (0, True)
    assert (server.access, server.refresh) == ({}, {})
    assert command("logins").out == "no logins\n"
    assert command("record", server.mcp).code == 3


@pytest.mark.slow
def test_every_login_can_end_at_once(command: Command, server: AuthorizationServer) -> None:
    for account in ("", "work"):
        assert command("login", server.mcp, "--account", account).code == 0
    assert len(command("logins").out.splitlines()) == 2
    assert command("logout", server.mcp, "--account", "work").code == 0
    assert len(command("logins").out.splitlines()) == 1
    outcome = command("logout", "--all", "--json")
    assert json.loads(outcome.out) == {
        "forgotten": [{"server": server.mcp, "account": "", "revoked": True}]
    }
    assert (outcome.err, list(Store().names())) == ("", [])


def test_logins_lists_everything_except_secrets(
    command: Command, server: AuthorizationServer
) -> None:
    assert command("login", server.mcp, "--json", "--account", "work").code == 0
    (login,) = json.loads(command("logins", "--json").out)["logins"]
    assert login.keys() == {
        *("account", "expires", "grant", "kept", "renewable", "scopes", "server"),
    }
    assert (login["server"], login["account"]) == (server.mcp, "work")
    assert Path(login["kept"]).exists()


@pytest.mark.slow
def test_damaged_login_can_be_replaced(command: Command, server: AuthorizationServer) -> None:
    assert command("login", server.mcp).code == 0
    Path(Store().place(server.mcp)).write_text('{"server": "' + server.mcp + '"}')
    outcome = command("logins")
    assert (outcome.code, "unreadable" in outcome.out) == (0, True)
    outcome = command("record", server.mcp)
    assert (outcome.code, f"run: mcpgen login {server.mcp}" in outcome.err) == (3, True)
    assert command("login", server.mcp).code == 0
    assert command("record", server.mcp, "-o", "c.json").code == 0
