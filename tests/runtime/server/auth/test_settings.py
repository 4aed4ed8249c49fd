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
def test_missing_variable_ends_the_start_with_exit_code_2(
    environment: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    name: str,
    value: str | None,
) -> None:
    if value is None:
        environment.delenv(name)
    else:
        environment.setenv(name, value)
    kinds = [JwtAuth] if "JWKS" in name else [Introspection]
    for kind in kinds:
        with pytest.raises(SystemExit) as ended:
            kind.from_env()
        assert ended.value.code == 2
        assert name in capsys.readouterr().err


def test_wrong_variable_ends_the_start_without_showing_secrets(
    environment: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    environment.setenv("MCPGEN_AUTH_INTROSPECTION_URL", "http://auth.example.com")
    with pytest.raises(SystemExit) as ended:
        Introspection.from_env()
    assert ended.value.code == 2
    error = capsys.readouterr().err
    assert "https" in error
    assert "s3cret" not in error
