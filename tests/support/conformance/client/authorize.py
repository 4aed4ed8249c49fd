"""The ``auth`` of each authorization scenario, using the SDK's providers without user
interaction.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx2
from mcp.client.auth import AuthorizationCodeResult, OAuthClientProvider
from mcp.client.auth.extensions.client_credentials import (
    ClientCredentialsOAuthProvider,
    PrivateKeyJWTOAuthProvider,
    SignedJWTParameters,
)
from mcp.client.auth.extensions.identity_assertion import IdentityAssertionOAuthProvider
from mcp.shared.auth import OAuthClientInformationFull, OAuthClientMetadata, OAuthToken
from pydantic import AnyUrl

CLIENT_ID = "https://conformance-test.local/client-metadata.json"
REDIRECT = AnyUrl("http://localhost:3000/callback")


class Memory:
    """Tokens and registrations of one run."""

    def __init__(self, client: OAuthClientInformationFull | None = None) -> None:
        self.client = client
        self.tokens: OAuthToken | None = None

    async def get_tokens(self) -> OAuthToken | None:
        return self.tokens

    async def set_tokens(self, tokens: OAuthToken) -> None:
        self.tokens = tokens

    async def get_client_info(self) -> OAuthClientInformationFull | None:
        return self.client

    async def set_client_info(self, client_info: OAuthClientInformationFull) -> None:
        self.client = client_info


class Consent:
    """A browser with a user who grants every request."""

    def __init__(self) -> None:
        self.location = ""

    async def redirect(self, url: str) -> None:
        async with httpx2.AsyncClient() as browser:
            self.location = (await browser.get(url)).headers["location"]

    async def answer(self) -> AuthorizationCodeResult:
        result = {
            name: values[0] for name, values in parse_qs(urlsplit(self.location).query).items()
        }
        return AuthorizationCodeResult(
            code=result.get("code", ""), state=result.get("state"), iss=result.get("iss")
        )


def by_code(url: str, context: Mapping[str, Any]) -> httpx2.Auth:
    """Log in like a person, with a registered client if the suite provides one."""
    consent = Consent()
    metadata = OAuthClientMetadata(client_name="mcpgen", redirect_uris=[REDIRECT])
    storage = Memory(_client_information(context) if "client_id" in context else None)
    return OAuthClientProvider(url, metadata, storage, consent.redirect, consent.answer, CLIENT_ID)


def by_secret(url: str, context: Mapping[str, Any]) -> httpx2.Auth:
    return ClientCredentialsOAuthProvider(
        url, Memory(), context["client_id"], context["client_secret"]
    )


def by_key(url: str, context: Mapping[str, Any]) -> httpx2.Auth:
    signed = SignedJWTParameters(
        issuer=context["client_id"],
        subject=context["client_id"],
        signing_key=context["private_key_pem"],
        signing_algorithm=context["signing_algorithm"],
    )
    return PrivateKeyJWTOAuthProvider(
        url, Memory(), context["client_id"], signed.create_assertion_provider()
    )


def by_enterprise(url: str, context: Mapping[str, Any]) -> httpx2.Auth:
    """Exchange an identity assertion for a grant at this server."""

    async def grant(audience: str, resource: str) -> str:
        form = {
            "grant_type": "urn:ietf:params:oauth:grant-type:token-exchange",
            "requested_token_type": "urn:ietf:params:oauth:token-type:id-jag",
            "subject_token": context["idp_id_token"],
            "subject_token_type": "urn:ietf:params:oauth:token-type:id_token",
            "audience": audience,
            "resource": resource,
            "client_id": context["idp_client_id"],
        }
        async with httpx2.AsyncClient() as http:
            answer = await http.post(context["idp_token_endpoint"], data=form)
        return str(answer.json()["access_token"])

    return IdentityAssertionOAuthProvider(
        url,
        Memory(),
        context["client_id"],
        context["client_secret"],
        _issuer(url),
        grant,
        token_endpoint_auth_method="client_secret_basic",
    )


def _client_information(context: Mapping[str, Any]) -> OAuthClientInformationFull:
    return OAuthClientInformationFull(
        client_id=context["client_id"],
        client_secret=context["client_secret"],
        redirect_uris=[REDIRECT],
        token_endpoint_auth_method="client_secret_basic",
        issuer=context["issuer"],
    )


def _issuer(url: str) -> str:
    """Request the issuer from the server, because the suite doesn't provide it."""
    parts = urlsplit(url)
    about = f"{parts.scheme}://{parts.netloc}/.well-known/oauth-protected-resource{parts.path}"
    return str(httpx2.get(about).json()["authorization_servers"][0])


PROVIDERS = {
    "auth/client-credentials-basic": by_secret,
    "auth/client-credentials-jwt": by_key,
    "auth/enterprise-managed-authorization": by_enterprise,
}


def auth_of(scenario: str, url: str, context: Mapping[str, Any]) -> httpx2.Auth:
    return PROVIDERS.get(scenario, by_code)(url, context)
