"""The skill: its front matter, its example, and no markup of a server."""

from __future__ import annotations

import ast
import json
import os
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml
from agent_files import DEMO, files, lines
from checkers import write
from hostile.frames import PAYLOADS, everywhere, of_a_server

from mcpgen.codegen.agent_files import layout, paths
from mcpgen.codegen.agent_files.budget import estimate_tokens
from mcpgen.codegen.pipeline import Options, generate

GENERATED = generate(DEMO, Options(style="typeddict"))


LINE = re.compile(r"- `\w+`( \([^\n]+?\))?( \[\w+\.pyi\]\(\w+\.pyi\))?(: [^\n]+)?")


def front_matter(skill: str) -> dict[str, Any]:
    _, head, _ = skill.split("---\n", 2)
    parsed: dict[str, Any] = yaml.safe_load(head)
    return parsed


def test_skill_has_front_matter_for_hosts() -> None:
    front = front_matter(files(DEMO)["SKILL.md"])
    assert front["name"] == "bookshelf" == Path(paths.folder(".", "bookshelf")).name
    assert front["description"].startswith(
        "Tools of the MCP server bookshelf, version 1.0.0: 8 tools"
    )
    assert "search its catalogue" in front["description"]
    assert "search_catalogue" in front["description"]
    assert set(front) <= {"name", "description", "license", "compatibility", "metadata"}
    assert len(front["compatibility"]) <= 500


@pytest.mark.parametrize(
    ("package", "skill"),
    [
        ("bookshelf", "bookshelf"),
        ("my_server", "my-server"),
        ("_A__b_", "a-b"),
        ("_", "tools"),
        ("x" * 63 + "_y", "x" * 63),
    ],
)
def test_a_skill_is_called_as_skills_may_be(package: str, skill: str) -> None:
    assert paths.skill(package) == skill
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", skill)


def test_the_skill_says_how_much_there_is_to_read() -> None:
    result = files(DEMO)
    (row,) = [line for line in result["SKILL.md"].splitlines() if line.startswith("| `index.pyi`")]
    characters = int(row.split("|")[3].replace(",", ""))
    assert characters == pytest.approx(len(result["index.pyi"]), rel=0.05)
    assert int(row.split("|")[4]) == pytest.approx(estimate_tokens(result["index.pyi"]), rel=0.05)


@pytest.mark.slow
def test_the_example_of_the_skill_runs(tmp_path: Path) -> None:
    write(GENERATED.files, tmp_path / "bookshelf")
    (code,) = re.findall(r"```python\n(.*?)```", files(DEMO)["SKILL.md"], re.S)
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    completed = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        cwd=tmp_path,
        env=os.environ | {"PATH": path},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert (completed.returncode, completed.stderr) == (0, "")
    assert ast.literal_eval(completed.stdout)["shelves"]


@pytest.mark.slow
def test_skill_lists_required_variables() -> None:
    origin = {"transport": "http", "url": "https://example.org/${TENANT}/mcp"}
    text = files(replace(DEMO, origin=origin))["SKILL.md"]
    assert "- TENANT: in its address" in text
    assert "environment" not in files(DEMO)["SKILL.md"]


@pytest.mark.slow
def test_server_strings_cannot_inject_markup() -> None:
    contract = everywhere(list(PAYLOADS.values())[::40])
    result = layout.files(contract, GENERATED)
    assert len(lines(result["index.md"])) == len(contract.tools)
    assert all(text.encode() for text in result.values())
    for line in lines(result["index.md"]):
        assert LINE.fullmatch(line), line
        assert line.isprintable()
    for line in result["index.jsonl"].splitlines():
        assert line.isascii()
        assert json.loads(line)["file"] in result


@pytest.mark.slow
def test_server_info_cannot_imitate_generated_text() -> None:
    harmless = layout.files(of_a_server("plain"), GENERATED)["SKILL.md"]
    for text in list(PAYLOADS.values())[::10]:
        contract = replace(of_a_server(text), instructions=text)
        output = layout.files(contract, GENERATED)["SKILL.md"]
        assert output.encode()
        front = front_matter(output)
        assert set(front) == set(front_matter(harmless))
        assert not set(front["description"]) & {"<", ">", "\n"}
        assert 0 < len(front["description"]) <= 1024
        own, _, quoted = output.partition("\n## The server's description\n\n")
        assert len(own.splitlines()) == len(
            harmless.partition("\n## The server's description")[0].splitlines()
        )
        assert all(line.startswith(">") for line in quoted.splitlines())


def test_instructions_cannot_inject_headings_or_lists() -> None:
    text = "Title\n---\n===\n- item\n1. x\n2) y\n+ z\n12 apples"
    output = layout.files(replace(of_a_server("plain"), instructions=text), GENERATED)["SKILL.md"]
    quoted = output.partition("\n## The server's description\n\n")[2]
    assert quoted.splitlines() == [
        *("> Title", r"> \---", r"> \===", r"> \- item", r"> 1\. x", r"> 2\) y", r"> \+ z"),
        "> 12 apples",
    ]
    assert "The server's description: \"Title" in front_matter(output)["description"]
