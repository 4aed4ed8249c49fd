"""mcpgen imports on Windows and macOS, and code for one system is guarded. No such system is
available, so it is simulated: the platform name is changed and missing features are removed.
Type checkers cover the rest: `.ci/run` checks the code for each system.
"""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from checkers import write
from guards import PATIENCE
from paths import ROOT
from skeletons import demo, project

from mcpgen.codegen.pipeline import Options, generate

# Modules of the standard library that not every system has.
NOT_EVERYWHERE = {
    *("_winapi crypt curses fcntl grp msvcrt nis nt ossaudiodev posix pty pwd readline resource"
      " spwd syslog termios tty winreg winsound").split(),
}  # fmt: skip
NAMES = re.compile(rf"\b(?:{'|'.join(sorted(NOT_EVERYWHERE))})\b")
SOURCES = sorted([*(ROOT / "mcpgen").rglob("*.py"), *(ROOT / "templates").rglob("*.py")])


def imported_modules(node: ast.AST) -> set[str]:
    if isinstance(node, ast.Import):
        return {alias.name.partition(".")[0] for alias in node.names}
    if isinstance(node, ast.ImportFrom) and not node.level:
        return {(node.module or "").partition(".")[0]}
    return set()


def unguarded_nodes(tree: ast.AST) -> Iterator[ast.AST]:
    """Yield the nodes that run on every system, without blocks that test `sys.platform`."""
    for child in ast.iter_child_nodes(tree):
        if isinstance(child, ast.If) and "sys.platform" in ast.unparse(child.test):
            continue
        yield child
        yield from unguarded_nodes(child)


def test_modules_of_one_system_are_imported_there_alone() -> None:
    unguarded: dict[str, set[str]] = {}
    for source in SOURCES:
        text = source.read_text(encoding="utf-8")
        tree = ast.parse(text if NAMES.search(text) else "")
        names = {name for node in unguarded_nodes(tree) for name in imported_modules(node)}
        unguarded[source.relative_to(ROOT).as_posix()] = names & NOT_EVERYWHERE
    assert len(unguarded) > 400
    assert {path for path, names in unguarded.items() if names} == set()


def test_an_import_without_a_guard_would_be_seen() -> None:
    guarded = "import sys\nif sys.platform != 'win32':\n    import fcntl\n"
    calls = [
        {name for node in unguarded_nodes(ast.parse(text)) for name in imported_modules(node)}
        & NOT_EVERYWHERE
        for text in (guarded, "import fcntl", "def f():\n    from pwd import getpwuid", "import os")
    ]
    assert calls == [set(), {"fcntl"}, {"pwd"}, set()]


# Features of Linux missing on the other system, as far as a program may use them.
LACKING = {
    "win32": {
        "os": "fork forkpty getuid geteuid getgid getegid getpgid getpgrp getsid setsid setpgid"
        " killpg wait wait3 wait4 uname chown lchown fchmod fchown mkfifo mknod nice pathconf pipe2"
        " sched_getaffinity setuid setgid sysconf ttyname umount posix_spawn"
        " WNOHANG WIFSIGNALED getloadavg sync",
        "signal": "SIGKILL SIGHUP SIGQUIT SIGUSR1 SIGUSR2 SIGCHLD SIGALRM SIGPIPE SIGSTOP SIGCONT"
        " SIGTSTP SIGWINCH alarm setitimer pause sigwait pthread_kill pthread_sigmask",
        "socket": "AF_UNIX SO_REUSEPORT",
        "time": "tzset clock_gettime clock_settime",
    },
    "darwin": {
        "os": "sched_getaffinity sched_setaffinity pidfd_open memfd_create pipe2 posix_fadvise"
        " posix_fallocate getrandom copy_file_range splice eventfd O_TMPFILE O_PATH O_DIRECT",
        "signal": "SIGPWR SIGSTKFLT SIGPOLL SIGRTMIN SIGRTMAX sigtimedwait sigwaitinfo",
        "socket": "AF_NETLINK AF_PACKET AF_VSOCK",
    },
}
MODULES = {
    "win32": NOT_EVERYWHERE - {"_winapi", "msvcrt", "nt", "winreg", "winsound"},
    "darwin": {"ossaudiodev", "spwd", "_winapi", "msvcrt", "nt", "winreg", "winsound"},
}
# Libraries are imported first, as on this system, then our modules as on another. Third-party
# modules imported later may still use features of this system.
SIMULATED = """
import builtins, importlib, json, pkgutil, sys
system, lacking, modules, ours = json.loads(sys.argv[1])

def names():
    for package in ours:
        yield package
        found = importlib.import_module(package)
        for module in pkgutil.walk_packages(found.__path__, f"{package}."):
            if not module.name.endswith(".__main__"):
                yield module.name

def is_ours(name):
    return name.partition(".")[0] in ours

import filelock, platformdirs

every = [*names()]
for name in every:
    importlib.import_module(name)
for name in [name for name in sys.modules if is_ours(name)]:
    del sys.modules[name]

def import_as_there(name, globals=None, *rest, **named):
    if is_ours((globals or {}).get("__name__", "")) and name.partition(".")[0] in modules:
        raise ModuleNotFoundError(f"No module named {name!r} on {system}")
    return as_here(name, globals, *rest, **named)

as_here, builtins.__import__ = builtins.__import__, import_as_there
for module, attributes in lacking.items():
    for attribute in attributes.split():
        if hasattr(sys.modules[module], attribute):
            delattr(sys.modules[module], attribute)
sys.platform = system
for name in every:
    importlib.import_module(name)
"""


