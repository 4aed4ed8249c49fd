"""Every code block in README and docs/ is run, type-checked or parsed."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import checkers
import click
import pytest
import sdk_programs
import yaml
from certificates import self_signed_certificate
from documented import Block, blocks, write_modules
from paths import ROOT, SUPPORT
from projects import DEMO
from shared_texts import shared_tree
from skeletons import await_answer, demo, free_port, write_all

from mcpgen.cli import COMMANDS
from mcpgen.cli.app import cli
from mcpgen.codegen import protocol_models
from mcpgen.codegen.pipeline import Options, generate
from mcpgen.codegen.server_pipeline import generate_server
from mcpgen.contract.document import read
from mcpgen.contract.handwritten import parse
from mcpgen.errors import McpgenError
from mcpgen.project.discovery import find_project
from runtime import task_server

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

TUTORIAL = "docs/tutorial.md"
"""A page whose blocks depend on each other: tests/test_site.py runs them."""
GIVEN = SUPPORT / "documentation"

LANGUAGES = {"console", "json", "python", "sh", "text", "toml", "yaml"}
"""The languages that a test below is for; ``text`` is for what nobody types."""

# Readers want to see statements that only show a value, although nothing uses their definitions.
SHOWN = dict.fromkeys(
    "reportUnusedExpression reportUnusedVariable reportUnusedImport reportUnusedClass"
    " reportUnusedFunction reportUnusedCoroutine".split(),
    "none",
)


def test_every_block_names_a_known_language() -> None:
    assert [str(block) for block in blocks() if block.language not in LANGUAGES] == []


def test_text_blocks_are_limited_to_known_pages() -> None:
    assert {block.page for block in blocks("text")} == {"docs/cli.md", "docs/contract-tests.md"}


# Python


@checkers.typed("blocks", rules=SHOWN)
def client_examples(folder: Path) -> None:
    write_imported(folder)
    write_modules(
        folder / "blocks", GIVEN, lambda block: not block.is_of_server and block.page != TUTORIAL
    )


@pytest.mark.slow
def test_type_checkers_accept_client_examples() -> None:
    assert client_examples.pyright() == []
    assert client_examples.mypy() == []


@checkers.typed("blocks", source="bookshelf/src", rules=SHOWN)
def server_examples(folder: Path) -> None:
    source = write_all(generate_server(demo()), folder) / "src"
    write_modules(source / "blocks", GIVEN, lambda block: block.is_of_server)


@pytest.mark.slow
def test_type_checkers_accept_server_examples() -> None:
    assert server_examples.pyright() == []
    assert server_examples.mypy() == []


RUN_SERVER_BLOCKS = """
import asyncio, importlib, pkgutil, blocks

count = 0
for found in pkgutil.iter_modules(blocks.__path__):
    module = importlib.import_module(f"blocks.{found.name}")
    for name in sorted(vars(module)):
        if name.startswith("line_"):
            asyncio.run(getattr(module, name)())
            count += 1
