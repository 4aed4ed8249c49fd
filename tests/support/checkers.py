"""Generated packages, written out and given to the type checkers that users run."""

from __future__ import annotations

import hashlib
import io
import json
import re
import subprocess
import sys
import tokenize
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from paths import CACHE
from shared_texts import locked, shared_tree

PYTHON = Path(sys.executable)
IGNORES = re.compile(r"type:\s*ignore|pyright:|mypy:|noqa|pylint:|fmt:\s*(off|skip)")


def write(files: Mapping[str, str], folder: Path) -> Path:
    """Write generated files below a folder."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())
    return folder


def tree(folder: Path) -> dict[str, str]:
    """Read every file below a folder, keyed by its relative path."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes().decode()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and "__pycache__" not in path.parts
    }


def slug(text: str) -> str:
    """Return a module name for a test's package."""
    return "p_" + re.sub(r"\W", "_", text).lower()


@dataclass(frozen=True)
class Typed:
    """A folder that both type checkers read, with packages below ``source``."""

    name: str
    fill: Callable[[Path], object]
    packages: tuple[str, ...]
    source: str
    rules: Mapping[str, str]

    @property
    def environment(self) -> dict[str, object]:
        """The execution environment of pyright, with severities of its own."""
        return {"root": self.name, "extraPaths": [f"{self.name}/{self.source}"], **self.rules}

    def pyright(self) -> list[str]:
        """Return pyright's errors in this folder. One run of pyright is for all folders."""
        folder = _fill_all()
        assert any((folder / self.name).rglob("*.py*")), f"{self.name} has no module"
        report = folder / "pyright.json"
        with locked(report):
            if not report.exists():
                errors = _run_pyright(folder, [item.environment for item in _TYPED])
                report.write_text(json.dumps(errors))
        start = f"{self.name}/"
        lines: list[str] = json.loads(report.read_text())
        return [line.removeprefix(start) for line in lines if line.startswith(start)]

    def mypy(self) -> list[str]:
        """Return mypy's errors in the packages, all of the folder by default."""
        return mypy(_fill_all() / self.name / self.source, *self.packages)


_TYPED: list[Typed] = []


def typed(
    *packages: str, source: str = ".", rules: Mapping[str, str] | None = None
) -> Callable[[Callable[[Path], object]], Typed]:
    """Decorate a function that fills a folder with packages for both type checkers."""

    def register(fill: Callable[[Path], object]) -> Typed:
        name = re.sub(r"\W", "_", f"{fill.__module__}.{fill.__name__}")
        _TYPED.append(Typed(name, fill, packages, source, rules or {}))
        return _TYPED[-1]

    return register


def _fill_all() -> Path:
    """Fill the folders of all collected tests, and return the folder above them."""

    def fill(folder: Path) -> None:
        for item in _TYPED:
            (folder / item.name).mkdir(exist_ok=True)
            item.fill(folder / item.name)

    return shared_tree("typed", fill)


def pyright(folder: Path, python: Path = PYTHON) -> list[str]:
    """Return the errors of ``pyright --strict`` for every package in a folder, without ignores.

    ``python`` belongs to the environment with the libraries.
    """
    return _run_pyright(folder, (), python)


def _run_pyright(
    folder: Path, environments: Sequence[Mapping[str, object]], python: Path = PYTHON
) -> list[str]:
    """Run pyright once. Folders with an environment each may have modules of the same name."""
    copies = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("_runtime"))
    settings: dict[str, object] = {
        "include": ["."],
        "exclude": copies,
        "typeCheckingMode": "strict",
        "pythonVersion": "3.10",
        "enableTypeIgnoreComments": False,
    }
    if environments:
        settings["executionEnvironments"] = environments
    project = folder / "pyrightconfig.json"
    project.write_text(json.dumps(settings))
    command = [
        sys.executable,
        "-m",
        "pyright",
        "--pythonpath",
        str(python),
        "--outputjson",
    ]
    run = subprocess.run(
        [*command, "-p", str(project)], capture_output=True, text=True, check=False
    )
    report = json.loads(run.stdout)
    assert report["summary"]["filesAnalyzed"] > 0, run.stderr
    return [
        f"{Path(item['file']).relative_to(folder)}:{item['range']['start']['line'] + 1}: "
        f"{item['message']} ({item.get('rule', 'syntax')})"
        for item in report["generalDiagnostics"]
        if item["severity"] in ("error", "warning")
    ]


def mypy(folder: Path, *packages: str, python: Path = PYTHON) -> list[str]:
    """Return the errors of ``mypy --strict`` for packages in a folder, all of them by default.

    ``python`` belongs to the environment with the libraries. All processes that run tests share
    mypy's cache of them.
    """
    names = packages or sorted(path.name for path in folder.iterdir() if path.is_dir())
    selected = [part for name in names for part in ("-p", name)]
    cache = CACHE / "mypy" / hashlib.sha256(str(python).encode()).hexdigest()[:8]
    options = [
        "--strict",
        "--python-version",
        "3.10",
        "--no-error-summary",
        "--hide-error-context",
        "--python-executable",
        str(python),
        "--cache-dir",
        str(cache),
    ]
    with locked(cache):
        run = subprocess.run(
            [sys.executable, "-m", "mypy", *options, *selected],
            capture_output=True,
            text=True,
            check=False,
            cwd=folder,
        )
    lines = [line for line in run.stdout.splitlines() if ": error:" in line]
    assert run.returncode == 0 or lines, run.stdout + run.stderr
    return lines


def ignores(source: str) -> list[str]:
    """Return the comments in a module that would silence a checker."""
    tokens = tokenize.generate_tokens(io.StringIO(source).readline)
    comments = [token.string for token in tokens if token.type == tokenize.COMMENT]
    return [comment for comment in comments if IGNORES.search(comment)]
