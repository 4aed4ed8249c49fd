"""Known error codes of authorization servers are explained."""

from __future__ import annotations

import ssl

import pytest
from authorization import AuthorizationServer
from login_servers import Command
from mcpgen_runtime import tls


@pytest.mark.parametrize(
    ("failure", "hint"),
    [
        ("unauthorized_client", "--client-id"),
        ("invalid_grant", "log in again"),
        ("invalid_scope", "--scope"),
    ],
)
def test_refusal_of_a_token_names_its_code(
    command: Command, server: AuthorizationServer, failure: str, hint: str
) -> None:
    server.fails, server.failure = 400, failure
    missing_types = command("login", server.mcp)
    assert (missing_types.code, f"issues no token ({failure})" in missing_types.err) == (3, True)
    assert hint in missing_types.err


def test_unknown_code_of_a_refusal_is_not_repeated(
    command: Command, server: AuthorizationServer
) -> None:
    server.fails, server.failure = 400, "run_this"
    outcome = command("login", server.mcp)
    assert "issues no token\n" in outcome.err
    assert "run_this" not in outcome.err


def test_unusable_certificates_are_named(
    command: Command, server: AuthorizationServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tls, "shared_settings", _no_certificates)
    outcome = command("login", server.mcp)
    assert (outcome.code, outcome.err.splitlines()[0]) == (2, "error: no certificates")


def test_logout_without_certificates_revokes_nothing(
    command: Command, server: AuthorizationServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert command("login", server.mcp).code == 0
    monkeypatch.setattr(tls, "shared_settings", _no_certificates)
    outcome = command("logout", server.mcp)
    assert (outcome.code, "could not be revoked" in outcome.err) == (0, True)
    assert command("logins").out == "no logins\n"


def _no_certificates() -> ssl.SSLContext:
    raise tls.CertificatesError("no certificates")
