"""Stored logins for tests."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any

import httpx2
from authorization import AuthorizationServer, Grant
from mcpgen_runtime.auth.provider import SharedOAuth
from mcpgen_runtime.auth.store import Store, StoredLogin

PING = {"jsonrpc": "2.0", "id": 1, "method": "ping"}

HEADERS = {"accept": "application/json, text/event-stream"}


def logged_in(server: AuthorizationServer, store: Store, **changes: Any) -> StoredLogin:
    """Store a login like `mcpgen login`, and return it."""
    server.clients["app"] = {}
    tokens = server.tokens(Grant("app", "use"))
    login = StoredLogin(
        server.mcp,
        tokens=tokens,
        expires_at=time.time() + tokens["expires_in"],
        client={"client_id": "app", "token_endpoint_auth_method": "none"},
        metadata=server.metadata(),
        resource={"resource": server.mcp, "authorization_servers": [server.issuer]},
    )
    login = replace(login, **changes)
    store.write(login)
    return login


async def ask(url: str, auth: SharedOAuth) -> int:
    async with httpx2.AsyncClient(auth=auth, timeout=60) as client:
        return (await client.post(url, json=PING, headers=HEADERS)).status_code
