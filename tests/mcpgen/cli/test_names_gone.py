"""`mcpgen client` lists the public names that a new package no longer has."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from mcpgen.cli import app


def listing(*names: str) -> str:
    schema = {"type": "object", "properties": {"part": {"type": "object", "properties": {}}}}
    tools = [{"name": name, "inputSchema": schema, "outputSchema": schema} for name in names]
    return json.dumps({"tools": tools})


def test_removed_names_are_listed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "dump.json"
    args = ["client", str(file), "-o", str(tmp_path), "--name", "made", "--no-cache"]
    file.write_text(listing("get_user", "add"))
    assert app.run(args) == 0
    assert "gone" not in capsys.readouterr().err
    file.write_text(listing("get_person", "add"))
    assert app.run(args) == 0
    output = capsys.readouterr().err
    assert "names no longer exist: " in output
    assert "GetUserInput" in output
    assert "AddInput" not in output
    assert app.run([*args, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["gone"] == []
