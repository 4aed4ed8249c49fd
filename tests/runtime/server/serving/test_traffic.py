"""A server over HTTP answers probes, enforces its limits, and finishes pending calls."""

from __future__ import annotations

import os
import signal
import socket
import ssl
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import anyio
import httpx2
import pytest
import sdk_programs
from guards import PATIENCE, until
from mcp import Client
from mcp.server import Server
from mcpgen_runtime.server import HttpLimits, run
from mcpgen_runtime.server.serving.traffic import Traffic, TrafficControl
from skeletons import MODES, await_answer, free_port, project

from mcpgen.contract.document import read

CONTRACT = read(
    {
        "server": {"name": "slow", "version": "1"},
        "capabilities": {"tools": {"listChanged": True}},
        "tools": [{"name": "wait", "inputSchema": {"type": "object"}}],
    }
)
TOOLS = """\
import anyio

from ._generated import SlowTools


class Tools(SlowTools):
    async def wait(self, arguments, context):
        await anyio.Path("begun").touch()
        while not await anyio.Path("go").exists():
            await anyio.sleep(0.02)
        return "done"
"""
SERVER = """\
from contextlib import asynccontextmanager
from pathlib import Path

from ._generated import Policy, create, run
from .tools import Tools


@asynccontextmanager
async def database():
    Path("log").write_text("opened\\n")
    yield
    Path("log").write_text("opened\\nclosed\\n")


server = create(Tools(), Policy(on_start=database))


def main():
    run(server)
"""
LIMIT_OF_CALL = 60.0
"""Seconds after which a call ends by itself."""

EVENTS = {"accept": "application/json, text/event-stream"}

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals are others there")


@dataclass
class Running:
    """A server that runs in a folder of its own."""

    process: subprocess.Popen[str]
    folder: Path
    port: int
    scheme: str = "http"

    @property
    def origin(self) -> str:
        return f"{self.scheme}://127.0.0.1:{self.port}"

    @property
    def url(self) -> str:
        return f"{self.origin}/mcp"

    def get(self, path: str, **headers: str) -> httpx2.Response:
        return httpx2.get(self.origin + path, headers=headers)

    def stop(self, number: int = signal.SIGTERM) -> None:
        self.process.send_signal(number)

    def wait(self) -> tuple[int, str]:
        """Return the exit code and stderr."""
        _, output = self.process.communicate(timeout=PATIENCE)
        return self.process.returncode, output

    def is_draining(self) -> bool:
        return self.get("/readyz").status_code == 503

    def open_gate(self) -> None:
        """Finish the pending calls."""
        (self.folder / "go").touch()

    def has_begun(self) -> bool:
        return (self.folder / "begun").exists()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = project(CONTRACT, tmp_path_factory.mktemp("slow"))
    (folder / "src/slow/tools.py").write_text(TOOLS)
    (folder / "src/slow/server.py").write_text(SERVER)
    return folder


@contextmanager
def start(folder: Path, work: Path, *options: str, scheme: str = "http") -> Iterator[Running]:
    port = free_port()
    process = subprocess.Popen(
        sdk_programs.command("-m", "slow", "--http", str(port), *options),
        cwd=work,
        env=os.environ | {"PYTHONPATH": str(folder / "src")},
        stderr=subprocess.PIPE,
        text=True,
    )
    running = Running(process, work, port, scheme)
    try:
        await_answer(port, process)
        yield running
    finally:
        process.kill()
        process.communicate()


