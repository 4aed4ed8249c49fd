"""Generated packages, written out and given to the type checkers that users run."""

from __future__ import annotations

import hashlib
import io
import json
import os
import re
import subprocess
import sys
import tokenize
from collections.abc import Mapping
from pathlib import Path

from paths import CACHE

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


def pyright(
    folder: Path,
    python: Path = PYTHON,
    rules: Mapping[str, str] | None = None,
) -> list[str]:
    """Return the errors of ``pyright --strict`` for every package in a folder, without ignores.

    ``python`` belongs to the environment with the libraries. ``rules`` overrides severities.
    """
    copies = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("_runtime"))
    settings = {
        "include": ["."],
        "exclude": copies,
        "typeCheckingMode": "strict",
        "pythonVersion": "3.10",
        "enableTypeIgnoreComments": False,
        **(rules or {}),
    }
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

    ``python`` belongs to the environment with the libraries. mypy's cache is shared between calls.
    """
    names = packages or sorted(path.name for path in folder.iterdir() if path.is_dir())
    selected = [part for name in names for part in ("-p", name)]
    options = [
        "--strict",
        "--python-version",
        "3.10",
        "--no-error-summary",
        "--hide-error-context",
    ]
    options += [
        "--python-executable",
        str(python),
        "--cache-dir",
        str(_learnt_by_mypy(python)),
    ]
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


def _learnt_by_mypy(python: Path) -> Path:
    """Return a folder for each environment, and for each of the processes that run tests."""
    environment = hashlib.sha256(str(python).encode()).hexdigest()[:8]
    return CACHE / "mypy" / f"{environment}-{os.environ.get('PYTEST_XDIST_WORKER', 'alone')}"


def ignores(source: str) -> list[str]:
    """Return the comments in a module that would silence a checker."""
    tokens = tokenize.generate_tokens(io.StringIO(source).readline)
    comments = [token.string for token in tokens if token.type == tokenize.COMMENT]
    return [comment for comment in comments if IGNORES.search(comment)]
