"""Requests are measured by OpenTelemetry's conventions, and logged without values."""

from __future__ import annotations

import io
import json
import logging
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anyio
import httpx2
import observing
import pytest
from guarded import post
from mcpgen_runtime.server import app
from mcpgen_runtime.server.serving.json_logs import JsonFormatter
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from skeletons import await_answer, free_port, import_server, project

from mcpgen.contract.document import read

CONTRACT = read(
    {
        "server": {"name": "meter", "version": "1"},
        "capabilities": {"tools": {}},
        "tools": [
            {"name": name, "inputSchema": {"type": "object"}} for name in ("good", "bad", "broken")
        ],
    }
)
SERVER = """\
from ._generated import MeterTools, ToolError, create, extras, run


class Tools(MeterTools):
    async def good(self, arguments, context):
        return "good"

    async def bad(self, arguments, context):
        raise ToolError("no")

    async def broken(self, arguments, context):
        raise ValueError(f"secret {extras(arguments)}")


server = create(Tools())


def main():
    run(server)
"""
READER = InMemoryMetricReader()


@pytest.fixture(scope="module", autouse=True)
def providers() -> Iterator[None]:
    with observing.providers(InMemorySpanExporter(), READER):
        yield


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = project(CONTRACT, tmp_path_factory.mktemp("meter"))
    (target / "src/meter/server.py").write_text(SERVER)
    return target


@pytest.fixture(scope="module")
def server(folder: Path) -> Iterator[Any]:
    with import_server(folder) as module:
        yield module.server


def points(name: str = "mcp.server.operation.duration") -> list[dict[str, Any]]:
    """Return the attributes of all measured operations or sessions."""
    data = READER.get_metrics_data()
    return [
        {**point.attributes, "count": point.count}
        for resource in (data.resource_metrics if data else ())
        for scope in resource.scope_metrics
        for metric in scope.metrics
        if metric.name == name
        for point in metric.data.data_points
    ]


def call(server: Any, *requests: tuple[str, dict[str, Any]]) -> list[httpx2.Response]:
    async def run() -> list[httpx2.Response]:
        asgi_app = app(server, allowed=["books.example.com"])
        async with asgi_app.router.lifespan_context(asgi_app):
            transport = httpx2.ASGITransport(asgi_app)
            async with httpx2.AsyncClient(
                transport=transport, base_url="http://books.example.com"
            ) as client:
                return [await post(client, None, *request) for request in requests]

    return anyio.run(run)


@pytest.mark.parametrize(
    ("method", "params", "expected"),
    [
        ("tools/call", {"name": "good"}, {"gen_ai.tool.name": "good"}),
        ("tools/call", {"name": "bad"}, {"gen_ai.tool.name": "bad", "error.type": "tool_error"}),
        (
            "tools/call",
            {"name": "unknown tool"},
            {"error.type": "-32602", "rpc.response.status_code": "-32602"},
        ),
        ("tools/list", {}, {}),
    ],
)
def test_duration_of_an_operation_has_the_conventional_attributes(
    server: Any, method: str, params: dict[str, Any], expected: dict[str, str]
) -> None:
    before = points()
    arguments = {"arguments": {}} if method == "tools/call" else {}
    call(server, (method, {**params, **arguments}))
    common = {
        "mcp.method.name": method,
        "mcp.protocol.version": "2026-07-28",
        "network.transport": "tcp",
        "network.protocol.name": "http",
    }
    operation = {"gen_ai.operation.name": "execute_tool"} if method == "tools/call" else {}
    point = {**common, **operation, **expected, "count": 1}
    assert point in [item for item in points() if item not in before]


def test_invented_names_are_not_attributes(server: Any) -> None:
    call(server, ("made/up", {}), ("tools/call", {"name": "made-up", "arguments": {}}))
    assert "made" not in json.dumps(points())
    assert "_OTHER" in [point["mcp.method.name"] for point in points()]


# Logs


@pytest.fixture
def lines() -> Iterator[Any]:
    """All log lines as JSON, while a test runs."""
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    handler.setFormatter(JsonFormatter())
    root = logging.getLogger()
    level = root.level
    root.addHandler(handler)
    root.setLevel("INFO")
    yield lambda: [json.loads(line) for line in stream.getvalue().splitlines()]
    root.removeHandler(handler)
    root.setLevel(level)


SESSION = "mcp.server.session.duration"
OPENING = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "test", "version": "1"},
}


