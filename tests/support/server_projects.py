"""Projects of generated servers."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest
import sdk_programs
from paths import ROOT
from skeletons import DEMO

from mcpgen.jsontext import Json


def mcpgen(
    *arguments: str, cwd: Path, code: int = 0, text: str | None = None
) -> subprocess.CompletedProcess[str]:
    completed = subprocess.run(
        sdk_programs.mcpgen(*arguments),
        capture_output=True,
        text=True,
        check=False,
        cwd=cwd,
        input=text,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
    )
    assert completed.returncode == code, completed.stderr
    return completed


def changed_document() -> dict[str, Json]:
    """The demo's contract as a dump, with one tool added and one removed."""
    document: dict[str, Json] = json.loads(DEMO.read_bytes())
    tools = {name: entry["definition"] for name, entry in document["tools"].items()}
    del tools["show_cover"]
    schema = {"type": "object", "properties": {"loan": {"type": "string"}}, "required": ["loan"]}
    tools["renew_loan"] = {"name": "renew_loan", "inputSchema": schema, "outputSchema": schema}
    return {"server": document["server"], "tools": list(tools.values())}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A project as written by the command."""
    mcpgen("server", str(DEMO), "-o", ".", cwd=tmp_path)
    (tmp_path / "new.json").write_text(json.dumps(changed_document()))
    return tmp_path / "bookshelf"