@pytest.fixture(scope="module")
def shared(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """A server with short times. It ends successfully, and logs no traceback."""
    options = ("--header-timeout", "0.4", "--body-timeout", "0.4", "--allow-origin", FRIEND)
    with start(folder, tmp_path_factory.mktemp("shared"), *options) as running:
        yield running
        running.stop()
        code, output = running.wait()
    assert code == 0, output
    assert "Traceback" not in output, output


@pytest.fixture
def quick(shared: Running) -> Running:
    """The shared server without the files of the last test."""
    for name in ("go", "begun"):
        (shared.folder / name).unlink(missing_ok=True)
    return shared


FRIEND = "https://app.example.com"


async def call(url: str, mode: str = "auto") -> str:
    """Call the tool that waits, and return its text or the name of the error."""
    try:
        async with Client(url, mode=mode) as client:  # type: ignore[arg-type]
            await client.list_tools()  # which it would otherwise do after the call
            result = await client.call_tool("wait", {})
    except Exception as error:
        return type(error).__name__
    return "".join(block.text for block in result.content if block.type == "text")


def modern_call(url: str, **headers: str) -> httpx2.Response:
    """Send a request as clients of 2026-07-28 do, for which no session is needed."""
    meta = {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    }
    params = {"name": "wait", "arguments": {}, "_meta": meta}
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    defaults = {
        "mcp-protocol-version": "2026-07-28",
        "mcp-method": "tools/call",
        "mcp-name": "wait",
    }
    return httpx2.post(url, json=message, headers={**EVENTS, **defaults, **headers})


@pytest.mark.slow
def test_health_checks_need_no_known_host(quick: Running) -> None:
    for path, status in (("/healthz", "ok"), ("/readyz", "ready")):
        answer = quick.get(path, host="10.1.2.3:80")
        assert (answer.status_code, answer.json()) == (200, {"status": status})
    assert httpx2.post(quick.origin + "/healthz").status_code == 404
    assert quick.get("/mcp", host="10.1.2.3:80", **EVENTS).status_code == 421


@pytest.mark.slow
def test_probe_gets_explanation_of_endpoint(quick: Running) -> None:
    answer = quick.get("/mcp", accept="*/*")
    assert answer.status_code == 406
    assert "MCP endpoint" in answer.text
    assert "/healthz" in answer.text


@pytest.mark.slow
@pytest.mark.parametrize("mode", MODES)
def test_draining_server_finishes_pending_call_and_rejects_new_ones(
    folder: Path, tmp_path: Path, mode: str
) -> None:
    async def call_while_draining(running: Running) -> str:
        results: list[str] = []

        async def pending() -> None:
            results.append(await call(running.url, mode))

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(pending)
            await anyio.to_thread.run_sync(until, running.has_begun)
            running.stop()
            await anyio.to_thread.run_sync(until, running.is_draining)
            assert running.get("/healthz").status_code == 200
            refused = modern_call(running.url)
            assert (refused.status_code, refused.headers["retry-after"]) == (503, "1")
            running.open_gate()
        return results[0]

    with start(folder, tmp_path) as running:
        assert anyio.run(call_while_draining, running) == "done"
        code, output = running.wait()
    assert code == 0, output
    assert "Traceback" not in output, output
    assert (tmp_path / "log").read_text() == "opened\nclosed\n"


@pytest.mark.slow
@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("signals", "drain", "code"),
    [
        ((signal.SIGTERM,), "0.3", 0),
        ((signal.SIGTERM,) * 2, "3600", 0),
        ((signal.SIGINT,) * 2, "3600", 130),
    ],
    ids=["no time left", "second SIGTERM", "second Ctrl-C"],
)
def test_pending_call_is_cancelled_at_deadline_or_second_signal(
    folder: Path, tmp_path: Path, signals: tuple[int, ...], drain: str, code: int
) -> None:
    async def interrupt_call(running: Running) -> None:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(call, running.url)
            await anyio.to_thread.run_sync(until, running.has_begun)
            for number in signals[:-1]:
                running.stop(number)
                await anyio.to_thread.run_sync(until, running.is_draining)
            running.stop(signals[-1])
            ended.append(await anyio.to_thread.run_sync(running.wait))
            tasks.cancel_scope.cancel()

    ended: list[tuple[int, str]] = []
    started = time.monotonic()
    with start(folder, tmp_path, "--drain", drain) as running:
        anyio.run(interrupt_call, running)
    assert ended[0][0] == code, ended
    assert "Traceback" not in ended[0][1], ended
    assert time.monotonic() - started < LIMIT_OF_CALL
    assert (tmp_path / "log").read_text() == "opened\nclosed\n"


