"""The file of observed types next to a contract is an input of every command, like the contract."""

from __future__ import annotations

import ast
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from mcpgen_runtime.replay.definition import definition_hash
from paths import ROOT
from projects import call, files

import mcpgen.project.observed as observing
from mcpgen.codegen.agent_files.stubs import package_stub
from mcpgen.codegen.pipeline import generate
from mcpgen.contract.definitions import Tool
from mcpgen.contract.document import Contract, read
from mcpgen.contract.observation.document import ObservedTool
from mcpgen.errors import ContractError
from mcpgen.jsontext import loads
from mcpgen.project.observed import with_observed

CASE = ROOT / "golden" / "observed"
CONTRACT = CASE / "contract.json"
OBSERVED = CASE / "contract.observed.json"
TABLE = '[tool.mcpgen.servers.notes]\ncontract = "notes.json"\nclient = {output = "src"}\n'
HERE = "notes.observed.json"
STRING = {"type": "string"}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "notes.json").write_bytes(CONTRACT.read_bytes())
    (folder / HERE).write_bytes(OBSERVED.read_bytes())
    (folder / "pyproject.toml").write_text(TABLE)
    return folder


def edit_tools(file: Path, change: Callable[[Any], None]) -> None:
    document = json.loads(file.read_bytes())
    change(document["tools"])
    file.write_text(json.dumps(document))


def return_type(folder: Path, method: str) -> str:
    """Return the return type of a method."""
    tree = ast.parse((folder / "client.py").read_text())
    methods = [node for node in ast.walk(tree) if isinstance(node, ast.AsyncFunctionDef)]
    result = next(node for node in methods if node.name == method)
    return ast.unparse(result.returns) if result.returns else ""


# mcpgen client


def test_observed_file_is_found_and_lapses_are_reported(root: Path) -> None:
    ended = call(root, "client", "notes.json", "-v")
    assert "/tools/changed" in ended.stderr
    assert "the schemas have changed since results were observed" in ended.stderr
    assert return_type(root / "notes", "find_notes") == "models.FindNotesOutput"
    assert return_type(root / "notes", "motd") == "str"
    for name in ("changed", "unseen"):
        assert return_type(root / "notes", name) == "ToolResult"
    assert call(root, "client", "notes.json", "--strict", "-q").returncode == 1


def test_the_file_can_be_named_or_left_out(root: Path) -> None:
    (root / HERE).rename(root / "seen.json")
    call(root, "client", "notes.json", "-q")
    plain = files(root / "notes")
    assert return_type(root / "notes", "motd") == "ToolResult"
    call(root, "client", "notes.json", "-q", "--observed", "seen.json")
    assert return_type(root / "notes", "motd") == "str"
    (root / "seen.json").rename(root / HERE)
    call(root, "client", "notes.json", "-q", "--no-observed")
    assert files(root / "notes") == plain


def test_named_observed_file_must_exist(root: Path) -> None:
    ended = call(root, "client", "notes.json", "--observed", "none.json")
    assert ended.returncode == 2
    assert "the observed file cannot be read" in ended.stderr
    ended = call(root, "client", "notes.json", "--observed", HERE, "--no-observed")
    assert "--observed and --no-observed exclude each other" in ended.stderr


@pytest.mark.parametrize(("line", "result"), [("false", "ToolResult"), ('"seen.json"', "str")])
def test_table_selects_the_observed_file(root: Path, line: str, result: str) -> None:
    (root / HERE).rename(root / ("seen.json" if result == "str" else HERE))
    (root / "pyproject.toml").write_text(f"{TABLE}observed = {line}\n")
    for token in ("notes", "notes.json"):
        assert call(root, "client", token, "-q", "-o", f"of_{token}").returncode == 0
        assert return_type(root / f"of_{token}" / "notes", "motd") == result
    assert files(root / "of_notes") == files(root / "of_notes.json")


def test_copy_in_a_package_generates_the_same_package(root: Path) -> None:
    call(root, "client", "notes.json", "-q")
    call(root, "client", "notes/contract.json", "-q", "-o", "again")
    assert files(root / "again" / "notes") == files(root / "notes")


# The pipeline


def test_changed_observation_makes_code_stale(root: Path) -> None:
    assert call(root, "generate").returncode == 0
    assert call(root, "check").returncode == 0
    edit_tools(root / HERE, lambda tools: tools["motd"].update(answers=9))
    ended = call(root, "check", "--json")
    stale = {load["path"] for load in json.loads(ended.stdout)["stale"]}
    paths = ("__init__.py", "client.py", "contract.observed.json")
    assert stale == {f"src/notes/{path}" for path in paths}
    assert call(root, "generate").returncode == call(root, "check").returncode == 0
    assert "text, observed in 9 responses" in (root / "src" / "notes" / "client.py").read_text()


def test_removed_observed_file_removes_its_copy(root: Path) -> None:
    call(root, "generate", "-q")
    (root / HERE).unlink()
    ended = call(root, "check", "--json")
    stale = {load["path"]: load["state"] for load in json.loads(ended.stdout)["stale"]}
    assert stale["src/notes/contract.observed.json"] == "left over"
    call(root, "generate", "-q")
    assert call(root, "check").returncode == 0
    assert not (root / "src" / "notes" / "contract.observed.json").exists()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("line", "result"), [("false", "ToolResult"), ('"seen.json"', "str"), ('"none.json"', "")]
)
def test_the_table_names_the_file_or_leaves_it_out(root: Path, line: str, result: str) -> None:
    (root / "pyproject.toml").write_text(f"{TABLE}observed = {line}\n")
    (root / "seen.json").write_bytes(OBSERVED.read_bytes())
    ended = call(root, "generate")
    if result:
        assert return_type(root / "src" / "notes", "motd") == result
    else:
        assert ended.returncode == 2
        assert "none.json" in ended.stderr


