"""TLS settings that HTTP clients share, because creating them takes longer than a request."""

from __future__ import annotations

import os
import ssl
from functools import lru_cache

import httpx2


def shared_settings() -> ssl.SSLContext:
    """Return settings with the system's certificates, read once per process.

    ``SSL_CERT_FILE`` or ``SSL_CERT_DIR`` names others.
    """
    return _settings(os.environ.get("SSL_CERT_FILE"), os.environ.get("SSL_CERT_DIR"))


@lru_cache(maxsize=4)
def _settings(*_names_of_certificates: str | None) -> ssl.SSLContext:
    return httpx2.create_ssl_context()
