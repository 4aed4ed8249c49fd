"""The tools in smolagents: descriptions, data, wire names and errors."""

from __future__ import annotations

import json
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

import pytest
from framework_tools import (
    BROKEN,
    CONTRACT,
    EVERYTHING,
    NEEDED,
    NODE,
    OFFICE,
    TRAPS,
    by_name,
)
from mcpgen_runtime.agents import result as runtime_result
from mcpgen_runtime.agents.frameworks import smolagents as runtime_smolagents
from runtime.scripted import Scripted, text_result

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not all(map(find_spec, NEEDED)), reason="needs the dependency group agents"),
    pytest.mark.filterwarnings("ignore"),  # from third-party libraries
]


def waiting(act: Callable[[dict[str, Any]], None], **options: Any) -> list[Any]:
    server = Scripted(CONTRACT, **dict.fromkeys(TRAPS, text_result("ok")))
    with OFFICE.Client.sync.connect(server.server, **options) as client:
        act(by_name(client.tools.as_smolagents()))
    return server.sent


def test_smolagents_descriptions_mention_lost_keywords() -> None:
    from smolagents.models import get_tool_json_schema

    def act(tools: dict[str, Any]) -> None:
        displayed = get_tool_json_schema(tools["choose"])["function"]["parameters"]
        what = displayed["properties"]["what"]
        exact = json.loads(what["description"].partition("JSON Schema: ")[2])
        assert exact == TRAPS["choose"]["properties"]["what"]
        assert what["type"] == ["array", "string"]
        assert len(displayed["properties"]["any"]["type"]) == 6
        assert displayed["properties"]["size"] == {
            "enum": [1, 2],
            "type": "integer",
            "description": "size",
            "nullable": True,
        }
        node = json.loads(displayed["properties"]["node"]["description"].partition("Schema: ")[2])
        assert node == {"$ref": "#/$defs/Node", "$defs": {"Node": NODE}}
        assert displayed["required"] == []

    waiting(act)


def test_smolagents_gets_structured_content_as_data() -> None:
    answer = runtime_smolagents._answer
    result = runtime_result.AgentResult
    data = {"a": [1, "\u00eb"]}
    text = json.dumps(data, ensure_ascii=False)
    results = answer(result(text, structured=data))
    assert results["a"][0] == 1  # an agent that writes code works with it
    assert str(results) == text  # an agent that calls tools receives JSON
    assert answer(result("other words", structured=data)) == "other words"
    assert str(answer(result("[1]", structured=[1]))) == "[1]"


def test_smolagents_sends_wire_names_and_omits_null() -> None:
    from smolagents.tools import validate_tool_arguments

    def act(tools: dict[str, Any]) -> None:
        take = tools["take_all"]
        names = dict.fromkeys(take.inputs, "x")
        assert all(name.isidentifier() for name in names)
        validate_tool_arguments(take, names)
        assert str(take(**names, sanitize_inputs_outputs=True)) == "ok"
        arguments = {"limit": None, "more": {}}
        validate_tool_arguments(tools["ask"], arguments)
        assert str(tools["ask"](**arguments, sanitize_inputs_outputs=True)) == "ok"
        wrong = str(tools["ask"](limit=51, sanitize_inputs_outputs=True))
        assert wrong.startswith("Error: The arguments are not valid.")

    assert waiting(act) == [("take.all", EVERYTHING), ("ask", {"more": {}})]


def test_smolagents_logs_programming_errors_without_details_for_the_model(
    caplog: pytest.LogCaptureFixture,
) -> None:
    def act(tools: dict[str, Any]) -> None:
        assert str(tools["ask"]()) == "Error: The call failed."

    waiting(act, **BROKEN)
    assert "KeyError: '/home/ada'" in caplog.text
