"""A user's first minute: the snippet that `mcpgen client` prints runs unchanged, or names its
requirements.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import projects
import pytest
import sdk_programs
from checkers import pyright
from paths import ROOT

CANARY = "Canary5b1fZz81"
SERVER = """
import sys
from mcp.server import MCPServer
import neighbour

mcp = MCPServer("shop", instructions=neighbour.SAID)


@mcp.tool()
def list_items() -> list[str]:
    return sys.argv[1:2]


if __name__ == "__main__":
    mcp.run()
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A user's folder, next to others with a server and files."""
    for path in (tmp_path / "project", tmp_path / "project" / "src", tmp_path / "elsewhere"):
        path.mkdir()
        (path / "srv.py").write_text(SERVER)
        (path / "neighbour.py").write_text("SAID = 'I sell things.'\n")
    return tmp_path / "project"


def run(folder: Path, *args: str, code: int = 0, **env: str) -> subprocess.CompletedProcess[str]:
    completed = subprocess.run(
        sdk_programs.command(*args),
        cwd=folder,
        env={**os.environ, "HOME": str(folder.parent), **env},
        capture_output=True,
        text=True,
        check=False,
    )
    assert completed.returncode == code, completed.stderr
    return completed


def client(folder: Path, *args: str) -> tuple[str, str]:
    """Return the snippet on stdout and the messages on stderr."""
    completed = projects.call(folder, "client", *args, HOME=str(folder.parent))
    assert completed.returncode == 0, completed.stderr
    return completed.stdout, completed.stderr


def ran(folder: Path, snippet: str, code: int = 0, **env: str) -> str:
    """Run a snippet from a file in the folder, and return the last line of its output."""
    (folder / "snippet.py").write_text(snippet)
    completed = run(folder, "snippet.py", code=code, **env)
    return (completed.stderr if code else completed.stdout).strip().splitlines()[-1]


@pytest.mark.slow
def test_outside_path_is_listed_and_snippet_runs_once_set(
    folder: Path,
) -> None:
    path = str(folder.parent / "elsewhere")
    snippet, text = client(folder, "--", sys.executable, "srv.py", path)
    assert text.splitlines()[-1] == 'needs: SHOP_ARG_1, was "~/elsewhere"'
    assert '#   SHOP_ARG_1, was "~/elsewhere"' in snippet
    package = (folder / "shop" / "__init__.py").read_text()
    assert "    python srv.py ${SHOP_ARG_1}\n\n- SHOP_ARG_1: argument 2\n" in package
    written = [*(folder / "shop").glob("*.py"), folder / "shop" / "contract.json"]
    assert "elsewhere" not in "".join(file.read_text() for file in written)
    last = ran(folder, snippet, 1)
    assert "the environment variable SHOP_ARG_1 is not set; recorded was: python srv.py" in last
    assert "elsewhere" in ran(folder, snippet, SHOP_ARG_1=path)


@pytest.mark.slow
def test_a_secret_is_named_and_never_shown(folder: Path) -> None:
    secret = ["--env", f"SHOP_TOKEN={CANARY}1", "--", sys.executable, "srv.py", CANARY]
    snippet, text = client(folder, *secret, "--api-key", f"{CANARY}2")
    started, _, rest = text.partition("\n")
    assert CANARY in started
    assert CANARY not in snippet + rest
    assert rest.splitlines()[-3:] == [
        "needs: SHOP_ARG_1, argument 2",
        "needs: SHOP_API_KEY, argument 4, after --api-key",
        "needs: SHOP_TOKEN, given to the server",
    ]
    arguments = {"SHOP_ARG_1": "word", "SHOP_API_KEY": "x", "SHOP_TOKEN": "y"}
    assert ran(folder, snippet, **arguments) == "ListItemsOutput(result=['word'])"


@pytest.mark.slow
def test_a_command_is_started_again_in_its_folder(folder: Path) -> None:
    snippet, text = client(folder, "--cwd", "src", "--", sys.executable, "srv.py", "word")
    assert "needs" not in text
    (folder / "srv.py").unlink()
    assert ran(folder, snippet) == "ListItemsOutput(result=['word'])"


@pytest.mark.slow
def test_outside_program_is_listed(folder: Path) -> None:
    program = folder.parent / "elsewhere" / "start-shop"
    program.write_text(f'#!/bin/sh\nexec {sys.executable} srv.py "$@"\n')
    program.chmod(0o755)
    snippet, text = client(folder, "--", str(program), "word")
    assert text.splitlines()[-1] == 'needs: SHOP_COMMAND, was "~/elsewhere/start-shop"'
    assert ran(folder, snippet, SHOP_COMMAND=str(program)) == "ListItemsOutput(result=['word'])"


