"""A server that starts before the libraries are loaded: with the same command, and only once."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import click
import pytest
from guards import PATIENCE
from paths import SUPPORT

from mcpgen import cli
from mcpgen.cli import client, record
from mcpgen.servers.recording.wire import early_start, server_process

BARE = (sys.executable, str(SUPPORT / "servers" / "bare.py"))
PLAIN = ["--", *BARE, "plain"]

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(capfd: pytest.CaptureFixture[str]) -> Run:
    def run(*args: str) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as ended:
            cli.main([*args])
        assert isinstance(ended.value.code, int)
        return (ended.value.code, *capfd.readouterr())

    return run


@pytest.fixture
def early(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, ...]]:
    """Return the commands started before any library was loaded."""
    begun: list[tuple[str, ...]] = []
    begin, start = early_start.begin, server_process.start

    def record_begin(args: list[str]) -> None:
        with monkeypatch.context() as patch:
            patch.setattr(
                server_process,
                "start",
                lambda argv, *rest: begun.append(argv) or start(argv, *rest),
            )
            begin(args)

    monkeypatch.setattr(early_start, "begin", record_begin)
    return begun


@pytest.mark.slow
@pytest.mark.parametrize(
    "args",
    [["record", "-q"], ["record", "-v", "-o", "new.json"], ["client", "-o", "new", "--name", "it"]],
)
def test_a_plain_command_line_starts_its_command_once(
    run: Run, early: list[tuple[str, ...]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    args: list[str],
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    code, _, err = run(*args, *PLAIN)
    assert code == 0, err
    assert early == [(*BARE, "plain")]
    assert err.splitlines()[0] == f"starting: {shlex.join([*BARE, 'plain'])}"
    assert err.count("starting:") == 1
    assert server_process._STARTED == []


@pytest.mark.slow
def test_json_says_nothing_else(run: Run, early: list[tuple[str, ...]], tmp_path: Path) -> None:
    code, out, err = run("client", "--json", "-o", str(tmp_path), *PLAIN)
    assert (code, err, len(early)) == (0, "", 1)
    assert json.loads(out)["package"] == "bare"


@pytest.mark.parametrize(
    "args",
    [
        ["client", "--style", "nonsense"],
        ["client", "--no-such-option"],
        ["client", "-o"],
        ["client", "a-server"],
        ["client", "--help"],
        ["client", "--timeout", "0"],
        ["client", "--env", "NOT_SET_ANYWHERE"],
        ["client", "--header", "A: b"],
        ["client", "--cwd", "no-such-folder"],
        ["client", "--transport", "http"],
        ["record", "-o", "."],
        ["record", "-o", "notes.txt"],
        ["record", "--name", "it"],
        ["clients"],
        ["server"],
    ],
    ids=" ".join,
)
def test_rejected_command_line_starts_no_process(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, args: list[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "notes.txt").write_text("not to be written over")
    started: list[object] = []
    monkeypatch.setattr(server_process, "start", lambda *argv: started.append(argv))
    if args == ["server"]:
        args = ["server", "--no-such-option"]
    code, _, err = run(*args, *PLAIN)
    assert code == (0 if "--help" in args else 2)
    assert "starting" not in err
    assert started == []


@pytest.mark.parametrize(
    "command", [["a\tb"], ["caf\u00e9"], ["--token=Canary-5b1f-Zz"], ["x" + chr(27)]]
)
def test_command_with_secrets_starts_later(
    monkeypatch: pytest.MonkeyPatch, command: list[str]
) -> None:
    monkeypatch.setenv("SERVICE_TOKEN", "Canary-5b1f-Zz")
    assert early_start._command(["client", "--", "run", "it"]) == ("run", "it")
    assert early_start._command(["client", "--", "run", *command]) == ()


def test_missing_command_is_named(run: Run, early: list[tuple[str, ...]]) -> None:
    code, _, err = run("record", "--", "no-such-command-anywhere")
    assert code == 4
    assert err.splitlines()[:2] == [
        "starting: no-such-command-anywhere",
        "error: the command 'no-such-command-anywhere' was not found",
    ]
    assert early == [("no-such-command-anywhere",)]


def test_unused_process_is_terminated(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    running: list[server_process.Child] = []

    def failing(_: list[str]) -> int:
        running.extend(server_process._STARTED)
        return 2

    monkeypatch.setattr("mcpgen.cli.app.run", failing)
    run("client", *PLAIN)
    assert len(running) == 1
    assert running[0].process.returncode is not None
    assert early_start._STARTED == []


@pytest.mark.parametrize("command", [client.command, record.command], ids=["client", "record"])
def test_skipped_options_cannot_be_invalid(command: click.Command) -> None:
    options = {
        name: option
        for option in command.params
        for name in option.opts
        if isinstance(option, click.Option)
    }
    for flag in early_start._FLAGS[str(command.name)]:
        assert options[flag].is_flag
    for name in early_start._OPTIONS[str(command.name)]:
        assert options[name].type is click.STRING
        assert options[name].callback is None
        assert not options[name].multiple


def test_nothing_is_loaded_before_a_command_starts() -> None:
    code = (
        "import sys\n"
        "from mcpgen.servers.recording.wire import server_process\n"
        "def start(*_):\n"
        "    heavy = ('click', 'mcpgen.servers.endpoint', 'mcpgen.codegen')\n"
        "    print([name for name in heavy if name in sys.modules])\n"
        "    raise SystemExit\n"
        "server_process.start = start\n"
        "from mcpgen.cli import main\n"
        "main(['client', '--', 'some', 'server'])"
    )
    completed = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=PATIENCE, check=True
    )
    assert completed.stdout == "[]\n"