@pytest.mark.sampled(1)
@pytest.mark.parametrize("mode", MODES)
def test_open_streams_end_on_sigterm(folder: Path, tmp_path: Path, mode: str) -> None:
    async def stop_while_streaming(running: Running) -> tuple[int, str]:
        async with anyio.create_task_group() as tasks:
            await tasks.start(hold_stream, running.url, mode)
            running.stop()
            ended = await anyio.to_thread.run_sync(running.wait)
            tasks.cancel_scope.cancel()
        return ended

    with start(folder, tmp_path, "--drain", "60") as running:
        code, output = anyio.run(stop_while_streaming, running)
    assert code == 0, output
    assert "Traceback" not in output, output
    assert "timeout graceful shutdown exceeded" not in output, output


async def hold_stream(url: str, mode: str, *, task_status: anyio.abc.TaskStatus[None]) -> None:
    """Hold a stream open until it breaks."""
    try:
        async with Client(url, mode=mode) as client:  # type: ignore[arg-type]
            if mode == "auto":
                async with client.listen(tools_list_changed=True) as events:
                    task_status.started()
                    async for _ in events:
                        pass
            await anyio.sleep(0.3)  # until the client has opened its stream
            task_status.started()
            await anyio.sleep_forever()
    except Exception:
        return


@pytest.mark.slow
def test_calls_over_limit_get_503(folder: Path, tmp_path: Path) -> None:
    async def exceed_limit(running: Running) -> None:
        async with anyio.create_task_group() as tasks:
            for _ in range(2):
                (running.folder / "begun").unlink(missing_ok=True)
                tasks.start_soon(call, running.url)
                await anyio.to_thread.run_sync(until, running.has_begun)
            unknown = {"mcp-method": "prompts/get", "mcp-name": "none"}
            assert modern_call(running.url, **unknown).status_code == 503
            assert running.get("/readyz").status_code == 200
            evading = {"mcp-method": "subscriptions/listen", "mcp-protocol-version": "2025-11-25"}
            assert modern_call(running.url, **evading).status_code == 503
            for body in ({"jsonrpc": "2.0", "id": 1, "method": "tools/list"}, [], 7):
                assert httpx2.post(running.url, json=body, headers=EVENTS).status_code == 503
            cancelled = {"jsonrpc": "2.0", "method": "notifications/cancelled"}
            response = httpx2.post(running.url, json=cancelled, headers=EVENTS)
            assert response.status_code == 400, (
                response.text
            )  # by the SDK, because no session is named
            running.open_gate()
        assert modern_call(running.url).status_code == 200

    with start(folder, tmp_path, "--max-calls", "2") as running:
        anyio.run(exceed_limit, running)


@pytest.mark.slow
def test_connections_over_limit_get_503(folder: Path, tmp_path: Path) -> None:
    with start(folder, tmp_path, "--max-connections", "1") as running:
        assert running.get("/mcp", **EVENTS).status_code != 503
        with socket.create_connection(("127.0.0.1", running.port)):
            assert running.get("/mcp", **EVENTS).status_code == 503
            assert running.get("/healthz").status_code == 200


def exchange(running: Running, *parts: bytes) -> bytes:
    """Send each part after the response to the previous one. Return all received bytes."""
    with socket.create_connection(("127.0.0.1", running.port), PATIENCE) as connection:
        answers = [connection.recv(4096) for part in parts[:-1] if not connection.sendall(part)]
        connection.sendall(parts[-1])
        return b"".join([*answers, *iter(lambda: connection.recv(4096), b"")])


HEAD = b"POST /mcp HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n"
ACCEPT = b"accept: application/json, text/event-stream\r\n"
PING = b'{"jsonrpc":"2.0","id":1,"method":"ping"}'


@pytest.mark.slow
@pytest.mark.parametrize("raw", [b"", HEAD], ids=["nothing", "half of the headers"])
def test_slow_headers_get_408(quick: Running, raw: bytes) -> None:
    assert exchange(quick, raw).startswith(b"HTTP/1.1 408")


def test_slow_body_gets_408(quick: Running) -> None:
    raw = HEAD + ACCEPT + b"content-length: 40\r\n\r\n" + PING[:10]
    assert exchange(quick, raw).startswith(b"HTTP/1.1 408")


