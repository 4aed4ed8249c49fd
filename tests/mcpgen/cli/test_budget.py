"""`mcpgen budget`: order, sums, JSON and hostile names."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tool_budgets import BOOKS, schema

from mcpgen.cli.app import run
from mcpgen.jsontext import Json

TEXT = """\
books: 2 tools, 522 bytes, about 120 tokens

 tokens  share    bytes  tool and largest part
     88   73 %      382  find_books: structure 53 %, texts of arguments 30 %
     33   27 %      140  delete_book: structure 91 %, description 9 %
"""


def run_budget(capsys: pytest.CaptureFixture[str], *args: str) -> str:
    capsys.readouterr()
    assert run(["budget", *args]) == 0
    return capsys.readouterr().out


def test_the_heaviest_tool_stands_first(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    assert run_budget(capsys, str(BOOKS)) == TEXT


def test_json_has_every_tool_and_their_sum(capsys: pytest.CaptureFixture[str]) -> None:
    document = json.loads(run_budget(capsys, str(BOOKS), "--json"))
    assert [item["tool"] for item in document["tools"]] == ["find_books", "delete_book"]
    for key in ("bytes", "characters", "tokens"):
        assert document[key] == sum(item[key] for item in document["tools"])
    assert document["tools"][1] == {
        "tool": "delete_book",
        "bytes": 140,
        "characters": 140,
        "tokens": 33,
        "parts": {"description": 3, "texts of arguments": 0, "choices": 0, "structure": 30},
        "arguments": {"id": 7},
        "saved": {"hoist": 0, "shorten": 0, "plain": 0},
        "outputSchema": 0,
    }
    assert (document["encoding"], document["notices"]) == ("o200k", [])


def test_many_tools_are_counted_together(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    tools = [{"name": f"tool_{n}", "inputSchema": schema()} for n in range(25)]
    (tmp_path / "many.json").write_text(json.dumps({"tools": tools}))
    output = run_budget(capsys, str(tmp_path / "many.json"))
    assert "5 more (-v)" in output
    assert "more (-v)" not in run_budget(capsys, str(tmp_path / "many.json"), "-v")


def test_names_of_others_do_nothing_at_a_terminal(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    name = "x\x1b[2J\ny"
    displayed: Json = {"type": "string", "description": f"{name} {'of others ' * 9}"}
    tools = [{"name": name + end, "inputSchema": schema(**{name: displayed})} for end in "ab"]
    (tmp_path / "x.json").write_text(json.dumps({"tools": tools, "server": {"name": name}}))
    output = run_budget(capsys, str(tmp_path / "x.json"))
    assert "\x1b" not in output
    assert not any(line.startswith("y") for line in output.splitlines())


def test_budget_of_no_tools_is_zero(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "none.json").write_text('{"tools": []}')
    assert "0 tools, 0 bytes, about 0 tokens" in run_budget(capsys, str(tmp_path / "none.json"))
