"""Authorization of a client's requests, and the HTTP client that sends them."""

from __future__ import annotations

import logging
import ssl
import sys
import traceback
from collections.abc import Iterator
from contextlib import nullcontext, suppress
from pathlib import Path
from typing import Any

import anyio
import httpx2
import pytest
from certificates import self_signed_certificate
from mcp.client.auth.extensions.client_credentials import ClientCredentialsOAuthProvider
from mcpgen_runtime.auth import store
from mcpgen_runtime.auth.bounded import MAX_BYTES
from runtime.packages import import_client, package
from runtime.scripted import Scripted
from runtime.web import GuardedApp, ProxiedApp, RecordingApp, serving, web
from servers.web import Web, running

from runtime import contracts

SHOP = package()
STORE: Any = store
SECRET = "s3cret-canary-0123456789"


@pytest.fixture(autouse=True)
def logins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("MCPGEN_LOGINS", str(tmp_path / "logins"))
    return tmp_path / "logins"


@pytest.fixture
def guard() -> Iterator[tuple[str, GuardedApp]]:
    with serving(GuardedApp(Scripted(count=3).server.streamable_http_app())) as served:
        yield served


@pytest.fixture
def older() -> Iterator[Web]:
    """A server of the older HTTP transport."""
    with running() as served:
        yield served


def call_count(target: Any = None, client_package: Any = SHOP, **options: Any) -> Any:
    """Connect and call `count`. A given HTTP client is closed afterwards."""

    async def inside() -> Any:
        options.setdefault("verify", "off")
        async with (
            options.get("http_client") or nullcontext(),
            client_package.Client.connect(target, **options) as client,
        ):
            return await client.count()

    return anyio.run(inside)


def rejection(target: Any = None, kind: Any = SHOP.AuthorizationRequired, **options: Any) -> Any:
    with pytest.raises(kind) as failed:
        call_count(target, **options)
    return failed.value


def connect(target: Any, **options: Any) -> None:
    async def inside() -> None:
        async with SHOP.Client.connect(target, **{"verify": "off", **options}):
            pass

    anyio.run(inside)


def logged_in(url: str, account: str = "", token: str = "good", **more: Any) -> None:
    tokens = {"access_token": token, "token_type": "Bearer"}
    STORE.Store().write(STORE.StoredLogin(url, account, tokens=tokens, **more))


# Tokens


def test_a_token_is_sent_with_each_request(guard: tuple[str, GuardedApp], older: Web) -> None:
    url, app = guard
    assert call_count(url, auth="good") == 3
    assert {headers["authorization"] for headers in app.headers} == {"Bearer good"}
    connect(f"{older.url}/all/sse", auth=" good\n")
    assert {headers["authorization"] for _, headers in older.requests} == {"Bearer good"}


def test_a_waiting_client_has_a_token_too(guard: tuple[str, GuardedApp]) -> None:
    with SHOP.Client.sync.connect(guard[0], verify="off", auth=lambda: "good") as client:
        assert client.count() == 3


@pytest.mark.parametrize("is_async", [False, True])
def test_a_callable_is_asked_for_each_request(
    guard: tuple[str, GuardedApp], is_async: bool
) -> None:
    url, app = guard
    app.known |= {f"Bearer t{number}" for number in range(9)}
    questions: list[str] = []

    def token() -> str:
        questions.append(f"Bearer t{len(questions)}")
        return questions[-1].removeprefix("Bearer ")

    async def token_later() -> str:
        await anyio.sleep(0)
        return token()

    assert call_count(url, auth=token_later if is_async else token) == 3
    assert questions == [headers["authorization"] for headers in app.headers]


def test_token_callable_is_called_again_after_a_rejection(
    guard: tuple[str, GuardedApp],
) -> None:
    url, app = guard
    tokens = iter(["good", "old", "good"])
    assert call_count(url, auth=lambda: next(tokens, "good")) == 3
    requests = [headers["authorization"] for headers in app.headers]
    assert requests == ["Bearer good", "Bearer old", "Bearer good"]
    for auth in ("old", lambda: "old"):  # the same one is not sent again
        app.headers.clear()
        rejection(url, auth=auth)
        assert len(app.headers) == 2  # by the SDK, in the way of each revision


