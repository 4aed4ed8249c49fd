"""Explains a failed login without the SDK's messages, which quote the server."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Generator

import httpx2
from mcp.client.auth import OAuthFlowError, OAuthRegistrationError, OAuthTokenError
from mcpgen_runtime.auth.bounded import InsecureURLError, ResponseTooLargeError
from mcpgen_runtime.tls import CertificatesError
from pydantic import ValidationError

from mcpgen.errors import AuthorizationError, McpgenError, UnreachableError

from .problems import unusable_certificates


@contextlib.contextmanager
def explain_errors(server: str) -> Generator[None]:
    """Convert exceptions of the SDK, whose messages may quote the server."""
    try:
        yield
    except McpgenError:
        raise
    except OAuthRegistrationError:
        hint = "register one there: --client-id ID, or --client-metadata-url URL"
        problem = "the automatic registration of a client failed"
        raise AuthorizationError(problem, server, hint) from None
    except OAuthTokenError as error:
        code, hint = _token_refusal(str(error))
        reason = f" ({code})" if code else ""
        problem = f"the authorization server issues no token{reason}"
        raise AuthorizationError(problem, server, hint) from None
    except OAuthFlowError as error:
        raise AuthorizationError(_flow_problem(error), server) from None
    except InsecureURLError:
        problem = "the authorization server is on another machine, without https"
        raise AuthorizationError(problem, server) from None
    except ResponseTooLargeError:
        problem = "the authorization server sends more than a login needs"
        raise AuthorizationError(problem, server) from None
    except CertificatesError as error:
        raise unusable_certificates(error, server) from None
    except (httpx2.HTTPError, httpx2.InvalidURL) as error:
        problem = f"no response during the login ({type(error).__name__})"
        raise UnreachableError(problem, server) from None
    except (ValidationError, ValueError):
        problem = "the authorization server's response can't be used"
        raise AuthorizationError(problem, server) from None


_TOKEN_REFUSALS = {
    "invalid_client": "check the client: --client-id and --client-secret-env",
    "invalid_grant": "log in again: the browser's response was late or already used",
    "invalid_request": "",
    "invalid_scope": "ask for other permissions: --scope",
    "unauthorized_client": (
        "the client isn't allowed to log in this way: register another client, and pass it "
        "as --client-id"
    ),
    "unsupported_grant_type": "the server has no logins of this kind",
}
"""The error codes of a token endpoint (RFC 6749, section 5.2), and what to try."""


def _token_refusal(text: str) -> tuple[str, str]:
    """Return the error code of a token endpoint, if it is a known one, and a hint."""
    match = re.search(r'"error"\s*:\s*"(\w{1,40})"', text)
    code = match[1] if match and match[1] in _TOKEN_REFUSALS else ""
    return code, _TOKEN_REFUSALS.get(code, "")


def _flow_problem(error: OAuthFlowError) -> str:
    """Return the reason for an SDK error without its text, which may quote the login's state."""
    text = str(error)
    if "iss" in text.split() or "issuer" in text:
        return "the response comes from another authorization server than the server names"
    if "does not match expected" in text:
        return "the server's metadata names another resource"
    if "metadata request failed" in text:
        return "the server's metadata, which names the authorization server, can't be read"
    return "the authorization server cannot be used"
