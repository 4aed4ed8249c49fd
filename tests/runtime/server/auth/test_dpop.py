"""A proof counts for one request with one token, for a minute, and once."""

from __future__ import annotations

import time
from typing import Any

import anyio
import pytest
from mcpgen_runtime.server.auth.dpop import ProofVerifier, UsedInMemory
from mcpgen_runtime.server.auth.errors import Unauthorized, Unavailable
from token_issuer import RESOURCE, DpopKey, private_key, public_jwk

TOKEN = "token"
KEY = DpopKey()


def verify(proof: str, verifier: ProofVerifier | None = None, **changes: str) -> None:
    arguments = {"token": TOKEN, "method": "POST", "thumbprint": KEY.thumbprint, **changes}
    verifier = verifier or ProofVerifier(RESOURCE, UsedInMemory())
    anyio.run(lambda: verifier.verify(proof, **arguments))


@pytest.mark.parametrize("algorithm", ["ES256", "EdDSA", "RS256", "PS256"])
def test_proof_of_the_right_key_is_accepted(algorithm: str) -> None:
    key = DpopKey(algorithm)
    verify(key.proof(TOKEN), thumbprint=key.thumbprint)


@pytest.mark.parametrize(
    "url",
    [
        RESOURCE,
        f"{RESOURCE}?a=b#c",
        "HTTPS://BOOKS.example.com/mcp",
        "https://books.example.com:443/mcp",
    ],
)
def test_url_may_be_written_in_another_way(url: str) -> None:
    verify(KEY.proof(TOKEN, htu=url))


WRONG: list[dict[str, Any]] = [
    {"htm": "GET"},
    {"htm": None},
    {"htu": "https://other.example.com/mcp"},
    {"htu": "http://books.example.com/mcp"},
    {"htu": RESOURCE + "/"},
    {"htu": None},
    {"ath": "abc"},
    {"ath": "ü"},
    {"ath": None},
    {"jti": None},
    {"iat": None},
    {"iat": int(time.time()) - 120},
    {"iat": int(time.time()) + 3600},  # the test may run minutes after its collection
    {"iat": "now"},
    {"exp": int(time.time()) - 120},
]


@pytest.mark.parametrize("changes", WRONG)
def test_proof_with_wrong_claims_is_refused(changes: dict[str, Any]) -> None:
    with pytest.raises(Unauthorized):
        verify(KEY.proof(TOKEN, **changes))


WRONG_HEADERS: list[dict[str, Any]] = [
    {"typ": "JWT"},
    {"jwk": None},
    {"jwk": "kty"},
    {"jwk": {}},
    {"jwk": {"kty": "EC"}},
    {"jwk": {"kty": ["EC"]}},
    {"jwk": {**KEY.jwk, "d": "AAAA"}},
    {"jwk": public_jwk(private_key("ES256"), "ES256")},
    {"crit": ["x"]},
]


@pytest.mark.parametrize("headers", WRONG_HEADERS)
def test_proof_with_a_wrong_header_is_refused(headers: dict[str, Any]) -> None:
    with pytest.raises(Unauthorized):
        verify(KEY.proof(TOKEN, headers))


@pytest.mark.parametrize("proof", ["", "a.b.c", "x" * 10_000])
def test_text_other_than_a_proof_is_refused(proof: str) -> None:
    with pytest.raises(Unauthorized):
        verify(proof)


def test_proof_of_another_key_is_refused() -> None:
    with pytest.raises(Unauthorized, match="another key"):
        verify(DpopKey().proof(TOKEN))


def test_proof_is_accepted_once() -> None:
    verifier = ProofVerifier(RESOURCE, UsedInMemory())
    proof = KEY.proof(TOKEN)
    verify(proof, verifier)
    with pytest.raises(Unauthorized, match="used before"):
        verify(proof, verifier)


def test_no_proof_is_forgotten_while_it_could_be_replayed() -> None:
    used = UsedInMemory(most=2)

    async def check() -> None:
        assert await used.use("a", 60)
        assert await used.use("b", 60)
        with pytest.raises(Unavailable):
            await used.use("c", 60)
        assert not await used.use("a", 60)

    anyio.run(check)


def test_expired_proofs_make_room(monkeypatch: pytest.MonkeyPatch) -> None:
    used = UsedInMemory(most=1)

    async def check() -> None:
        assert await used.use("a", 60)
        later = time.monotonic() + 61
        monkeypatch.setattr(time, "monotonic", lambda: later)
        assert await used.use("b", 60)

    anyio.run(check)