def test_any_httpx_auth_is_accepted(guard: tuple[str, GuardedApp]) -> None:
    guard[1].known = {"Basic YWRhOjEyMzQ="}
    assert call_count(guard[0], auth=httpx2.BasicAuth("ada", "1234")) == 3


@pytest.mark.parametrize("auth", ["", "Bearer good", "go\x00od", "gööd"])
def test_invalid_token_is_rejected_without_quoting_it(auth: str) -> None:
    with pytest.raises(ValueError, match="a token is a text") as failed:
        call_count("http://127.0.0.1:1/mcp", auth=auth)
    assert not auth or auth not in str(failed.value)
    with pytest.raises(TypeError, match="auth cannot be of type tuple"):
        call_count("http://127.0.0.1:1/mcp", auth=("ada", auth))


def test_failing_token_callable_is_the_reported_reason(guard: tuple[str, GuardedApp]) -> None:
    def raise_sealed() -> str:
        raise OSError("the vault is sealed\nfor now")

    error = rejection(guard[0], auth=raise_sealed)
    assert error.reason == "the vault is sealed"
    assert "a token is a text" in rejection(guard[0], auth=lambda: None).reason
    assert guard[1].headers == []

    async def inside() -> None:
        tokens = iter(["good"])
        async with SHOP.Client.connect(
            guard[0], verify="off", auth=lambda: next(tokens, None)
        ) as client:
            with pytest.raises(SHOP.AuthorizationRequired):
                await client.count()

    anyio.run(inside)


@pytest.mark.parametrize("option", ["auth", "http_client"])
def test_http_only_option_is_rejected_for_other_targets(option: str) -> None:
    async_client = "good" if option == "auth" else httpx2.AsyncClient()
    with pytest.raises(TypeError, match=f"{option} is for a URL"):
        call_count(Scripted().server, **{option: async_client})


# The environment


def recorded_package(url: str, name: str, headers: list[str]) -> Any:
    origin = {"transport": "http", "url": url, "headers": headers}
    return import_client(contracts.shop(origin=origin), name)


@pytest.mark.slow
def test_the_environment_may_authorize_where_no_header_was_recorded(
    guard: tuple[str, GuardedApp], monkeypatch: pytest.MonkeyPatch
) -> None:
    recorded = recorded_package(guard[0], "auth_headless", [])
    rejection(client_package=recorded, kind=recorded.AuthorizationRequired)
    monkeypatch.setenv("AUTH_HEADLESS_AUTHORIZATION", "Bearer good")
    assert call_count(client_package=recorded) == 3
    logged_in(guard[0], token="other")
    assert call_count(client_package=recorded) == 3  # the header comes from the environment
    guard[1].known = {"Bearer mine"}
    assert call_count(client_package=recorded, auth="mine") == 3
    assert call_count(client_package=recorded, headers={"authorization": "Bearer mine"}) == 3


@pytest.mark.slow
def test_given_auth_and_login_override_a_recorded_header(
    guard: tuple[str, GuardedApp],
) -> None:
    recorded = recorded_package(guard[0], "auth_recorded", ["Authorization"])
    rejection(client_package=recorded, kind=recorded.ConnectionFailed)
    assert call_count(client_package=recorded, auth="good") == 3
    assert (
        call_count(client_package=recorded, http_client=httpx2.AsyncClient(auth=Token("good"))) == 3
    )
    logged_in(guard[0])
    assert call_count(client_package=recorded) == 3


# Logins


@pytest.mark.slow
def test_a_stored_login_is_used_by_itself(guard: tuple[str, GuardedApp]) -> None:
    url, barred = guard
    logged_in(url)
    assert call_count(url) == 3
    assert call_count(url, auth=SHOP.Login()) == 3
    assert rejection(url, headers={"authorization": "Bearer other"})
    assert rejection(url, http_client=httpx2.AsyncClient(auth=Token("other")))
    assert rejection(url, auth=httpx2.Auth())  # none at all
    assert "authorization" not in barred.headers[-1]


