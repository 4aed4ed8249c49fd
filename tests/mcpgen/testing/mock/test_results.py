"""Results of a mock: valid, repeatable, and recorded examples first."""

from __future__ import annotations

import json

import jsonschema
import pytest
from mcp import Client, types
from mock_servers import DEMO, ERAS, OBJECT, ask, offering, text

from mcpgen.jsontext import Json
from mcpgen.testing import mock


@pytest.mark.parametrize("seed", range(5))
def test_an_answer_conforms_to_the_output_schema(era: str, seed: int) -> None:
    arguments = {"query": "rain"}
    server = mock.server(DEMO, seed)
    result = ask(server, era, lambda client: client.call_tool("search_catalogue", arguments))
    schema = DEMO.tools["search_catalogue"]["outputSchema"]
    jsonschema.Draft202012Validator(schema).validate(result.structured_content)
    assert json.loads(text(result)) == result.structured_content


@pytest.mark.slow
def test_the_same_seed_and_arguments_give_the_same_answer() -> None:
    def answer(seed: int, query: str) -> str:
        server = mock.server(DEMO, seed)
        result = ask(server, ERAS[1], lambda c: c.call_tool("search_catalogue", {"query": query}))
        return text(result)

    assert answer(1, "rain") == answer(1, "rain")
    assert answer(1, "rain") != answer(2, "rain")
    assert answer(1, "rain") != answer(1, "snow")


def test_recorded_examples_come_first(era: str) -> None:
    examples = [{"id": "B-1"}, {"id": 7}]
    output = {"type": "object", "properties": {"id": {"type": "string"}}, "examples": examples}
    tool = {"name": "a", "inputSchema": OBJECT, "outputSchema": output}
    result = ask(offering(tool), era, lambda client: client.call_tool("a", {}))
    assert result.structured_content == {"id": "B-1"}


def test_non_object_result_is_structured_since_2026_07_28() -> None:
    output = {"type": "array", "items": {"const": 3}, "minItems": 1, "maxItems": 1}
    tool = {"name": "a", "inputSchema": OBJECT, "outputSchema": output}

    async def question(client: Client) -> tuple[Json, Json, str]:
        listed = (await client.list_tools()).tools[0].output_schema
        result = await client.call_tool("a", {})
        return listed, result.structured_content, text(result)

    assert ask(offering(tool), "legacy", question) == (None, None, "[3]")
    assert ask(offering(tool), "2026-07-28", question) == (output, [3], "[3]")


def test_a_tool_without_output_schema_answers_with_text(era: str) -> None:
    result = ask(mock.server(DEMO), era, lambda c: c.call_tool("show_cover", {"id": "B-1"}))
    assert text(result) == 'show_cover: done with id = "B-1"'
    assert result.structured_content is None


def test_unsatisfiable_output_schema_is_a_tool_error(era: str) -> None:
    output = {"type": "object", "required": ["a"], "properties": {"a": {"enum": []}}}
    tool = {"name": "a", "inputSchema": OBJECT, "outputSchema": output}
    result = ask(offering(tool), era, lambda client: client.call_tool("a", {}))
    assert result.is_error
    assert text(result).endswith("the output schema of a /a")


def test_an_image_is_read_as_one(era: str) -> None:
    result = ask(mock.server(DEMO), era, lambda client: client.read_resource("cover://B-1"))
    (contents,) = result.contents
    assert isinstance(contents, types.BlobResourceContents)
    assert contents.mime_type == "image/png"
