"""Behavior shared by all commands: --json, one-line errors, completion. Also doctor and watch."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from projects import (
    DEMO,
    call,
    changed_contract,
    files,
    project,
    project_with_server,
    run,
)

from mcpgen.cli import COMMANDS
from mcpgen.cli.app import cli


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_can_answer_in_json(name: str) -> None:
    command = cli.get_command(None, name)  # type: ignore[arg-type]
    assert command
    assert any("--json" in parameter.opts for parameter in command.params)


CONTRACT = "mcp/bookshelf.contract.json"


CALL = '{"arguments": {}, "kind": "tool", "name": "show_cover", "result": {"content": []}}\n'


# The output of each command in a project, with its exit code.
SAID: list[tuple[list[str], int, set[str]]] = [
    (["agent", CONTRACT, "-o", "models"], 0, {"servers"}),
    (["client", CONTRACT, "--name", "one"], 0, {"folder", "client", "tools", "changed"}),
    (["server", CONTRACT, "--name", "two"], 0, {"folder", "package", "changed", "lacks"}),
    (["record", CONTRACT], 0, {"format", "tools"}),
    (["record", CONTRACT, "-o", "c.json"], 0, {"file", "changed", "notices"}),
    (["init", "--name", "other", "--source", "demo"], 0, {"file", "server"}),
    (["init", "server", "--name", "acme"], 0, {"file", "server"}),
    (["generate"], 0, {"servers"}),
    (["lock"], 0, {"servers"}),
    (["check"], 1, {"ok", "stale"}),
    (["check", "--format", "json"], 1, {"ok", "stale"}),
    (["check", "--live"], 1, {"ok", "stale", "live"}),
    (["diff", CONTRACT, "other.json"], 1, {"findings", "counts", "notices"}),
    (["diff", CONTRACT, "other.json", "-f", "json"], 1, {"findings", "counts"}),
    (["diff", CONTRACT, "other.json", "-o", "report.json"], 1, {"file", "fails"}),
    (["doctor"], 1, {"ok", "seen"}),
    (["budget", CONTRACT], 0, {"tokens", "tools", "saved"}),
    (["lint", CONTRACT], 0, {"findings", "counts", "notices"}),
    (["lint", CONTRACT, "-o", "report.json"], 0, {"file", "fails"}),
    (["docs", CONTRACT], 0, {"files", "notices"}),
    (["explain", "I03"], 0, {"rule"}),
    (["explain", "L305"], 0, {"rule"}),
    (["protocol", "2025-11-25"], 0, {"revision", "text"}),
    (["list", CONTRACT], 0, {"server", "tools", "prompts", "resources", "resourceTemplates"}),
    (["call", CONTRACT, "get-item", "--id", "B-1"], 0, {"content", "structuredContent"}),
    (["prompt", CONTRACT, "welcome"], 0, {"messages"}),
    (["read", CONTRACT, "bookshelf://rules"], 0, {"contents"}),
    (["run", "a.py", "--server", CONTRACT, "--check"], 0, {"status", "findings", "calls"}),
    (["observe", "calls.jsonl", "--contract", CONTRACT], 0, {"tools"}),
    (["test", CONTRACT, "--calls", "20", "--no-search"], 0, {"failures", "coverage"}),
    (["logins"], 0, {"logins"}),
    (["logout", "--all"], 0, {"forgotten"}),
]


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("args", "code", "members"),
    [pytest.param(*case, id=" ".join(case[0])) for case in SAID],
)
def test_stdout_is_one_json_document_and_stderr_is_empty(
    args: list[str], code: int, members: set[str], tmp_path: Path
) -> None:
    root = project(tmp_path / "project")
    (root / "other.json").write_bytes(changed_contract(search_catalogue=None))
    (root / "a.py").write_text("print(1)")
    (root / "calls.jsonl").write_text(CALL)
    asks = [] if {"--format", "-f"} & {*args} else ["--json"]
    ended = call(root, *args, *asks)
    assert members <= json.loads(ended.stdout).keys()
    assert (ended.stderr, ended.returncode) == ("", code)


def test_every_finite_command_is_tested_with_json() -> None:
    # `mock` and `watch` run until stopped and print one document per event. `login` asks a person
    # on stderr: tests/mcpgen/cli/test_login.py.
    assert {args[0] for args, *_ in SAID} == COMMANDS.keys() - {"login", "mock", "watch"}


@pytest.mark.parametrize(
    ("args", "code", "exit_code"),
    [
        (["generate"], "usage", 2),
        (["record", "nothing.json"], "usage", 2),
        (["client", "--nope"], "usage", 2),
        (["nope"], "usage", 2),
        (["check", "-f", "json", "--nope"], "usage", 2),
        (["check", "--format", "json"], "usage", 2),
        (["diff", "ok.json", "none.json", "--format=json"], "usage", 2),
        (["diff", "bad.json", "bad.json", "-fjson"], "contract", 5),
        (["diff", "ok.json", "http://127.0.0.1:9/mcp", "-f", "json"], "unreachable", 4),
        (["explain", "X99"], "usage", 2),
        (["lint", "ok.json", "--ignore", "L999"], "usage", 2),
        (["lint", "bad.json"], "contract", 5),
        (["budget", "bad.json"], "contract", 5),
        (["protocol", "1999-01-01"], "usage", 2),
        (["mock", "bad.json"], "contract", 5),
        (["watch"], "usage", 2),
        (["lock", "nothing"], "usage", 2),
        (["init"], "usage", 2),
        (["server", "bad.json"], "contract", 5),
        (["record", "http://127.0.0.1:9/mcp"], "unreachable", 4),
        (["record", "./bad.json"], "contract", 5),
    ],
    ids=str,
)
def test_an_error_is_one_json_line(
    args: list[str], code: str, exit_code: int, tmp_path: Path
) -> None:
    (tmp_path / "bad.json").write_text('{"tools": 3}')
    (tmp_path / "ok.json").write_text('{"tools": []}')
    asks = [] if {"-f", "-fjson", "--format", "--format=json"} & {*args} else ["--json"]
    ended = call(tmp_path, *args, *asks)
    (line,) = ended.stderr.splitlines()
    error = json.loads(line)["error"]
    assert (error["code"], ended.returncode, ended.stdout) == (code, exit_code, "")
    assert error["message"]


@pytest.mark.slow
def test_words_after_two_dashes_are_the_servers(tmp_path: Path) -> None:
    ended = run(tmp_path, "record", "--", sys.executable, "-c", "1", "--json")
    assert ended.returncode == 4
    assert "error: " in ended.stderr


def test_project_server_is_resolved_by_name(tmp_path: Path) -> None:
    root = project_with_server(tmp_path / "project", read={})
    (root / "below").mkdir()
    call(root, "lock")
    table = root / "pyproject.toml"
    by_hand = '[tool.mcpgen.servers.hand]\ncontract = "hand.json"\n'
    table.write_text(table.read_text() + by_hand)
    (root / "hand.json").write_text('{"tools": [{"name": "a", "inputSchema": {"type": "object"}}]}')
    recorded = call(root / "below", "record", "files")
    assert recorded.stdout == (root / "mcp" / "files.contract.json").read_text()
    assert list(json.loads(call(root, "record", "hand").stdout)["tools"]) == ["a"]
    completed = call(root, "client", "files", "-o", "elsewhere", "--name", "other")
    assert "OtherClient with 1 tool" in completed.stderr
    (root / "tools.json").write_text("[]")
    ended = call(root / "below", "diff", "files", "--json")
    assert [load["rule"] for load in json.loads(ended.stdout)["findings"]] == ["T01"]
    wrong = call(root, "record", "fils")
    assert f"searched {table}" in wrong.stderr
    assert "did you mean 'files'?" in wrong.stderr


def test_a_new_server_is_written_as_one_folder(tmp_path: Path) -> None:
    ended = run(tmp_path, "server", str(DEMO), "--name", "made")
    assert ended.returncode == 0
    result = files(tmp_path / "made")
    assert {"pyproject.toml", "src/made/tools.py", "src/made/_generated/register.py"} <= set(result)
    again = run(tmp_path, "server", str(DEMO), "--name", "made")
    assert "unchanged" in again.stderr
    assert files(tmp_path / "made") == result