def test_slow_headers_of_second_request_get_408(quick: Running) -> None:
    first = b"GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n"
    answer = exchange(quick, first, b"GET /healthz HT")
    assert answer.startswith(b"HTTP/1.1 200")
    assert b"HTTP/1.1 408" in answer


@pytest.mark.slow
def test_long_call_outlives_header_and_body_timeouts(quick: Running) -> None:
    async def patient() -> str:
        results: list[str] = []

        async def pending() -> None:
            results.append(await call(quick.url))

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(pending)
            await anyio.to_thread.run_sync(until, quick.has_begun)
            await anyio.sleep(0.8)
            quick.open_gate()
        return results[0]

    assert anyio.run(patient) == "done"


def test_only_allowed_origins_may_call(quick: Running) -> None:
    preflight = {"access-control-request-method": "POST"}
    for origin, allowed in ((FRIEND, 200), ("https://evil.example", 400)):
        answer = httpx2.options(quick.url, headers={"origin": origin, **preflight})
        assert answer.status_code == allowed
    quick.open_gate()
    answer = modern_call(quick.url, origin=FRIEND)
    assert answer.status_code == 200
    assert answer.headers["access-control-allow-origin"] == FRIEND
    assert modern_call(quick.url, origin="https://evil.example").status_code == 403


@pytest.mark.slow
def test_root_path_is_not_part_of_request_paths(folder: Path, tmp_path: Path) -> None:
    with start(folder, tmp_path, "--root-path", "/books") as running:
        running.open_gate()
        assert running.get("/healthz").status_code == 200
        assert running.get("/mcp", accept="*/*").status_code == 406
        assert modern_call(running.url).status_code == 200


def certificate(folder: Path) -> tuple[Path, Path]:
    """Write a certificate of 127.0.0.1 and its key."""
    from ipaddress import ip_address

    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "test")])
    now = datetime.now(timezone.utc)
    address = x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))])
    signed = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(address, critical=False)
        .sign(key, hashes.SHA256())
    )
    paths = folder / "cert.pem", folder / "key.pem"
    paths[0].write_bytes(signed.public_bytes(serialization.Encoding.PEM))
    paths[1].write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
    )
    return paths


@pytest.mark.slow
def test_certificate_enables_https(folder: Path, tmp_path: Path) -> None:
    chain, key = certificate(tmp_path)
    options = ("--tls-cert", str(chain), "--tls-key", str(key))
    trusted: Any = ssl.create_default_context(cafile=str(chain))
    with (
        start(folder, tmp_path, *options, scheme="https") as running,
        closing(httpx2.Client(verify=trusted)) as client,
    ):
        assert client.get(f"{running.origin}/readyz").json() == {"status": "ready"}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--tls-cert", "cert.pem"), "--tls-key"),
        (("--tls-cert", "none.pem", "--tls-key", "none.pem"), "none.pem"),
        (("--max-calls", "0"), "--max-calls"),
        (("--drain", "-1"), "--drain"),
        (("--header-timeout", "nan"), "--header-timeout"),
        (("--allow-origin", "app.example.com"), "--allow-origin"),
        (("--root-path", "books"), "--root-path"),
    ],
)
def test_invalid_options_exit_with_2(
    capsys: pytest.CaptureFixture[str], options: tuple[str, ...], message: str
) -> None:
    with pytest.raises(SystemExit) as ended:
        run(Server[Any]("slow"), ["--http", "8080", *options])
    assert ended.value.code == 2
    assert message in capsys.readouterr().err


def test_endless_body_is_refused_while_server_is_full() -> None:
    responses: list[Any] = []

    async def app(*_: Any) -> None:
        raise AssertionError

    async def receive() -> Any:
        return {"type": "http.request", "body": b" " * 65_536, "more_body": True}

    async def send(message: Any) -> None:
        responses.append(message)

    scope = {"type": "http", "method": "POST", "path": "/mcp", "headers": [], "root_path": ""}
    traffic = Traffic(HttpLimits(calls=0))

    async def request() -> None:
        with anyio.fail_after(PATIENCE):
            await TrafficControl(app, traffic)(scope, receive, send)

    anyio.run(request)
    assert responses[0]["status"] == 503
