"""Failures of a server are diagnosed in one line."""

from __future__ import annotations

import socket
import threading

import pytest
from recorded_commands import Record
from servers.web import Web


@pytest.mark.sampled(8)
@pytest.mark.parametrize(
    ("path", "code", "message"),
    [
        ("/401", 3, "the server requires authorization (HTTP 401)"),
        ("/403", 3, "the server requires authorization (HTTP 403)"),
        ("/404", 4, "the server responded with HTTP 404"),
        ("/500", 4, "the server responded with HTTP 500"),
        ("/307", 4, "the server redirects (HTTP 307) to https://example.org/elsewhere"),
        ("/301/sse", 4, "the server redirects (HTTP 301) to https://example.org/elsewhere"),
        ("/html", 4, "the response to initialize isn't an MCP message: HTTP 200 of type text/html"),
        ("/text", 4, "the response to initialize isn't an MCP message: not a message"),
        ("/hang", 4, "no response within 0.5 seconds"),
        ("/mcp/refuses", 5, "the server responded to initialize with an error: Method not found"),
        ("/401/sse", 3, "the server requires authorization (HTTP 401)"),
        ("/404/sse", 4, "the server responded with HTTP 404"),
        ("/hang/sse", 4, "no response within 0.5 seconds"),
        ("/refused/sse", 3, "the server requires authorization (HTTP 401)"),
    ],
)
def test_http_failure_is_one_line(
    record: Record, web: Web, path: str, code: int, message: str
) -> None:
    run = record("--timeout", "0.5" if "hang" in path else "50", web.url + path)
    assert run.error()[0] == code
    assert run.error()[1].startswith(message)


def test_rejection_names_the_required_scheme(record: Record, web: Web) -> None:
    assert "--header 'Authorization: Basic ${TOKEN}'" in record(f"{web.url}/401").err


@pytest.mark.parametrize(
    ("path", "message", "hint"),
    [
        ("/404", "the server responded with HTTP 404", "check the path"),
        ("/500", "the server responded with HTTP 500", "the fault is on the server's side"),
        ("/500/long", "HTTP 500: the database is away the database", "on the server's side"),
        ("/429", "the server responded with HTTP 429", "try again in 7 seconds"),
        ("/400/tls", "HTTP 400: Client sent an HTTP request to", "write the address as https"),
        ("/403/html", "(HTTP 403): Ask Ada first.", ", or pass credentials"),
        ("/403/json", "(HTTP 403): no, \\x1b[2J you ()", "run: mcpgen login http"),
        ("/401/oauth", "(HTTP 401): it has expired", "described at https://example.org/.well-known/"),
    ],
)  # fmt: skip
def test_server_message_is_shown_with_a_hint(
    record: Record, web: Web, path: str, message: str, hint: str
) -> None:
    run = record(web.url + path)
    assert message in run.error()[1]
    assert len(run.error()[1]) < 280
    assert hint in run.err.partition("hint: ")[2]
    assert "canary" not in record(web.url + "/307").err


def test_wrong_and_missing_token_get_different_messages(record: Record, web: Web) -> None:
    token = ["--header", "Authorization: Bearer Canary5b1fZz"]
    assert record(f"{web.url}/401").error()[1].startswith("the server requires authorization")
    run = record(*token, f"{web.url}/401")
    assert run.error() == (3, "the server rejects the given credentials (HTTP 401)")
    run = record(*token, f"{web.url}/403/json")
    assert "they may be valid but insufficient" in run.err
    assert "you (${Authorization})" in run.err
    assert "Canary" not in run.err


@pytest.mark.parametrize(
    ("answer", "scheme", "hint"),
    [
        (b"\x15\x03\x01\x00\x02\x02\x46", "http", "try the same address with https://"),
        (b"HTTP/1.1 400 Bad Request\r\n\r\n", "https", "try the same address with http://"),
    ],
)
def test_the_wrong_scheme_for_a_port_is_guessed(
    record: Record, answer: bytes, scheme: str, hint: str
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def serve() -> None:
            while True:
                try:
                    connection, _ = listening.accept()
                except OSError:
                    return
                with connection:
                    connection.recv(4096)
                    connection.sendall(answer)

        threading.Thread(target=serve, daemon=True).start()
        run = record(f"{scheme}://127.0.0.1:{listening.getsockname()[1]}/mcp")
        listening.shutdown(socket.SHUT_RDWR)
    assert run.error()[0] == 4
    assert hint in run.err


def test_a_port_of_this_machine_needs_no_scheme(record: Record, web: Web) -> None:
    result = record(web.url.replace("http://127.0.0.1", "localhost") + "/mcp/plain").contract
    assert result["origin"]["url"] == web.url.replace("127.0.0.1", "localhost") + "/mcp/plain"


@pytest.mark.parametrize("path", ["/mcp", "/sse"])
def test_closed_port_is_reported(record: Record, path: str) -> None:
    with socket.socket() as used:
        used.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{used.getsockname()[1]}{path}"
        assert record(url).error() == (4, "the connection was refused, or the host is unknown")
