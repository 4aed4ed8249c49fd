"""The public keys of the authorization server."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, cast

import anyio
import jwt

from .errors import Unauthorized, Unavailable
from .fetch import fetch

FAMILIES = {"RS256": "RSA", "PS256": "RSA", "ES256": "EC", "EdDSA": "OKP"}
"""The key type of each algorithm that may be configured."""

_FRESH = 600.0
_PAUSE = 30.0
_STALE = 3600.0
_RSA_BITS = 2048
_LOG = logging.getLogger(__name__)


@dataclass
class KeySet:
    """Keys from a JWKS URL.

    They are fetched again after ten minutes, and for an unknown key at most once in 30 s. If the
    URL doesn't respond, the last keys are used for one hour.
    """

    url: str
    algorithm: str
    clock: Callable[[], float] = time.monotonic
    _keys: tuple[jwt.PyJWK, ...] = ()
    _fetched: float | None = None
    _tried: float | None = None
    _lock: anyio.Lock = field(default_factory=anyio.Lock)

    async def key(self, kid: str | None) -> jwt.PyJWK:
        """Return the key with this ID, or the only key for a token without one.

        Raises:
            Unauthorized: There is no such key.
            Unavailable: There are no keys, or only keys older than one hour.
        """
        if (key := self._find(kid)) and self._age() < _FRESH:
            return key
        async with self._lock:
            # Another request may have fetched the keys in the meantime.
            if not (self._find(kid) and self._age() < _FRESH) and self._may_try():
                await self._refresh()
        if self._age() >= _STALE:
            raise Unavailable("there are no keys to verify tokens with")
        key = self._find(kid)
        if key is None:
            raise Unauthorized("The token was signed with an unknown key.")
        return key

    def _find(self, kid: str | None) -> jwt.PyJWK | None:
        if kid is None:
            return self._keys[0] if len(self._keys) == 1 else None
        return next((key for key in self._keys if key.key_id == kid), None)

    def _age(self) -> float:
        return float("inf") if self._fetched is None else self.clock() - self._fetched

    def _may_try(self) -> bool:
        return self._tried is None or self.clock() - self._tried >= _PAUSE

    async def _refresh(self) -> None:
        self._tried = self.clock()
        try:
            document = await fetch("GET", self.url)
        except Unavailable as error:
            _LOG.warning("the keys were not renewed: %s", error)
            return
        listed: Any = document.get("keys")
        entries = cast("Iterable[Any]", listed if isinstance(listed, list) else ())
        keys = [self._parse(entry) for entry in entries]
        self._keys = tuple(key for key in keys if key is not None)
        self._fetched = self.clock()

    def _parse(self, value: Any) -> jwt.PyJWK | None:
        """Return a key that may sign tokens with the configured algorithm, or None."""
        entry = cast("dict[str, Any]", value) if isinstance(value, dict) else {}
        if entry.get("kty") != FAMILIES[self.algorithm]:
            return None
        operations: Any = entry.get("key_ops", ["verify"])
        if entry.get("use", "sig") != "sig" or "verify" not in operations:
            return None
        if entry.get("alg", self.algorithm) != self.algorithm:
            return None
        return parse_key(entry, self.algorithm)


def parse_key(entry: dict[str, Any], algorithm: str) -> jwt.PyJWK | None:
    """Return a public key that is strong enough, or None."""
    if "d" in entry:  # a private key
        return None
    try:
        key = jwt.PyJWK(entry, algorithm=algorithm)
    except (jwt.PyJWTError, ValueError, TypeError, KeyError, AttributeError):
        return None
    is_weak = entry.get("kty") == "RSA" and key.key.key_size < _RSA_BITS
    is_other_curve = algorithm == "ES256" and entry.get("crv") != "P-256"
    return None if is_weak or is_other_curve else key
