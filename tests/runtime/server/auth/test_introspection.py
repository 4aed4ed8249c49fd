"""A server asks about each token, at most once in 30 seconds."""

from __future__ import annotations

import time
from typing import Any

import anyio
import pytest
from mcp.server.auth.provider import AccessToken
from mcpgen_runtime.server import Introspection
from mcpgen_runtime.server.auth import introspection
from mcpgen_runtime.server.auth.errors import Unauthorized, Unavailable
from token_issuer import ISSUER, RESOURCE, Issuer


def settings(issuer: Issuer, **changes: str) -> Introspection:
    values = {
        "issuer": ISSUER,
        "resource": RESOURCE,
        "endpoint": issuer.introspection_url,
        "client_id": "server",
        "client_secret": "s3cret",
    }
    return Introspection(**(values | changes))


def verify(auth: Introspection, token: str = "opaque") -> AccessToken:
    return anyio.run(auth.verify, token)


def test_active_token_is_accepted_and_asked_about_once(issuer: Issuer) -> None:
    auth = settings(issuer)
    issuer.opaque["opaque"] = {"active": True, **issuer.claims("a b")}
    tokens = [verify(auth) for _ in range(3)]
    assert tokens[2].scopes == ["a", "b"]
    assert tokens[2].subject == "ada"
    assert issuer.counts["/introspect"] == 1


def test_revoked_token_is_refused_after_30_seconds(
    issuer: Issuer, monkeypatch: pytest.MonkeyPatch
) -> None:
    auth = settings(issuer)
    issuer.opaque["opaque"] = {"active": True, **issuer.claims()}
    verify(auth)
    issuer.opaque.clear()
    verify(auth)
    later = time.monotonic() + 30
    monkeypatch.setattr(introspection.time, "monotonic", lambda: later)
    with pytest.raises(Unauthorized, match="not active"):
        verify(auth)


WRONG: list[dict[str, Any]] = [
    {"active": False},
    {"active": "true"},
    {"active": None},
    {"aud": None},
    {"aud": "https://other.example.com/mcp"},
    {"iss": "https://evil.example.com"},
    {"exp": int(time.time()) - 60},
]


@pytest.mark.parametrize("changes", WRONG)
def test_other_token_is_refused(issuer: Issuer, changes: dict[str, Any]) -> None:
    claims = {"active": True, **issuer.claims(), **changes}
    issuer.opaque["opaque"] = {name: value for name, value in claims.items() if value is not None}
    with pytest.raises(Unauthorized):
        verify(settings(issuer))


def test_refused_token_is_asked_about_once(issuer: Issuer) -> None:
    auth = settings(issuer)
    for _ in range(3):
        with pytest.raises(Unauthorized):
            verify(auth)
    assert issuer.counts["/introspect"] == 1


def test_concurrent_requests_with_one_token_share_an_answer(issuer: Issuer) -> None:
    auth = settings(issuer)
    issuer.opaque["opaque"] = {"active": True, **issuer.claims()}
    issuer.pause = 0.1

    async def check() -> None:
        async with anyio.create_task_group() as group:
            for _ in range(20):
                group.start_soon(auth.verify, "opaque")

    anyio.run(check)
    assert issuer.counts["/introspect"] == 1


def test_wrong_client_secret_makes_verification_unavailable(issuer: Issuer) -> None:
    with pytest.raises(Unavailable, match="401"):
        verify(settings(issuer, client_secret="wrong"))


def test_failure_is_not_cached(issuer: Issuer) -> None:
    auth = settings(issuer)
    issuer.opaque["opaque"] = {"active": True, **issuer.claims()}
    issuer.answer = (503, {}, b"")
    with pytest.raises(Unavailable):
        verify(auth)
    issuer.answer = None
    verify(auth)


def test_neither_secret_nor_token_is_shown_or_kept(issuer: Issuer) -> None:
    auth = settings(issuer)
    issuer.opaque["opaque-token"] = {"active": True, **issuer.claims()}
    verify(auth, "opaque-token")
    assert "s3cret" not in repr(auth)
    assert "opaque-token" not in repr(vars(auth))


def test_endpoint_without_https_is_refused(issuer: Issuer) -> None:
    with pytest.raises(ValueError, match="https"):
        settings(issuer, endpoint="http://auth.example.com/introspect").check()
