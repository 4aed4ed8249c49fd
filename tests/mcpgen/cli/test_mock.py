"""`mcpgen mock`: transports, ports, interruption and missing contracts."""

from __future__ import annotations

import contextlib
import json
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import sdk_programs
from guards import PATIENCE, until
from mcp import StdioServerParameters
from mock_servers import DEMO, ERAS, T, ask, tool_names

from mcpgen import demo


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "contract.json"
    path.write_text(DEMO.text(), encoding="utf-8")
    return path


def command(*args: str | Path) -> list[str]:
    return sdk_programs.mcpgen("mock", *map(str, args))


def start(*args: str | Path) -> subprocess.Popen[str]:
    pipe = subprocess.PIPE
    return subprocess.Popen(command(*args), stdin=pipe, stdout=pipe, stderr=pipe, text=True)


@pytest.fixture
def over_http(file: Path) -> Iterator[tuple[subprocess.Popen[str], str]]:
    with start(file, "--http", "0") as process:
        assert process.stderr
        line = process.stderr.readline()
        url = next(part.rstrip(";") for part in line.split() if part.startswith("http://"))
        yield process, url
        process.kill()


@pytest.mark.sampled(1)
def test_it_serves_over_stdio(file: Path, era: str) -> None:
    _, *args = command(file, "--quiet")
    server = StdioServerParameters(command=sys.executable, args=args)
    assert ask(server, "legacy" if era == "legacy" else "auto", tool_names) == list(demo.TOOLS)


@pytest.mark.slow
def test_it_serves_over_http_until_interrupted(
    over_http: tuple[subprocess.Popen[str], str],
) -> None:
    process, url = over_http
    for era in ERAS:
        assert retry(lambda era=era: ask(url, era, tool_names)) == list(demo.TOOLS)
    process.send_signal(signal.SIGINT)
    assert process.wait(PATIENCE) == 0
    assert process.stderr
    assert process.stderr.read() == ""


def retry(attempt: Callable[[], T]) -> T:
    """Retry, because the port opens before the server is ready."""
    results: list[T] = []

    def answers() -> bool:
        with contextlib.suppress(Exception):
            results.append(attempt())
        return bool(results)

    until(answers)
    return results[0]


@pytest.mark.slow
def test_it_ends_with_its_input(file: Path) -> None:
    completed = subprocess.run(
        command(file), input="", capture_output=True, text=True, check=False, timeout=PATIENCE
    )
    message = "serving a mock of bookshelf with 8 tools over stdio; end the input to stop\n"
    assert (completed.returncode, completed.stdout, completed.stderr) == (0, "", message)


@pytest.mark.slow
def test_it_is_interrupted_while_it_waits(file: Path) -> None:
    with start(file) as process:
        assert process.stdin
        assert process.stdout
        hello = {"protocolVersion": "2025-11-25", "capabilities": {}}
        hello["clientInfo"] = {"name": "test", "version": "1"}
        request = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello}
        print(json.dumps(request), file=process.stdin, flush=True)
        assert json.loads(process.stdout.readline())["id"] == 1
        process.send_signal(signal.SIGINT)
        assert process.wait(PATIENCE) == 0


@pytest.mark.parametrize("address", ["web", "65536", "127.0.0.1:", "-1"])
def test_invalid_port_is_a_usage_error(file: Path, address: str) -> None:
    completed = subprocess.run(
        command(file, f"--http={address}"), capture_output=True, text=True, check=False
    )
    assert completed.returncode == 2
    assert completed.stderr == (
        f"error: {address!r} is not a valid port\n  at   --http\n"
        "hint: try: --http 8000, or --http 0.0.0.0:8000\n"
    )


@pytest.mark.slow
def test_a_port_in_use_is_a_usage_error(file: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as busy:
        port = busy.getsockname()[1]
        args = command(file, "--http", str(port))
        completed = subprocess.run(args, capture_output=True, text=True, check=False)
    assert completed.returncode == 2
    assert completed.stderr.startswith(f"error: 127.0.0.1:{port} cannot be listened on: ")
    assert "Traceback" not in completed.stderr


@pytest.mark.slow
def test_unsupported_features_are_reported(tmp_path: Path) -> None:
    path = tmp_path / "contract.json"
    path.write_text(json.dumps({"tools": [], "capabilities": {"tools": {}, "tasks": {}}}))
    completed = subprocess.run(command(path), input="", capture_output=True, text=True, check=False)
    assert completed.stderr.startswith("notice: /capabilities/tasks")
    assert "no tool runs as a task" in completed.stderr


def test_a_missing_contract_says_how_to_get_one(tmp_path: Path) -> None:
    args = command(tmp_path / "none.json")
    completed = subprocess.run(args, capture_output=True, text=True, check=False)
    assert completed.returncode == 2
    assert "mcpgen record <server>" in completed.stderr
