"""Projects for tests: a pyproject.toml, contracts, and commands that use them."""

from __future__ import annotations

import contextlib
import io
import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import sdk_programs
from guards import PATIENCE
from paths import ROOT

DEMO = ROOT / "golden" / "demo" / "contract.json"
BOTH = """\
[tool.mcpgen.servers.bookshelf]
source = "demo"
client = {output = "src"}
server = {output = "servers", name = "bookshelf_server"}
"""


def project(folder: Path, table: str = BOTH, contract: bytes | None = None) -> Path:
    """Write a project whose contract is the demo's."""
    (folder / "mcp").mkdir(parents=True, exist_ok=True)
    (folder / "pyproject.toml").write_text(table, encoding="utf-8")
    (folder / "mcp" / "bookshelf.contract.json").write_bytes(contract or DEMO.read_bytes())
    return folder


def isolated_environment(folder: Path) -> dict[str, str]:
    """Return variables that give a project its own cache and signing key."""
    beside = folder.parent
    return {
        "MCPGEN_CACHE_DIR": str(beside / "cache"),
        "XDG_CONFIG_HOME": str(beside / "config"),
    }


def run(
    folder: Path, *arguments: str, stdin: str | None = None, **env: str
) -> subprocess.CompletedProcess[str]:
    """Run a command in a project, with a cache of its own."""
    return subprocess.run(
        sdk_programs.mcpgen(*arguments),
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        input=stdin,
        timeout=PATIENCE,
        env={**os.environ, **isolated_environment(folder), **env},
    )


def call(folder: Path, *arguments: str, **env: str) -> subprocess.CompletedProcess[str]:
    """Run a command in this process, which imports the SDK only once."""
    from mcpgen.cli.app import run as cli

    output, errors = (io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True) for _ in "12")
    before, environment = Path.cwd(), dict(os.environ)
    os.environ |= {**isolated_environment(folder), **env}
    os.chdir(folder)
    try:
        with contextlib.redirect_stdout(output), contextlib.redirect_stderr(errors):
            code = cli([*arguments])
    finally:
        os.chdir(before)
        os.environ.clear()
        os.environ.update(environment)
    for stream in (output, errors):
        stream.seek(0)
    return subprocess.CompletedProcess(arguments, int(code), output.read(), errors.read())


def on_a_terminal(folder: Path, *arguments: str, answers: str = "") -> tuple[int, str]:
    """Run a command in a terminal and return its exit code and output."""
    import pty

    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "mcpgen", *arguments],
        cwd=folder,
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        env={**os.environ, **isolated_environment(folder), "TERM": "xterm"},
    )
    os.close(theirs)
    os.write(ours, answers.encode())
    output = b""
    while True:
        try:
            part = os.read(ours, 4096)
        except OSError:  # Linux raises this when the terminal closes
            break
        if not part:
            break
        output += part
    os.close(ours)
    return process.wait(timeout=PATIENCE), output.decode()


def files(folder: Path) -> dict[str, str]:
    """Return the text of every file, by its path."""
    return {
        path.relative_to(folder).as_posix(): path.read_text(encoding="utf-8")
        for path in sorted(folder.rglob("*"))
        if path.is_file() and "__pycache__" not in path.parts
    }


def changed_contract(**tools: Any) -> bytes:
    """Return the bytes of the demo's contract with changed tool definitions."""
    from mcpgen.contract.document import read
    from mcpgen.jsontext import loads

    document = json.loads(DEMO.read_bytes())
    for name, members in tools.items():
        if members is None:
            del document["tools"][name]
        else:
            document["tools"].setdefault(name, {"definition": {"name": name}})
            document["tools"][name]["definition"].update(members)
    return read(loads(json.dumps(document))).text().encode()


def many(count: int, seed: int = 0) -> bytes:
    """Return a contract of many tools. Another seed gives other descriptions."""
    from mcpgen.contract.document import Contract

    properties: Mapping[str, Any] = {f"value_{n}": {"type": "integer"} for n in range(5)}
    schema = {"type": "object", "properties": properties, "required": ["value_1"]}
    tools = {
        f"tool_{n}": {
            "name": f"tool_{n}",
            "description": f"Does {n} for {seed}.",
            "inputSchema": schema,
            "outputSchema": schema,
        }
        for n in range(count)
    }
    return Contract(tools=tools, server={"name": "many", "version": "1"}).text().encode()


def project_with_server(folder: Path, **tools: Any) -> Path:
    """Write a project with a server that lists the tools in `tools.json`."""
    folder.mkdir(parents=True, exist_ok=True)
    command = json.dumps(
        [sys.executable, str(ROOT / "tests/support/servers/from_file.py"), "tools.json"]
    )
    text = f'[tool.mcpgen.servers.files]\nsource = {command}\nclient = {{output = "src"}}\n'
    (folder / "pyproject.toml").write_text(text, encoding="utf-8")
    offer(folder, **tools)
    return folder


def offer(folder: Path, **tools: Any) -> None:
    """Replace the server's tools."""
    listed = [
        {"name": name, "inputSchema": {"type": "object"}, **members}
        for name, members in tools.items()
    ]
    (folder / "tools.json").write_text(json.dumps(listed), encoding="utf-8")
