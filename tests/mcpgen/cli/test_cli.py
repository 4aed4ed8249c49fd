"""The command line is fast, exits as documented, and reports problems in one form."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import mcpgen.errors
from mcpgen.cli import COMMANDS, main
from mcpgen.errors import ContractError, Exit, FindingError, UnreachableError

HEAVY = {
    "mcp",
    "mcp_types",
    "pydantic",
    "black",
    "jsonschema",
    "jinja2",
    "datamodel_code_generator",
}


def mcpgen_run(*arguments: str, **env: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "mcpgen", *arguments],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, **env},
    )


@pytest.mark.parametrize("option", ["-h", "--help", "--version"])
def test_fast_options_print_the_same_as_click(option: str) -> None:
    code = f"from mcpgen.cli.app import run; raise SystemExit(run([{option!r}]))"
    by_click = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "COLUMNS": "80"},
    )
    run = mcpgen_run(option)
    assert (run.returncode, run.stdout, run.stderr) == (0, by_click.stdout, "")
    assert max(map(len, run.stdout.splitlines())) < 80


def test_help_imports_neither_click_nor_any_library() -> None:
    code = (
        "import sys; from mcpgen.cli import main\n"
        "try: main(['--help'])\n"
        "except SystemExit: print({'click', 're', 'typing', 'dataclasses'} & {*sys.modules})"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.splitlines()[-1] == "set()"


def test_shell_completion_still_reaches_click() -> None:
    run = mcpgen_run("--help", _MCPGEN_COMPLETE="bash_source")
    assert "_mcpgen_completion" in run.stdout


def test_no_argument_shows_the_help_as_a_usage_problem() -> None:
    run = mcpgen_run()
    assert (run.returncode, run.stdout) == (Exit.USAGE, "")
    assert run.stderr.startswith("Usage: mcpgen")


@pytest.mark.sampled(3)
@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help(command: str) -> None:
    run = mcpgen_run(command, "--help")
    assert (run.returncode, run.stderr) == (0, "")
    assert run.stdout.startswith(f"Usage: mcpgen {command}")


def test_help_of_the_protocol_command_loads_no_heavy_library() -> None:
    code = (
        "import sys; from mcpgen.cli import main\n"
        "try: main(['protocol', '--help'])\n"
        f"except SystemExit: print(sorted(set(sys.modules) & {HEAVY}))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.splitlines()[-1] == "[]"


@pytest.mark.parametrize(
    ("arguments", "problem", "hint"),
    [
        (["clinet"], "no such command 'clinet'", "did you mean client? see: mcpgen --help"),
        (["xyz"], "no such command 'xyz'", "see: mcpgen --help"),
        (["--nope"], "no such option '--nope'", "see: mcpgen --help"),
        (["protocol"], "missing argument 'REVISION'", "see: mcpgen protocol --help"),
        (
            ["protocol", "1", "2"],
            "got unexpected extra argument (2)",
            "see: mcpgen protocol --help",
        ),
    ],
)
def test_usage_error_has_a_problem_and_a_hint(
    arguments: list[str], problem: str, hint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    assert ended.value.code == Exit.USAGE
    assert capsys.readouterr() == ("", f"error: {problem}\nhint: {hint}\n")


@pytest.mark.parametrize("kind", [FindingError, UnreachableError, ContractError])
def test_each_kind_of_problem_has_its_exit_code(
    kind: type[mcpgen.errors.McpgenError],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def fail(revision: str) -> str:
        raise kind("it broke", "/here", "mend it")

    monkeypatch.setattr("mcpgen.codegen.protocol_models.generate", fail)
    with pytest.raises(SystemExit) as ended:
        main(["protocol", "2025-11-25"])
    assert ended.value.code == kind.exit
    assert capsys.readouterr().err == "error: it broke\n  at   /here\nhint: mend it\n"


def test_interruption_prints_no_traceback(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupt(revision: str) -> str:
        raise KeyboardInterrupt

    monkeypatch.setattr("mcpgen.codegen.protocol_models.generate", interrupt)
    with pytest.raises(SystemExit) as ended:
        main(["protocol", "2025-11-25"])
    assert ended.value.code == 130
    assert capsys.readouterr().err.strip() == "interrupted"


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="pipes end otherwise")
def test_closed_pipe_prints_no_traceback() -> None:
    with subprocess.Popen(
        [sys.executable, "-m", "mcpgen", "protocol", "2025-11-25"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdout
        assert process.stderr
        process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode in (0, 120)


@pytest.mark.slow
def test_remote_text_cannot_control_the_terminal(tmp_path: Path) -> None:
    contract = tmp_path / "c.json"
    contract.write_text(json.dumps({"tools": {"a\x1b[2J\u202e": {"definition": 5}}, "\x9b2J": 3}))
    run = mcpgen_run("client", str(contract), "--name", "c", "-o", str(tmp_path))
    assert run.returncode == Exit.CONTRACT
    assert "a\\x1b[2J\\u202e" in run.stderr
    assert "\\x9b2J" in run.stderr
    assert run.stderr.replace("\n", "").isprintable()


def test_help_lists_every_command_in_one_group(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--help"])
    text = capsys.readouterr().out
    assert [line[:-1] for line in text.splitlines() if re.fullmatch(r"[A-Z][a-z ]+:", line)] == [
        "Options",
        "Start",
        "Keep up to date",
        "Try",
        "Judge",
        "Serve",
        "Agents",
        "Logins",
        "Low level",
    ]
    assert re.findall(r"^  ([a-z]+) +[A-Z]", text, re.M) == list(COMMANDS)


@pytest.mark.parametrize(("command", "own"), [("call", "--save"), ("check", "--live")])
def test_help_lists_own_options_before_common_ones(
    command: str, own: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        main([command, "--help"])
    first, _, common = capsys.readouterr().out.partition("\nCommon options:\n")
    assert f"  {own}" in first
    assert "  --json" in common
    assert "--help" in common.splitlines()[-1]
