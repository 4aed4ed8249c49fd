"""A small authorization server that issues access tokens as a test requests."""

from __future__ import annotations

import base64
import hashlib
import json
import threading
import time
import uuid
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs

import jwt
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa

RESOURCE = "https://books.example.com/mcp"
ISSUER = "https://auth.example.com"


def private_key(algorithm: str) -> Any:
    if algorithm in ("RS256", "PS256"):
        return rsa.generate_private_key(public_exponent=65537, key_size=2048)
    if algorithm == "ES256":
        return ec.generate_private_key(ec.SECP256R1())
    return ed25519.Ed25519PrivateKey.generate()


def public_jwk(key: Any, algorithm: str, **members: Any) -> dict[str, Any]:
    public = key.public_key()
    loader = jwt.get_algorithm_by_name(algorithm)
    jwk: dict[str, Any] = json.loads(loader.to_jwk(public))  # type: ignore[attr-defined]
    jwk.pop("key_ops", None)
    return {**jwk, **members}


@dataclass
class Issuer:
    """Signs tokens, and serves its keys and its introspection endpoint."""

    algorithm: str = "RS256"
    url: str = ""
    counts: Counter[str] = field(default_factory=Counter)
    opaque: dict[str, dict[str, Any]] = field(default_factory=dict)
    answer: tuple[int, dict[str, str], bytes] | None = None
    """What to answer instead: status, headers and body."""
    pause: float = 0.0

    def __post_init__(self) -> None:
        self.key = private_key(self.algorithm)
        self.keys: list[dict[str, Any]] = [public_jwk(self.key, self.algorithm, kid="1")]

    @property
    def jwks_url(self) -> str:
        return f"{self.url}/jwks"

    @property
    def introspection_url(self) -> str:
        return f"{self.url}/introspect"

    def claims(self, scope: str = "", **changes: Any) -> dict[str, Any]:
        """Return the claims of a valid token with changes. None removes a claim."""
        now = int(time.time())
        claims = {
            "iss": ISSUER,
            "aud": RESOURCE,
            "sub": "ada",
            "client_id": "app",
            "exp": now + 600,
            "iat": now,
            "scope": scope,
        }
        return {name: value for name, value in (claims | changes).items() if value is not None}

    def token(self, scope: str = "", headers: Any = None, key: Any = None, **changes: Any) -> str:
        """Return a signed token."""
        return jwt.encode(
            self.claims(scope, **changes),
            key or self.key,
            algorithm=self.algorithm,
            headers={"kid": "1", "typ": "at+jwt", **(headers or {})},
        )


@contextmanager
def serving(issuer: Issuer) -> Iterator[Issuer]:
    """Serve keys and introspection on a free port."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self._send(200, {"keys": issuer.keys})

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"])).decode()
            token = parse_qs(body)["token"][0]
            is_known = self.headers["authorization"] == basic("server", "s3cret")
            found = issuer.opaque.get(token, {"active": False})
            self._send(200 if is_known else 401, found)

        def _send(self, status: int, document: Any) -> None:
            issuer.counts[self.path] += 1
            time.sleep(issuer.pause)
            status, headers, body = issuer.answer or (status, {}, json.dumps(document).encode())
            self.send_response(status)
            for name, value in {"content-length": str(len(body)), **headers}.items():
                self.send_header(name, value)
            self.end_headers()
            try:
                self.wfile.write(body)
            except OSError:  # the client has seen enough
                self.close_connection = True

        def log_message(self, format: str, *args: Any) -> None:
            del format, args

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    issuer.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield issuer
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def basic(user: str, password: str) -> str:
    return "Basic " + base64.b64encode(f"{user}:{password}".encode()).decode()


@dataclass
class DpopKey:
    """A client's key, to which tokens are bound."""

    algorithm: str = "ES256"

    def __post_init__(self) -> None:
        self.key = private_key(self.algorithm)
        self.jwk = public_jwk(self.key, self.algorithm)

    @property
    def thumbprint(self) -> str:
        names = {
            "EC": ("crv", "kty", "x", "y"),
            "RSA": ("e", "kty", "n"),
            "OKP": ("crv", "kty", "x"),
        }
        members = {name: self.jwk[name] for name in names[self.jwk["kty"]]}
        text = json.dumps(members, separators=(",", ":"), sort_keys=True)
        return _encode(hashlib.sha256(text.encode()).digest())

    def proof(self, token: str, headers: Any = None, **changes: Any) -> str:
        """Return a proof for a POST with changes. None removes a claim."""
        claims = {
            "jti": uuid.uuid4().hex,
            "htm": "POST",
            "htu": RESOURCE,
            "iat": int(time.time()),
            "ath": _encode(hashlib.sha256(token.encode()).digest()),
        }
        claims = {name: value for name, value in (claims | changes).items() if value is not None}
        head = {"typ": "dpop+jwt", "jwk": self.jwk, **(headers or {})}
        return jwt.encode(claims, self.key, algorithm=self.algorithm, headers=head)


def _encode(digest: bytes) -> str:
    return base64.urlsafe_b64encode(digest).rstrip(b"=").decode()
