"""Makes a login: finds the authorization server, asks the user, stores the tokens.

The SDK's providers do the work, as for the first rejected request. This module determines the
challenge and the scope.
"""

from __future__ import annotations

import contextlib
import logging
from collections.abc import AsyncGenerator, Generator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import httpx2
from mcp.client.auth import OAuthClientProvider
from mcp.client.auth.utils import (
    build_protected_resource_metadata_discovery_urls,
    extract_resource_metadata_from_www_auth,
    extract_scope_from_www_auth,
    union_scopes,
)
from mcp.shared.auth import (
    OAuthClientInformationFull,
    OAuthClientMetadata,
    ProtectedResourceMetadata,
)
from mcpgen_runtime.auth.bounded import bounded_client
from mcpgen_runtime.auth.locks import hold_lock
from mcpgen_runtime.auth.machine import machine_provider
from mcpgen_runtime.auth.store import Store, StoredLogin
from pydantic import BaseModel

from mcpgen.errors import AuthorizationError, UsageError

from .error_messages import explain_errors
from .login_prompts import Person
from .memory import Memory

_PING = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
_ACCEPT = {"accept": "application/json, text/event-stream"}
_NAME = "mcpgen"
_POST = "client_secret_post"


@dataclass(frozen=True)
class LoginRequest:
    """The requested login. ``client`` is the registered client, if any.

    ``before`` is the existing login, whose scope and client are kept.
    """

    login: StoredLogin
    scope: str = ""
    document: str = ""
    headers: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)
    method: str = "POST"
    before: StoredLogin | None = None
    assumes_pkce: bool = False
    """Whether to log in although the server's metadata doesn't mention PKCE."""


async def log_in(request_plan: LoginRequest, person: Person | None, store: Store) -> StoredLogin:
    """Log in and store the login. Raises ``McpgenError`` without secrets."""
    memory = Memory(_known_client(request_plan))
    provider = _provider(request_plan, person, memory)
    with _quiet(), explain_errors(request_plan.login.server):
        client = bounded_client(request_plan.login.server, headers=request_plan.headers)
        async with client:
            challenge = await _challenge(client, request_plan)
            response = await _request(client, request_plan, _Challenged(provider, challenge))
    if memory.tokens is None:
        raise AuthorizationError("the server issued no token", request_plan.login.server)
    if response in (401, 403):
        problem = f"the server refuses the login that was just made (HTTP {response})"
        raise AuthorizationError(problem, request_plan.login.server)
    login = _stored_login(request_plan, provider, memory)
    async with hold_lock(store.lock(login.server, login.account)):
        store.write(login)
    return login


def _provider(plan: LoginRequest, person: Person | None, memory: Memory) -> OAuthClientProvider:
    if person is None:
        return machine_provider(plan.login, memory)
    metadata = OAuthClientMetadata.model_validate(
        {
            "redirect_uris": [plan.login.redirect],
            "client_name": _NAME,
            "token_endpoint_auth_method": "none",
        }
    )
    asking = _InteractiveProvider(
        plan.login.server,
        metadata,
        memory,
        person.show,
        person.answer,
        plan.document or None,
    )
    asking.assumes_pkce = plan.assumes_pkce
    asking.is_client_given = bool(plan.login.client)
    return asking


class _InteractiveProvider(OAuthClientProvider):
    """The SDK's provider, sending the client secret with a method that the server supports.

    Clients must refuse a server without PKCE (MCP 2025-11-25, basic/authorization).
    """

    assumes_pkce = False
    is_client_given = False
    """Whether the client was registered manually, as opposed to dynamically."""

    async def _perform_authorization(self) -> httpx2.Request:
        client, server = self.context.client_info, self.context.oauth_metadata
        methods = server.code_challenge_methods_supported if server else None
        if "S256" not in (methods or ()) and not (methods is None and self.assumes_pkce):
            raise AuthorizationError(
                "the authorization server doesn't declare PKCE support (S256)",
                self.context.server_url,
                "--assume-pkce logs in anyway" if methods is None else "",
            )
        ways = server.token_endpoint_auth_methods_supported if server else None
        is_public = client is not None and not client.client_secret
        if self.is_client_given and is_public and ways and "none" not in ways:
            raise AuthorizationError(
                "the authorization server requires a client secret",
                self.context.server_url,
                "pass the client's secret: --client-secret-env NAME",
            )
        if client and client.client_secret and ways:
            used = client.token_endpoint_auth_method
            if used not in ways and _POST in ways:
                client.token_endpoint_auth_method = _POST
        return await super()._perform_authorization()


