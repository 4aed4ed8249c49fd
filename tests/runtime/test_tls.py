"""TLS settings are created once, and again for other certificates."""

from __future__ import annotations

import ssl

import httpx2
import pytest
from mcpgen_runtime import tls
from mcpgen_runtime.auth.bounded import bounded_client
from mcpgen_runtime.connection.wire.http import AnsweringClient
from mcpgen_runtime.connection.wire.pending import Pending


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


def test_retry_after_unreadable_certificates(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> ssl.SSLContext:
        raise FileNotFoundError("missing.pem")

    monkeypatch.setenv("SSL_CERT_FILE", "missing.pem")
    monkeypatch.setattr(httpx2, "create_ssl_context", fail)
    with pytest.raises(FileNotFoundError):
        tls.shared_settings()
    monkeypatch.setattr(httpx2, "create_ssl_context", lambda: "other settings")
    assert tls.shared_settings() == "other settings"
    tls._settings.cache_clear()
