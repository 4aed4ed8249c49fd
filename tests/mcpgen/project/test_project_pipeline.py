"""The sample project, generated offline from a clone by pre-commit, a build and the action."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import zipfile
from importlib import metadata
from pathlib import Path
from typing import Any

import environments
import pytest
import yaml
from paths import ROOT
from projects import files, isolated_environment

EXAMPLE = ROOT / "examples" / "pipeline"
GENERATED = ("src/bookshelf", "servers/bookshelf_server/src/bookshelf_server/_generated")

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the scripts are for bash")

# Every new Python process imports this first, which makes network access fail.
NO_NETWORK = """
import socket
def refuse(*_):
    raise RuntimeError("the network was asked")
socket.getaddrinfo = socket.create_connection = refuse
socket.socket.connect = refuse
"""


@pytest.fixture
def offline(tmp_path: Path) -> dict[str, str]:
    """An environment for commands, in which no Python reaches the network."""
    folder = tmp_path / "site"
    folder.mkdir()
    (folder / "sitecustomize.py").write_text(NO_NETWORK)
    if not any(point.name == "mcpgen" for point in metadata.entry_points(group="hatch")):
        # An installation from before the hook doesn't register it with Hatchling.
        target = folder / "mcpgen_hook-0.dist-info"
        target.mkdir()
        (target / "METADATA").write_text("Metadata-Version: 2.1\nName: mcpgen-hook\nVersion: 0\n")
        (target / "entry_points.txt").write_text("[hatch]\nmcpgen = mcpgen.project.hatch\n")
    binaries = Path(sys.executable).parent
    return {
        **os.environ,
        "PYTHONPATH": str(folder),
        "PATH": f"{binaries}{os.pathsep}{os.environ['PATH']}",
        **isolated_environment(tmp_path / "project"),
        "PRE_COMMIT_HOME": str(tmp_path / "hooks"),
        "GIT_CONFIG_GLOBAL": os.devnull,
    }


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """A clean clone of a repository that holds the sample project."""
    origin = tmp_path / "origin"
    left_out = shutil.ignore_patterns("bookshelf", "servers", "__pycache__", "dist")
    shutil.copytree(EXAMPLE, origin, ignore=left_out)
    git(origin, "init", "--quiet")
    commit(origin)
    git(tmp_path, "clone", "--quiet", str(origin), "clone")
    return tmp_path / "clone"


def git(folder: Path, *args: str) -> str:
    settings = ["-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=0"]
    return subprocess.run(
        ["git", *settings, *args], cwd=folder, capture_output=True, text=True, check=True
    ).stdout


def commit(folder: Path) -> None:
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--no-verify", "--message", "All of it")


def run(
    folder: Path, env: dict[str, str], *args: str, **more: str
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        args, cwd=folder, env={**env, **more}, capture_output=True, text=True, check=False
    )


def generated_files(folder: Path) -> dict[str, dict[str, str]]:
    return {
        folder_name: files(folder / folder_name)
        for folder_name in GENERATED
        if (folder / folder_name).exists()
    }


@pytest.fixture
def right(clone: Path, offline: dict[str, str]) -> dict[str, dict[str, str]]:
    """The expected output of every method: the files of `mcpgen generate` in a copy."""
    copy = clone.parent / "copy"
    shutil.copytree(clone, copy)
    assert run(copy, offline, "mcpgen", "generate").returncode == 0
    return generated_files(copy)


@pytest.mark.slow
def test_build_adds_the_client_to_the_wheel(
    clone: Path, offline: dict[str, str], right: dict[str, dict[str, str]], tmp_path: Path
) -> None:
    (clone / ".gitignore").write_text("src/bookshelf/\n")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)]
    ended = run(clone, offline, *command)
    assert ended.returncode == 0, ended.stderr
    (wheel,) = tmp_path.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        result = {name: archive.read(name).decode() for name in archive.namelist()}
    client = {f"bookshelf/{path}": text for path, text in right["src/bookshelf"].items()}
    assert client.items() <= result.items()
    assert "shelf/__init__.py" in result


@pytest.mark.slow
def test_its_own_tests_pass(clone: Path, offline: dict[str, str]) -> None:
    assert run(clone, offline, "mcpgen", "generate").returncode == 0
    ended = run(clone, offline, sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider")
    assert ended.returncode == 0, ended.stdout


@pytest.mark.slow
def test_build_without_contract_reports_it(clone: Path, offline: dict[str, str]) -> None:
    (clone / "mcp" / "bookshelf.contract.json").unlink()
    ended = run(clone, offline, sys.executable, "-m", "hatchling", "build", "-t", "wheel")
    assert ended.returncode == 1
    assert "mcpgen: bookshelf: error: there is no contract yet" in ended.stderr
    assert "Traceback" not in ended.stderr


@pytest.mark.slow
def test_the_actions_script_generates_checks_and_annotates(
    clone: Path, offline: dict[str, str], right: dict[str, dict[str, str]], tmp_path: Path
) -> None:
    summary, output = tmp_path / "summary.md", tmp_path / "output"
    env = {"GITHUB_STEP_SUMMARY": str(summary), "GITHUB_OUTPUT": str(output)}
    args = ["bash", str(ROOT / "scripts" / "action.sh")]
    stale = run(clone, offline, *args, MCPGEN_INSTALL="false", **env)
    assert stale.returncode == 1
    assert stale.stdout.startswith("::error file=src/bookshelf,title=mcpgen check::missing")
    wrote = run(clone, offline, *args, MCPGEN_INSTALL="false", MCPGEN_COMMAND="generate", **env)
    assert (wrote.returncode, generated_files(clone)) == (0, right)
    well = run(clone, offline, *args, MCPGEN_INSTALL="false", **env)
    assert (well.returncode, well.stdout) == (0, "")
    assert output.read_text() == "exit-code=1\nexit-code=0\nexit-code=0\n"
    assert "| `src/bookshelf` | bookshelf | missing |" in summary.read_text()
    first = {"MCPGEN_INSTALL": "false", "MCPGEN_SERVERS": "bookshelf"}
    assert "1 server" in run(clone, offline, *args, **first, **env).stderr


@pytest.mark.parametrize(
    "arguments", [{"MCPGEN_COMMAND": "rm"}, {"MCPGEN_SERVERS": "--config=x"}], ids=str
)
def test_action_script_rejects_unknown_commands(
    arguments: dict[str, str], clone: Path, offline: dict[str, str]
) -> None:
    args = ["bash", str(ROOT / "scripts" / "action.sh")]
    ended = run(clone, offline, *args, MCPGEN_INSTALL="false", **arguments)
    assert (ended.returncode, ended.stdout[:7]) == (2, "::error")


def hooks(config: Any) -> list[dict[str, Any]]:
    return [hook for repository in config["repos"] for hook in repository["hooks"]]


@pytest.mark.slow
def test_the_hooks_of_the_sample_generate_and_check(
    clone: Path, offline: dict[str, str], right: dict[str, dict[str, str]]
) -> None:
    config = yaml.safe_load((clone / ".pre-commit-config.yaml").read_text())
    for hook in hooks(config):
        assert run(clone, offline, *hook["entry"].split()).returncode == 0
    assert generated_files(clone) == right


@pytest.mark.network
def test_pre_commit_itself_generates_and_checks(
    clone: Path, offline: dict[str, str], right: dict[str, dict[str, str]], cache: Path
) -> None:
    folder = cache / "pre-commit"
    if not (folder / environments.BIN / "pre-commit").exists():
        environments.create(folder, "pre-commit")
    program = str(folder / environments.BIN / "pre-commit")
    all_files = [program, "run", "--all-files", "--show-diff-on-failure"]
    first = run(clone, offline, *all_files)
    assert first.returncode == 0, first.stdout + first.stderr
    assert generated_files(clone) == right
    commit(clone)
    client = clone / "src" / "bookshelf" / "client.py"
    client.write_text(client.read_text() + "# edited\n")
    edited = run(clone, offline, program, "run", "mcpgen-check", "--all-files")
    assert edited.returncode == 1
    assert "-# edited" in edited.stdout
    mended = run(clone, offline, program, "run", "mcpgen-generate", "--all-files")
    assert "files were modified by this hook" in mended.stdout
    assert generated_files(clone) == right
    manifest = [program, "validate-manifest", str(ROOT / ".pre-commit-hooks.yaml")]
    assert run(clone, offline, *manifest).returncode == 0


def test_published_hooks_match_the_sample() -> None:
    published = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())
    used = hooks(yaml.safe_load((EXAMPLE / ".pre-commit-config.yaml").read_text()))
    same = ("id", "entry", "pass_filenames", "require_serial", "types_or")
    by_id = [sorted(item, key=lambda hook: str(hook["id"])) for item in (published, used)]
    notifications = [[{key: hook[key] for key in same} for hook in item] for item in by_id]
    assert notifications[0] == notifications[1]


def test_action_inputs_reach_the_script_only_as_variables() -> None:
    action = yaml.safe_load((ROOT / "action.yml").read_text())
    (step,) = action["runs"]["steps"]
    assert "${{" not in step["run"]
    value = {f"MCPGEN_{name.upper()}" for name in action["inputs"]} - {"MCPGEN_WORKING-DIRECTORY"}
    assert value <= set(step["env"])
    script = (ROOT / "scripts" / "action.sh").read_text()
    assert all(name in script for name in step["env"])


def test_sample_workflows_use_existing_action_inputs() -> None:
    inputs = yaml.safe_load((ROOT / "action.yml").read_text())["inputs"]
    for file in sorted((EXAMPLE / ".github" / "workflows").glob("*.yml")):
        for job in yaml.safe_load(file.read_text())["jobs"].values():
            for step in job["steps"]:
                if "mcpgen@" in step.get("uses", ""):
                    assert set(step.get("with", {})) <= set(inputs)
