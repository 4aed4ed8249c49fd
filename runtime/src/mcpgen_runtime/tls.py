"""TLS settings that HTTP clients share, because creating them takes longer than a request."""

from __future__ import annotations

import os
import ssl
from functools import lru_cache

import httpx2


class CertificatesError(OSError):
    """The file in ``SSL_CERT_FILE`` can't be read, or it contains no certificates."""


def shared_settings() -> ssl.SSLContext:
    """Return settings with the system's certificates, read once per process.

    ``SSL_CERT_FILE`` or ``SSL_CERT_DIR`` names others. Raises ``CertificatesError``.
    """
    return _settings(os.environ.get("SSL_CERT_FILE"), os.environ.get("SSL_CERT_DIR"))


@lru_cache(maxsize=4)
def _settings(file: str | None, _folder: str | None) -> ssl.SSLContext:
    try:
        return httpx2.create_ssl_context()
    except OSError as error:
        if not file:
            raise
        reason = error.strerror or str(error)
        if isinstance(error, ssl.SSLError):
            reason = "it contains no certificates in PEM format"
    raise CertificatesError(f"can't use the file in SSL_CERT_FILE, {file}: {reason}")