def test_a_login_is_chosen_by_its_account(guard: tuple[str, GuardedApp]) -> None:
    url, barred = guard
    logged_in(url, "home", "bad")
    logged_in(url, "work")
    assert call_count(url, auth=SHOP.Login("work")) == 3
    assert "home, work" in rejection(url).reason
    error = rejection(url, auth=SHOP.Login(account="school"))
    assert error.reason == f"there is no such login; run: mcpgen login {url} --account school"
    barred.challenge = 'Bearer error="invalid_token"'
    assert "mcpgen login" in rejection(url, auth=SHOP.Login("home")).reason


def test_stdio_server_needs_no_login_lookup() -> None:
    result = import_client(contracts.SHOP, "auth_none")
    assert call_count(Scripted(count=3).server, client_package=result) == 3
    rest = ("auth_none._runtime.login", "auth_none._runtime.authorization")
    assert not [name for name in sys.modules if name.startswith(rest)]


def test_token_requests_use_the_given_http_client(
    guard: tuple[str, GuardedApp],
) -> None:
    url, _ = guard
    tokens = {"access_token": "old", "token_type": "Bearer", "refresh_token": "again"}
    login = STORE.StoredLogin(
        url, tokens=tokens, expires_at=1.0, client={"client_id": "me"}, metadata=ISSUER
    )
    STORE.Store().write(login)
    transport = Routed({"access_token": "good", "token_type": "Bearer"})
    hooked: list[str] = []

    async def hook(request: httpx2.Request) -> None:
        hooked.append(request.url.host)

    def http() -> httpx2.AsyncClient:
        return httpx2.AsyncClient(transport=transport, event_hooks={"request": [hook]})

    assert call_count(url, http_client=http(), auth=SHOP.Login()) == 3
    assert "auth.example" in hooked
    assert "refresh_token=again" in transport.asked[0]
    transport.tokens = {"error": "temporarily_unavailable"}
    transport.status = 503
    STORE.Store().write(login)
    error = rejection(url, SHOP.ConnectionFailed, http_client=http())
    assert "could not be renewed: HTTP 503" in error.reason


def test_token_responses_through_the_given_http_client_have_a_size_limit(
    guard: tuple[str, GuardedApp],
) -> None:
    url, _ = guard
    tokens = {"access_token": "old", "token_type": "Bearer", "refresh_token": "again"}
    STORE.Store().write(
        STORE.StoredLogin(
            url, tokens=tokens, expires_at=1.0, client={"client_id": "me"}, metadata=ISSUER
        )
    )
    long = "g" * (MAX_BYTES + 1)
    transport = Routed({"access_token": long, "token_type": "Bearer"})
    client = httpx2.AsyncClient(transport=transport)
    error = rejection(url, SHOP.ConnectionFailed, http_client=client)
    assert transport.asked
    assert long not in str(error)


ISSUER = {
    "issuer": "https://auth.example",
    "authorization_endpoint": "https://auth.example/authorize",
    "token_endpoint": "https://auth.example/token",
    "response_types_supported": ["code"],
}


class Routed(httpx2.AsyncBaseTransport):
    """Responds for an authorization server and forwards other requests."""

    def __init__(self, tokens: Any, about: str = "") -> None:
        self.tokens, self.status = tokens, 200
        self.about = {"resource": about, "authorization_servers": ["https://auth.example"]}
        self.asked: list[str] = []
        self.others = httpx2.AsyncHTTPTransport()

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        if request.url.host != "auth.example":
            return await self.others.handle_async_request(request)
        if request.url.path != "/token":
            is_issuer = request.url.path.startswith("/.well-known")
            return httpx2.Response(200, json=ISSUER if is_issuer else self.about)
        self.asked.append((await request.aread()).decode())
        return httpx2.Response(self.status, json=self.tokens)

    async def aclose(self) -> None:
        await self.others.aclose()


class Token(httpx2.Auth):
    def __init__(self, token: str) -> None:
        self.token = token

    def auth_flow(self, request: httpx2.Request) -> Any:
        request.headers["Authorization"] = f"Bearer {self.token}"
        yield request


