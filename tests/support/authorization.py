"""A guarded MCP server with its authorization server, small and strict. Tests know all its
secrets. A refresh token is valid once. Its second use ends the login.
"""

from __future__ import annotations

import base64
import contextlib
import hashlib
import json
import secrets
import socket
import threading
import time
from collections import Counter
from collections.abc import Iterator, MutableMapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs, urlencode

import httpx2
import jwt
import uvicorn
from mcp.server import MCPServer
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response

Scope = MutableMapping[str, Any]


@dataclass
class Grant:
    """The scope of a login, and whether it is still valid."""

    client: str
    scope: str
    is_over: bool = False


@dataclass
class AuthorizationServer:
    """The state of both servers. `given` collects every secret they issued."""

    life: float = 3600.0
    registers: bool = True
    reads_documents: bool = True
    names_issuer: bool = False
    denies: bool = False
    pkce: tuple[str, ...] = ("S256",)
    ways: tuple[str, ...] = ()  # client authentication methods, if the metadata lists them
    wants_secret_member: bool = False  # to revoke, as the Python SDK's servers do
    fails: int = 0  # with this HTTP status, at the token endpoint
    failure: str = "temporarily_unavailable"
    needed: str = "use"
    url: str = ""
    counts: Counter[str] = field(default_factory=Counter)
    clients: dict[str, dict[str, Any]] = field(default_factory=dict)
    access: dict[str, tuple[float, Grant]] = field(default_factory=dict)
    refresh: dict[str, Grant] = field(default_factory=dict)
    used: dict[str, Grant] = field(default_factory=dict)
    codes: dict[str, tuple[dict[str, str], Grant]] = field(default_factory=dict)
    issued: set[str] = field(default_factory=set)
    resources: set[str] = field(default_factory=set)

    @property
    def mcp(self) -> str:
        """The address of the guarded server."""
        return f"{self.url}/mcp"

    @property
    def issuer(self) -> str:
        """The address of the authorization server."""
        return f"{self.url}/as"

    def end_tokens(self) -> None:
        """Expire all access tokens."""
        self.access.clear()

    async def nothing(self, request: Request) -> Response:
        """Respond with 404."""
        return JSONResponse({}, 404)

    async def answer(self, request: Request) -> Response:  # noqa: PLR0911 - one for each path
        """Handle every request except those for the guarded server."""
        path = request.url.path
        self.counts[path] += 1
        body = (await request.body()).decode()
        form = {k: v[0] for k, v in parse_qs(body, keep_blank_values=True).items()}
        query = dict(request.query_params)
        match path:
            case "/.well-known/oauth-protected-resource/mcp":
                metadata = {"resource": self.mcp, "authorization_servers": [self.issuer]}
                return JSONResponse(metadata)
            case "/.well-known/oauth-authorization-server/as":
                return JSONResponse(self.metadata())
            case "/as/register" if self.registers:
                return self.register(json.loads(await request.body()))
            case "/as/authorize":
                return self.authorize(query)
            case "/as/token":
                return self.token(form, request.headers.get("authorization", ""))
            case "/as/revoke":
                return self.revoke(form)
        return JSONResponse({"error": "not_found"}, 404)

    def metadata(self) -> dict[str, Any]:
        return {
            "issuer": self.issuer,
            "authorization_endpoint": f"{self.issuer}/authorize",
            "token_endpoint": f"{self.issuer}/token",
            **({"registration_endpoint": f"{self.issuer}/register"} if self.registers else {}),
            "revocation_endpoint": f"{self.issuer}/revoke",
            "response_types_supported": ["code"],
            **({"code_challenge_methods_supported": [*self.pkce]} if self.pkce else {}),
            **({"token_endpoint_auth_methods_supported": [*self.ways]} if self.ways else {}),
            "client_id_metadata_document_supported": self.reads_documents,
            "authorization_response_iss_parameter_supported": self.names_issuer,
        }

    def register(self, query: dict[str, Any]) -> Response:
        name = secrets.token_hex(8)
        self.clients[name] = query
        return JSONResponse({**query, "client_id": name}, 201)

    def authorize(self, query: dict[str, str]) -> Response:
        name = query["client_id"]
        is_known = name in self.clients or (self.reads_documents and name.startswith("https://"))
        if not is_known or query["code_challenge_method"] != "S256":
            return JSONResponse({"error": "invalid_client"}, 400)
        answer = {"state": query["state"]}
        if self.denies:
            answer["error"] = "access_denied"
        else:
            code = self._secret()
            self.resources.add(query.get("resource", ""))
            self.codes[code] = (query, Grant(name, query.get("scope", "use")))
            answer["code"] = code
        if self.names_issuer:
            answer["iss"] = self.issuer
        return RedirectResponse(f"{query['redirect_uri']}?{urlencode(answer)}", 302)

    def token(self, form: dict[str, str], authorization: str) -> Response:
        kind = form.get("grant_type", "")
        self.counts[kind] += 1
        if self.fails:
            return JSONResponse({"error": self.failure}, self.fails)
        name = self._client(form, authorization)
        if name is None:
            return JSONResponse({"error": "invalid_client"}, 401)
        if kind == "client_credentials":
            return JSONResponse(self.tokens(Grant(name, form.get("scope", "use")), renewable=False))
        if kind == "authorization_code":
            return self._by_code(form, name)
        return self._by_refresh(form, name)

    def _client(self, form: dict[str, str], authorization: str) -> str | None:
        """Return the authenticated client of a request, if any."""
        if form.get("client_assertion"):
            return self._by_key(form["client_assertion"])
        name, text = form.get("client_id", ""), form.get("client_secret", "")
        if authorization.startswith("Basic "):
            name, _, text = base64.b64decode(authorization[6:]).decode().partition(":")
        if name.startswith("https://") and self.reads_documents:
            return name
        secret = self.clients.get(name, {}).get("client_secret", "")
        return name if name in self.clients and text == secret else None

    def _by_key(self, assertion: str) -> str | None:
        claims = jwt.decode(assertion, options={"verify_signature": False})
        key = self.clients[claims["sub"]]["key"]
        jwt.decode(assertion, key, algorithms=["ES256"], audience=self.issuer)
        return str(claims["sub"])

    def _by_code(self, form: dict[str, str], name: str) -> Response:
        redirect, grant = self.codes.pop(form.get("code", ""), ({}, Grant("", "")))
        digest = hashlib.sha256(form.get("code_verifier", "").encode()).digest()
        challenge = base64.urlsafe_b64encode(digest).decode().rstrip("=")
        is_right = (
            grant.client == name
            and redirect["code_challenge"] == challenge
            and redirect["redirect_uri"] == form.get("redirect_uri")
        )
        return JSONResponse(self.tokens(grant)) if is_right else self._invalid()

    def _by_refresh(self, form: dict[str, str], name: str) -> Response:
        text = form.get("refresh_token", "")
        if text in self.used:
            self.counts["reused"] += 1
            self.used[text].is_over = True
        grant = self.refresh.pop(text, None)
        if grant is None or grant.is_over or grant.client != name:
            return self._invalid()
        self.used[text] = grant
        return JSONResponse(self.tokens(grant))

    def tokens(self, grant: Grant, *, renewable: bool = True) -> dict[str, Any]:
        """Return new tokens for a login."""
        token = self._secret()
        self.access[token] = (time.time() + self.life, grant)
        answer: dict[str, Any] = {"access_token": token, "token_type": "Bearer"}
        answer |= {"expires_in": int(self.life), "scope": grant.scope}
        if renewable:
            answer["refresh_token"] = self._secret()
            self.refresh[answer["refresh_token"]] = grant
        return answer

    def _invalid(self) -> Response:
        return JSONResponse({"error": "invalid_grant"}, 400)

    def revoke(self, form: dict[str, str]) -> Response:
        if self.wants_secret_member and "client_secret" not in form:
            return JSONResponse({"error": "invalid_request"}, 400)
        if grant := self.refresh.pop(form["token"], None):
            grant.is_over = True
        self.access.pop(form["token"], None)
        return JSONResponse({})

    def refusal(self, authorization: str) -> Response | None:
        """Return the guarded server's rejection of a request, or None if it is authorized."""
        end, grant = self.access.get(authorization.removeprefix("Bearer "), (0.0, None))
        described = f'resource_metadata="{self.url}/.well-known/oauth-protected-resource/mcp"'
        if grant is None or grant.is_over or end < time.time():
            self.counts["401"] += 1
            challenge = {"www-authenticate": f'Bearer {described}, scope="use"'}
            return JSONResponse({"error": "invalid_token"}, 401, challenge)
        if self.needed not in grant.scope.split():
            self.counts["403"] += 1
            expected = f'Bearer error="insufficient_scope", scope="{self.needed}", {described}'
            challenge = {"www-authenticate": expected}
            return JSONResponse({"error": "insufficient_scope"}, 403, challenge)
        return None

    def _secret(self) -> str:
        token = f"s3cret-{secrets.token_hex(12)}"
        self.issued.add(token)
        return token