def test_session_duration_ends_with_deletion_or_the_server(server: Any) -> None:
    async def sessions() -> None:
        asgi_app = app(server, allowed=["books.example.com"])
        message = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": OPENING}
        accept = {"accept": "application/json, text/event-stream"}
        async with asgi_app.router.lifespan_context(asgi_app):
            transport = httpx2.ASGITransport(asgi_app)
            async with httpx2.AsyncClient(
                transport=transport, base_url="http://books.example.com", headers=accept
            ) as client:
                ids = [
                    (await client.post("/mcp", json=message)).headers["mcp-session-id"]
                    for _ in range(2)
                ]
                assert points(SESSION) == []
                headers = {"mcp-session-id": ids[0], "mcp-protocol-version": "2025-11-25"}
                for _ in range(2):
                    await client.delete("/mcp", headers=headers)
                assert points(SESSION) == [deleted]

    over_http = {"network.transport": "tcp", "network.protocol.name": "http"}
    deleted = {**over_http, "mcp.protocol.version": "2025-11-25", "count": 1}
    anyio.run(sessions)
    assert points(SESSION) == [deleted, {**over_http, "count": 1}]


def test_call_is_logged_with_its_trace_and_without_values(server: Any, lines: Any) -> None:
    call(server, ("tools/call", {"name": "good", "arguments": {"password": "hunter2"}}))
    audit = next(line for line in lines() if line["logger"].endswith(".audit"))
    assert audit["tool"] == "good"
    assert audit["arguments"] == ["password"]
    assert audit["outcome"] == "done"
    assert len(audit["trace_id"]) == 32
    assert len(audit["span_id"]) == 16
    assert "hunter2" not in json.dumps(lines())


def test_exception_is_logged_without_its_message(server: Any, lines: Any) -> None:
    call(server, ("tools/call", {"name": "broken", "arguments": {"password": "hunter2"}}))
    error = next(line for line in lines() if line["level"] == "ERROR")
    assert error["exception"]["type"] == "builtins.ValueError"
    assert error["exception"]["stack"][-1].endswith(" broken")
    assert "hunter2" not in json.dumps(lines())


# A server as a process


def start(folder: Path, *options: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "meter", *options],
        env=os.environ | {"PYTHONPATH": str(folder / "src")},
        stderr=subprocess.PIPE,
        text=True,
    )


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="signals are others there")
def test_all_lines_of_a_server_are_json_without_queries(folder: Path) -> None:
    port = free_port()
    with start(folder, "--http", str(port), "--log-format", "json") as process:
        await_answer(port, process)
        httpx2.get(f"http://127.0.0.1:{port}/mcp?token=hunter2")
        process.terminate()
        assert process.stderr
        lines = [json.loads(line) for line in process.stderr]
    assert "hunter2" not in json.dumps(lines)
    access = next(line for line in lines if line["logger"] == "uvicorn.access")
    assert (access["path"], access["status"]) == ("/mcp", 406)


@pytest.mark.services
def test_metrics_are_served_on_a_port_of_their_own(folder: Path) -> None:
    port, scraped = free_port(), free_port()
    with start(folder, "--http", str(port), "--metrics", str(scraped)) as process:
        await_answer(port, process)

        async def send() -> None:
            async with httpx2.AsyncClient() as client:
                params = {"name": "bad", "arguments": {}}
                await post(client, None, params=params, path=f"http://127.0.0.1:{port}/mcp")

        anyio.run(send)
        text = httpx2.get(f"http://127.0.0.1:{scraped}/metrics").text
        assert httpx2.get(f"http://127.0.0.1:{port}/metrics").status_code == 404
        process.terminate()
    line = next(line for line in text.splitlines() if "duration_seconds_count" in line)
    assert 'gen_ai_tool_name="bad"' in line
    assert 'error_type="tool_error"' in line
    assert line.endswith(" 1.0")


@pytest.mark.services
def test_taken_port_of_metrics_is_an_error(folder: Path) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = str(other.getsockname()[1])
        with start(folder, "--http", str(free_port()), "--metrics", port) as process:
            assert process.stderr
            text = process.stderr.read()
            assert process.wait() == 1
    assert "error: --metrics: " in text
    assert "Traceback" not in text


@pytest.mark.slow
def test_metrics_need_http(folder: Path) -> None:
    with start(folder, "--metrics", "9090") as process:
        assert process.wait() == 2
        assert process.stderr
        assert "--metrics needs --http" in process.stderr.read()
