"""Only access tokens for this server are accepted, signed with the configured algorithm."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import anyio
import jwt
import pytest
from mcp.server.auth.provider import AccessToken
from mcpgen_runtime.server import JwtAuth
from mcpgen_runtime.server.auth.errors import Unauthorized
from token_issuer import ISSUER, RESOURCE, Issuer, private_key, public_jwk, serving

ALGORITHMS = ("RS256", "PS256", "ES256", "EdDSA")
SECRET = "0123456789abcdef0123456789abcdef"


def verify(auth: JwtAuth, token: str) -> AccessToken:
    return anyio.run(auth.verify, token)


def reject(auth: JwtAuth, token: str) -> str:
    with pytest.raises(Unauthorized) as error:
        verify(auth, token)
    return error.value.description


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_token_of_each_algorithm_is_accepted(algorithm: str) -> None:
    with serving(Issuer(algorithm)) as issuer:
        auth = JwtAuth(
            issuer=ISSUER, resource=RESOURCE, jwks_url=issuer.jwks_url, algorithm=algorithm
        )
        token = verify(auth, issuer.token("a b", tenant="x"))
    assert (token.client_id, token.subject, token.scopes) == ("app", "ada", ["a", "b"])
    assert token.resource == RESOURCE
    assert token.claims
    assert token.claims["tenant"] == "x"


WRONG_CLAIMS: list[tuple[dict[str, Any], str]] = [
    ({"aud": "https://other.example.com/mcp"}, "issued for another resource"),
    ({"aud": RESOURCE + "/"}, "issued for another resource"),
    ({"aud": RESOURCE.upper()}, "issued for another resource"),
    ({"aud": [RESOURCE + "x"]}, "issued for another resource"),
    ({"aud": None}, "lacks one of the claims"),
    ({"iss": "https://evil.example.com"}, "another issuer"),
    ({"iss": ISSUER + "/"}, "another issuer"),
    ({"iss": None}, "lacks one of the claims"),
    ({"exp": None}, "lacks one of the claims"),
    ({"exp": int(time.time()) - 60}, "expired"),
    ({"exp": "soon"}, "invalid"),
    ({"nbf": int(time.time()) + 3600}, "not valid yet"),
    ({"cnf": {"x5t#S256": "abc"}}, "bound to"),
    ({"cnf": "abc"}, "bound to"),
]


@pytest.mark.parametrize(("changes", "reason"), WRONG_CLAIMS)
def test_token_with_wrong_claims_is_refused(
    auth: JwtAuth, issuer: Issuer, changes: dict[str, Any], reason: str
) -> None:
    assert reason in reject(auth, issuer.token(**changes))


def test_clocks_may_differ_by_30_seconds(auth: JwtAuth, issuer: Issuer) -> None:
    verify(auth, issuer.token(exp=int(time.time()) - 25))
    reject(auth, issuer.token(exp=int(time.time()) - 35))


def test_one_of_several_audiences_is_enough(auth: JwtAuth, issuer: Issuer) -> None:
    verify(auth, issuer.token(aud=["https://other.example.com", RESOURCE]))


@pytest.mark.parametrize("claim", ["scope", "scp"])
def test_scopes_may_be_a_list(auth: JwtAuth, issuer: Issuer, claim: str) -> None:
    token = issuer.token(**{"scope": None, claim: ["a", "b", 1]})
    assert verify(auth, token).scopes == ["a", "b"]


WRONG_HEADERS: list[tuple[dict[str, Any], str]] = [
    ({"typ": "dpop+jwt"}, "isn't an access token"),
    ({"typ": "id_token+jwt"}, "isn't an access token"),
    ({"crit": ["exp"]}, "The token"),
    ({"kid": "2"}, "unknown key"),
]


@pytest.mark.parametrize(("headers", "reason"), WRONG_HEADERS)
def test_token_with_a_wrong_header_is_refused(
    auth: JwtAuth, issuer: Issuer, headers: dict[str, Any], reason: str
) -> None:
    assert reason in reject(auth, issuer.token(headers=headers))


def forged_tokens(issuer: Issuer) -> dict[str, Callable[[], str]]:
    other = private_key("ES256")
    own = public_jwk(other, "ES256", kid="evil")
    claims = issuer.claims()

    def sign(key: Any, algorithm: str, **headers: Any) -> str:
        return jwt.encode(claims, key, algorithm=algorithm, headers={"kid": "1"} | headers)

    return {
        "unsigned": lambda: sign(None, "none"),
        "signed with a shared secret": lambda: sign(SECRET, "HS256"),
        "signed with another algorithm": lambda: sign(private_key("RS256"), "RS256"),
        "signed with another key": lambda: sign(other, "ES256"),
        "with its own key": lambda: sign(other, "ES256", kid="evil", jwk=own),
        "with a URL of keys": lambda: sign(other, "ES256", kid="evil", jku=f"{issuer.url}/evil"),
        "with a certificate": lambda: sign(other, "ES256", kid="evil", x5u=f"{issuer.url}/x5u"),
        "not a JWT": lambda: "a.b.c",
        "too long": lambda: issuer.token("x" * 20_000),
    }


@pytest.mark.parametrize("kind", [*forged_tokens(Issuer("ES256"))])
def test_forged_token_is_refused_without_a_request_to_another_url(
    auth: JwtAuth, issuer: Issuer, kind: str
) -> None:
    reject(auth, forged_tokens(issuer)[kind]())
    assert set(issuer.counts) <= {"/jwks"}


def test_changed_token_is_refused(auth: JwtAuth, issuer: Issuer) -> None:
    head, _, signature = issuer.token().split(".")
    _, other, _ = issuer.token("admin").split(".")
    assert "signature" in reject(auth, ".".join((head, other, signature)))


def test_reasons_contain_no_text_of_the_token(auth: JwtAuth, issuer: Issuer) -> None:
    reason = reject(auth, issuer.token(iss='https://evil", x="'))
    assert "evil" not in reason


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"algorithm": "HS256"}, "algorithm"),
        ({"algorithm": "none"}, "algorithm"),
        ({"jwks_url": "http://auth.example.com/jwks"}, "https"),
        ({"issuer": "ftp://auth.example.com"}, "https"),
        ({"issuer": "https://auth.example.com/#a"}, "fragment"),
        ({"resource": "books"}, "URL"),
    ],
)
def test_unsafe_settings_are_refused(changes: dict[str, str], reason: str) -> None:
    settings = {"issuer": ISSUER, "resource": RESOURCE, "jwks_url": "https://a.example/jwks"}
    with pytest.raises(ValueError, match=reason):
        JwtAuth(**(settings | changes)).check()
