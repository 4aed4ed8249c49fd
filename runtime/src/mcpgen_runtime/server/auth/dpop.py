"""Proofs that a client has the key to which its token is bound (RFC 9449)."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import time
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol, cast
from urllib.parse import SplitResult, urlsplit

import jwt

from .errors import Unauthorized, Unavailable
from .jwks import FAMILIES, parse_key

ALGORITHMS = tuple(FAMILIES)
_SECONDS = 60
_MAX_LENGTH = 8_192
_MEMBERS = {"EC": ("crv", "kty", "x", "y"), "RSA": ("e", "kty", "n"), "OKP": ("crv", "kty", "x")}


class UsedOnce(Protocol):
    """Remembers IDs that must not be used twice, for all replicas of a server."""

    async def use(self, key: str, seconds: float) -> bool:
        """Return True if a key hasn't been used within this time."""
        ...


class UsedInMemory:
    """Remembers IDs in this process."""

    def __init__(self, most: int = 100_000) -> None:
        self._most = most
        self._ends: OrderedDict[str, float] = OrderedDict()

    async def use(self, key: str, seconds: float) -> bool:
        """Return True if a key hasn't been used within this time."""
        now = time.monotonic()
        while self._ends and next(iter(self._ends.values())) <= now:
            self._ends.popitem(last=False)
        if key in self._ends:
            return False
        if len(self._ends) >= self._most:
            # Dropping one would allow its replay.
            raise Unavailable("too many proofs within two minutes")
        self._ends[key] = now + seconds
        return True


@dataclass(frozen=True)
class ProofVerifier:
    """Verifies the proofs of requests to one resource."""

    resource: str
    used: UsedOnce

    async def verify(self, proof: str, token: str, method: str, thumbprint: str) -> None:
        """Check a proof for this request (RFC 9449 section 4.3).

        Args:
            proof: The ``DPoP`` header.
            token: The access token.
            method: The HTTP method of the request.
            thumbprint: The thumbprint of the key that the token is bound to.

        Raises:
            Unauthorized: The proof is wrong, or was used before.
        """
        claims = self._claims(proof, thumbprint)
        digest = hashlib.sha256(token.encode()).digest()
        if not hmac.compare_digest(str(claims["ath"]).encode(), _encode(digest)):
            raise _wrong("is for another token")
        if claims["htm"] != method or _normal(str(claims["htu"])) != _normal(self.resource):
            raise _wrong("is for another request")
        issued: Any = claims["iat"]
        if not isinstance(issued, int | float) or not abs(time.time() - issued) <= _SECONDS:
            raise _wrong("is too old, or from the future")
        key = hashlib.sha256(f"{thumbprint} {claims['jti']}".encode()).hexdigest()
        if not await self.used.use(key, 2 * _SECONDS + 1):
            raise _wrong("was used before")

    def _claims(self, proof: str, thumbprint: str) -> Mapping[str, Any]:
        if len(proof) > _MAX_LENGTH:
            raise _wrong("is too long")
        try:
            header: Mapping[str, Any] = jwt.get_unverified_header(proof)
            algorithm = str(header.get("alg"))
            public: Any = header.get("jwk")
            jwk = cast("dict[str, Any]", public) if isinstance(public, dict) else {}
            if header.get("typ") != "dpop+jwt" or "crit" in header:
                raise _wrong("has the wrong type")
            if algorithm not in ALGORITHMS or not jwk:
                raise _wrong("has no key or another algorithm")
            key = parse_key(jwk, algorithm) if jwk.get("kty") == FAMILIES[algorithm] else None
            if key is None or not hmac.compare_digest(_thumbprint(jwk), thumbprint.encode()):
                raise _wrong("was signed with another key than the token's")
            return jwt.decode(proof, key, algorithms=[algorithm], options=_OPTIONS)
        except (jwt.PyJWTError, ValueError, TypeError) as error:
            raise _wrong("is invalid") from error


_OPTIONS: Any = {
    "require": ["jti", "htm", "htu", "iat", "ath"],
    # Compared here, with the time limit of proofs.
    "verify_iat": False,
}


def _wrong(reason: str) -> Unauthorized:
    return Unauthorized(f"The DPoP proof {reason}.", "invalid_dpop_proof", "DPoP")


def _thumbprint(jwk: Mapping[str, Any]) -> bytes:
    """Return the thumbprint of a public key (RFC 7638)."""
    members = {name: jwk[name] for name in _MEMBERS[jwk["kty"]]}
    text = json.dumps(members, separators=(",", ":"), sort_keys=True)
    return _encode(hashlib.sha256(text.encode()).digest())


def _encode(digest: bytes) -> bytes:
    return base64.urlsafe_b64encode(digest).rstrip(b"=")


def _normal(url: str) -> tuple[str, str, int | None, str]:
    """Return the parts of a URL to compare, normalized and without its query."""
    parts: SplitResult = urlsplit(url)
    port = parts.port or {"http": 80, "https": 443}.get(parts.scheme)
    return parts.scheme, parts.hostname or "", port, parts.path or "/"
