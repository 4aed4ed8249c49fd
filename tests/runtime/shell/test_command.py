"""`python -m` with a generated package: calls of tools from the shell without mcpgen."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

import pytest
from mcpgen_runtime.connection.drift import Verify
from mcpgen_runtime.conversation import terminal_prompts
from mcpgen_runtime.package import package_of_module
from mcpgen_runtime.shell import command
from runtime.packages import folder, import_client
from runtime.web import web
from skeletons import demo as demo_contract

from mcpgen import demo

MADE: Any = import_client(demo_contract(), "shell_bookshelf")
PACKAGE = package_of_module(MADE.__name__)


@dataclass
class Ran:
    """The exit code and output of a command line."""

    code: int
    out: str
    err: str


Run = Callable[..., Ran]


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with web(demo.server) as (address, _):
        yield address


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], url: str) -> Run:
    def ran(*args: str) -> Ran:
        try:
            code = command.run(PACKAGE, ["--server", url, *args])
        except SystemExit as error:
            code = error.code
        captured = capsys.readouterr()
        return Ran(code, captured.out, captured.err)

    return ran


def test_without_a_tool_all_are_listed(run: Run) -> None:
    ran = run()
    assert ran.out.startswith("Usage: python -m shell_bookshelf [OPTIONS] TOOL [ARGUMENTS]\n")
    assert "\n  search-catalogue    Find books and films whose title has" in ran.out
    assert len(json.loads(run("--json").out)["tools"]) == 8


def test_tool_is_called_with_typed_arguments(run: Run) -> None:
    ran = run("search-catalogue", "--query", "night", "--limit", "5")
    assert (ran.code, json.loads(ran.out)["total"], ran.err) == (0, 1, "")
    document = json.loads(run("search-catalogue", "--query", "night", "--json").out)
    assert document["structuredContent"]["total"] == 1


def test_help_of_a_tool_is_made_of_its_schema(run: Run) -> None:
    ran = run("search-catalogue", "--help")
    assert ran.out.startswith("Usage: python -m shell_bookshelf search-catalogue --query TEXT [")
    assert "--genre [crime|nature|poetry|travel]" in ran.out


@pytest.mark.parametrize(
    ("args", "code", "message"),
    [
        (["search-catalogue", "--limit", "0"], 2, "--limit: 0 is less than the minimum of 1"),
        (["search-catalogue"], 2, "'query' is a required property"),
        (["search-catalogue", "--querry", "x"], 2, "did you mean --query?"),
        (["search"], 2, "did you mean search-catalogue?"),
        (["borrow-item", "--id", "B-2", "--member", "a@b.c"], 6, "is lent until"),
        (["--timeout", "much", "get-item"], 2, "invalid float value"),
    ],
)
def test_each_way_to_fail_has_its_exit_code(
    run: Run, args: list[str], code: int, message: str
) -> None:
    ran = run(*args)
    assert (ran.code, ran.out) == (code, "")
    assert message in ran.err


@pytest.mark.parametrize("mode", get_args(Verify))
def test_every_mode_of_verify_is_accepted(run: Run, mode: str) -> None:
    assert run("--verify", mode, "get-item", "--id", "B-2").code == 0


def test_unknown_mode_of_verify_is_rejected(run: Run) -> None:
    assert run("--verify", "ignore", "get-item", "--id", "B-2").code == 2


def test_unreachable_server_is_reported(capsys: pytest.CaptureFixture[str]) -> None:
    assert (
        command.run(PACKAGE, ["--server", "http://127.0.0.1:9/mcp", "get-item", "--id", "B-1"]) == 4
    )
    assert "cannot connect to" in capsys.readouterr().err


def test_images_are_saved_and_arguments_read_from_stdin(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO('{"id": "B-1"}'))
    ran = run("show-cover", "-", "--save", str(tmp_path))
    assert ran.out == f"The cover of A Field Guide to Rain\n{tmp_path / 'show_cover.png'}\n"
    assert "not shown: image/png" in run("show-cover", "--id", "B-1").err


def test_destructive_call_is_confirmed_at_a_terminal(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    questions: list[Any] = []

    async def ask(info: Any, arguments: Any) -> bool:
        questions.append((info.name, arguments))
        return False

    monkeypatch.setattr(command, "is_there", lambda: True)
    monkeypatch.setattr(terminal_prompts, "ask_in_terminal", ask)
    args = ["withdraw-items", "--ids", "B-1", "--reason", "lost"]
    assert run(*args).code == 1
    assert questions == [("withdraw_items", {"ids": ["B-1"], "reason": "lost"})]
    assert run(*args, "--yes").code == 0
    assert run("get-item", "--id", "B-1").code == 0
    assert len(questions) == 1


def test_the_package_runs_as_a_module_without_mcpgen() -> None:
    code = (
        "import runpy, sys; sys.modules['mcpgen'] = None; sys.argv = ['x', 'get-item', '--help']\n"
        f"sys.path.insert(0, {str(folder())!r})\n"
        "try: runpy.run_module('shell_bookshelf', run_name='__main__', alter_sys=True)\n"
        "except SystemExit as end: print(end.code, 'mcp' in sys.modules)"
    )
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ended.stdout.startswith("Usage: python -m shell_bookshelf get-item --id TEXT")
    assert ended.stdout.endswith("0 False\n")