def test_excluded_tools_cause_no_notice(root: Path) -> None:
    (root / "pyproject.toml").write_text(f'{TABLE}include = ["motd"]\n')
    edit_tools(root / HERE, lambda tools: tools.pop("changed"))
    assert call(root, "generate", "--strict").returncode == 0
    assert call(root, "check").returncode == 0


# Content of the file


def notes() -> Contract:
    return read(loads(CONTRACT.read_bytes()))


def observed_file(schema: Any, tool: str = "unseen", **more: Any) -> bytes:
    """Return an observed file with one definition."""
    digest = definition_hash(notes().tools[tool])
    entry = {"answers": 4, "definition": digest, "from": "json", "schema": schema, **more}
    return json.dumps({"mcpgenObserved": 1, "tools": {tool: entry}}).encode()


@pytest.mark.parametrize(
    ("content", "pointer"),
    [
        (b"{", "seen.json"),
        (b"[]", "seen.json"),
        (observed_file({"type": 7}), "seen.json#/tools/unseen/schema/type"),
        (observed_file({"$ref": "https://example.org/a"}), "seen.json#/tools/unseen/schema/$ref"),
        (observed_file({"$schema": "urn:other"}), "seen.json#/tools/unseen/schema/$schema"),
        (observed_file(STRING, answers=0), "seen.json#/tools/unseen/answers"),
        (observed_file(STRING, **{"from": "words"}), "seen.json#/tools/unseen/from"),
    ],
)
def test_invalid_content_is_an_error_with_pointer(content: bytes, pointer: str) -> None:
    with pytest.raises(ContractError) as raised:
        with_observed(notes(), content, "seen.json")
    assert raised.value.where == pointer


def test_names_and_strings_of_the_file_stay_inert() -> None:
    names = ['"); import os #', "class", "__init__", "self", "a\nb", "\u202e", "_raw", "", "é"]
    schema = {
        "type": "object",
        "title": 'x"""\nimport os',
        "description": '"""\nimport os\n\\',
        "properties": {name: {"type": "object", "properties": {name: STRING}} for name in names},
    }
    contract, notices = with_observed(notes(), observed_file(schema), "seen.json")
    generated = generate(contract)  # which holds each file against its list of syntax
    assert not notices
    assert not generated.notices
    for path, text in generated.files.items():
        if path.endswith(".py") and not path.startswith("_runtime/"):
            imported = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Import)]
            assert imported == []


def test_a_huge_shape_is_generated() -> None:
    schema = {"type": "object", "properties": {f"member_{n}": STRING for n in range(2_000)}}
    contract, _ = with_observed(notes(), observed_file(schema), "seen.json")
    files = generate(contract).files
    assert any("member_1999: Maybe[str]" in text for text in files.values())


@pytest.mark.parametrize(
    ("tool", "content", "is_used"),
    [
        ("telling", {"type": "object", "properties": {"a": STRING}}, False),
        ("stats", {"type": "object", "properties": {"a": STRING}}, True),
        ("stats", {"type": "object"}, False),
        ("run_query", {"type": "array", "items": STRING}, True),
        ("unseen", {"type": "object"}, True),
    ],
)
def test_observed_type_is_used_if_more_precise(tool: str, content: Any, *, is_used: bool) -> None:
    contract, _ = with_observed(notes(), observed_file(content, tool), "seen.json")
    assert (tool in contract.observed) is is_used


def test_failing_tool_loses_only_its_own_observation(monkeypatch: pytest.MonkeyPatch) -> None:
    before, lapsed = with_observed(notes(), OBSERVED.read_bytes(), "seen.json")
    helps = observing._helps

    def refusing(tool: Tool, observed_tool: ObservedTool) -> bool:
        if tool.name == "motd":
            raise ContractError("it is too deep")
        return helps(tool, observed_tool)

    monkeypatch.setattr(observing, "_helps", refusing)
    contract, notices = with_observed(notes(), OBSERVED.read_bytes(), "seen.json")
    assert before.observed.keys() - contract.observed.keys() == {"motd"}
    (notice,) = notices[len(lapsed) :]
    assert notice.pointer == "/tools/motd"
    assert notice.reason == "it is too deep; its observations are not used"


def test_a_promised_text_needs_no_observation() -> None:
    entry = {"answers": 4, "from": "text", "definition": ""}
    entries = {
        name: {**entry, "definition": definition_hash(notes().tools[name])}
        for name in ("run_query", "anything")
    }
    content = json.dumps({"mcpgenObserved": 1, "tools": entries}).encode()
    contract, _ = with_observed(notes(), content, "seen.json")
    assert list(contract.observed) == ["anything"]


def test_script_stubs_include_observed_types() -> None:
    contract, _ = with_observed(notes(), OBSERVED.read_bytes(), "seen.json")
    stub = package_stub(contract)
    assert "async def find_notes(*, query: str) -> FindNotesOutput:" in stub
    assert "async def count_notes() -> int:" in stub
    assert "Result: observed in 5 responses, not promised by the server." in stub
