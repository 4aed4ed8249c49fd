"""Server objects run in this process."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from paths import SUPPORT
from recorded_commands import LIMITS, Record, run_command

IN_PROCESS = str(SUPPORT / "servers" / "in_process.py")


@pytest.mark.parametrize(("name", "tool"), [("", "add"), (":mcp", "add"), (":low", "low_tool")])
def test_a_server_object_is_asked_in_this_process(
    record: Record, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, name: str, tool: str
) -> None:
    monkeypatch.chdir(tmp_path)
    run = record("--env", "GREETING=from-the-option", IN_PROCESS + name)
    assert list(run.contract["tools"]) == [tool]
    assert run.contract["origin"]["target"] == f"in_process.py{name or ':mcp'}"
    assert "GREETING" not in os.environ


def test_a_fastmcp_server_is_asked_in_this_process(record: Record, tmp_path: Path) -> None:
    pytest.importorskip("fastmcp")
    (tmp_path / "fast.py").write_text(
        "from fastmcp import FastMCP\n"
        "server = FastMCP('fast')\n"
        "@server.tool\n"
        "def double(n: int) -> list[int]:\n"
        "    return [n, n]\n"
        "@server.resource('notes://{name}')\n"
        "def note(name: str) -> str:\n"
        "    return name\n"
    )
    result = record(str(tmp_path / "fast.py")).contract
    assert result["tools"]["double"]["definition"]["outputSchema"]["x-fastmcp-wrap-result"] is True
    assert list(result["resourceTemplates"]) == ["notes://{name}"]


@pytest.mark.parametrize(
    ("name", "code", "message"),
    [
        (":nothing", 2, "'nothing' isn't an MCP server but int"),
        (":lwo", 2, "there is no MCP server named 'lwo' here"),
        (":stuck", 4, "tools/list got no response within {} seconds"),
        (":leaving", 4, "the server ended with SystemExit"),
    ],
)
def test_failing_server_object_is_one_line(
    record: Record, name: str, code: int, message: str
) -> None:
    for limit in LIMITS if name == ":stuck" else LIMITS[-1:]:
        error = record("--timeout", limit, IN_PROCESS + name).error()
        if error == (code, message.format(limit)):
            break
    assert error == (code, message.format(limit))


@pytest.mark.parametrize(
    ("source", "code", "message"),
    [
        ("import no_such_module", 4, "the server needs 'no_such_module'"),
        ("1 / 0", 4, "importing the server failed: ZeroDivisionError: division by zero"),
        ("raise SystemExit(0)", 4, "importing the server failed: SystemExit: 0"),
        ("x = 1", 2, "there is no MCP server named 'mcp', 'server', 'app' here"),
    ],
)
def test_failing_import_is_one_line(
    record: Record, tmp_path: Path, source: str, code: int, message: str
) -> None:
    (tmp_path / "broken_server.py").write_text(source)
    assert record(str(tmp_path / "broken_server.py")).error() == (code, message)


@pytest.mark.slow
def test_endless_import_is_terminated(tmp_path: Path) -> None:
    (tmp_path / "sleeper.py").write_text("import time\nwhile True:\n    time.sleep(9)\n")
    command = [sys.executable, "-m", "mcpgen", "record", "--timeout", "0.2", "./sleeper.py"]
    run = run_command(command, tmp_path)
    assert run.returncode == 4
    assert run.stderr.startswith("error: no response within 0.2 seconds\n  at   sleeper.py\n")
