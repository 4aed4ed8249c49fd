"""A stored login is used concurrently, renewed once, and never asks the user."""

from __future__ import annotations

import asyncio
import inspect
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import anyio
import httpx2
import pytest
from authorization import AuthorizationServer
from guards import PATIENCE
from mcp.client.auth import OAuthClientProvider
from mcp.client.auth.extensions.client_credentials import (
    ClientCredentialsOAuthProvider,
    PrivateKeyJWTOAuthProvider,
)
from mcpgen_runtime.auth import login_errors as errors
from mcpgen_runtime.auth.provider import SharedOAuth
from mcpgen_runtime.auth.store import Store
from stored_logins import PING, ask, logged_in

WORKER = """
import asyncio, sys, time
import httpx2
from mcpgen_runtime.auth.provider import SharedOAuth
from mcpgen_runtime.auth.store import Store

async def main(url, start):
    store = Store()
    auth = SharedOAuth(store.find(url), store)
    body = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
    headers = {"accept": "application/json, text/event-stream"}
    await asyncio.sleep(max(0.0, start - time.time()))
    async with httpx2.AsyncClient(auth=auth, timeout=60) as client:
        sent = [client.post(url, json=body, headers=headers) for _ in range(3)]
        print(*[answer.status_code for answer in await asyncio.gather(*sent)])

asyncio.run(main(sys.argv[1], float(sys.argv[2])))
"""


@pytest.mark.slow
def test_twelve_processes_renew_once(server: AuthorizationServer, store: Store) -> None:
    logged_in(server, store, expires_at=time.time() - 1)
    server.end_tokens()
    command = [sys.executable, "-c", WORKER, server.mcp, str(time.time() + 8)]
    workers = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(12)]
    messages = [worker.communicate(timeout=PATIENCE)[0].strip() for worker in workers]
    assert messages == ["400 400 400"] * 12  # the server's word for a ping without a session
    assert (server.counts["refresh_token"], server.counts["reused"]) == (1, 0)
    assert server.counts["/as/authorize"] == 0


@pytest.mark.slow
def test_fifty_restarts_ask_nobody(server: AuthorizationServer, store: Store) -> None:
    server.life = 100.0
    logged_in(server, store)
    for number in range(50):
        login = store.find(server.mcp)
        assert login is not None
        if number % 2:
            store.write(replace(login, expires_at=time.time() - 1))
            server.end_tokens()
        assert anyio.run(ask, server.mcp, SharedOAuth(login, store)) == 400
    assert (server.counts["refresh_token"], server.counts["reused"]) == (25, 0)
    assert server.counts["/as/authorize"] == server.counts["401"] == 0