# Messages


def test_unauthorized_error_explains_how_to_log_in(
    guard: tuple[str, GuardedApp],
) -> None:
    url, barred = guard
    message = "it responded with HTTP 401"
    assert rejection(f"{url}?key=1").reason == f"{message}; run: mcpgen login {url}"
    assert rejection(url, auth="other").reason == message
    assert rejection(url, headers={"Authorization": "x"}).reason == message
    barred.challenge = 'Basic realm="Bearer"'
    assert rejection(url).reason == message


def test_insufficient_scope_error_names_the_scope(guard: tuple[str, GuardedApp]) -> None:
    url, barred = guard
    barred.status = 403
    barred.challenge = 'Bearer error="insufficient_scope", scope="books:read admin"'
    error = rejection(url, auth="other")
    assert error.scope == "books:read admin"
    assert error.reason == "it responded with HTTP 403, and wants the scope books:read admin"
    barred.challenge = "Bearer error=insufficient_scope, scope=books"
    assert rejection(url, auth="other").scope == "books"
    logged_in(url, token="other")
    error = rejection(url)
    assert error.scope == "books"
    assert f"run: mcpgen login {url} --scope books" in error.reason


@pytest.mark.slow
def test_errors_reprs_and_logs_contain_no_secret(
    guard: tuple[str, GuardedApp], caplog: pytest.LogCaptureFixture
) -> None:
    url, _ = guard
    caplog.set_level(logging.DEBUG)
    tokens = iter([SECRET, f"{SECRET}\r\nx"])
    failures = [
        rejection(url, auth=SECRET),
        rejection(url, auth=lambda: SECRET),
        rejection(url, auth=lambda: next(tokens)),
        rejection(url, headers={"Authorization": f"Bearer {SECRET}"}),
        rejection(url, SHOP.ConnectionFailed, headers={"x-key": f"{SECRET}\n"}),
        rejection(url, http_client=httpx2.AsyncClient(auth=Token(SECRET))),
    ]
    guard[1].challenge = 'Bearer resource_metadata="https://auth.example/about"'
    machine = ClientCredentialsOAuthProvider(
        url, Forgetful(), "me", SECRET, issuer="https://auth.example"
    )
    http = httpx2.AsyncClient(transport=Routed({"access_token": [SECRET]}, about=url))
    failures.append(rejection(url, auth=machine, http_client=http))
    assert "Invalid token response" in failures[-1].reason
    logged_in(url, token=SECRET)
    failures.append(rejection(url))
    for error in failures:
        output = "".join(traceback.format_exception(error))
        assert SECRET not in f"{output}{error!r}{error}{vars(error)}"
    assert SECRET not in "\n".join(map(logging.Formatter().format, caplog.records))
    assert SECRET not in str(rejection(f"{url}?key={SECRET}"))

    async def inside() -> None:
        guard[1].known = {f"Bearer {SECRET}"}
        headers = {"x-key": SECRET}
        async with SHOP.Client.connect(url, verify="off", auth=SECRET, headers=headers) as client:
            connection = client._connection
            calls = [client, connection, connection.connector, connection.session]
            calls += [connection.session.route, connection.session.route.http]
            assert SECRET not in repr(calls)

    anyio.run(inside)


class Forgetful:
    """A storage that keeps nothing."""

    async def get_tokens(self) -> None:
        return None

    async def set_tokens(self, tokens: Any) -> None:
        pass

    async def get_client_info(self) -> None:
        return None

    async def set_client_info(self, client_info: Any) -> None:
        pass


# The client that sends