print(count)
"""


@pytest.mark.slow
def test_server_examples_run(tmp_path: Path) -> None:
    """Run every block of user code: its classes and policies are created, but not used."""
    folder = write_all(generate_server(demo()), tmp_path) / "src"
    write_modules(folder / "blocks", GIVEN, lambda block: block.is_of_server)
    command = [sys.executable, "-W", "error", "-c", RUN_SERVER_BLOCKS]
    completed = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert completed.stderr == ""
    expected = [block for block in blocks("python") if block.is_of_server]
    assert completed.stdout == f"{len(expected)}\n"


def write_imported(folder: Path) -> None:
    """Write what the examples import: two clients, one of a server with tasks, and messages."""
    package = generate(demo())
    checkers.write(package.files, folder / package.package)
    (folder / "messages.py").write_text(protocol_models.generate("2025-11-25"), "utf-8")
    contract = replace(
        task_server.contract(task_server.LEGACY),
        origin={"transport": "stdio", "command": "python", "args": [task_server.__file__]},
    )
    package = generate(contract, Options(name="research"))
    checkers.write(package.files, folder / package.package)


RUN = {
    f"docs/{name}.md"
    for name in (
        "agents client connecting contract-tests conversation finding-tools middleware observing"
        " protocol replay scripts tasks telemetry testing".split()
    )
}
"""The pages whose Python is run; what is of a server is in ``server/test_server_documented``."""


def connecting() -> dict[str, list[Block]]:
    """Return the examples of clients by page."""
    pages: dict[str, list[Block]] = {}
    for block in blocks("python"):
        if block.page in RUN and not block.is_of_server:
            pages.setdefault(block.page, []).append(block)
    return pages


@pytest.fixture(scope="module")
def clients() -> Path:
    """The packages that the examples import."""
    return shared_tree("examples", write_imported)


@pytest.fixture(scope="module")
def example_org() -> Iterator[int]:
    """The port of the server that stands in for https://example.org."""
    port = free_port()
    server = subprocess.Popen([sys.executable, "-m", "mcpgen.demo", "--http", str(port)])
    try:
        await_answer(port, server)
        yield port
    finally:
        server.terminate()
        server.wait()


# Runs the examples of a page in one process, and prints what each of them printed.
RUN_CLIENT_BLOCKS = """
import asyncio, contextlib, importlib, io, json, os, sys
from pathlib import Path
import example_org
module, port, *lines = sys.argv[1:]
printed, routed = {}, False
for line in lines:
    os.chdir(Path(__file__).parent / line)
    if Path("client.pem").exists() and not routed:
        example_org.route(int(port))
        routed = True
    text = io.StringIO()
    with contextlib.redirect_stdout(text):
        page = importlib.import_module(module)
        asyncio.run(getattr(page, f"line_{line}")())
    printed[line] = text.getvalue()
print(json.dumps(printed))
"""