@contextlib.contextmanager
def serving(**settings: Any) -> Iterator[AuthorizationServer]:
    """Run both servers in a thread."""
    state = AuthorizationServer(**settings)
    guarded = MCPServer("guarded")

    @guarded.tool()
    def whoami(x: int) -> str:
        return f"x={x}"

    inner = guarded.streamable_http_app(json_response=True)

    async def app(scope: Scope, receive: Any, send: Any) -> None:
        if scope["type"] == "lifespan":
            return await inner(scope, receive, send)
        if scope["path"] != "/mcp":
            response = await state.answer(Request(scope, receive))
            return await response(scope, receive, send)
        headers = {name.lower(): value for name, value in scope["headers"]}
        refusal = state.refusal(headers.get(b"authorization", b"").decode())
        return await (refusal or inner)(scope, receive, send)

    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        state.url = f"http://127.0.0.1:{listener.getsockname()[1]}"
        config = uvicorn.Config(app, log_level="critical", timeout_graceful_shutdown=1)
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run, args=([listener],), daemon=True)
        thread.start()
        while not server.started:
            time.sleep(0.01)
        try:
            yield state
        finally:
            server.should_exit = True
            thread.join(10)


def browse(url: str, change: dict[str, str] | None = None) -> bool:
    """Act like a person with a browser: consent and follow the redirect. Return True for an
    opened browser.
    """
    page = httpx2.get(url)
    back = httpx2.URL(page.headers["location"])
    httpx2.get(back.copy_merge_params(change or {}))
    return True
