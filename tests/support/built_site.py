"""The documentation site, built once for all tests of a run."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from paths import ROOT
from programs import require
from shared_texts import shared_tree


def build() -> Path:
    """Return the folder of the built site. Zensical finds nothing wrong with it."""
    require("zensical")
    return shared_tree("documentation", _build) / "site"


def _build(folder: Path) -> None:
    completed = subprocess.run(
        [sys.executable, str(ROOT / "scripts" / "build_site.py"), str(folder)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    output = completed.stdout + completed.stderr
    assert completed.returncode == 0, output
    assert "No issues found" in output