def test_given_http_client_keeps_its_settings(guard: tuple[str, GuardedApp], older: Web) -> None:
    url, barred = guard
    hooked: list[tuple[str, str, int]] = []

    async def record_request(request: httpx2.Request) -> None:
        hooked.append(("request", request.method, 0))

    async def record_response(response: httpx2.Response) -> None:
        hooked.append(("response", response.request.method, response.status_code))

    class Counting(httpx2.AsyncHTTPTransport):
        count = 0

        async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
            self.count += 1
            return await super().handle_async_request(request)

    transport = Counting()
    http = httpx2.AsyncClient(
        headers={"x-team": "7", "x-mine": "theirs"},
        cookies={"crumb": "1"},
        params={"key": "2"},
        auth=Token("good"),
        transport=transport,
        event_hooks={"request": [record_request], "response": [record_response]},
    )

    async def inside() -> None:
        for target in (url, f"{older.url}/all/sse"):
            hooked.clear()
            headers = {"x-mine": "ours"}
            async with SHOP.Client.connect(
                target, verify="off", http_client=http, headers=headers
            ) as client:
                if target == url:
                    assert await client.count() == 3
            assert not http.is_closed
            kinds = {(kind, method) for kind, method, _ in hooked}
            assert {("request", "POST"), ("response", "POST")} <= kinds
            assert (("request", "GET") in kinds) == (target != url)
        await http.aclose()

    anyio.run(inside)
    assert transport.count >= 4
    for headers in (barred.headers[-1], older.requests[-1][1]):
        assert (headers["x-team"], headers["x-mine"]) == ("7", "ours")
        assert (headers["authorization"], headers["cookie"]) == ("Bearer good", "crumb=1")
        assert headers["content-type"] == "application/json"
    assert older.requests[-1][0].endswith("?key=2")


def test_auth_option_overrides_the_given_clients(guard: tuple[str, GuardedApp]) -> None:
    assert call_count(guard[0], auth="good", http_client=httpx2.AsyncClient(auth=Token("no"))) == 3


def test_cookies_of_the_server_are_kept(guard: tuple[str, GuardedApp]) -> None:
    url, barred = guard

    async def inside() -> None:
        async with httpx2.AsyncClient() as http:
            for auth in ("other", "good"):
                with suppress(SHOP.AuthorizationRequired):
                    async with SHOP.Client.connect(url, http_client=http, auth=auth, verify="off"):
                        pass

    anyio.run(inside)
    assert barred.headers[-1]["cookie"] == "seen=yes"


def test_given_http_client_uses_the_call_timeout() -> None:
    async def slow(context: Any, params: Any) -> int:
        await anyio.sleep(0.5)
        return 3

    with web(Scripted(count=slow).server) as (url, _):
        assert call_count(url, http_client=httpx2.AsyncClient(timeout=0.2)) == 3


def test_hook_raising_the_status_hides_nothing(guard: tuple[str, GuardedApp]) -> None:
    async def raising(response: httpx2.Response) -> None:
        response.raise_for_status()

    url, barred = guard
    hooks: Any = {"response": [raising]}
    for status in (401, 429):
        barred.status = status
        http = httpx2.AsyncClient(event_hooks=hooks)
        assert rejection(url, SHOP.ConnectionFailed, http_client=http).http.status == status


def test_closed_http_client_is_the_reported_reason() -> None:
    http = httpx2.AsyncClient()
    anyio.run(http.aclose)
    with pytest.raises(SHOP.ConnectionFailed, match="has been closed"):
        connect("http://127.0.0.1:1/mcp", http_client=http)


def test_a_given_client_may_have_a_proxy() -> None:
    app = Scripted(count=3).server.streamable_http_app()
    with serving(ProxiedApp(app)) as (url, proxy):
        http = httpx2.AsyncClient(proxy=url.removesuffix("/mcp"))
        assert call_count("http://shop.example/mcp", http_client=http) == 3
    assert proxy.headers


def test_a_given_client_may_know_more_certificates(tmp_path: Path) -> None:
    certificate, key = self_signed_certificate(tmp_path)
    app = Scripted(count=3).server.streamable_http_app()
    with serving(RecordingApp(app), ssl_certfile=certificate, ssl_keyfile=key) as (url, _):
        error = rejection(url, SHOP.ConnectionFailed)
        assert "certificate" in error.reason.lower()
        http = httpx2.AsyncClient(verify=ssl.create_default_context(cafile=certificate))
        assert call_count(url, http_client=http) == 3
