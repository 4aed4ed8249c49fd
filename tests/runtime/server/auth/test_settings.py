"""Settings come from environment variables, and a missing one ends the start."""

from __future__ import annotations

import pytest
from mcpgen_runtime.server import Introspection, JwtAuth

VARIABLES = {
    "MCPGEN_AUTH_ISSUER": "https://auth.example.com",
    "MCPGEN_AUTH_RESOURCE": "https://books.example.com/mcp",
    "MCPGEN_AUTH_JWKS_URL": "https://auth.example.com/jwks",
    "MCPGEN_AUTH_INTROSPECTION_URL": "https://auth.example.com/introspect",
    "MCPGEN_AUTH_CLIENT_ID": "server",
    "MCPGEN_AUTH_CLIENT_SECRET": "s3cret",
}


@pytest.fixture
def environment(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    for name, value in VARIABLES.items():
        monkeypatch.setenv(name, value)
    return monkeypatch


def test_settings_are_read_from_variables(environment: pytest.MonkeyPatch) -> None:
    environment.setenv("MCPGEN_AUTH_ALGORITHM", "EdDSA")
    environment.setenv("MCPGEN_AUTH_SCOPES", "use books")
    auth = JwtAuth.from_env()
    assert (auth.algorithm, auth.base_scopes) == ("EdDSA", {"use", "books"})
    assert auth.accepted_audience == VARIABLES["MCPGEN_AUTH_RESOURCE"]
    assert Introspection.from_env().client_id == "server"


@pytest.mark.parametrize("value", [None, ""])
@pytest.mark.parametrize("name", [*VARIABLES])
def test_missing_variable_is_named(
    environment: pytest.MonkeyPatch, name: str, value: str | None
) -> None:
    if value is None:
        environment.delenv(name)
    else:
        environment.setenv(name, value)
    auth = JwtAuth.from_env() if "JWKS" in name else Introspection.from_env()
    with pytest.raises(ValueError, match=f"^{name} must be set for "):
        auth.check()


def test_wrong_variable_is_refused_without_showing_secrets(
    environment: pytest.MonkeyPatch,
) -> None:
    environment.setenv("MCPGEN_AUTH_INTROSPECTION_URL", "http://auth.example.com")
    with pytest.raises(ValueError, match="https") as error:
        Introspection.from_env().check()
    assert "s3cret" not in str(error.value)
