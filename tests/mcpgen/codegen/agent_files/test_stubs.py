"""The tools of a server as a script sees them: typed functions over plain JSON."""

from __future__ import annotations

import ast
import unicodedata
from pathlib import Path
from typing import Any

import pytest
from checkers import typed
from hostile.frames import PAYLOADS, everywhere, of_a_server
from hostile.skeleton import joints
from paths import ROOT

from mcpgen.codegen.agent_files.stubs import package_stub, tool_stub, tool_stubs
from mcpgen.codegen.plan import tool_types
from mcpgen.contract.document import Contract, read
from mcpgen.errors import ContractError
from mcpgen.jsontext import loads

DEMO = read(loads((ROOT / "golden" / "demo" / "contract.json").read_bytes()))


HARMLESS = ["plain", "Plain words", "x_y", "9", "", "one\n\ntwo", "Words " * 30, "a" * 70]


def make_contract(
    schema: dict[str, Any], result: dict[str, Any] | None = None, name: str = "f"
) -> Contract:
    tool = {"name": name, "inputSchema": {"type": "object", **schema}}
    return read({"tools": [{**tool, **({"outputSchema": result} if result else {})}]})


def signature(schema: dict[str, Any], result: dict[str, Any] | None = None) -> str:
    [stub] = tool_stubs(make_contract(schema, result))
    return stub.signature


def test_stub_is_a_typed_documented_function() -> None:
    assert tool_stub(DEMO, "take_inventory") == (
        "from typing import TypedDict\n"
        "\n"
        "async def take_inventory() -> TakeInventoryOutput:\n"
        '    """Count every item, and report progress after each.\n'
        "\n"
        "    Hints, unverified: read-only, closed world.\n"
        '    """\n'
        "\n"
        "class TakeInventoryOutput(TypedDict):\n"
        "    counted: int\n"
        "    by_genre: dict[str, int]\n"
    )


def test_stub_arguments_are_keywords_with_optional_defaults() -> None:
    result = next(stub for stub in tool_stubs(DEMO) if stub.wire == "search_catalogue")
    assert result.signature == (
        "async def search_catalogue(*, query: str, from_: int = ...,"
        ' genre: Literal["crime", "nature", "poetry", "travel"] = ...,'
        " language: str | None = ..., limit: int = 10) -> SearchCatalogueOutput: ..."
    )
    assert result.arguments is not None
    assert result.arguments["from_"] == "from"


def test_a_result_without_a_schema_is_its_text() -> None:
    assert signature({"properties": {"a": {"type": "string"}}}).endswith("-> str: ...")


def test_stub_unwraps_wrapped_results() -> None:
    wrapped = {
        "type": "object",
        "properties": {"result": {"type": "array", "items": {"type": "integer"}}},
        "required": ["result"],
        "x-fastmcp-wrap-result": True,
    }
    assert signature({"properties": {}}, wrapped) == "async def f() -> list[int]: ..."


@pytest.mark.parametrize("schema", [{}, {"additionalProperties": {"type": "string"}}])
def test_stub_without_named_arguments_takes_a_mapping(schema: dict[str, Any]) -> None:
    [stub] = tool_stubs(make_contract(schema))
    assert stub.signature == "async def f(arguments: Mapping[str, Any] = ...) -> str: ..."
    assert stub.arguments is None


def test_impossible_argument_is_never() -> None:
    assert signature({"properties": {"a": {"enum": []}}, "required": ["a"]}) == (
        "async def f(*, a: Never) -> str: ..."
    )


def test_stub_keeps_json_keys_invalid_as_identifiers() -> None:
    result = {
        "type": "object",
        "properties": {"a-b": {"type": "string", "description": "Said."}, "class": {}},
        "required": ["a-b"],
    }
    [function] = tool_stubs(make_contract({"properties": {}}, result))
    assert function.types == (
        "FOutput = TypedDict(\n"
        '    "FOutput",\n'
        "    {\n"
        '        "a-b": str,\n'
        '        "class": NotRequired[Any],\n'
        "    },\n"
        ")\n"
        '"""Keys:\n'
        '    "a-b": Said.\n'
        '"""',
    )


def test_undocumented_stub_has_no_server_text() -> None:
    text = package_stub(DEMO, documented=False)
    assert "Lend an item" not in text
    assert "Who wrote" not in text
    functions = [node for node in ast.parse(text).body if isinstance(node, ast.AsyncFunctionDef)]
    assert len(functions) == len(DEMO.tools)


def test_the_order_of_tools_changes_nothing() -> None:
    document = DEMO.document()
    document["tools"] = dict(reversed(document["tools"].items()))
    assert package_stub(read(document)) == package_stub(DEMO)


@pytest.mark.slow
def test_stub_failure_affects_only_its_tool(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    arguments = tool_types.arguments

    def failing(tool: Any, name: str) -> Any:
        if tool.name == "get_item" and tool.input:
            raise ContractError("no types")
        return arguments(tool, name)

    monkeypatch.setattr("mcpgen.codegen.agent_files.stubs.tool_types.arguments", failing)
    result = {stub.wire: stub for stub in tool_stubs(DEMO)}
    assert result["get_item"].arguments is None
    assert [stub for stub in result.values() if stub.arguments is None] == [result["get_item"]]


@pytest.mark.slow
def test_hostile_texts_stay_text() -> None:
    allowed = {part for text in HARMLESS for part in joints(package_stub(everywhere([text])), "")}
    allowed |= set(joints(package_stub(everywhere(HARMLESS)), ""))
    allowed |= {part for text in HARMLESS for part in joints(package_stub(of_a_server(text)), "")}
    texts = [PAYLOADS[name] for name in sorted(PAYLOADS)[::120]]
    stub = package_stub(everywhere(texts))
    assert set(joints(stub, "")) <= allowed
    assert {char for char in stub if unicodedata.category(char) in ("Cc", "Cf", "Cs")} <= {"\n"}


@typed()
def stub_forms(folder: Path) -> None:
    tree = {
        "type": "object",
        "properties": {"n": {"type": "array", "items": {"$ref": "#"}}, "v-w": {}},
    }
    values = {"anyOf": [{"type": "string"}, {"type": "array", "items": {"$ref": "#/$defs/V"}}]}
    recursive = make_contract(
        {"properties": {"v": {"$ref": "#/$defs/V"}}, "$defs": {"V": values}}, tree
    )
    for name, contract in {"demo": DEMO, "recursive": recursive}.items():
        (folder / f"{name}.pyi").write_text(package_stub(contract), "utf-8")
    for tool in DEMO.tools:
        (folder / f"{tool}.pyi").write_text(tool_stub(DEMO, tool), "utf-8")


@pytest.mark.slow
def test_type_checkers_accept_every_stub_form() -> None:
    assert stub_forms.pyright() == []


@pytest.mark.parametrize(
    ("default", "expected"),
    [
        (3, "3"),
        (True, "True"),
        ('a"b\n', "'a\"b\\n'"),
        ("x" * 40, "..."),
        (None, "..."),
        ([], "..."),
    ],
)
def test_stub_shows_short_default(default: Any, expected: str) -> None:
    schema = {"type": "object", "properties": {"a": {"default": default}}}
    (stub,) = tool_stubs(read({"tools": [{"name": "t", "inputSchema": schema}]}))
    assert f"= {expected})" in stub.signature
