"""`--capability`: client capabilities declared to a server, and the tools that need them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import sdk_programs
from paths import ROOT, SUPPORT

from mcpgen import cli
from mcpgen.servers.recording.wire import server_process

ASKING = str(SUPPORT / "servers" / "asking.py")
FORMAT = json.loads((ROOT / "schema/contract/contract.schema.json").read_text(encoding="utf-8"))
ALL = "sampling,roots,elicitation"

Record = Callable[..., Any]


@pytest.fixture(autouse=True)
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """The stdio implementation: mcpgen's own, or the SDK's like on Windows."""
    way: str = getattr(request, "param", "ours")
    monkeypatch.setattr(server_process, "IS_USED", way == "ours")
    return way


both_ways = pytest.mark.parametrize("way", ["ours", "sdk"], indirect=True)
both_eras = pytest.mark.parametrize("era", ["legacy", "modern"])


@pytest.fixture
def record(capfd: pytest.CaptureFixture[str]) -> Record:
    def run(*arguments: str) -> Any:
        with pytest.raises(SystemExit) as ended:
            cli.main(["record", *arguments, "--", *sdk_programs.command(ASKING)])
        out, err = capfd.readouterr()
        assert ended.value.code == 0, err
        document = json.loads(out)
        jsonschema.Draft202012Validator(FORMAT).validate(document)
        return document

    return run


@pytest.mark.slow
@both_ways
@both_eras
def test_declared_capabilities_are_stored_with_dependent_tools(record: Record, era: str) -> None:
    result = record("--era", era, "--capability", ALL)
    assert sorted(result["tools"]) == ["ask_model", "ask_user", "look_around", "plain"]
    assert result["clientCapabilities"] == {
        "elicitation": {"form": {}, "url": {}},
        "roots": {"listChanged": True},
        "sampling": {"tools": {}},
    }
    assert result["toolCapabilities"] == {
        "ask_model": ["sampling"],
        "ask_user": ["elicitation"],
        "look_around": ["roots", "sampling"],
    }


@pytest.mark.slow
@pytest.mark.sampled(1)
@both_ways
@both_eras
def test_default_capability_is_elicitation(record: Record, era: str) -> None:
    result = record("--era", era)
    assert sorted(result["tools"]) == ["ask_user", "plain"]
    assert result["clientCapabilities"] == {"elicitation": {"form": {}, "url": {}}}
    assert "toolCapabilities" not in result


@pytest.mark.slow
@pytest.mark.sampled(1)
@both_ways
def test_only_named_capabilities_are_declared(record: Record) -> None:
    result = record("--capability", "sampling")
    assert sorted(result["tools"]) == ["ask_model", "plain"]
    assert result["toolCapabilities"] == {"ask_model": ["sampling"]}


@pytest.mark.slow
def test_a_server_of_a_project_has_its_own(
    capfd: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = (
        f"source = {json.dumps(sdk_programs.command(ASKING))}\ncapability = ['roots', 'sampling']\n"
    )
    project = tmp_path / "pyproject.toml"
    project.write_text(f"[tool.mcpgen.servers.asking]\n{table}", "utf-8")
    monkeypatch.chdir(tmp_path)
    for command in (["lock"], ["check", "--live"]):
        with pytest.raises(SystemExit) as ended:
            cli.main(command)
        assert ended.value.code == 0, capfd.readouterr().err
    result = json.loads((tmp_path / "mcp" / "asking.contract.json").read_text("utf-8"))
    assert sorted(result["tools"]) == ["ask_model", "look_around", "plain"]


def test_unknown_capability_is_rejected(capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        cli.main(["record", "--capability", "sampling,tools", "--", *sdk_programs.command(ASKING)])
    assert ended.value.code == 2
    assert "'tools' is not a client capability" in capfd.readouterr().err
