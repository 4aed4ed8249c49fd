"""Start-up: which modules a command loads, and how it sets the garbage collector."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from paths import SUPPORT

from mcpgen.contract.document import read

GARBAGE = """
import gc, sys
from mcpgen import cli
from mcpgen.cli import app
def run(words):
    print(gc.get_threshold()[0], gc.isenabled())
    gc.collect(0)
    print(gc.get_threshold()[0], len(gc.callbacks))
    return 0
app.run = run
if "bookshelf" in sys.argv:
    cli.main(["diff"])
cli.main()
"""


def thresholds(*arguments: str) -> list[str]:
    code = "import gc; print(gc.get_threshold()[0])"
    own = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    completed = subprocess.run(
        [sys.executable, "-c", GARBAGE, *arguments], check=True, capture_output=True, text=True
    )
    return [own.stdout.strip(), *completed.stdout.splitlines()]


def test_short_command_restores_gc_after_large_allocations() -> None:
    _, before, after = thresholds("diff", "a.json")
    assert before == "200000 True"
    assert after == "10000 0"


@pytest.mark.parametrize("args", [["watch"], ["mock", "a.json"], ["bookshelf"]])
def test_long_commands_and_library_keep_default_gc_thresholds(args: list[str]) -> None:
    own, before, after = thresholds(*args)
    assert before == f"{own} True"
    assert after == f"{own} 0"


LOADED = """
import sys
before = set(sys.modules)
from mcpgen.cli.app import run
code = run(sys.argv[1:])
names = {name.partition(".")[0] for name in sys.modules.keys() - before}
places = {name: str(getattr(sys.modules.get(name), "__file__", "")) for name in names}
third = sorted(name for name, place in places.items() if "site-packages" in place)
sys.stderr.write(f"{code} {' '.join(third)}")
"""
CONTRACT = {
    "tools": [
        {
            "name": "find",
            "description": "Find something.",
            "inputSchema": {
                "type": "object",
                "properties": {
                    "text": {"type": "string", "pattern": "^[a-z]+$", "description": "What."},
                    "limit": {"type": "integer", "minimum": 1},
                },
                "required": ["text"],
            },
        }
    ],
    "serverInfo": {"name": "small", "version": "1"},
}
PROJECT = """
[tool.mcpgen.servers.small]
contract = "contract.json"
client.name = "small"
"""
NEVER = frozenset(
    "anyio datamodel_code_generator httpx2 jsonschema libcst mcp mcp_types pydantic pydantic_core"
    " referencing rfc8785 typing_extensions uvicorn yaml".split()
)
"""What nothing but a server that is asked, or a schema that needs it, is a reason to load."""


def loaded_packages(folder: Path, *arguments: str) -> set[str]:
    """Run a command and return the third-party packages it loaded."""
    completed = subprocess.run(
        [sys.executable, "-c", LOADED, *arguments],
        check=True,
        capture_output=True,
        text=True,
        cwd=folder,
        env={**os.environ, "MCPGEN_CACHE_DIR": str(folder / "cache")},
    )
    code, *names = completed.stderr.splitlines()[-1].split()
    assert code in ("0", "1"), completed.stderr
    return set(names)


@pytest.fixture(name="folder")
def _folder(tmp_path: Path) -> Path:
    """Return a folder with two contracts, and a project of the first of them."""
    old, new = json.dumps(CONTRACT), json.dumps(CONTRACT).replace("integer", "string")
    (tmp_path / "contract.json").write_text(old, encoding="utf-8")
    (tmp_path / "same.json").write_text(old, encoding="utf-8")
    (tmp_path / "new.json").write_text(new, encoding="utf-8")
    (tmp_path / "pyproject.toml").write_text(PROJECT, encoding="utf-8")
    return tmp_path


@pytest.mark.slow
@pytest.mark.sampled(1)
@pytest.mark.parametrize("other", ["same.json", "new.json"])
def test_a_comparison_loads_no_library_but_click(other: str, folder: Path) -> None:
    assert loaded_packages(folder, "diff", "contract.json", other) == {"click"}


@pytest.mark.slow
def test_generation_loads_no_client_or_validation_libraries(folder: Path) -> None:
    cold = loaded_packages(folder, "client", "./contract.json", "-q")
    unchanged = loaded_packages(folder, "client", "./contract.json", "-q")
    assert NEVER.isdisjoint(cold)
    assert unchanged <= cold
    generated = loaded_packages(folder, "generate", "-q")
    assert NEVER.isdisjoint(generated)
    assert NEVER.isdisjoint(loaded_packages(folder, "check", "-q"))


@pytest.mark.slow
def test_list_and_explain_load_only_click(folder: Path) -> None:
    written = read(CONTRACT).text()
    (folder / "recorded.json").write_text(written, encoding="utf-8")
    assert loaded_packages(folder, "list", "recorded.json") == {"click"}
    assert loaded_packages(folder, "call", "recorded.json", "find", "--help") == {"click"}


def test_a_stdio_server_is_called_without_the_sdk(folder: Path) -> None:
    server = [sys.executable, str(SUPPORT / "servers/shell.py"), str(folder / "calls")]
    used = loaded_packages(folder, "call", "echo", "--query", "a", "--", *server)
    assert {"anyio", "httpx2", "mcp", "mcp_types", "pydantic", "jsonschema"}.isdisjoint(used)
