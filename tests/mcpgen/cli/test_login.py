"""`mcpgen login`, `logout` and `logins`, and the commands that use stored logins."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from authorization import AuthorizationServer, serving
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec
from login_servers import Command


def test_browser_login_is_used_by_later_commands(
    command: Command, server: AuthorizationServer
) -> None:
    outcome = command("login", server.mcp)
    assert (outcome.code, outcome.out.split(": ")[0]) == (0, "logged in")
    assert command("record", server.mcp, "-o", "c.json").code == 0
    assert list(json.loads(Path("c.json").read_text())["tools"]) == ["whoami"]
    assert server.resources == {server.mcp}
    assert not [text for text in server.issued if text in Path("c.json").read_text()]


@pytest.mark.parametrize("args", [["record"], ["client"], ["list"], ["diff", "c.json"]])
def test_server_requiring_login_gets_a_hint(
    command: Command, server: AuthorizationServer, args: list[str]
) -> None:
    Path("c.json").write_text('{"tools": []}')
    outcome = command(*args, server.mcp)
    assert outcome.code == 3
    assert f"hint: run: mcpgen login {server.mcp}, or pass credentials: --header" in outcome.err


@pytest.mark.slow
def test_pipeline_uses_the_login_or_hints_at_it(
    command: Command, server: AuthorizationServer
) -> None:
    table = f'[tool.mcpgen.servers.guarded]\nsource = "{server.mcp}"\n'
    Path("pyproject.toml").write_text(table)
    outcome = command("lock")
    assert outcome.code == 3
    assert f"run: mcpgen login {server.mcp}" in outcome.err
    assert command("login", "guarded").code == 0
    assert command("lock").code == 0
    assert command("check", "--live").code == 0
    server.refresh.clear()
    server.end_tokens()
    assert command("check", "--live").code == 3


@pytest.mark.slow
def test_a_table_names_the_account(command: Command, server: AuthorizationServer) -> None:
    table = f'[tool.mcpgen.servers.guarded]\nsource = "{server.mcp}"\n'
    Path("pyproject.toml").write_text(table)
    for account in ("work", "home"):
        assert command("login", server.mcp, "--account", account).code == 0
    outcome = command("lock")
    assert (outcome.code, "account = in its table" in outcome.err) == (2, True)
    Path("pyproject.toml").write_text(f'{table}account = "work"\n')
    assert command("lock").code == 0
    assert command("check", "--live").code == 0


@pytest.mark.slow
def test_a_header_comes_before_the_login(command: Command, server: AuthorizationServer) -> None:
    assert command("login", server.mcp).code == 0
    outcome = command("record", server.mcp, "--header", "Authorization: Bearer wrong")
    assert (outcome.code, "the server rejects the given credentials" in outcome.err) == (3, True)


@pytest.mark.slow
def test_an_old_token_is_renewed_by_the_recorder(
    command: Command, server: AuthorizationServer
) -> None:
    assert command("login", server.mcp).code == 0
    server.end_tokens()
    assert command("record", server.mcp, "-o", "c.json").code == 0
    assert (server.counts["refresh_token"], server.counts["reused"]) == (1, 0)


@pytest.mark.slow
def test_additional_scope_is_requested_with_the_granted_ones(
    command: Command, server: AuthorizationServer
) -> None:
    assert command("login", server.mcp).code == 0
    server.needed = "admin"
    outcome = command("record", server.mcp)
    assert (outcome.code, f"run: mcpgen login {server.mcp} --scope admin" in outcome.err) == (
        3,
        True,
    )
    assert command("login", server.mcp, "--scope", "admin").code == 0
    assert command("record", server.mcp, "-o", "c.json").code == 0
    (login,) = json.loads(command("logins", "--json").out)["logins"]
    assert login["scopes"] == ["use", "admin"]
    assert server.counts["/as/register"] == 1


def test_accounts_are_kept_apart(command: Command, server: AuthorizationServer) -> None:
    for account in ("work", "home"):
        assert command("login", server.mcp, "--account", account).code == 0
    outcome = command("record", server.mcp)
    assert (outcome.code, "choose one: --account NAME" in outcome.err) == (2, True)
    assert command("record", server.mcp, "--account", "work", "-o", "c.json").code == 0
    outcome = command("record", server.mcp, "--account", "none")
    assert (outcome.code, f"mcpgen login {server.mcp} --account none" in outcome.err) == (3, True)


def test_call_names_the_missing_scope(command: Command, server: AuthorizationServer) -> None:
    assert command("login", server.mcp).code == 0
    server.needed = "admin"
    outcome = command("call", server.mcp, "whoami", "--x", "1")
    assert (outcome.code, "--scope admin" in outcome.err) == (3, True)


def test_a_secret_comes_from_a_variable(
    command: Command, server: AuthorizationServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SECRET", "top-s3cret")
    server.clients["known"] = {"client_secret": "top-s3cret"}
    args = ["login", server.mcp, "--client-id", "known", "--client-secret-env", "SECRET"]
    assert command(*args).code == 0
    server.end_tokens()
    assert command("record", server.mcp, "-o", "c.json").code == 0
    assert server.counts["refresh_token"] == 1


def test_a_program_logs_in_by_its_secret(
    command: Command, server: AuthorizationServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SECRET", "top-s3cret")
    server.clients["program"] = {"client_secret": "top-s3cret"}
    args = ["login", server.mcp, "--client-credentials", "--client-id", "program"]
    args += ["--client-secret-env", "SECRET"]
    outcome = command(*args)
    assert (outcome.code, f"--issuer {server.issuer}" in outcome.err) == (2, True)
    assert server.counts["client_credentials"] == 0
    assert command(*args, "--issuer", server.issuer).code == 0
    assert command("record", server.mcp, "-o", "c.json").code == 0
    server.end_tokens()
    assert command("record", server.mcp, "-o", "c.json").code == 0
    assert server.counts["client_credentials"] == 2
    assert server.counts["/as/authorize"] == 0


@pytest.mark.slow
def test_a_program_logs_in_by_its_key(
    command: Command, server: AuthorizationServer, tmp_path: Path
) -> None:
    key = ec.generate_private_key(ec.SECP256R1())
    form = (serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8)
    file = tmp_path / "key.pem"
    file.write_bytes(key.private_bytes(*form, serialization.NoEncryption()))
    server.clients["program"] = {"key": key.public_key()}
    args = ["login", server.mcp, "--client-id", "program", "--private-key", "key.pem"]
    assert command(*args, "--issuer", server.issuer).code == 0
    server.end_tokens()
    assert command("record", server.mcp, "-o", "c.json").code == 0
    assert server.counts["client_credentials"] == 2
    file.unlink()
    server.end_tokens()
    outcome = command("record", server.mcp)
    assert (outcome.code, "no private key at" in outcome.err) == (3, True)


def test_the_secret_goes_to_no_other_authorization_server(
    command: Command, server: AuthorizationServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SECRET", "top-s3cret")
    args = ["login", server.mcp, "--client-credentials", "--client-id", "program"]
    args += ["--client-secret-env", "SECRET", "--issuer", "https://other.example"]
    assert command(*args).code == 3
    assert server.counts["client_credentials"] == 0


@pytest.mark.slow
@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["login", "demo"], "only a server with an http(s) URL has a login"),
        (["login", "URL", "--client-credentials"], "a client secret requires --client-id"),
        (["login", "URL", "--client-id", "x", "--client-secret-env", "NONE"], "NONE is not set"),
        (["login", "URL", "--client-id", "x", "--client-metadata-url", "https://h/m"], "exclude"),
        (["login", "URL", "--client-id", "x", "--client-secret"], "the client requires a secret"),
        (["login", "URL", "--client-id", "x", "--private-key", "no", "--issuer", "http://i"],
         "the key cannot be read"),
        (["login", "URL", "--client-metadata-url", "http://h/"], "must be an https address"),
        (["logout"], "give a server, or --all"),
        (["logout", "URL"], "there is no such login"),
    ],
)  # fmt: skip
def test_contradictory_options_are_usage_errors(
    command: Command, server: AuthorizationServer, args: list[str], message: str
) -> None:
    outcome = command(*(server.mcp if arg == "URL" else arg for arg in args))
    assert (outcome.code, message in outcome.err) == (2, True), outcome.err
    assert "Traceback" not in outcome.err


def test_a_server_without_a_login_says_so(command: Command) -> None:
    with serving(needed="use") as other:
        other.refusal = lambda _: None  # type: ignore[method-assign] # it lets everyone in
        other.answer = other.nothing  # type: ignore[method-assign] # and describes nothing
        outcome = command("login", other.mcp)
    assert (outcome.code, "the server requires no login" in outcome.err) == (2, True)


def test_unreachable_server_has_its_exit_code(command: Command) -> None:
    assert command("login", "http://127.0.0.1:9/mcp").code == 4
