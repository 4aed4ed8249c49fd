"""In a GitHub job, server text is never a workflow command."""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path

import pytest
import sdk_programs
from mcpgen_runtime.shell import streams

ATTACKS = [
    "\n::error::boo",
    "\r::error::boo",
    "\n  ::add-mask::a",
    "x ##[error]boo",
    "::stop-commands::now",
]
COMMAND = re.compile(r"(?:^|[\r\n])\s*::|##\[")
JOB = {**os.environ, "GITHUB_ACTIONS": "true"}


def write_contract(folder: Path, name: str, suffix: str = "") -> Path:
    text = "".join(ATTACKS) + suffix
    tools = [
        {
            "name": f"tool{number}{attack}",
            "title": text,
            "description": text,
            "inputSchema": {
                "type": "object",
                "properties": {f"p{attack}": {"type": "string", "description": text}},
                "required": [f"q{attack}"],
                "x-own": text,
            },
        }
        for number, attack in enumerate(ATTACKS)
    ]
    (folder / name).write_text(json.dumps({"tools": tools, "instructions": text}))
    return folder / name


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    "args",
    [
        ["list", "a.json"],
        ["list", "a.json", "--json"],
        ["lint", "a.json", "-v"],
        ["lint", "a.json", "-f", "json"],
        ["lint", "a.json", "-f", "sarif"],
        ["diff", "a.json", "b.json", "-v"],
        ["diff", "a.json", "b.json", "-f", "markdown"],
        ["diff", "a.json", "b.json", "-f", "junit"],
        ["budget", "a.json"],
        ["client", "a.json", "-o", "out", "-v"],
        ["run", "--server", "a=a.json", "-c", "import a\nawait a.nope()", "--check"],
    ],
)
def test_no_text_of_a_server_is_a_command(args: list[str], tmp_path: Path) -> None:
    write_contract(tmp_path, "a.json")
    write_contract(tmp_path, "b.json", "more")
    completed = run(args, tmp_path)
    assert COMMAND.search(completed.stdout + completed.stderr) is None
    if "--json" in args or args[-1] == "json":
        plain = run(args, tmp_path, dict(os.environ, GITHUB_ACTIONS=""))
        assert json.loads(completed.stdout) == json.loads(plain.stdout)


def test_commands_of_diff_are_its_own(tmp_path: Path) -> None:
    write_contract(tmp_path, "a.json")
    write_contract(tmp_path, "b.json", "more")
    lines = run(["diff", "a.json", "b.json", "-v", "-f", "github"], tmp_path).stdout.splitlines()
    assert lines
    assert all(re.match(r"::(?:error|warning|notice) title=mcpgen ", line) for line in lines)
    assert "##[" not in "".join(lines)


def run(
    args: list[str], folder: Path, env: dict[str, str] = JOB
) -> subprocess.CompletedProcess[str]:
    command = sdk_programs.mcpgen(*args)
    return subprocess.run(
        command, cwd=folder, env=env, capture_output=True, text=True, timeout=60, check=False
    )


@pytest.mark.parametrize(
    "pieces", [["a\n", "  ", "::error::b\n"], ["\n:", ":error::b"], ["::", "error::b"]]
)
def test_command_in_pieces_is_escaped(pieces: list[str]) -> None:
    out: list[str] = []
    guard = streams._CommandGuard(lambda text: out.append(text) or 0)
    for piece in pieces:
        guard(piece)
    assert COMMAND.search("".join(out)) is None


def test_plain_text_stays_as_it_is() -> None:
    text = 'a::b\n{"a": "x::y", "b": "# #[c"}\n std::vector\n'
    assert streams.without_commands(text) == text