def simulate(system: str, *packages: str, then: str = "", path: str = "") -> str:
    """Import packages like on another system, run a program, and return its output."""
    lacking = {"socket": "", "time": "", **LACKING[system]}
    setup = f"import os, signal, socket, sys, time\nsys.path[:0] = {[path] if path else []}\n"
    run = subprocess.run(
        [sys.executable, "-c", setup + SIMULATED + then, json.dumps(
            [system, lacking, sorted(MODULES[system]), packages])],
        capture_output=True, text=True, timeout=PATIENCE, check=False, cwd=path or None,
    )  # fmt: skip
    assert run.returncode == 0, run.stderr
    return run.stdout


@pytest.mark.slow
@pytest.mark.parametrize("system", LACKING)
def test_every_module_is_imported_on_every_system(system: str) -> None:
    simulate(system, "mcpgen")


@pytest.mark.slow
@pytest.mark.sampled(1)
@pytest.mark.parametrize("system", LACKING)
def test_every_generated_module_is_imported_on_every_system(system: str, tmp_path: Path) -> None:
    generated = generate(demo(), Options())
    write(generated.files, tmp_path / generated.package)
    server = project(demo(), tmp_path)
    (tmp_path / server.name).rename(tmp_path / "project")
    (tmp_path / "project" / "src" / server.name).rename(tmp_path / server.name)
    simulate(system, generated.package, server.name, path=str(tmp_path))


@pytest.mark.parametrize(
    ("system", "line", "reason"),
    [
        ("win32", "import fcntl", "No module named 'fcntl'"),
        ("win32", "import os; os.getuid", "has no attribute 'getuid'"),
        ("darwin", "from os import memfd_create", "cannot import name 'memfd_create'"),
    ],
)
def test_simulation_removes_platform_features(
    system: str, line: str, reason: str, tmp_path: Path
) -> None:
    (tmp_path / "package").mkdir()
    source = f"import sys\nif sys.platform != 'linux':\n    {line}\n"
    (tmp_path / "package" / "__init__.py").write_text(source)
    with pytest.raises(AssertionError, match=reason):
        simulate(system, "package", path=str(tmp_path))


GENERATE = """
from mcpgen.cli import main
sys.stderr = sys.stdout
for words in (["generate"], ["check"], ["generate", "--no-cache"]):
    try:
        main(words)
    except SystemExit as ended:
        print(words, ended.code)
"""
TABLE = '[tool.mcpgen.servers.demo]\ncontract = "c.json"\nclient = {output = "src"}\n'


@pytest.mark.slow
@pytest.mark.parametrize("system", LACKING)
def test_a_project_is_generated_and_checked_on_every_system(
    system: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MCPGEN_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("HOME", str(tmp_path))
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "pyproject.toml").write_text(TABLE)
    (folder / "c.json").write_text('{"tools": []}')
    printed = simulate(system, "mcpgen", then=GENERATE, path=str(folder))
    ended = [line[-2:] for line in printed.splitlines() if line.startswith("['")]
    assert ended == [" 0"] * 3, printed
    assert (folder / "src" / "demo" / "client.py").exists()
    assert sorted(path.name for path in (folder / "src").iterdir()) in (
        ["demo"],
        [".mcpgen-lock", "demo"],  # which Windows itself removes when it is given back
    )