@pytest.mark.slow
def test_record_and_offline_contract_list_requirements(folder: Path) -> None:
    args = ["-o", "c.json", "--", sys.executable, "srv.py", "/srv/files"]
    output = projects.call(folder, "record", *args).stderr
    assert output.splitlines()[-1] == 'needs: SHOP_ARG_1, was "/srv/files"'
    snippet, output = client(folder, "c.json")
    assert output.splitlines()[-1] == "needs: SHOP_ARG_1, argument 2"
    assert "#   SHOP_ARG_1, argument 2\n" in snippet


@pytest.mark.slow
@pytest.mark.parametrize(
    ("server", "imported"),
    [
        ("srv.py", "from srv import mcp\n"),
        ("../elsewhere/srv.py", 'sys.path.insert(0, "..'),
        ("src/shop.py", 'runpy.run_path("src/shop.py")["mcp"]\n'),
        ("srv:mcp", "connect()"),
    ],
)
def test_snippet_imports_a_server_from_file_or_module(
    folder: Path, server: str, imported: str
) -> None:
    (folder / "src" / "shop.py").write_text(SERVER)
    completed = run(folder, "-m", "mcpgen", "client", server)
    assert imported in completed.stdout
    assert ran(folder, completed.stdout).startswith("ListItemsOutput(result=[")
    assert "needs" not in completed.stderr


@pytest.mark.slow
def test_a_snippet_is_clean_under_a_strict_type_checker(folder: Path) -> None:
    for number, server in enumerate(["srv.py", "src/srv.py", "demo"]):
        completed = run(folder, "-m", "mcpgen", "client", server)
        (folder / f"snippet_{number}.py").write_text(completed.stdout)
    assert pyright(folder) == []


@pytest.mark.slow
def test_a_snippet_for_another_folder_says_where_it_runs(folder: Path) -> None:
    snippet, _ = client(folder, "-o", "build", "--", sys.executable, "srv.py")
    assert snippet.startswith("# Run it in build, or with PYTHONPATH=build.\n")
    assert ran(folder, snippet, PYTHONPATH="build").startswith("ListItemsOutput(")


TRAP = "import pathlib; pathlib.Path(__file__ + '.ran').touch(); 1 / 0"
TRAPS = ("json.py", "mcp.py", "runpy.py", "asyncio.py", "contextlib.py", "site.py", "mcpgen.py")


@pytest.mark.slow
@pytest.mark.parametrize("way", ["-I", "-c"])
def test_the_demo_runs_nothing_of_the_current_folder(folder: Path, way: str) -> None:
    """Use -I, or -c if that flag would hide mcpgen."""
    for name in TRAPS:
        (folder / name).write_text(TRAP)
    elsewhere = folder.parent / "elsewhere"
    env = {"PYTHONPATH": str(ROOT)} if way == "-c" else {}
    script = str(Path(sys.executable).with_name("mcpgen"))
    completed = run(folder, script, "client", "demo", "-o", str(elsewhere), **env)
    origin = json.loads((elsewhere / "bookshelf" / "contract.json").read_text())["origin"]
    assert (origin["command"], origin["args"][0]) == ("python", way)
    assert "needs" not in completed.stderr
    (elsewhere / "snippet.py").write_text(completed.stdout)
    assert "The Night Ferry" in run(folder, str(elsewhere / "snippet.py"), **env).stdout
    assert list(folder.glob("*.ran")) == []


@pytest.mark.parametrize("args", [["--version"], ["explain", "I01"], ["client"]])
def test_python_m_mcpgen_runs_nothing_of_the_current_folder(
    folder: Path, args: Sequence[str]
) -> None:
    for name in ("json.py", "click.py", "difflib.py", "mcp.py", "tempfile.py"):
        (folder / name).write_text(TRAP)
    run(folder, "-m", "mcpgen", *args, code=2 if args == ["client"] else 0)
    assert list(folder.glob("*.ran")) == []


SPAWNED = """
import multiprocessing

if __name__ == "__main__":
    multiprocessing.set_start_method("spawn")
    from mcpgen.cli import main

    main(["generate", "--no-cache"])
"""
TABLE = (
    '[tool.mcpgen.servers.{0}]\ncontract = "c.json"\nclient = {{output = "{0}", name = "{0}"}}\n'
)


@pytest.mark.slow
@pytest.mark.skipif(sys.version_info < (3, 11), reason="Python 3.10 has no such switch")
def test_unforked_processes_run_nothing_from_the_current_folder(folder: Path) -> None:
    for name in ("json.py", "pickle.py", "socket.py", "struct.py", "tempfile.py"):
        (folder / name).write_text(TRAP)
    (folder / "c.json").write_text('{"tools": []}')
    (folder / "pyproject.toml").write_text(TABLE.format("one") + TABLE.format("two"))
    (folder.parent / "elsewhere" / "spawned.py").write_text(SPAWNED)
    run(folder, str(folder.parent / "elsewhere" / "spawned.py"))
    assert (folder / "two" / "two" / "client.py").exists()
    assert list(folder.glob("*.ran")) == []
