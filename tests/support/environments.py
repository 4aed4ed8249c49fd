"""Clean virtual environments, created by uv if available, otherwise by pip."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import venv
from collections.abc import Mapping, Sequence
from pathlib import Path

from paths import ROOT

BIN = "Scripts" if os.name == "nt" else "bin"

# The requirements of a generated package, installed from the checkout.
RUNTIME = str(ROOT / "runtime")


def create(folder: Path, *requirements: str) -> Path:
    """Make an environment with these packages in it, and return its interpreter."""
    python = folder / BIN / Path(sys.executable).name
    uv = shutil.which("uv", path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    if uv:
        run([uv, "venv", "--quiet", "--clear", "--python", sys.executable, str(folder)])
        run([uv, "pip", "install", "--quiet", "--python", str(python), *requirements])
    else:
        venv.create(folder, clear=True, with_pip=True)
        run([str(python), "-m", "pip", "install", "--quiet", *requirements])
    return python


def run(
    command: Sequence[str],
    cwd: Path | None = None,
    env: Mapping[str, str] | None = None,
) -> str:
    """Run a command outside the test environment and return its output. Failures include the
    log.
    """
    stored = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}
    completed = subprocess.run(
        command,
        cwd=cwd,
        env={**stored, **(env or {})},
        capture_output=True,
        text=True,
        check=False,
    )
    output = f"$ {' '.join(command)}\n{completed.stdout}{completed.stderr}"
    assert completed.returncode == 0, output
    return completed.stdout
