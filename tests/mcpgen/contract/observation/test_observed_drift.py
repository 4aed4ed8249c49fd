"""`diff` and `check --live` report changes of observed shapes, which the server never
guaranteed.
"""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
from projects import call, files, offer, project_with_server

from mcpgen.contract.document import read
from mcpgen.contract.observation.document import Observed, load, observed_path
from mcpgen.contract.observation.observe import Call, definitions_of, observe

TOOL = {"name": "a", "inputSchema": {"type": "object"}}
OTHER = {"name": "a", "inputSchema": {"type": "object", "properties": {"x": {}}}}


def write(contract: Path, tool: Any, *values: Any) -> None:
    """Write a contract of one tool and the observations of it."""
    document = {"tools": [tool]}
    contract.write_text(json.dumps(document))
    write_observed(contract, document, *values)


def write_observed(contract: Path, document: Any, *values: Any) -> None:
    definitions = definitions_of(read(document))
    results = [{"structuredContent": value} for value in values]
    calls = [Call(name, result) for name in definitions for result in results]
    observed_path(contract).write_text(observe(calls, definitions, Observed()).observed.text())


def test_diff_reports_changed_observed_shapes(tmp_path: Path) -> None:
    write(tmp_path / "old.json", TOOL, {"n": 1})
    write(tmp_path / "new.json", TOOL, {"n": 1}, {"n": None, "m": 2})
    ended = call(tmp_path, "diff", "old.json", "new.json")
    assert ended.returncode == 0  # observed types are not guaranteed, so a change doesn't fail
    assert ended.stdout.endswith(
        "observed, not promised\n"
        "  a: m: new, integer, optional (2 results, before 1)\n"
        "  a: n: integer or null, optional, before integer, optional (2 results, before 1)\n"
        "\nno changes\n"
    )
    document = json.loads(call(tmp_path, "diff", "old.json", "new.json", "--json").stdout)
    assert (len(document["observed"]), document["findings"]) == (2, [])
    markdown = call(tmp_path, "diff", "old.json", "new.json", "-f", "markdown").stdout
    assert "#### Observed, not promised\n" in markdown
    observed_path(tmp_path / "old.json").unlink()
    ended = call(tmp_path, "diff", "old.json", "new.json")
    assert "  a: observed now, 2 results\n" in ended.stdout


def test_diff_reads_the_observed_file_of_a_table(tmp_path: Path) -> None:
    write(tmp_path / "old.json", TOOL, {"n": 1})
    write(tmp_path / "new.json", TOOL, {"n": 1}, {"n": 2})
    observed_path(tmp_path / "new.json").rename(tmp_path / "seen.json")
    table = '[tool.mcpgen.servers.new]\ncontract = "new.json"\nobserved = "seen.json"\n'
    (tmp_path / "pyproject.toml").write_text(table)
    ended = call(tmp_path, "diff", "old.json", "new.json")
    assert (ended.returncode, "no longer observed" in ended.stdout) == (0, False)


def test_diff_reports_lapsed_observations(tmp_path: Path) -> None:
    write(tmp_path / "it.json", TOOL, {"n": 1})
    git = ["git", "-C", str(tmp_path), "-c", "user.name=Ada", "-c", "user.email=ada@example.org"]
    for args in (["init", "--quiet"], ["add", "."], ["commit", "--quiet", "-m", "First"]):
        subprocess.run([*git, *args], check=True, capture_output=True)
    assert "observed" not in call(tmp_path, "diff", "it.json").stdout
    (tmp_path / "it.json").write_text(json.dumps({"tools": [OTHER]}))
    lapses = "  a: its definition changed, so its observations from 1 result expire\n"
    assert lapses in call(tmp_path, "diff", "it.json").stdout
    observed_path(tmp_path / "it.json").unlink()
    assert "  a: no longer observed\n" in call(tmp_path, "diff", "it.json").stdout


@pytest.mark.slow
def test_check_live_reports_lapsed_observations(tmp_path: Path) -> None:
    root = project_with_server(tmp_path / "project", read={"description": "Read."})
    call(root, "lock")
    call(root, "generate")
    (name,) = [path for path in files(root) if path.endswith(".contract.json")]
    contract = root / name
    write_observed(contract, json.loads(contract.read_text()), {"n": 1})
    call(root, "generate")
    ended = call(root, "check", "--live")
    assert (ended.returncode, "observed" in ended.stdout) == (0, False)
    offer(root, read={"description": "Read.", "inputSchema": {"type": "object", "title": "T"}})
    ended = call(root, "check", "--live")
    lapses = "  read: its definition changed, so its observations from 1 result expire\n"
    assert ended.stdout.count(lapses) == 1
    assert list(load(observed_path(contract)).tools) == ["read"]
    # A table names the file, or disables it.
    observed_path(contract).rename(root / "seen.json")
    assert lapses not in call(root, "check", "--live").stdout
    table = root / "pyproject.toml"
    text = table.read_text()
    for value, count in (('"seen.json"', 1), ("false", 0)):
        table.write_text(text.replace("source =", f"observed = {value}\nsource =", 1))
        assert call(root, "check", "--live").stdout.count(lapses) == count
    table.write_text(text)
    observed_path(contract).write_text("{}")
    assert "the file isn't an observed file" in call(root, "check", "--live").stdout
