"""`mcpgen login`, `logout` and `logins`, and the commands that use stored logins."""

from __future__ import annotations

import asyncio
import io
import json
import logging
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import httpx2
import pytest
from authorization import AuthorizationServer, browse, serving
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec
from guards import PATIENCE
from mcpgen_runtime.auth.store import Store

from mcpgen.cli.app import run
from mcpgen.servers.login import login_prompts, loopback


@dataclass
class Ran:
    """The exit code and output of a command."""

    code: int
    out: str
    err: str


Command = Callable[..., Ran]


@pytest.fixture
def server() -> Iterator[AuthorizationServer]:
    with serving() as running:
        yield running


@pytest.fixture
def browser(monkeypatch: pytest.MonkeyPatch) -> list[Callable[[str], bool]]:
    """The browser that a login opens: the last of this list."""
    browsers = [browse]
    real = login_prompts.at_browser
    monkeypatch.setattr(
        login_prompts,
        "at_browser",
        lambda *args: real(*args, lambda url: browsers[-1](url)),  # noqa: PLW0108 - the last
    )
    return browsers


@pytest.fixture
def command(  # noqa: PLR0917 - fixtures
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
    server: AuthorizationServer,
    browser: list[Callable[[str], bool]],
) -> Command:
    """Run a command in the current folder, and check that neither output nor log contain the
    servers' tokens.
    """
    monkeypatch.setenv("MCPGEN_LOGINS", str(tmp_path / "logins"))
    monkeypatch.chdir(tmp_path)
    caplog.set_level(logging.DEBUG, "mcp.client")
    capsys.readouterr()

    def ran(*args: str) -> Ran:
        code = run(list(args))
        captured = capsys.readouterr()
        logged = "".join(record.getMessage() for record in caplog.records if "mcp" in record.name)
        for secret in (*server.issued, "top-s3cret", "PRIVATE KEY"):
            assert secret not in captured.out + captured.err + logged
        return Ran(code, captured.out, captured.err)

    return ran


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


def test_a_header_comes_before_the_login(command: Command, server: AuthorizationServer) -> None:
    assert command("login", server.mcp).code == 0
    outcome = command("record", server.mcp, "--header", "Authorization: Bearer wrong")
    assert (outcome.code, "the server rejects the given credentials" in outcome.err) == (3, True)


def test_an_old_token_is_renewed_by_the_recorder(
    command: Command, server: AuthorizationServer
) -> None:
    assert command("login", server.mcp).code == 0
    server.end_tokens()
    assert command("record", server.mcp, "-o", "c.json").code == 0
    assert (server.counts["refresh_token"], server.counts["reused"]) == (1, 0)


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


# Login without a browser


def pasting(monkeypatch: pytest.MonkeyPatch, answer: Callable[[str], str]) -> Callable[[str], None]:
    """Answer the prompt with a value computed from the printed URL."""
    displayed: list[str] = []
    monkeypatch.setattr(sys, "stdin", io.StringIO())
    monkeypatch.setattr("mcpgen.cli.login._read_pasted", lambda: answer(displayed[-1]))
    monkeypatch.setattr("mcpgen.cli.login.log_always", displayed.append)
    return displayed.append


def led_to(url: str) -> str:
    return httpx2.get(url).headers["location"]


@pytest.mark.parametrize("part", ["address", "query", "code"])
def test_a_pasted_answer_will_do(
    command: Command, server: AuthorizationServer, monkeypatch: pytest.MonkeyPatch, part: str
) -> None:
    def answer(url: str) -> str:
        query = urlsplit(led_to(url)).query
        parts = {"address": f"http://127.0.0.1:9/callback?{query}\n", "query": query}
        return parts.get(part, parse_qs(query)["code"][0])

    pasting(monkeypatch, answer)
    assert command("login", server.mcp, "--no-browser").code == 0
    assert Store().find(server.mcp)


@pytest.mark.slow
def test_pasted_url_is_read_from_stdin(tmp_path: Path, server: AuthorizationServer) -> None:
    args = [sys.executable, "-m", "mcpgen", "login", server.mcp, "--no-browser"]
    own = {**os.environ, "MCPGEN_LOGINS": str(tmp_path / "logins")}
    pipe = subprocess.PIPE
    with subprocess.Popen(args, stdin=pipe, stderr=pipe, stdout=pipe, text=True, env=own) as login:
        assert login.stdin is not None
        assert login.stderr is not None
        login.stderr.readline()
        url = login.stderr.readline().strip()
        messages = login.communicate(f"{led_to(url)}\n", timeout=PATIENCE)
    assert (login.returncode, messages[1]) == (0, "")
    assert messages[0].startswith(f"logged in: {server.mcp}: use;")


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (lambda _: "", "nothing was pasted"),
        (lambda url: f"{led_to(url)}x&state=y".replace("state=", "no="), "another login"),
        (lambda _: "http://127.0.0.1/callback?code=1&state=wrong", "another login"),
        (lambda _: "wrong-code", "issues no token"),
    ],
)
def test_wrong_pasted_url_is_rejected(
    command: Command,
    server: AuthorizationServer,
    monkeypatch: pytest.MonkeyPatch,
    answer: Callable[[str], str],
    message: str,
) -> None:
    pasting(monkeypatch, answer)
    outcome = command("login", server.mcp, "--no-browser")
    assert (outcome.code, message in outcome.err) == (3, True)
    assert Store().find(server.mcp) is None


