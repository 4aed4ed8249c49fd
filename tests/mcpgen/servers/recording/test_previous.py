"""A second recording keeps names."""

from __future__ import annotations

import json
from pathlib import Path

from recorded_commands import Record

from mcpgen.jsontext import Json


def test_recording_anew_keeps_the_names_of_tools(record: Record, tmp_path: Path) -> None:
    file, dump = tmp_path / "contract.json", tmp_path / "dump.json"
    tools = [{"name": "get-user", "inputSchema": {"type": "object"}}]
    dump.write_text(json.dumps({"tools": tools}))
    assert record("-o", str(file), str(dump)).code == 0
    tools.append({"name": "get_user", "inputSchema": {"type": "object"}})
    dump.write_text(json.dumps({"tools": tools}))
    assert record("-o", str(file), str(dump)).code == 0
    assert json.loads(file.read_text())["names"] == {"get-user": "get_user"}


def test_recording_anew_keeps_the_names_of_shared_classes(record: Record, tmp_path: Path) -> None:
    file, dump = tmp_path / "contract.json", tmp_path / "dump.json"

    def tool(name: str, member: str) -> Json:
        item = {"type": "object", "properties": {member: {"type": "string"}}}
        output: Json = {"type": "object", "properties": {"i": {"$ref": "#/$defs/Item"}}}
        output["$defs"] = {"Item": item}
        return {"name": name, "inputSchema": {"type": "object"}, "outputSchema": output}

    tools = [tool("get", "a")]
    dump.write_text(json.dumps({"tools": tools}))
    assert record("-o", str(file), str(dump)).code == 0
    assert "classes" not in json.loads(file.read_text())
    tools.append(tool("list", "b"))
    dump.write_text(json.dumps({"tools": tools}))
    for _ in range(2):
        assert record("-o", str(file), str(dump)).code == 0
        pins = json.loads(file.read_text())["classes"]
        assert pins == {"Item": "/tools/get/outputSchema/$defs/Item"}
