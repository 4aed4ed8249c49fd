"""Tools that write receive only given values: processes, paths and code are never guessed."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from mcpgen.servers.recording.arguments import ServerArguments
from mcpgen.testing import live
from mcpgen.testing.arguments import safety
from mcpgen.testing.arguments.values import Schema
from mcpgen.testing.run_options import Limits, RunOptions

SERVER = """\
import json
import sys

from mcp.server import MCPServer
from mcp.types import ToolAnnotations
from pydantic import BaseModel

server = MCPServer("jobs")


def note(**called):
    with open(sys.argv[1], "a") as log:
        print(json.dumps(called), file=log)


@server.tool(annotations=ToolAnnotations(read_only_hint=True))
def list_jobs() -> dict[str, list[dict[str, int | str]]]:
    return {"jobs": [{"pid": 77, "command": "vi", "path": "/etc/passwd"}]}


@server.tool()
def stop_job(pid: int, note_of_it: str = "") -> str:
    note(pid=pid, note=note_of_it)
    if pid != 4242:
        raise ValueError("no such job")
    return "stopped"


class Job(BaseModel):
    pid: int | None = None
    urgent: bool = False


@server.tool()
def stop_jobs(jobs: list[Job], pid: int | None = 1) -> str:
    note(inner=[job.pid for job in jobs], outer=pid)
    return "stopped"


@server.tool()
def start_job(command: str, times: int = 1) -> str:
    note(command=command, times=times)
    return "X" if times == 3 else "started"


started = set()


@server.tool()
def start_once(command: str, number: int = 1) -> str:
    note(once=command)
    if command in started:
        raise ValueError("already started")
    started.add(command)
    return "started"


@server.tool()
def remove(path: str, force: bool = False) -> str:
    note(path=path, force=force)
    return "removed"


server.run()
"""


@pytest.mark.slow
def test_writing_tool_gets_no_guessed_process_path_or_code(tmp_path: Path) -> None:
    script, log = tmp_path / "jobs.py", tmp_path / "calls.jsonl"
    script.write_text(SERVER)
    arguments = {
        "stop_job": [{"pid": 4242}],
        "stop_jobs": [{"jobs": [{"pid": 11}]}],
        "start_job": [{"command": "sleep 1; true"}],
        "start_once": [{"command": "true"}],
        "remove": [{"path": str(tmp_path / "gone.txt")}],
    }
    prepared = live.prepare(
        ServerArguments(command=(sys.executable, str(script), str(log))), None, lambda _: None
    )
    options = RunOptions(allows_writes=True, arguments_by_tool=arguments, searches=True)
    with live.running(prepared, options, Limits(400, 120, 15)) as run:
        run.explore()
    calls = [json.loads(line) for line in log.read_text().splitlines()]
    assert {call["pid"] for call in calls if "pid" in call} == {4242}
    assert {call["command"] for call in calls if "command" in call} == {"sleep 1; true"}
    once = {call["once"] for call in calls if "once" in call}
    assert {"true"} <= once <= {"true", ""}
    assert {pid for call in calls for pid in call.get("inner", ())} == {11}
    assert {call["outer"] for call in calls if "outer" in call} == {1}  # its default
    paths = {call["path"] for call in calls if "path" in call} - {
        "",
        arguments["remove"][0]["path"],
    }
    assert all(Path(path).parent.name.startswith("mcpgen-test-scratch") for path in paths)
    assert len({call["times"] for call in calls if "times" in call}) > 2
    assert len({call["note"] for call in calls if "note" in call}) > 2


@pytest.mark.parametrize(
    ("hints", "is_given"),
    [
        ({"readOnlyHint": True}, True),
        ({"readOnlyHint": True, "destructiveHint": False}, True),
        ({"readOnlyHint": True, "destructiveHint": True}, False),
        ({"destructiveHint": False}, False),
        ({}, False),
    ],
)
def test_only_tools_annotated_as_harmless_are_called_by_default(
    hints: dict[str, bool], is_given: bool
) -> None:
    definition = {"name": "t", "inputSchema": {"type": "object"}, "annotations": hints}
    schema = Schema({"type": "object"})
    permission = safety.permission(
        definition, schema, named=(), allows_writes=False, is_given=False
    )
    assert permission.is_given is is_given
    named = safety.permission(definition, schema, named=["t"], allows_writes=False, is_given=False)
    assert named.is_given


@pytest.fixture
def scratch_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "scratch"
    monkeypatch.setattr(safety, "_own_folder", lambda: folder)
    return folder


def test_scratch_files_replaced_by_server(scratch_folder: Path, tmp_path: Path) -> None:
    report = tmp_path / "kept.txt"
    report.write_text("mine", encoding="utf-8")
    with safety.Scratch():
        (scratch_folder / "notes.txt").unlink()
        (scratch_folder / "notes.txt" / "inner").mkdir(parents=True)
        (scratch_folder / "data.json").unlink()
        (scratch_folder / "data.json").symlink_to(report)
    assert not scratch_folder.exists()
    assert report.read_text(encoding="utf-8") == "mine"


def test_scratch_files_left_by_earlier_run(scratch_folder: Path, tmp_path: Path) -> None:
    report = tmp_path / "kept.txt"
    report.write_text("mine", encoding="utf-8")
    scratch_folder.mkdir()
    (scratch_folder / "notes.txt").mkdir()
    (scratch_folder / "data.json").symlink_to(report)
    with safety.Scratch():
        assert (scratch_folder / "notes.txt").read_text(encoding="utf-8") == "one\ntwo\n"
        assert not (scratch_folder / "data.json").is_symlink()
    assert report.read_text(encoding="utf-8") == "mine"


@pytest.mark.parametrize(
    ("name", "hints", "is_outside"),
    [
        ("open_job", {}, True),
        ("open_job", {"destructiveHint": False}, False),
        ("open_job", {"destructiveHint": False, "openWorldHint": True}, True),
        ("send_mail", {"destructiveHint": False}, True),
        ("send_mail", {"openWorldHint": False}, False),
        ("add_book", {}, False),
        ("add_charge", {}, True),
        ("add_charge", {"destructiveHint": False}, False),
        ("create_charge", {"destructiveHint": False}, True),
    ],
)
def test_tools_acting_outside(name: str, hints: dict[str, bool], *, is_outside: bool) -> None:
    assert safety.acts_outside({"name": name, "annotations": hints}) is is_outside
