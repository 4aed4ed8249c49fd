"""The flow of a login: PKCE, registration, scopes and issuers."""

from __future__ import annotations

from collections.abc import Callable
from urllib.parse import parse_qs, urlsplit

import httpx2
import pytest
from authorization import AuthorizationServer, browse
from login_servers import Command
from mcpgen_runtime.auth.store import Store


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


@pytest.mark.slow
def test_issuer_parameter_must_match(
    command: Command, server: AuthorizationServer, browser: list[Callable[[str], bool]]
) -> None:
    server.names_issuer = True
    assert command("login", server.mcp).code == 0
    browser.append(lambda url: browse(url, {"iss": "https://evil.example"}))
    outcome = command("login", server.mcp)
    assert (outcome.code, "another authorization server" in outcome.err) == (3, True)


@pytest.mark.slow
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


def test_client_lacking_its_secret_is_rejected_before_browser_opens(
    command: Command, server: AuthorizationServer
) -> None:
    server.ways = ("client_secret_basic",)
    server.clients["known"] = {"client_secret": "top-s3cret"}
    outcome = command("login", server.mcp, "--client-id", "known")
    assert (outcome.code, "requires a client secret" in outcome.err) == (3, True)
    assert not server.codes
    assert command("login", server.mcp).code == 0  # the server registered this one itself
