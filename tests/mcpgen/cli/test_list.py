"""`mcpgen list`: the definitions of a server, and the configured servers."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from mcpgen.cli import main
from mcpgen.errors import Exit

DEMO = {"command": sys.executable, "args": ["-m", "mcpgen.demo"]}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with three servers of a host's configuration file."""
    missing, off = {"command": "no-such-program"}, {"command": "x", "disabled": True}
    servers = {"bookshelf": DEMO, "missing": missing, "off": off}
    (tmp_path / ".mcp.json").write_text(json.dumps({"mcpServers": servers}))
    (tmp_path / ".git").mkdir()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    return tmp_path


def run(capsys: pytest.CaptureFixture[str], *args: str) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as end:
        main(list(args))
    out, err = capsys.readouterr()
    return int(end.value.code or 0), out, err


@pytest.mark.usefixtures("folder")
def test_list_without_server_starts_no_server(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(capsys, "list")
    assert (code, err) == (Exit.DONE, "")
    assert out == "bookshelf  (.mcp.json)\nmissing  (.mcp.json)\n"


@pytest.mark.slow
@pytest.mark.usefixtures("folder")
def test_list_live_reports_health_of_each_server(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "list", "--live")
    assert code == Exit.UNREACHABLE
    assert "ok   bookshelf: 8 tools" in out
    assert "bad  missing: the command 'no-such-program' was not found" in out
    code, out, _ = run(capsys, "list", "--live", "--json")
    assert json.loads(out)["servers"]["bookshelf"] == {"file": ".mcp.json", "tools": 8}


@pytest.mark.usefixtures("folder")
def test_list_includes_servers_of_the_project(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = '[tool.mcpgen.servers.shop]\nsource = "demo"\n'
    (folder / "pyproject.toml").write_text(table)
    _, out, _ = run(capsys, "list")
    assert "shop  (" in out


def test_list_live_rejects_a_server(capsys: pytest.CaptureFixture[str]) -> None:
    code, _, err = run(capsys, "list", "demo", "--live")
    assert code == Exit.USAGE
    assert "--live is for a list without SERVER" in err


def test_list_verbose_shows_documented_arguments(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = run(capsys, "list", "demo", "-v")
    assert "mcpgen call demo get-item --id TEXT\n" in out
    assert "The code on the item's label" in out


def test_list_live_takes_no_name_for_an_option(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """mcpgen runs `list NAME` for each entry, and `list --live` would start itself forever."""
    (folder / ".mcp.json").write_text(json.dumps({"mcpServers": {"--live": DEMO}}))
    code, out, _ = run(capsys, "list", "--live")
    assert (code, "must not begin with a dash" in out) == (Exit.UNREACHABLE, True)
