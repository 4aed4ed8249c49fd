"""Revokes a login at its authorization server."""

from __future__ import annotations

import httpx2
from mcp.client.auth import OAuthClientProvider
from mcp.shared.auth import OAuthClientInformationFull, OAuthClientMetadata
from mcpgen_runtime.auth.bounded import bounded_client
from mcpgen_runtime.auth.locks import hold_lock
from mcpgen_runtime.auth.store import Store, StoredLogin
from mcpgen_runtime.tls import CertificatesError
from pydantic import ValidationError

from .memory import Memory


async def log_out(server: str, account: str, store: Store) -> bool | None:
    """Delete a login. Returns whether its tokens were revoked, or None if that isn't supported."""
    async with hold_lock(store.lock(server, account)):
        try:
            login = store.read(server, account)
        finally:
            store.delete(server, account)
    return await _revoke(login) if login else None


async def _revoke(login: StoredLogin) -> bool | None:
    endpoint = (login.metadata or {}).get("revocation_endpoint")
    if not isinstance(endpoint, str):
        return None
    try:
        client = OAuthClientInformationFull.model_validate(login.client)
    except ValidationError:
        return False
    kinds = ("refresh_token", "access_token")
    tokens = {kind: str(login.tokens[kind]) for kind in kinds if login.tokens.get(kind)}
    is_revoked = True
    try:
        http = bounded_client(login.server)
    except CertificatesError:
        return False
    async with http:
        for kind, token in tokens.items():
            data, headers = _with_credentials(login, client, kind, token)
            try:
                answer = await http.post(endpoint, data=data, headers=headers)
                if answer.status_code in (400, 401) and not client.client_secret:
                    # The Python SDK's servers require this property, even for a public client.
                    empty = {**data, "client_secret": ""}
                    answer = await http.post(endpoint, data=empty, headers=headers)
            except httpx2.HTTPError:
                return False
            is_revoked = is_revoked and answer.status_code == 200
    return is_revoked


def _with_credentials(
    login: StoredLogin, client: OAuthClientInformationFull, kind: str, token: str
) -> tuple[dict[str, str], dict[str, str]]:
    metadata = OAuthClientMetadata(redirect_uris=None)
    context = OAuthClientProvider(login.server, metadata, Memory()).context
    context.client_info = client
    data = {"token": token, "token_type_hint": kind, "client_id": client.client_id}
    return context.prepare_token_auth(data, {})