@pytest.mark.slow
def test_valid_token_needs_no_lock(
    server: AuthorizationServer, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    auth = SharedOAuth(logged_in(server, store), store)
    monkeypatch.setattr(SharedOAuth, "_alone", None)

    async def all_at_once() -> list[int]:
        return await asyncio.gather(*(ask(server.mcp, auth) for _ in range(20)))

    assert asyncio.run(all_at_once()) == [400] * 20


def test_token_renewed_by_another_process_is_used(
    server: AuthorizationServer, store: Store
) -> None:
    old = logged_in(server, store)
    auth = SharedOAuth(old, store)
    assert anyio.run(ask, server.mcp, auth) == 400
    server.end_tokens()
    logged_in(server, store)
    assert anyio.run(ask, server.mcp, auth) == 400
    assert server.counts["refresh_token"] == 0


def test_revoked_token_is_renewed(server: AuthorizationServer, store: Store) -> None:
    auth = SharedOAuth(logged_in(server, store), store)
    server.end_tokens()
    assert anyio.run(ask, server.mcp, auth) == 400
    assert (server.counts["401"], server.counts["refresh_token"]) == (1, 1)


def test_more_scope_is_asked_of_a_person(server: AuthorizationServer, store: Store) -> None:
    server.needed = "admin"
    auth = SharedOAuth(logged_in(server, store), store)
    with pytest.raises(errors.AuthorizationRequired) as caught:
        anyio.run(ask, server.mcp, auth)
    assert caught.value.scope == "admin"
    assert caught.value.command.endswith(" --scope admin")
    assert server.counts["refresh_token"] == 0


def test_a_logout_is_seen_at_the_next_request(server: AuthorizationServer, store: Store) -> None:
    auth = SharedOAuth(logged_in(server, store), store)
    assert anyio.run(ask, server.mcp, auth) == 400
    store.delete(server.mcp)
    with pytest.raises(errors.AuthorizationRequired, match="the login no longer exists"):
        anyio.run(ask, server.mcp, auth)


def test_failing_authorization_server_loses_no_login(
    server: AuthorizationServer, store: Store
) -> None:
    login = logged_in(server, store, expires_at=1.0)
    server.fails = 503
    with pytest.raises(errors.LoginUnavailable, match="HTTP 503"):
        anyio.run(ask, server.mcp, SharedOAuth(login, store))
    assert store.read(server.mcp) == login
    server.fails = 0
    assert anyio.run(ask, server.mcp, SharedOAuth(login, store)) == 400


def test_almost_expired_token_is_used_while_renewal_fails(
    server: AuthorizationServer, store: Store
) -> None:
    login = logged_in(server, store, expires_at=time.time() + 20)
    server.fails = 503
    assert anyio.run(ask, server.mcp, SharedOAuth(login, store)) == 400


class Slow(httpx2.AsyncClient):
    """Delivers a response late, which the server has already sent."""

    async def send(self, *args: Any, **named: Any) -> httpx2.Response:
        answer = await super().send(*args, **named)
        await anyio.sleep(0.3)
        return answer


async def cancelled_task(renewed: Callable[[], bool], asking: Callable[[], Any]) -> None:
    task = asyncio.create_task(asking())
    while not renewed():
        await asyncio.sleep(0.01)
    task.cancel()
    await asyncio.wait([task])
    assert task.cancelled()


async def cancelled_scope(renewed: Callable[[], bool], asking: Callable[[], Any]) -> None:
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(asking)
        while not renewed():
            await anyio.sleep(0.01)
        tasks.cancel_scope.cancel()


@pytest.mark.parametrize("cancelled", [cancelled_task, cancelled_scope])
def test_cancelled_caller_loses_no_new_tokens(
    server: AuthorizationServer, store: Store, cancelled: Callable[..., Any]
) -> None:
    login = logged_in(server, store, expires_at=1.0)
    asking = partial(ask, server.mcp, SharedOAuth(login, store, Slow))
    anyio.run(cancelled, lambda: bool(server.counts["refresh_token"]), asking)
    stored_login = store.read(server.mcp)
    assert stored_login is not None
    assert stored_login.tokens["refresh_token"] in server.refresh
    assert anyio.run(ask, server.mcp, SharedOAuth(stored_login, store)) == 400
    assert server.counts["refresh_token"] == 1


def test_invalid_token_response_is_not_quoted(server: AuthorizationServer, store: Store) -> None:
    class Odd(httpx2.AsyncClient):
        async def send(self, request: httpx2.Request, **_: Any) -> httpx2.Response:
            odd = {"access_token": "s3cret-odd", "token_type": "mac"}
            return httpx2.Response(200, json=odd, request=request)

    login = logged_in(server, store, expires_at=1.0)
    with pytest.raises(errors.AuthorizationRequired) as caught:
        anyio.run(ask, server.mcp, SharedOAuth(login, store, Odd))
    assert "s3cret" not in f"{caught.value!r} {caught.value}"
    assert caught.value.__suppress_context__


def test_sdk_still_has_the_protected_methods_we_use() -> None:
    """An SDK release that renames or changes one of these must fail here."""
    expected = {
        (OAuthClientProvider, "_auth_flow"): ["self", "request"],
        (OAuthClientProvider, "_initialize"): ["self"],
        (OAuthClientProvider, "_refresh_token"): ["self"],
        (OAuthClientProvider, "_add_auth_header"): ["self", "request"],
        (OAuthClientProvider, "_perform_authorization"): ["self"],
        (ClientCredentialsOAuthProvider, "_perform_authorization"): ["self"],
        (PrivateKeyJWTOAuthProvider, "_perform_authorization"): ["self"],
    }
    signatures = {
        (owner, name): list(inspect.signature(getattr(owner, name)).parameters)
        for owner, name in expected
    }
    assert signatures == expected
    fields = {"client_info", "current_tokens", "lock", "oauth_metadata", "protocol_version"}
    fields |= {"protected_resource_metadata", "storage", "token_expiry_time"}
    from mcp.client.auth.oauth2 import OAuthContext

    assert fields <= set(OAuthContext.__dataclass_fields__)
    assert inspect.isasyncgenfunction(OAuthClientProvider._auth_flow)
    machine = ClientCredentialsOAuthProvider
    assert "_fixed_client_info" in inspect.getsource(machine)
    assert "_fixed_client_info" in inspect.getsource(PrivateKeyJWTOAuthProvider)


def test_another_server_gets_no_token(server: AuthorizationServer, store: Store) -> None:
    requests: list[httpx2.Request] = []

    def note(request: httpx2.Request) -> httpx2.Response:
        requests.append(request)
        return httpx2.Response(401)

    async def elsewhere() -> None:
        auth = SharedOAuth(logged_in(server, store), store)
        transport = httpx2.MockTransport(note)
        async with httpx2.AsyncClient(auth=auth, transport=transport) as client:
            for url in ("https://evil.example/mcp", f"{server.url[:-1]}/mcp"):
                await client.post(url, json=PING)

    anyio.run(elsewhere)
    assert [request.headers.get("authorization") for request in requests] == [None] * 2
