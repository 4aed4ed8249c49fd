"""Explains failed and broken HTTP connections."""

from __future__ import annotations

import httpx2
from mcpgen_runtime.display import brief
from mcpgen_runtime.tls import CertificatesError

from mcpgen.errors import McpgenError, UnreachableError
from mcpgen.servers.login.problems import unusable_certificates


def not_connected(error: BaseException, where: str) -> McpgenError | None:
    """Return the error for a failure of the HTTP client, or None for other exceptions."""
    if isinstance(error, CertificatesError):
        return unusable_certificates(error, where)
    if not isinstance(error, httpx2.HTTPError | httpx2.InvalidURL):
        return None
    if isinstance(error, httpx2.ConnectError) and "SSL" in str(error):
        hint = "check its certificate; SSL_CERT_FILE may name a file with your own authority"
        if "CERTIFICATE" not in str(error).upper():
            hint = "does it speak https? try the same address with http://"
        return UnreachableError(f"the connection is not safe: {brief(str(error))}", where, hint)
    if isinstance(error, httpx2.ConnectError):
        return UnreachableError(
            "the connection was refused, or the host is unknown", where, "is the server running?"
        )
    if isinstance(error, httpx2.InvalidURL | httpx2.UnsupportedProtocol):
        return UnreachableError("not a reachable URL", where)
    hint = ""
    if isinstance(error, httpx2.ProxyError):
        hint = "check the proxy: HTTPS_PROXY, HTTP_PROXY, and NO_PROXY for hosts without one"
    if where.startswith("http:") and isinstance(error, httpx2.ProtocolError | httpx2.NetworkError):
        hint = "is it a server for https? try the same address with https://"
    return UnreachableError(f"the connection failed ({type(error).__name__})", where, hint)
