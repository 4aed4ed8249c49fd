"""Records two published versions of each server and runs `mcpgen diff` on them.

    python scripts/compare_versions.py [NAME...] [--folder .cache/versions] [-- OPTION...]

Each version is installed from npm or PyPI into a folder of its own, which is reused along with its
contract. Arguments after ``--`` are passed to `mcpgen diff`.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import venv
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

HERE = Path(__file__).resolve().parent.parent
FOLDER = HERE / ".cache" / "versions"
BIN = "Scripts" if os.name == "nt" else "bin"


@dataclass(frozen=True)
class Pair:
    """Two versions of a server. ``beside`` pins dependencies. With a later zod or SDK, an old
    version publishes other schemas, or none.
    """

    registry: Literal["npm", "pypi"]
    package: str
    versions: tuple[str, str]
    arguments: tuple[str, ...] = ()
    beside: tuple[str, ...] = ()

    @property
    def stem(self) -> str:
        """The package's name, for folders."""
        return re.sub(r"\W+", "-", self.package).strip("-")


PAIRS = {
    "filesystem": Pair(
        "npm",
        "@modelcontextprotocol/server-filesystem",
        ("2025.3.28", "2025.11.25"),
        (".",),
        ("zod@3",),
    ),
    "github": Pair(
        "npm",
        "@modelcontextprotocol/server-github",
        ("2025.3.19", "2025.4.8"),
        beside=("zod@3",),
    ),
    "git": Pair("pypi", "mcp-server-git", ("2025.1.14", "2025.11.25"), beside=("mcp<2",)),
    "fetch": Pair("pypi", "mcp-server-fetch", ("2025.1.17", "2025.4.7"), beside=("mcp<2",)),
    "playwright": Pair("npm", "@playwright/mcp", ("0.0.30", "0.0.70"), beside=("zod@3",)),
}


def contracts(pair: Pair, folder: Path) -> tuple[Path, Path]:
    """Return the contracts of both versions, recorded if they are not there yet."""
    old, new = (record_version(pair, version, folder) for version in pair.versions)
    return old, new


def record_version(pair: Pair, version: str, folder: Path) -> Path:
    """Install a version, start it, and record its contract."""
    path = folder / f"{pair.stem}-{version}.json"
    if not path.exists():
        command = install_version(pair, version, folder / f"{pair.stem}-{version}")
        mcpgen("record", "-q", "--timeout", "60", "-o", str(path), "--", *command)
    return path


def install_version(pair: Pair, version: str, folder: Path) -> list[str]:
    """Install a version and return the command that starts it."""
    is_whole = folder / "installed"
    if not is_whole.exists():
        install = npm if pair.registry == "npm" else pypi
        install(pair, version, folder)
        is_whole.touch()
    if pair.registry == "pypi":
        return [str(folder / BIN / pair.package), *pair.arguments]
    package = folder / "node_modules" / pair.package
    programs = json.loads((package / "package.json").read_text(encoding="utf-8"))["bin"]
    program = programs if isinstance(programs, str) else next(iter(programs.values()))
    return ["node", str(package / program), *pair.arguments]


def npm(pair: Pair, version: str, folder: Path) -> None:
    program = shutil.which("npm") or "npm"
    # The scripts of packages fetch browsers and the like, which listing tools does not need.
    quiet = ["--no-audit", "--no-fund", "--ignore-scripts", "--silent"]
    requirements = [f"{pair.package}@{version}", *pair.beside]
    subprocess.run([program, "install", *quiet, "--prefix", str(folder), *requirements], check=True)


def pypi(pair: Pair, version: str, folder: Path) -> None:
    python = str(folder / BIN / "python")
    expected = ["--quiet", f"{pair.package}=={version}", *pair.beside]
    uv = shutil.which("uv", path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    venv.create(folder, clear=True, with_pip=uv is None)
    installer = (
        [uv, "pip", "install", "--python", python] if uv else [python, "-m", "pip", "install"]
    )
    subprocess.run([*installer, *expected], check=True)


def mcpgen(*arguments: str) -> str:
    """Run mcpgen from this checkout and return its output."""
    command = [sys.executable, "-m", "mcpgen", *arguments]
    completed = subprocess.run(command, cwd=HERE, stdout=subprocess.PIPE, text=True, check=False)
    if completed.returncode > 1:
        raise SystemExit(completed.returncode)
    return completed.stdout


def diff(pair: Pair, folder: Path, options: Sequence[str]) -> str:
    """Return the report on a pair."""
    paths = [os.path.relpath(path, HERE) for path in contracts(pair, folder)]
    return mcpgen("diff", *paths, *options)


def main(arguments: Sequence[str]) -> None:
    own, options = [*arguments], []
    if "--" in own:
        own, options = own[: own.index("--")], own[own.index("--") + 1 :]
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(PAIRS)}")
    parser.add_argument("--folder", type=Path, default=FOLDER)
    namespace = parser.parse_args(own)
    folder = namespace.folder.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    for name in namespace.names or PAIRS:
        if name not in PAIRS:
            parser.error(f"{name!r} is not one of {', '.join(PAIRS)}")
        pair = PAIRS[name]
        print(f"== {pair.package} {' -> '.join(pair.versions)}\n", flush=True)
        print(diff(pair, folder, options), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
