"""Admits authorized requests to the endpoint, as ASGI middleware."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit, urlunsplit

from mcp.server.auth.middleware.auth_context import AuthContextMiddleware
from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from mcp.server.transport_security import (
    DEFAULT_MAX_REQUEST_BODY_SIZE,
    RequestBodyLimitMiddleware,
)
from pydantic_core import from_json
from starlette.authentication import AuthCredentials
from starlette.responses import JSONResponse, Response

from ..asgi import ENDPOINT, raw_values, route_path
from ..replicas.errors import StoreUnavailable
from .dpop import ALGORITHMS, ProofVerifier, UsedInMemory, UsedOnce
from .errors import Unauthorized, Unavailable
from .scopes import Scopes, is_granted
from .settings import Auth
from .tokens import key_thumbprint

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from mcp.server.auth.provider import AccessToken
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

WELL_KNOWN = "/.well-known/oauth-protected-resource"
"""Where the metadata of a protected resource is (RFC 9728 section 3)."""

_LOG = logging.getLogger(__name__)


def metadata(auth: Auth, scopes: Iterable[str]) -> dict[str, Any]:
    """Return the protected resource metadata (RFC 9728 section 2)."""
    return {
        "resource": auth.resource,
        "authorization_servers": [auth.issuer],
        "scopes_supported": sorted({*auth.base_scopes, *scopes}),
        "bearer_methods_supported": ["header"],
        "dpop_signing_alg_values_supported": [*ALGORITHMS],
    }


class Guard:
    """Verifies tokens and scopes before a response starts.

    Args:
        app: The application that handles authorized requests.
        auth: The verifier of tokens.
        scopes: The scopes that each tool, prompt and resource needs.
        used: The store of proofs that were already used.
    """

    def __init__(
        self, app: ASGIApp, auth: Auth, scopes: Scopes, used: UsedOnce | None = None
    ) -> None:
        self._app = AuthContextMiddleware(app)
        self._auth = auth
        self._scopes = scopes
        self._needs_any = bool(scopes.all)
        self._proofs = ProofVerifier(auth.resource, used or UsedInMemory())
        self._limited = RequestBodyLimitMiddleware(self._check_call, DEFAULT_MAX_REQUEST_BODY_SIZE)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle a request, or pass it on."""
        path = route_path(scope) if scope["type"] == "http" else ""
        if path.startswith(WELL_KNOWN):
            await self._metadata(scope, path)(scope, receive, send)
        elif path != ENDPOINT:
            await self._app(scope, receive, send)
        else:
            await self._admit(scope, receive, send)

    async def _admit(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            token = await self._authenticate(scope)
        except Unauthorized as error:
            await self._challenge(scope, error)(scope, receive, send)
            return
        except (Unavailable, StoreUnavailable) as error:
            _LOG.error("a token was not verified: %s", error)
            await _unavailable()(scope, receive, send)
            return
        scope["auth"] = AuthCredentials(token.scopes)
        scope["user"] = AuthenticatedUser(token)
        if not is_granted(self._auth.base_scopes, token.scopes):
            await self._forbid(scope, self._auth.base_scopes)(scope, receive, send)
        elif self._needs_any and scope["method"] == "POST":
            await self._limited(scope, receive, send)
        else:
            await self._app(scope, receive, send)

    async def _authenticate(self, scope: Scope) -> AccessToken:
        values = raw_values(scope, b"authorization")
        if not values:
            raise Unauthorized
        scheme, _, token = values[0].partition(" ")
        scheme, token = scheme.lower(), token.strip()
        if len(values) > 1 or scheme not in ("bearer", "dpop") or not token.isascii():
            raise Unauthorized("The request has no bearer token.", "invalid_request")
        access = await self._auth.verify(token)
        thumbprint, proofs = key_thumbprint(access), raw_values(scope, b"dpop")
        if thumbprint is None and scheme == "bearer":
            return access
        if thumbprint is None or scheme == "bearer" or len(proofs) != 1:
            reason = "is bound to a key" if thumbprint else "is not bound to a key"
            raise Unauthorized(f"The token {reason}.", scheme="DPoP" if thumbprint else "Bearer")
        await self._proofs.verify(proofs[0], token, scope["method"], str(thumbprint))
        return access

    async def _check_call(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Reject a call for which the token lacks a scope, before its response starts."""
        message = await receive()
        try:
            # Parsed like the SDK parses it, so that both see the same call.
            request: Any = from_json(message.get("body", b""))
        except ValueError:
            request = None
        needed = self._scopes.of_request(request)
        if not is_granted(needed, scope["auth"].scopes):
            needed |= self._auth.base_scopes
            await self._forbid(scope, needed)(scope, receive, send)
            return
        messages = [message]

        async def replay() -> Message:
            return messages.pop() if messages else await receive()

        await self._app(scope, replay, send)

    def _metadata(self, scope: Scope, path: str) -> Response:
        headers = {"access-control-allow-origin": "*"}
        if scope["method"] == "OPTIONS":
            headers |= {"access-control-allow-methods": "GET", "access-control-allow-headers": "*"}
            return Response(status_code=204, headers=headers)
        suffixes = ("", ENDPOINT, urlsplit(self._auth.resource).path)
        if path.removeprefix(WELL_KNOWN) not in suffixes:
            return Response("Not Found", 404)
        if scope["method"] not in ("GET", "HEAD"):
            return Response("Method Not Allowed", 405, {"allow": "GET, OPTIONS"})
        headers["cache-control"] = "public, max-age=3600"
        return JSONResponse(metadata(self._auth, self._scopes.all), headers=headers)

    def _metadata_url(self, scope: Scope) -> str:
        """Return the URL of the metadata, which this application must receive.

        Below the path of an outer application, only requests below it arrive.
        """
        origin, root = urlsplit(self._auth.resource), scope.get("root_path", "")
        path = origin.path
        below = root if root and path.startswith(f"{root}/") else ""
        suffix = path.removeprefix(below) if path != "/" else ""
        return urlunsplit((origin.scheme, origin.netloc, f"{below}{WELL_KNOWN}{suffix}", "", ""))

    def _challenge(self, scope: Scope, error: Unauthorized) -> Response:
        values = {}
        if error.description:
            values = {"error": error.error, "error_description": error.description}
        if self._auth.base_scopes:
            values["scope"] = " ".join(sorted(self._auth.base_scopes))
        if error.scheme == "DPoP":
            values["algs"] = " ".join(ALGORITHMS)
        body = {"error": error.error, "error_description": str(error)}
        return self._refusal(401, scope, body, values, error.scheme)

    def _forbid(self, scope: Scope, needed: Iterable[str]) -> Response:
        values = {
            "error": "insufficient_scope",
            "error_description": "The token lacks a scope.",
            "scope": " ".join(sorted(needed)),
        }
        is_bound = key_thumbprint(scope["user"].access_token) is not None
        return self._refusal(403, scope, values, values, "DPoP" if is_bound else "Bearer")

    def _refusal(
        self,
        status: int,
        scope: Scope,
        body: Mapping[str, str],
        values: Mapping[str, str],
        scheme: str,
    ) -> Response:
        challenge = {**values, "resource_metadata": self._metadata_url(scope)}
        text = ", ".join(f'{name}="{value}"' for name, value in challenge.items())
        return JSONResponse(body, status, {"www-authenticate": f"{scheme} {text}"})


def _unavailable() -> Response:
    text = "The token can't be verified now; try again later.\n"
    return Response(text, 503, {"retry-after": "5"}, "text/plain")
