"""A client preserves everything in a result, in order."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from mcp import StdioServerParameters
from runtime.packages import import_client

from mcpgen.contract.document import Contract
from mcpgen.jsontext import Json
from runtime import echo_server

EMBEDDED: Json = {  # the example of the specification, server/tools, "Embedded Resources"
    "type": "resource",
    "resource": {
        "uri": "file:///project/src/main.rs",
        "title": "Project Rust Main File",
        "mimeType": "text/x-rust",
        "text": "fn main() {}",
        "annotations": {"audience": ["user", "assistant"], "priority": 0.7, "x-own": 1},
    },
}
FUTURE: Json = {"type": "hologram", "depth": 3, "data": [1]}
TEXT: Json = {"type": "text", "text": "hello", "x-own": True, "_meta": {"a": 1}}
RESULT: Json = {
    "content": [TEXT, FUTURE, EMBEDDED],
    "_meta": {"example.org/a": 1},
    "x-own": {"b": [2]},
}
CALL = {"type": "tool_use", "id": "1", "name": "echo", "input": {}}
ERAS = pytest.mark.parametrize("era", ["modern", "legacy"])


def module() -> Any:
    tool: Json = {"name": "echo", "inputSchema": {"type": "object"}}
    contract = Contract(
        tools={"echo": tool},
        prompts={"echo": {"name": "echo"}},
        resources={"echo:a": {"name": "echo", "uri": "echo:a"}},
    )
    return import_client(contract, "echoing")


def server(tmp_path: Path, era: str, result: Json) -> StdioServerParameters:
    file = tmp_path / "result.json"
    file.write_text(json.dumps(result))
    return StdioServerParameters(
        command=sys.executable, args=[echo_server.__file__, era, str(file)]
    )


def dump(raw: Any) -> Json:
    dump: Json = raw.model_dump(mode="json", by_alias=True, exclude_unset=True)
    dump.pop("resultType", None)
    if not dump.get("_meta"):
        dump.pop("_meta", None)
    return dump


@ERAS
def test_nothing_of_a_tool_result_is_lost(tmp_path: Path, era: str) -> None:
    with module().Client.sync.connect(server(tmp_path, era, RESULT)) as client:
        response = client.response(client.call, "echo", {})
    assert dump(response.raw) == RESULT
    assert [block.type for block in response.content] == ["text", "hologram", "resource"]
    assert response.content[1].depth == 3
    assert response.content[2].resource.annotations.priority == 0.7
    assert response.content[2].resource.title == "Project Rust Main File"
    assert response.meta == {"example.org/a": 1}
    assert (response.text, response.data.text) == ("hello", "hello")


@ERAS
def test_nothing_of_a_prompt_or_a_resource_is_lost(tmp_path: Path, era: str) -> None:
    prompt: Json = {"messages": [{"role": "user", "content": FUTURE, "x-own": 1}]}
    with module().Client.sync.connect(server(tmp_path, era, prompt)) as client:
        assert dump(client.prompts.echo()) == prompt
    contents: Json = {"contents": [EMBEDDED["resource"]]}
    with module().Client.sync.connect(server(tmp_path, era, contents)) as client:
        assert dump(client.resources.echo().raw) == contents


@ERAS
@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ([{"text": "no type"}], "/content/0"),
        ([TEXT, {"type": "image", "mimeType": "image/png"}], "/content/1"),
        (["text"], "/content/0"),
        (5, "/content"),
    ],
)
def test_broken_block_is_an_invalid_result(
    tmp_path: Path, era: str, content: Json, problem: str
) -> None:
    package = module()
    with (
        package.Client.sync.connect(server(tmp_path, era, {"content": content})) as client,
        pytest.raises(package.InvalidResult, match=problem),
    ):
        client.call("echo", {})


@ERAS
def test_model_does_not_get_resources_meant_for_the_user(tmp_path: Path, era: str) -> None:
    hidden = json.loads(json.dumps(EMBEDDED))
    hidden["resource"]["annotations"]["audience"] = ["user"]
    result = {"content": [hidden, FUTURE, TEXT]}
    with module().Client.sync.connect(server(tmp_path, era, result)) as client:
        answer = client.tools.run(CALL)
    text = json.dumps(answer)
    assert "fn main" not in text
    assert "hologram" in text
    assert text.index("hologram") < text.index("hello")
