"""Known error codes of authorization servers are explained."""

from __future__ import annotations

import pytest
from authorization import AuthorizationServer
from login_servers import Command


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