def test_denied_login_is_reported(command: Command, server: AuthorizationServer) -> None:
    server.denies = True
    outcome = command("login", server.mcp)
    assert (outcome.code, "the login was denied" in outcome.err) == (3, True)


def test_an_answer_to_another_login_is_not_taken(
    command: Command, server: AuthorizationServer, browser: list[Callable[[str], bool]]
) -> None:
    calls: list[int] = []

    def forged(url: str) -> bool:
        back = parse_qs(urlsplit(url).query)["redirect_uri"][0]
        for query in ("?code=evil&state=evil", "?code=evil", ""):
            calls.append(httpx2.get(f"{back}{query}").status_code)
        calls.append(httpx2.get(back.replace("/callback", "/other")).status_code)
        calls.append(httpx2.post(back).status_code)
        return browse(url)

    browser.append(forged)
    assert command("login", server.mcp).code == 0
    assert calls == [400, 400, 400, 404, 405]


def test_nobody_is_waited_for_without_end(
    command: Command, server: AuthorizationServer, browser: list[Callable[[str], bool]]
) -> None:
    browser.append(lambda _: False)
    outcome = command("login", server.mcp, "--timeout", "0.3")
    assert (outcome.code, "no login within 0.3 seconds" in outcome.err) == (3, True)


def test_issuer_parameter_must_match(
    command: Command, server: AuthorizationServer, browser: list[Callable[[str], bool]]
) -> None:
    server.names_issuer = True
    assert command("login", server.mcp).code == 0
    browser.append(lambda url: browse(url, {"iss": "https://evil.example"}))
    outcome = command("login", server.mcp)
    assert (outcome.code, "another authorization server" in outcome.err) == (3, True)


def test_the_page_of_a_browser_serves_nothing_else() -> None:
    async def page() -> httpx2.Response:
        port = loopback.free_port()
        async with loopback.listening(port) as answers:
            answers.state = "right"
            async with httpx2.AsyncClient() as client:
                return await client.get(f"{loopback.address(port)}?code=c&state=right")

    answer = asyncio.run(page())
    assert "mcpgen received the response" in answer.text
    assert answer.headers["cache-control"] == "no-store"
    assert answer.headers["content-security-policy"] == "default-src 'none'"


# Clients


def test_a_document_describes_the_client(command: Command, server: AuthorizationServer) -> None:
    url = "https://client.example/metadata.json"
    assert command("login", server.mcp, "--client-metadata-url", url).code == 0
    assert server.counts["/as/register"] == 0
    login = Store().find(server.mcp)
    assert login is not None
    assert login.client["client_id"] == url
    assert command("login", server.mcp).code == 0  # it is known by now
    assert server.counts["/as/register"] == 0


def test_where_no_client_is_registered_one_is_wanted(
    command: Command, server: AuthorizationServer
) -> None:
    server.registers = False
    outcome = command("login", server.mcp)
    assert (outcome.code, "--client-id ID, or --client-metadata-url" in outcome.err) == (3, True)
    server.clients["known"] = {}
    assert command("login", server.mcp, "--client-id", "known").code == 0


def test_server_without_pkce_is_rejected(command: Command, server: AuthorizationServer) -> None:
    server.pkce = ()
    outcome = command("login", server.mcp)
    assert (outcome.code, "doesn't declare PKCE support" in outcome.err) == (3, True)
    assert "--assume-pkce" in outcome.err
    assert command("login", server.mcp, "--assume-pkce").code == 0


def test_server_without_s256_is_always_refused(
    command: Command, server: AuthorizationServer
) -> None:
    server.pkce = ("plain",)
    outcome = command("login", server.mcp, "--assume-pkce")
    assert (outcome.code, "doesn't declare PKCE support" in outcome.err) == (3, True)


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


def test_client_lacking_its_secret_is_rejected_before_browser_opens(
    command: Command, server: AuthorizationServer
) -> None:
    server.ways = ("client_secret_basic",)
    server.clients["known"] = {"client_secret": "top-s3cret"}
    outcome = command("login", server.mcp, "--client-id", "known")
    assert (outcome.code, "requires a client secret" in outcome.err) == (3, True)
    assert not server.codes
    assert command("login", server.mcp).code == 0  # the server registered this one itself


def test_call_names_the_missing_scope(command: Command, server: AuthorizationServer) -> None:
    assert command("login", server.mcp).code == 0
    server.needed = "admin"
    outcome = command("call", server.mcp, "whoami", "--x", "1")
    assert (outcome.code, "--scope admin" in outcome.err) == (3, True)


def test_public_client_logs_out_if_server_requires_a_secret(
    command: Command, server: AuthorizationServer
) -> None:
    server.wants_secret_member = True
    assert command("login", server.mcp).code == 0
    outcome = command("logout", server.mcp)
    assert (outcome.code, "revoked at the server" in outcome.err) == (0, True)


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


# Rejected commands


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


# logins and logout


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


def test_damaged_login_can_be_replaced(command: Command, server: AuthorizationServer) -> None:
    assert command("login", server.mcp).code == 0
    Path(Store().place(server.mcp)).write_text('{"server": "' + server.mcp + '"}')
    outcome = command("logins")
    assert (outcome.code, "unreadable" in outcome.out) == (0, True)
    outcome = command("record", server.mcp)
    assert (outcome.code, f"run: mcpgen login {server.mcp}" in outcome.err) == (3, True)
    assert command("login", server.mcp).code == 0
    assert command("record", server.mcp, "-o", "c.json").code == 0
