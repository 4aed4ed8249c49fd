"""`mcpgen run` checks a script and then runs it with a live server."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from paths import ROOT

from mcpgen.cli.app import run

DEMO = str(ROOT / "golden" / "demo" / "contract.json")
RIGHT = """\
import bookshelf
print((await bookshelf.search_catalogue(query="night", limit=1))["total"])
try:
    await bookshelf.get_item(id="B-99")
except bookshelf.ToolError as error:
    print(error)
await bookshelf.withdraw_items(ids=["B-1"], reason=None)
"""


@pytest.fixture
def script(tmp_path: Path) -> Path:
    file = tmp_path / "script.py"
    file.write_text(RIGHT, "utf-8")
    return file


def test_a_script_is_checked_by_a_contract_alone(
    script: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["run", str(script), "--server", DEMO, "--check"]) == 0
    script.write_text(RIGHT.replace('["total"]', '["totl"]'), "utf-8")
    assert run(["run", str(script), "--server", DEMO, "--check"]) == 1
    assert "line 2: Unknown key" in capsys.readouterr().err
    assert run(["run", str(script), "--server", f"books={DEMO}", "--check", "--json"]) == 1
    [first, *_] = json.loads(capsys.readouterr().out)["findings"]
    assert (first["line"], first["rule"]) == (1, "import-not-found")


def test_contract_without_an_origin_cannot_be_called(
    script: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    document = json.loads(Path(DEMO).read_text())
    del document["origin"]
    file = tmp_path / "contract.json"
    file.write_text(json.dumps(document))
    assert run(["run", str(script), "--server", str(file)]) == 2
    assert "the contract doesn't name its server" in capsys.readouterr().err


def test_contract_from_elsewhere_is_not_run_without_consent(
    script: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    document = json.loads(Path(DEMO).read_text())
    document["origin"] = {"transport": "stdio", "command": "python", "args": ["theirs.py"]}
    file = tmp_path / "contract.json"
    file.write_text(json.dumps(document))
    assert run(["run", str(script), "--server", str(file)]) == 2
    assert "--accept-origin" in capsys.readouterr().err


@pytest.mark.slow
def test_script_calls_the_origin_of_a_contract(
    script: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    script.write_text('import bookshelf\nprint(await bookshelf.get_item(id="B-2"))\n', "utf-8")
    assert run(["run", str(script), "--server", DEMO, "--yes"]) == 0
    assert "B-2" in capsys.readouterr().out


@pytest.mark.slow
@pytest.mark.parametrize("options", [[], ["--no-sandbox"]], ids=["monty", "process"])
def test_a_script_is_run_with_a_live_server(
    options: list[str], script: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    audit = tmp_path / "audit.jsonl"
    args = ["run", str(script), "--server", "demo", "--audit", str(audit), *options]
    assert run(args) == 1
    captured = capsys.readouterr()
    assert captured.out == "1\nget_item: there is no item B-99; known are B-1, B-2, F-1\n"
    assert "NotConfirmed: withdraw_items: the call was not confirmed" in captured.err
    noted = [json.loads(line) for line in audit.read_text("utf-8").splitlines()]
    assert [item["outcome"] for item in noted] == ["done", "ToolError", "NotConfirmed"]


@pytest.mark.slow
def test_untrusted_server_needs_yes_without_a_terminal(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Its annotations aren't trusted, so even a search may be destructive."""
    file = tmp_path / "script.py"
    file.write_text('import bookshelf\nawait bookshelf.search_catalogue(query="night")\n', "utf-8")
    server = "mcpgen.demo:server"
    assert run(["run", str(file), "--server", server]) == 1
    assert "not called without a terminal: search_catalogue; see --yes" in capsys.readouterr().err
    assert run(["run", str(file), "--server", server, "--yes"]) == 0
    assert run(["run", str(file), "--server", server, "--trust"]) == 0
    assert run(["run", str(file), "--server", "demo"]) == 0
