"""Names read naturally, and are changed only if Python or a base class uses them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from projects import changed_contract, files, project, run

from mcpgen.codegen import identifiers, naming
from mcpgen.contract.document import Contract


@pytest.mark.parametrize(
    "wires",
    [("get1", "get_1"), ("search_v2", "search_v_2"), ("v12", "v1_2"), ("i", "\u0131")],
)
def test_tools_have_classes_of_their_own(wires: tuple[str, str]) -> None:
    names = naming.methods(wires)
    classes = {identifiers.pascal(name).casefold() for name in names.values()}
    assert len(classes) == len(wires)
    assert names[wires[0]] == wires[0]
    again = naming.methods(wires, {wires[1]: wires[1]})  # it was there before
    assert again[wires[1]] == wires[1]
    assert again[wires[0]] != wires[0]


@pytest.mark.parametrize("style", ["dataclass", "typeddict"])
def test_fields_keep_wire_names_if_possible(style: str) -> None:
    free = ["type", "json", "fields", "schema", "copy", "id", "input", "set", "object", "model_id"]
    free += ["timeout", "meta", "on_progress"]
    assert naming.members(free, style) == {name: name for name in free}
    used = ["self", "list", "str", "class"]
    assert naming.members(used, style) == {name: f"{name}_" for name in used}


@pytest.mark.slow
def test_pinned_names_stay(tmp_path: Path) -> None:
    wires = ["similarURLs", "set", "getIPv6"]
    pins = {"similarURLs": "similar_ur_ls", "set": "set_", "getIPv6": "get_i_pv6"}
    assert naming.methods(wires, pins) == pins
    tools = {name: {"name": name, "inputSchema": {"type": "object"}} for name in wires}
    old, new = Contract(tools=tools, names=pins), Contract(tools=tools)
    assert naming.pin(old, new).names == pins
    document = json.loads(
        changed_contract(**{n: {"inputSchema": {"type": "object"}} for n in wires})
    )
    document["names"] = pins
    root = project(tmp_path / "project", contract=json.dumps(document).encode())
    assert run(root, "generate").returncode == 0
    result = files(root / "src" / "bookshelf")["client.py"]
    assert all(f"async def {name}(" in result for name in pins.values())
