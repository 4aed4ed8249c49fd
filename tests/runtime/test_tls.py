"""TLS settings are created once, and again for other certificates."""

from __future__ import annotations

import asyncio
import re
import ssl
from pathlib import Path
from typing import Any

import httpcore2
import httpx2
import pytest
from certificates import self_signed_certificate
from connected_servers import raw
from mcpgen_runtime import ConnectionFailed, tls
from mcpgen_runtime.auth.bounded import bounded_client
from mcpgen_runtime.connection.wire.http import AnsweringClient
from mcpgen_runtime.connection.wire.pending import Pending
from mcpgen_runtime.server.auth.errors import Unavailable
from mcpgen_runtime.server.auth.fetch import fetch


def test_verifying_settings_shared_by_clients(monkeypatch: pytest.MonkeyPatch) -> None:
    settings = tls.shared_settings()
    assert (settings.verify_mode, settings.check_hostname) == (ssl.CERT_REQUIRED, True)
    monkeypatch.setattr(httpx2, "create_ssl_context", None)  # a call would fail
    clients = AnsweringClient(Pending()), bounded_client("https://127.0.0.1/mcp")
    assert all(_settings_of(client) is settings for client in clients)


def _settings_of(client: httpx2.AsyncClient) -> object:
    transport = client._transport
    transport = getattr(transport, "_transport", transport)  # a client for logins wraps it
    return transport._pool._ssl_context  # type: ignore[attr-defined]


@pytest.mark.parametrize("variable", ["SSL_CERT_FILE", "SSL_CERT_DIR"])
def test_certificates_named_by_environment(variable: str, monkeypatch: pytest.MonkeyPatch) -> None:
    usual = tls.shared_settings()
    with monkeypatch.context() as patch:
        patch.setattr(httpx2, "create_ssl_context", ssl.create_default_context)
        patch.setenv(variable, "other")
        other = tls.shared_settings()
        assert other is not usual
        assert tls.shared_settings() is other
    assert tls.shared_settings() is usual


@pytest.fixture
def _reads_certificates(monkeypatch: pytest.MonkeyPatch) -> None:
    """Undo that all tests share the certificates of this machine."""
    shared: Any = httpcore2.default_ssl_context
    monkeypatch.setattr(httpcore2, "default_ssl_context", shared.__wrapped__)


@pytest.mark.usefixtures("_reads_certificates")
@pytest.mark.parametrize(
    ("text", "reason"),
    [(None, "No such file or directory"), ("no PEM", "it contains no certificates in PEM format")],
)
def test_unusable_file_is_named(
    text: str | None, reason: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "own.pem"
    if text is not None:
        file.write_text(text)
    monkeypatch.setenv("SSL_CERT_FILE", str(file))
    message = f"can't use the file in SSL_CERT_FILE, {file}: {reason}"
    with pytest.raises(tls.CertificatesError, match=re.escape(message)):
        tls.shared_settings()
    with pytest.raises(ConnectionFailed, match=re.escape(message)):
        asyncio.run(_connect())
    with pytest.raises(Unavailable, match=re.escape(message)):
        asyncio.run(fetch("GET", "http://127.0.0.1:9/keys"))
    certificate, _ = self_signed_certificate(tmp_path)
    file.write_bytes(Path(certificate).read_bytes())
    assert tls.shared_settings().verify_mode == ssl.CERT_REQUIRED  # the failure isn't remembered


def test_other_failure_is_not_blamed_on_the_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> ssl.SSLContext:
        raise PermissionError(13, "Permission denied", "/etc/ssl/cert.pem")

    tls._settings.cache_clear()
    monkeypatch.delenv("SSL_CERT_FILE", raising=False)
    monkeypatch.setattr(httpx2, "create_ssl_context", fail)
    with pytest.raises(PermissionError, match=r"cert\.pem"):
        tls.shared_settings()


async def _connect() -> None:
    async with raw().Client.connect("http://127.0.0.1:9/mcp"):
        pass
