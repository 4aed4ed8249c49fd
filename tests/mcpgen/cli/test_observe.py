"""`mcpgen observe`: its calls, their arguments, and the stored types."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from mcpgen_runtime.replay.call_records import RecordedCall, append
from mcpgen_runtime.replay.definition import definition_hash
from paths import SUPPORT

from mcpgen.cli.app import run
from mcpgen.contract.observation.document import load
from mcpgen.servers.recording.wire import early_start

SERVER = str(SUPPORT / "servers/catalogue.py")
GIVEN = {"search": [{"q": "night"}, {"q": ""}], "note": {"q": "words"}, "fails": {}}


@dataclass
class Ran:
    """The exit code and output of a command."""

    code: int
    out: str
    err: str


class Shell:
    """Runs the command in a folder of its own. `log` records each call of the server."""

    def __init__(self, folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
        self.log, self.capfd, self.folder = folder / "log", capfd, folder
        (folder / "given.json").write_text(json.dumps(GIVEN))

    def __call__(self, *args: str) -> Ran:
        self.capfd.readouterr()
        code = run(list(args))
        captured = self.capfd.readouterr()
        return Ran(code, captured.out, captured.err)

    def on_server(self, *args: str, command: str = "observe") -> Ran:
        return self(command, *args, "--", sys.executable, SERVER, str(self.log))

    def called_tools(self) -> list[str]:
        if not self.log.exists():
            return []
        return [json.loads(line)[0] for line in self.log.read_text().splitlines()]


@pytest.fixture
def shell(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Iterator[Shell]:
    monkeypatch.chdir(tmp_path)
    yield Shell(tmp_path, capfd)
    early_start.end()


def test_read_only_tools_are_called_with_given_arguments(shell: Shell) -> None:
    ran = shell.on_server("--arguments", "given.json", "-y", "-o", "it.observed.json")
    assert ran.code == 0, ran.err
    # Neither tools without `readOnlyHint` nor a tool with an informative schema.
    assert shell.called_tools() == ["item", "item", "note", "search", "search", "stats"]
    tools = load(Path("it.observed.json")).tools
    sources = {name: (tool.source, tool.answers) for name, tool in tools.items()}
    assert sources == {
        "item": ("json", 1),
        "note": ("text", 1),
        "search": ("json", 2),
        "stats": ("structured", 1),
    }
    assert "to be called, 6 in all: item (2), note, search (2), stats" in ran.err
    assert "not called: fails: not annotated as read-only; --tool fails calls it" in ran.err
    assert "not called: write" not in ran.err
    lines = [" ".join(line.split()) for line in ran.out.splitlines()]
    assert "found[].title string, optional" in lines
    assert "days{} integer" in lines
    assert "private" not in Path("it.observed.json").read_text()
    assert "4 tools called: 3 with data, 1 with text" in ran.err


def test_nothing_is_called_without_consent(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    ran = shell.on_server()
    assert (ran.code, "error: tools are called only if you agree\n" in ran.err) == (2, True)
    assert not shell.called_tools()
    monkeypatch.setattr("mcpgen.servers.shell.user.is_there", lambda: True)
    monkeypatch.setattr("click.confirm", lambda *_, **__: False)
    ran = shell.on_server()
    assert (ran.code, shell.called_tools()) == (1, [])
    monkeypatch.setattr("click.confirm", lambda *_, **__: True)
    assert shell.on_server("-o", "it.json").code == 0
    assert shell.called_tools() == ["item", "item", "stats"]


def test_named_tool_is_the_only_one_called(shell: Shell) -> None:
    ran = shell.on_server("--tool", "write", "-y", "--dry-run", "-o", "it.json")
    assert (ran.code, shell.called_tools()) == (0, ["write"])
    assert "items" in ran.out
    assert not Path("it.json").exists()
    ran = shell.on_server("--tool", "nothing", "-y")
    assert ran.code == 2
    assert "hint: it has fails, item, note" in ran.err


def test_calls_are_limited(shell: Shell) -> None:
    ran = shell.on_server("--max-calls", "2", "-y", "-o", "it.json")
    assert shell.called_tools() == ["item", "item"]
    assert "1 more calls are left out by --max-calls" in ran.err


def test_where_no_call_succeeds_the_server_failed(shell: Shell) -> None:
    ran = shell.on_server("--tool", "fails", "--arguments", "given.json", "-y")
    assert (ran.code, ran.out) == (6, '{\n  "mcpgenObserved": 1,\n  "tools": {}\n}\n')
    assert "error: no call succeeded" in ran.err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([1], "arguments are an object, by the names of tools"),
        ({"search": [1]}, "the arguments of search are not objects"),
        ({"nothing": {}}, "the server has no tool 'nothing'"),
        ({"search": {"q": 1}}, "search: invalid arguments: /q: 1 is not of type"),
    ],
)
def test_invalid_arguments_are_rejected_before_any_call(
    shell: Shell, arguments: Any, message: str
) -> None:
    Path("given.yaml").write_text(json.dumps(arguments))
    ran = shell.on_server("--arguments", "given.yaml", "-y")
    assert (ran.code, ran.err.count(f"error: {message}")) == (2, 1)
    assert not shell.called_tools()


def test_the_file_lies_beside_the_contract_and_is_widened(shell: Shell) -> None:
    assert shell.on_server("-o", "it.json", command="record").code == 0
    args = ["it.json", "--arguments", "given.json", "-y"]
    # A contract leaves out the paths of its machine, which are variables of it.
    origin = json.loads(Path("it.json").read_text())["origin"]
    options = zip(origin["args"], [SERVER, str(shell.log)], strict=True)
    env = [f"--env={arg[2:-1]}={value}" for arg, value in options if arg.startswith("${")]
    ran = shell("observe", *args, *env)
    assert ran.code == 0, ran.err
    first = load(Path("it.observed.json"))
    assert first.tools["search"].answers == 2
    again = json.loads(shell("observe", *args, *env, "--json").out)
    assert again["changed"] is False
    Path("given.json").write_text(json.dumps({"search": {"q": "day"}}))
    third = json.loads(shell("observe", *args, *env, "--json").out)
    assert (third["changed"], third["tools"]["search"]["answers"]) == (True, 3)
    assert list(load(Path("it.observed.json")).tools) == list(first.tools)


def recorded_call(tools: list[Any], name: str, value: Any, **members: Any) -> RecordedCall:
    definition = next(definition_hash(tool) for tool in tools if tool["name"] == name)
    result = {"content": [{"type": "text", "text": json.dumps(value)}]}
    return RecordedCall("tool", name, {}, result, definition=definition, **members)


def test_recorded_calls_are_read_and_no_server_is_asked(shell: Shell) -> None:
    schema = {"type": "object"}
    tools: list[Any] = [{"name": "a", "inputSchema": schema}, {"name": "b", "inputSchema": schema}]
    Path("contract.json").write_text(json.dumps({"tools": tools}))
    for number in range(4):
        append(Path("calls.jsonl"), recorded_call(tools, "a", {"n": number}))
    append(Path("calls.jsonl"), RecordedCall("prompt", "p", {}, {"messages": []}))
    append(Path("calls.jsonl"), RecordedCall("tool", "b", {}, error={"type": "CallTimeout"}))
    ran = shell("observe", "calls.jsonl")
    assert (ran.code, "--contract" in ran.err) == (2, True)
    ran = shell("observe", "calls.jsonl", "--contract", "contract.json", "-q")
    assert ran.code == 0
    assert ran.err == "contract.observed.json: written; review the names, and commit it\n"
    assert "b: only error responses; an error" in ran.out
    tool = load(Path("contract.observed.json")).tools["a"]
    assert (tool.answers, (tool.schema or {})["required"]) == (4, ["n"])
    # A changed definition invalidates its observations.
    tools[0]["inputSchema"] = {"type": "object", "properties": {"x": {}}}
    Path("contract.json").write_text(json.dumps({"tools": tools}))
    ran = shell("observe", "calls.jsonl", "--contract", "contract.json", "--strict")
    assert ran.code == 6
    assert (
        "notice: a: its definition changed, so its observations from 4 results expire"
    ) in ran.err
    assert "a: all responses have another definition" in ran.out
    assert not load(Path("contract.observed.json")).tools


def test_contract_of_recorded_calls_is_found_in_the_project(shell: Shell) -> None:
    tools = [{"name": "a", "inputSchema": {"type": "object"}}]
    Path("a.json").write_text(json.dumps({"tools": tools}))
    Path("b.json").write_text(json.dumps({"tools": [{**tools[0], "name": "b"}]}))
    Path("pyproject.toml").write_text(
        '[tool.mcpgen.servers]\na = { contract = "a.json" }\nb = { contract = "b.json" }\n'
    )
    append(Path("calls.jsonl"), recorded_call(tools, "a", {"n": 1}))
    assert shell("observe", "calls.jsonl").code == 0
    assert list(load(Path("a.observed.json")).tools) == ["a"]


def test_observed_file_named_by_a_table_is_written(shell: Shell) -> None:
    tools = [{"name": "a", "inputSchema": {"type": "object"}}]
    Path("a.json").write_text(json.dumps({"tools": tools}))
    table = '[tool.mcpgen.servers]\na = {{ contract = "a.json", observed = {} }}\n'
    Path("pyproject.toml").write_text(table.format('"seen.json"'))
    append(Path("calls.jsonl"), recorded_call(tools, "a", {"n": 1}))
    assert shell("observe", "calls.jsonl").code == 0
    assert load(Path("seen.json")).tools["a"].answers == 1
    append(Path("calls.jsonl"), recorded_call(tools, "a", {"n": 2}))
    assert shell("observe", "calls.jsonl", "--contract", "a.json").code == 0
    assert load(Path("seen.json")).tools["a"].answers == 2
    # With `false`, no file is written.
    Path("pyproject.toml").write_text(table.format("false"))
    ran = shell("observe", "calls.jsonl")
    assert (ran.code, list(json.loads(ran.out)["tools"])) == (0, ["a"])
    assert not Path("a.observed.json").exists()


def test_project_without_servers_does_not_mention_a_contract(shell: Shell) -> None:
    tools = [{"name": "a", "inputSchema": {"type": "object"}}]
    Path("a.json").write_text(json.dumps({"tools": tools}))
    Path("pyproject.toml").write_text("[tool.mcpgen]\n")
    append(Path("calls.jsonl"), recorded_call(tools, "a", {"n": 1}))
    ran = shell("observe", "calls.jsonl", "--contract", "a.json")
    assert ran.code == 0, ran.err
    assert load(Path("a.observed.json")).tools["a"].answers == 1
    ran = shell("observe", "calls.jsonl")
    assert "no contract of a project has the tools of these calls" in ran.err


def test_server_of_a_table_uses_the_tables_file(shell: Shell) -> None:
    source = json.dumps([sys.executable, SERVER, str(shell.log)])
    table = f'[tool.mcpgen.servers.it]\ncontract = "it.json"\nsource = {source}\n'
    Path("pyproject.toml").write_text(f'{table}observed = "seen.json"\n')
    ran = shell("observe", "it", "--arguments", "given.json", "-y")
    assert ran.code == 0, ran.err
    assert load(Path("seen.json")).tools["search"].answers == 2
    assert not Path("it.observed.json").exists()


def test_unreadable_line_is_reported_by_number(shell: Shell) -> None:
    Path("calls.jsonl").write_text('{"kind": "tool", "name": "a", "result": {}}\n[]\n')
    ran = shell("observe", "calls.jsonl")
    assert ran.code == 2
    assert "calls.jsonl:2" in ran.err
    assert shell("observe", "calls.jsonl", "--tool", "a").code == 2


def test_recording_without_calls_explains_how_to_record(shell: Shell) -> None:
    append(Path("calls.jsonl"), RecordedCall("prompt", "p", {}, {"messages": []}))
    for name, text in (
        ("calls.jsonl", "there is no call of a tool among the recorded calls"),
        ("none.jsonl", "the recorded calls cannot be read: No such file"),
    ):
        ran = shell("observe", name)
        assert (ran.code, f"error: {text}" in ran.err) == (2, True)
        assert f'connect(record="{name}")\n' in ran.err


def test_names_of_a_stranger_cannot_look_like_ours(shell: Shell) -> None:
    tools = [{"name": "a", "inputSchema": {"type": "object"}}]
    Path("a.json").write_text(json.dumps({"tools": tools}))
    append(Path("calls.jsonl"), recorded_call(tools, "a", {"n\x1b[31m\nb": 1, "m": 2}))
    ran = shell("observe", "calls.jsonl", "--contract", "a.json")
    assert "\x1b" not in ran.out
    assert ran.code == 0