def _known_client(plan: LoginRequest) -> OAuthClientInformationFull | None:
    """Return the registered client, or the client of the previous login."""
    client, before = plan.login.client, plan.before
    if not client and before and before.grant == plan.login.grant:
        # A registered client may only use the redirect address it was registered with.
        is_anywhere = "redirect_uris" not in before.client or _is_document(before)
        if is_anywhere or before.redirect == plan.login.redirect:
            client = before.client
    if not client or (plan.document and client.get("client_id") != plan.document):
        return None
    return OAuthClientInformationFull.model_validate(client)


def _is_document(login: StoredLogin) -> bool:
    return str(login.client.get("client_id")).startswith("https://")


class _Challenged(httpx2.Auth):
    """Triggers the login of a provider, whatever the first response was."""

    def __init__(self, provider: OAuthClientProvider, challenge: str) -> None:
        self._provider = provider
        self._challenge = challenge

    async def async_auth_flow(
        self, request: httpx2.Request
    ) -> AsyncGenerator[httpx2.Request, httpx2.Response]:
        flow = self._provider.async_auth_flow(request)
        headers = {"www-authenticate": self._challenge}
        answer = httpx2.Response(401, headers=headers, request=request)
        try:
            await flow.__anext__()
            outgoing = await flow.asend(answer)
            while True:
                answer = yield outgoing
                outgoing = await flow.asend(answer)
        except StopAsyncIteration:
            return
        finally:
            await flow.aclose()


async def _challenge(client: httpx2.AsyncClient, plan: LoginRequest) -> str:
    """Request the server without a login, and return the challenge for the provider."""
    request = _first_request(client, plan)
    response = await client.send(request, stream=True)
    await response.aclose()
    described = extract_resource_metadata_from_www_auth(response)
    if response.status_code not in (401, 403):
        described = await _find_metadata(client, plan.login.server)
        if not described:
            problem = f"the server requires no login (HTTP {response.status_code})"
            raise UsageError(problem, plan.login.server)
    before = plan.before.scope if plan.before else ""
    scope = extract_scope_from_www_auth(response)
    if plan.scope:
        scope = union_scopes(union_scopes(before or None, scope), plan.scope)
    challenge = {"resource_metadata": described, "scope": scope}
    parts = [f'{name}="{value}"' for name, value in challenge.items() if value]
    return f"Bearer {', '.join(parts)}" if parts else "Bearer"


async def _find_metadata(client: httpx2.AsyncClient, server: str) -> str | None:
    for url in build_protected_resource_metadata_discovery_urls(None, server):
        response = await client.get(url)
        kind = response.headers.get("content-type", "")
        if response.status_code == 200 and "json" in kind:
            return url
    return None


async def _request(client: httpx2.AsyncClient, plan: LoginRequest, auth: httpx2.Auth) -> int:
    response = await client.send(_first_request(client, plan), auth=auth, stream=True)
    await response.aclose()
    return response.status_code


def _first_request(client: httpx2.AsyncClient, plan: LoginRequest) -> httpx2.Request:
    body = _PING if plan.method == "POST" else None
    server = plan.login.server
    return client.build_request(plan.method, server, json=body, headers=_ACCEPT)


def _stored_login(plan: LoginRequest, provider: OAuthClientProvider, memory: Memory) -> StoredLogin:
    context = provider.context
    client = _document(context.client_info) or {}
    if plan.login.grant == "authorization_code" and plan.login.client:
        client = {**plan.login.client, **client}
    server = context.oauth_metadata
    return replace(
        plan.login,
        tokens=_document(memory.tokens) or {},
        expires_at=memory.expires_at,
        client=client,
        metadata=_document(server),
        resource=_document(context.protected_resource_metadata),
        issuer=plan.login.issuer or (str(server.issuer) if server else ""),
    )


def _document(value: BaseModel | None) -> dict[str, Any] | None:
    if value is None:
        return None
    return value.model_dump(mode="json", exclude_none=True)


async def issuer_of(server: str) -> str:
    """Return the authorization server that a server names, or ""."""
    with _quiet(), explain_errors(server):
        client = bounded_client(server)
        async with client:
            url = await _find_metadata(client, server)
            if url is None:
                return ""
            described = (await client.get(url)).content
        resource = ProtectedResourceMetadata.model_validate_json(described)
    return str(resource.authorization_servers[0])


@contextlib.contextmanager
def _quiet() -> Generator[None]:
    """Silence the SDK's log, whose errors may quote a secret."""
    logger = logging.getLogger("mcp.client")
    level = logger.level
    logger.setLevel(logging.CRITICAL + 1)
    try:
        yield
    finally:
        logger.setLevel(level)
