"""A server stops when interrupted in any state, and ends running calls."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

import anyio
import pytest
from guards import PATIENCE
from mcp import Client
from skeletons import MODES, await_answer, free_port, project

from mcpgen.contract.document import read
from mcpgen.jsontext import Json

CONTRACT = read(
    {
        "server": {"name": "slow", "version": "1"},
        "capabilities": {"tools": {"listChanged": True}},
        "tools": [{"name": "wait", "inputSchema": {"type": "object"}}],
    }
)
TOOLS = """\
import sys

import anyio

from ._generated import SlowTools


class Tools(SlowTools):
    async def wait(self, arguments, context):
        print("begun", file=sys.stderr, flush=True)
        try:
            await anyio.sleep(3600)
        finally:
            print("ended", file=sys.stderr, flush=True)
"""
META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
}
HELLO: dict[str, list[Json]] = {
    "legacy": [
        {
            "method": "initialize",
            "id": 1,
            "params": {
                "protocolVersion": "2025-11-25",
                "capabilities": {},
                "clientInfo": {"name": "test", "version": "1"},
            },
        },
        {"method": "notifications/initialized"},
    ],
    "auto": [{"method": "server/discover", "id": 1, "params": {"_meta": META}}],
}

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals are others there")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = project(CONTRACT, tmp_path)
    (folder / "src/slow/tools.py").write_text(TOOLS)
    return folder


@contextmanager
def start_server(folder: Path, *options: str) -> Iterator[subprocess.Popen[str]]:
    pipe = subprocess.PIPE
    process = subprocess.Popen(
        [sys.executable, "-m", "slow", *options],
        env=os.environ | {"PYTHONPATH": str(folder / "src")},
        stdin=pipe,
        stdout=pipe,
        stderr=pipe,
        text=True,
    )
    try:
        with process:
            yield process
    finally:
        process.kill()


def say(process: subprocess.Popen[str], *messages: Json) -> None:
    assert process.stdin
    for message in messages:
        print(json.dumps({"jsonrpc": "2.0", **message}), file=process.stdin, flush=True)


def line(stream: IO[str] | None, expected: str) -> None:
    """Read until a line holds a text."""
    assert stream
    assert any(expected in read for read in iter(stream.readline, ""))


def interrupt(process: subprocess.Popen[str]) -> tuple[int, str]:
    """Send one Ctrl-C and return the exit code and stderr."""
    process.send_signal(signal.SIGINT)
    code = process.wait(PATIENCE)
    assert process.stderr
    return code, process.stderr.read()


@pytest.mark.slow
@pytest.mark.parametrize("mode", MODES)
def test_one_interrupt_ends_an_idle_server(folder: Path, mode: str) -> None:
    with start_server(folder) as process:
        say(process, *HELLO[mode])
        line(process.stdout, '"id":1')
        assert interrupt(process) == (130, "")


@pytest.mark.slow
@pytest.mark.parametrize("mode", MODES)
def test_one_interrupt_ends_a_running_call(folder: Path, mode: str) -> None:
    params = {"name": "wait", "arguments": {}, **({"_meta": META} if mode == "auto" else {})}
    with start_server(folder) as process:
        say(process, *HELLO[mode], {"method": "tools/call", "id": 2, "params": params})
        line(process.stderr, "begun")
        code, output = interrupt(process)
    assert code == 130
    assert output.startswith("ended\n")
    assert "outcome=cancelled" in output
    assert "Traceback" not in output, output


@pytest.mark.slow
@pytest.mark.sampled(1)
@pytest.mark.parametrize("mode", MODES)
def test_closed_input_ends_the_server_successfully(folder: Path, mode: str) -> None:
    with start_server(folder) as process:
        say(process, *HELLO[mode])
        line(process.stdout, '"id":1')
        assert process.stdin
        process.stdin.close()
        assert process.wait(PATIENCE) == 0


@pytest.mark.slow
def test_long_message_and_unterminated_last_line_are_read(folder: Path) -> None:
    ((hello, _),) = (HELLO["legacy"],)
    long = {**hello, "params": {**hello["params"], "x": "é" * 200_000}}
    with start_server(folder) as process:
        assert process.stdin
        process.stdin.write(json.dumps({"jsonrpc": "2.0", **long}, ensure_ascii=False))
        process.stdin.close()
        line(process.stdout, '"id":1')
        assert process.wait(PATIENCE) == 0


@pytest.mark.slow
def test_one_interrupt_ends_it_over_http_while_clients_listen(folder: Path) -> None:
    port = free_port()

    async def listening() -> tuple[int, str]:
        async with anyio.create_task_group() as tasks:
            await tasks.start(listen, f"http://127.0.0.1:{port}/mcp")
            ended = await anyio.to_thread.run_sync(interrupt, process)
            tasks.cancel_scope.cancel()
        return ended

    with start_server(folder, "--http", str(port)) as process:
        await_answer(port, process)
        code, output = anyio.run(listening)
    assert code == 130
    assert "Traceback" not in output, output


async def listen(url: str, *, task_status: anyio.abc.TaskStatus[None]) -> None:
    """Hold a stream open until it breaks, like a waiting client."""
    try:
        async with Client(url) as client, client.listen(tools_list_changed=True) as events:
            task_status.started()
            async for _ in events:
                pass
    except Exception:
        return
