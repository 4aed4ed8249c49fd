"""Keys are fetched rarely, with a timeout and from a single URL, and used for at most an hour."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import anyio
import pytest
from mcpgen_runtime.server.auth import fetch as fetching
from mcpgen_runtime.server.auth.errors import Unauthorized, Unavailable
from mcpgen_runtime.server.auth.jwks import KeySet
from token_issuer import Issuer, private_key, public_jwk, serving


@dataclass
class Clock:
    now: float = 1000.0

    def __call__(self) -> float:
        return self.now


@dataclass
class World:
    issuer: Issuer
    clock: Clock
    keys: KeySet

    def key(self, kid: str | None = "1") -> str:
        """Return "found", "unknown" or "unavailable"."""
        try:
            anyio.run(self.keys.key, kid)
        except Unauthorized:
            return "unknown"
        except Unavailable:
            return "unavailable"
        return "found"

    @property
    def fetches(self) -> int:
        return self.issuer.counts["/jwks"]


@pytest.fixture
def world() -> Iterator[World]:
    with serving(Issuer("ES256")) as issuer:
        clock = Clock()
        yield World(issuer, clock, KeySet(issuer.jwks_url, "ES256", clock))


def test_keys_are_fetched_once_in_ten_minutes(world: World) -> None:
    assert [world.key() for _ in range(3)] == ["found"] * 3
    assert world.fetches == 1
    world.clock.now += 601
    assert world.key() == "found"
    assert world.fetches == 2


def test_unknown_keys_cause_one_fetch_in_30_seconds(world: World) -> None:
    assert [world.key(kid) for kid in ("1", "2", "3", "4")] == ["found", *["unknown"] * 3]
    assert world.fetches == 1
    world.clock.now += 31
    assert [world.key(kid) for kid in ("2", "3", "4")] == ["unknown"] * 3
    assert world.fetches == 2


def test_new_key_is_found_after_30_seconds(world: World) -> None:
    world.key()
    world.issuer.keys.append(public_jwk(private_key("ES256"), "ES256", kid="2"))
    world.clock.now += 31
    assert world.key("2") == "found"


def test_withdrawn_key_is_refused_after_ten_minutes(world: World) -> None:
    world.key()
    world.issuer.keys.clear()
    world.clock.now += 601
    assert world.key() == "unknown"


def test_last_keys_are_used_for_one_hour_without_an_answer(world: World) -> None:
    world.key()
    world.issuer.answer = (500, {}, b"")
    world.clock.now += 3599
    assert world.key() == "found"
    world.clock.now += 2
    assert world.key() == "unavailable"
    world.issuer.answer = None
    world.clock.now += 31
    assert world.key() == "found"


BAD_ANSWERS: dict[str, tuple[int, dict[str, str], bytes]] = {
    "a redirect": (302, {"location": "/elsewhere", "content-length": "0"}, b""),
    "no JSON": (200, {}, b"<html>"),
    "no object": (200, {}, b"[]"),
    "a large body": (200, {"content-length": "2000000"}, b" " * 2_000_000),
    "an error": (404, {}, b"{}"),
    "a cut body": (200, {"content-length": "100", "connection": "close"}, b"{}"),
}


@pytest.mark.parametrize("kind", [*BAD_ANSWERS])
def test_bad_answer_gives_no_keys(world: World, kind: str) -> None:
    world.issuer.answer = BAD_ANSWERS[kind]
    assert world.key() == "unavailable"
    assert set(world.issuer.counts) == {"/jwks"}


def test_slow_answer_gives_no_keys(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fetching, "_SECONDS", 0.05)
    world.issuer.pause = 0.5
    assert world.key() == "unavailable"


def test_unreachable_url_gives_no_keys() -> None:
    keys = KeySet("http://127.0.0.1:9/jwks", "ES256")
    with pytest.raises(Unavailable):
        anyio.run(keys.key, "1")


def _p256(**members: Any) -> dict[str, Any]:
    return public_jwk(private_key("ES256"), "ES256", kid="1", **members)


UNUSABLE: dict[str, Any] = {
    "for encryption": _p256(use="enc"),
    "for signing only": _p256(key_ops=["sign"]),
    "for another algorithm": _p256(alg="ES384"),
    "of another type": public_jwk(private_key("RS256"), "RS256", kid="1"),
    "private": _p256(d="AAAA"),
    "on another curve": _p256(crv="P-384"),
    "broken": _p256(x="!"),
    "no object": "key",
}


@pytest.mark.parametrize("kind", [*UNUSABLE])
def test_key_for_other_uses_is_ignored(world: World, kind: str) -> None:
    world.issuer.keys[:] = [UNUSABLE[kind]]
    assert world.key() == "unknown"


def test_short_rsa_key_is_ignored() -> None:
    from cryptography.hazmat.primitives.asymmetric import rsa

    short = rsa.generate_private_key(public_exponent=65537, key_size=1024)
    with serving(Issuer("RS256")) as issuer:
        issuer.keys[:] = [public_jwk(short, "RS256", kid="1")]
        with pytest.raises(Unauthorized):
            anyio.run(KeySet(issuer.jwks_url, "RS256").key, "1")


def test_token_without_kid_is_verified_with_the_only_key(world: World) -> None:
    assert world.key(None) == "found"
    world.issuer.keys.append(_p256() | {"kid": "2"})
    world.clock.now += 601
    assert world.key(None) == "unknown"


def test_concurrent_requests_share_one_fetch(world: World) -> None:
    world.issuer.pause = 0.1

    async def check() -> None:
        async with anyio.create_task_group() as group:
            for _ in range(20):
                group.start_soon(world.keys.key, "1")

    anyio.run(check)
    assert world.fetches == 1