@pytest.mark.slow
@pytest.mark.parametrize(("page", "examples"), connecting().items(), ids=connecting())
def test_connection_examples_run(
    page: str, examples: list[Block], clients: Path, example_org: int, tmp_path: Path
) -> None:
    write_modules(tmp_path / "blocks", GIVEN, examples.__contains__)
    (tmp_path / "run.py").write_text(RUN_CLIENT_BLOCKS, "utf-8")
    server = sdk_programs.command("-m", "mcpgen.demo")
    entry = {"command": server[0], "args": server[1:]}
    # Last come those that use https, as they replace the transport.
    ordered = sorted(examples, key=lambda block: "https:" in block.text)
    for block in ordered:
        folder = tmp_path / str(block.line)
        folder.mkdir()
        (folder / ".mcp.json").write_text(json.dumps({"mcpServers": {"bookshelf": entry}}))
        if "https:" in block.text:
            for name in ("authority", "client"):
                self_signed_certificate(folder, name)
    module = "blocks." + Path(page).stem.replace("-", "_")
    lines = [str(block.line) for block in ordered]
    completed = subprocess.run(
        [sys.executable, "-W", "error", "run.py", module, str(example_org), *lines],
        cwd=tmp_path,
        env=os.environ
        | {
            "PYTHONPATH": os.pathsep.join([str(clients), str(SUPPORT)]),
            "BOOKSHELF_COMMAND": json.dumps(server),
        },
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert (completed.returncode, completed.stderr) == (0, "")
    printed = json.loads(completed.stdout)
    for block in ordered:
        text = printed[str(block.line)]
        logged = re.sub(r"(GET|POST|DELETE) https://example.org/mcp 20\d\n", "", text)
        assert (logged == "", bool(text)) == (True, "print(response" in block.text), block


def test_program_of_the_readme_runs_after_its_first_command(tmp_path: Path) -> None:
    """Run the first command in our environment, and then the program."""
    readme = [block for block in blocks("sh", "python") if block.page == "README.md"]
    first, program = readme[0].commands[-1], readme[1].text
    assert (Path(first[0]).name, first[1:]) == ("mcpgen", ["client", "demo"])
    in_a_shell(" ".join(["mcpgen", *first[1:]]), tmp_path)
    (tmp_path / "program.py").write_text(program, "utf-8")
    assert in_a_shell("python program.py", tmp_path) == (
        "The Night Ferry 2024-05-17 14:00:00+00:00\n"
    )


@pytest.mark.slow
def test_program_of_the_mock_page_runs(tmp_path: Path) -> None:
    shutil.copy(DEMO, tmp_path / "bookshelf.json")
    (block,) = [item for item in blocks("python") if item.page == "docs/mock.md"]
    (tmp_path / "program.py").write_text(block.text, "utf-8")
    assert in_a_shell("python -W error program.py", tmp_path) == ""


# Commands


def test_every_command_exists_and_accepts_its_arguments(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copy(DEMO, tmp_path / "contract.json")
    monkeypatch.chdir(tmp_path)
    for block in blocks("sh", "console"):
        for command in block.commands:
            program, *args = command
            if block.page == TUTORIAL and program != "mcpgen":
                continue
            checker = PROGRAMS.get(Path(program).name or program)
            assert checker is not None, f"{block}: nothing is known of {program}"
            assert checker(args), f"{block}: {' '.join(command)}"


def of_mcpgen(args: list[str]) -> bool:
    """Return True if mcpgen's command line accepts these arguments. Nothing is run."""
    assert args[0] in COMMANDS or args[0].startswith("-")
    with click.Context(cli) as context:
        _, command, rest = cli.resolve_command(context, list(args))
        assert command is not None
        command.make_context(args[0], rest, parent=context)
    return True


def of_python(args: list[str]) -> bool:
    """Return True if the script or tests exist."""
    if args[:2] == ["-m", "pytest"]:
        return of_pytest(args[2:])
    if args[0] == "-m":
        return args[1] in {"venv", "pip", "bookshelf"}
    return (ROOT / args[0]).is_file()


def of_pytest(args: list[str]) -> bool:
    """Return True if the files, markers or name parts select existing tests."""
    rest = iter([token for token in args if token != "-s"])
    for token in rest:
        if token == "-m":
            marked = set(re.findall(r"\w+", next(rest))) - {"and", "or", "not"}
            assert marked <= {"slow", "network", "services", "browser", "site"}
        elif token == "-k":
            assert any((ROOT / "tests").rglob(f"*{next(rest)}*"))
        elif token == "-n":
            assert next(rest).isdigit()
        elif not (ROOT / token).is_file():
            return False
    return True


def of_this_project(args: list[str]) -> bool:
    return not args and (ROOT / ".ci" / "run").is_file()


def of_others(args: list[str]) -> bool:
    """Accept any arguments of third-party programs and shell builtins."""
    return bool(args)


PROGRAMS: dict[str, Callable[[list[str]], bool]] = {
    "mcpgen": of_mcpgen,
    "python": of_python,
    "python3": of_python,
    "pytest": of_pytest,
    "run": of_this_project,
    **dict.fromkeys(["cat", "cd", "pip", "ruff", "uv", "."], of_others),
}


def printing() -> list[Any]:
    """Return the blocks with output. npx needs the network."""
    results = [
        block
        for block in blocks("console")
        if block.page != TUTORIAL and any(printed for _, printed in block.commands_with_output)
    ]
    return [
        pytest.param(block, marks=pytest.mark.network if "npx" in block.text else (), id=str(block))
        for block in results
    ]


@pytest.mark.slow
@pytest.mark.sampled(1)
@pytest.mark.parametrize("block", printing())
def test_command_prints_the_output_shown(block: Block, tmp_path: Path) -> None:
    folder = GIVEN / Path(block.page).stem
    target = tmp_path / "here"
    target.mkdir()
    (tmp_path / "notes").mkdir()
    if folder.is_dir():
        shutil.copytree(folder, target, dirs_exist_ok=True)
    for command, printed in block.commands_with_output:
        text = in_a_shell(command, target)
        lines = iter(text.splitlines())
        expected = [line.rstrip() for line in printed if line != "..."]
        missing = [line for line in expected if line not in lines]  # in this order
        assert missing == [], f"{block}: {command}\n{text}"


def in_a_shell(command: str, folder: Path) -> str:
    """Return the output of a command, with the interpreter of the tests as `python`."""
    ours = Path(sys.executable)
    config = os.environ.get("NPM_CONFIG_USERCONFIG", str(Path.home() / ".npmrc"))
    completed = subprocess.run(
        ["bash", "-c", command],
        cwd=folder,
        env={
            **os.environ,
            "PATH": f"{ours.parent}{os.pathsep}{os.environ['PATH']}",
            "HOME": str(folder.parent),
            "NPM_CONFIG_USERCONFIG": config,
        },
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    python = rf"{re.escape(str(ours.parent))}{re.escape(os.sep)}python[\d.]*"
    return re.sub(python, "/usr/bin/python3", completed.stderr + completed.stdout)


# Files


@pytest.mark.parametrize("block", blocks("toml"), ids=str)
def test_toml_examples_are_valid(block: Block, tmp_path: Path) -> None:
    table = tomllib.loads(block.text)
    if "mcpgen" in table.get("tool", {}):
        (tmp_path / "pyproject.toml").write_text(block.text, "utf-8")
        settings = find_project(str(tmp_path)).settings
        assert settings.servers or settings.ignore or "standalone" in table["tool"]["mcpgen"]
    else:
        assert "mcpgen.project.hatch" in (ROOT / "pyproject.toml").read_text("utf-8")
        assert set(table) in ({"build-system", "tool"}, {"project"})


@pytest.mark.parametrize("block", blocks("yaml"), ids=str)
def test_yaml_examples_are_contracts_or_published_files(block: Block) -> None:
    document = yaml.safe_load(block.text)
    if isinstance(document, list) and {"tool", "prompt", "resource"} & document[0].keys():
        return  # answers of a mock: tests/mcpgen/testing/mock/test_scripted_responses.py
    if "tools" in document:
        project = generate_server(read(parse(block.text.encode(), "contract.yaml")))
        assert project.notices == ()
    elif "repos" in document:
        hooks = {hook["id"] for repo in document["repos"] for hook in repo["hooks"]}
        published = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text("utf-8"))
        assert hooks <= {hook["id"] for hook in published}
    else:
        job = next(iter(document["jobs"].values())) if "jobs" in document else {"steps": document}
        steps = job["steps"]
        runs = [shlex.split(_EXPRESSION.sub("1/2", step.get("run", ""))) for step in steps]
        commands = [run[1:] for run in runs if run[:1] == ["mcpgen"]]
        if commands:
            assert all(map(of_mcpgen, commands))
            return
        action = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))
        assert steps[-1].get("with", {}).keys() <= action["inputs"].keys()
        actions = [step["uses"] for step in steps]
        assert any(action.startswith("<owner>/mcpgen@") for action in actions)


_EXPRESSION = re.compile(r"\$\{\{.*?\}\}")


@pytest.mark.parametrize("block", blocks("json"), ids=str)
def test_json_examples_have_the_printed_form(block: Block) -> None:
    document = json.loads(block.text)
    assert isinstance(document, dict)
    if "error" in document:
        assert document["error"].keys() <= {*McpgenError.__dataclass_fields__, "code", "message"}


def test_a_page_tells_of_every_command() -> None:
    page = (ROOT / "docs" / "cli.md").read_text("utf-8")
    assert set(re.findall(r"^\| \[`mcpgen (\w+)", page, re.M)) == set(COMMANDS)
