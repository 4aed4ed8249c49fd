"""Each rule for adapting a schema to an API. Everything else stays unchanged."""

from __future__ import annotations

import json
import random
from types import SimpleNamespace
from typing import Any

import jsonschema
import pytest
from mcpgen_runtime.agents.definitions import dialects, numbers
from mcpgen_runtime.agents.definitions import names as runtime_names
from mcpgen_runtime.package import package_of_module
from runtime.packages import import_client
from skeletons import demo

from mcpgen.contract.document import Contract
from mcpgen.jsontext import Json

BOOKSHELF = import_client(demo(), "agents_dialects")


MODELS = ["openai", "openai-responses", "anthropic", "gemini"]


ORDINARY: Json = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "properties": {
        "query": {"type": "string", "minLength": 1, "pattern": "^a", "format": "uuid"},
        "limit": {"type": "integer", "default": 10, "minimum": 1, "exclusiveMaximum": 50},
        "kind": {"anyOf": [{"enum": ["a", None]}, {"type": "null"}]},
        "node": {"$ref": "#/$defs/Node"},
    },
    "required": ["query"],
    "additionalProperties": False,
    "$defs": {"Node": {"type": "object", "properties": {"next": {"$ref": "#/$defs/Node"}}}},
}


def toolset_of(package: Any) -> Any:
    """Return the tools of a client that isn't connected."""
    connection = SimpleNamespace(
        session=SimpleNamespace(drift=None),
        package=package_of_module(package.__name__),
        asks_about=lambda _: True,
    )
    return package.Client(connection).tools


def adapt(schema: Json, api: str) -> Json:
    return dialects.adapt_schema(schema, api).schema


@pytest.mark.parametrize("api", [*MODELS, "mcp"])
def test_supported_schema_is_unchanged(api: str) -> None:
    """Including recursive references, defaults, formats and unions."""
    assert adapt(ORDINARY, api) == ORDINARY
    assert dialects.adapt_schema(ORDINARY, api).note == ""


@pytest.mark.parametrize("api", ["openai", "openai-responses", "gemini"])
def test_root_becomes_an_object_with_properties(api: str) -> None:
    assert adapt({}, api) == {"type": "object", "properties": {}}
    assert adapt({"type": "object"}, "anthropic") == {"type": "object"}


@pytest.mark.parametrize("api", MODELS)
def test_referring_root_is_replaced_by_its_target(api: str) -> None:
    member = {"type": "object", "properties": {"a": {"type": "string"}}}
    schema = {"$ref": "#/$defs/Args", "$defs": {"Args": member}}
    assert adapt(schema, api) == {**member, "$defs": {"Args": member}}


@pytest.mark.parametrize("api", ["openai", "openai-responses", "anthropic"])
def test_unsupported_root_keywords_move_to_the_description(api: str) -> None:
    first = {"properties": {"id": {"type": "integer"}, "x": {"type": "string"}}, "required": ["id"]}
    other = {"properties": {"id": {"type": "string"}}, "required": ["id"]}
    schema = {"type": "object", "properties": {"at": {}}, "oneOf": [first, other]}
    fit = dialects.adapt_schema(schema, api)
    assert "oneOf" not in fit.schema
    assert fit.schema["properties"] == {
        "at": {},
        "id": {"anyOf": [{"type": "integer"}, {"type": "string"}]},
        "x": {"type": "string"},
    }
    assert json.loads(fit.note.partition(": ")[2]) == {"oneOf": [first, other]}
    assert adapt(schema, "gemini") == schema


def test_closed_root_offers_no_rejected_argument() -> None:
    schema = {
        "type": "object",
        "properties": {"a": {}},
        "additionalProperties": False,
        "anyOf": [{"required": ["a"]}, {"properties": {"b": {}}}],
    }
    assert adapt(schema, "openai")["properties"] == {"a": {}}


@pytest.mark.parametrize("api", ["openai", "openai-responses"])
def test_array_gets_an_item_schema(api: str) -> None:
    schema = {"type": "object", "properties": {"a": {"type": ["array", "null"]}}}
    assert adapt(schema, api)["properties"] == {"a": {"type": ["array", "null"], "items": {}}}
    assert adapt(schema, "gemini") == adapt(schema, "anthropic") == schema


@pytest.mark.parametrize("api", ["openai", "openai-responses", "gemini"])
def test_boolean_subschema_becomes_an_object(api: str) -> None:
    schema = {"type": "object", "properties": {"a": True, "b": False}, "additionalProperties": True}
    expected = {"properties": {"a": {}, "b": {"not": {}}}}
    assert adapt(schema, api) == {**schema, **expected}
    assert adapt(schema, "anthropic")["properties"]["a"] in (True, {})


@pytest.mark.parametrize("api", ["openai", "openai-responses", "gemini"])
def test_definitions_move_to_defs(api: str) -> None:
    node = {"type": "object", "properties": {"next": {"$ref": "#/definitions/Node"}}}
    schema = {
        "type": "object",
        "properties": {
            "a": {"$ref": "#/definitions/Node"},
            "b": {"$ref": "#/properties/c"},
            "c": {},
        },
        "definitions": {"Node": node},
    }
    changed = adapt(schema, api)
    assert changed["$defs"] == {
        "Node": {"type": "object", "properties": {"next": {"$ref": "#/$defs/Node"}}},
        "c": {},
    }
    assert changed["properties"]["a"] == {"$ref": "#/$defs/Node"}
    assert "definitions" not in changed
    assert adapt(schema, "anthropic") == schema


def test_gemini_gets_no_const_and_nothing_beside_a_reference() -> None:
    schema = {
        "type": "object",
        "properties": {"a": {"const": 1}, "b": {"$ref": "#/$defs/B", "description": "B."}},
        "$defs": {"B": {"const": None}},
    }
    assert adapt(schema, "gemini") == {
        "type": "object",
        "properties": {
            "a": {"enum": [1]},
            "b": {"anyOf": [{"$ref": "#/$defs/B"}], "description": "B."},
        },
        "$defs": {"B": {"enum": [None]}},
    }


def test_schema_like_default_value_is_unchanged() -> None:
    value = {"const": 1, "type": "array", "$ref": "#/definitions/A"}
    schema = {"type": "object", "properties": {"a": {"default": value, "enum": [value]}}}
    for api in MODELS:
        assert adapt(schema, api) == schema


def test_anthropic_names_are_adapted_and_restored() -> None:
    schema = {
        "type": "object",
        "properties": {"$filter": {}, "user name": {}, "user_name": {}, "a.b-c": {}},
        "required": ["$filter", "user_name"],
    }
    fit = dialects.adapt_schema(schema, "anthropic")
    keys = list(fit.schema["properties"])
    assert keys[0] == "_filter"
    assert keys[2:] == ["user_name", "a.b-c"]
    assert keys[1] != "user_name"
    assert fit.schema["required"] == ["_filter", "user_name"]
    arguments = {"_filter": 1, keys[1]: 2, "user_name": 3}
    restored = dialects.restore_names(arguments, schema, "anthropic")
    assert restored == {"$filter": 1, "user name": 2, "user_name": 3}
    assert dialects.restore_names(arguments, schema, "openai") == arguments


def test_anthropic_gets_the_words_of_the_latest_dialect() -> None:
    schema = {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "type": "object",
        "properties": {
            "pair": {"type": "array", "items": [{}, {}], "additionalItems": False},
            "low": {"minimum": 1, "exclusiveMinimum": True, "exclusiveMaximum": False},
        },
    }
    changed = adapt(schema, "anthropic")
    jsonschema.Draft202012Validator.check_schema(changed)
    assert changed["properties"] == {
        "pair": {"type": "array", "prefixItems": [{}, {}], "items": False},
        "low": {"exclusiveMinimum": 1},
    }
    assert changed["$schema"].endswith("2020-12/schema")


def test_adapted_names_suit_every_provider() -> None:
    names = ["plain", "with.dot", "with/dot", "9th", "", "検索", "x" * 65, "x" * 66, "-a", "a b"]
    spelled = runtime_names.spell_names(names)
    assert spelled["plain"] == "plain"
    assert spelled["a b"] == "a_b"
    assert len(set(spelled.values())) == len(names)
    for name in spelled.values():
        assert name.replace("_", "a").replace("-", "a").isalnum()
        assert name.isascii()
        assert 0 < len(name) <= 64
        assert name[0].isalpha() or name[0] == "_"


def test_names_do_not_depend_on_the_order_of_tools() -> None:
    names = ["a.b", "a_b", "a/b", "a-b", "a" * 70, "a" * 71]
    expected = runtime_names.spell_names(names)
    assert expected["a_b"] == "a_b"
    for seed in range(5):
        random.Random(seed).shuffle(names)
        assert runtime_names.spell_names(names) == expected


@pytest.mark.parametrize(
    ("schema", "value", "expected"),
    [
        ({"type": "integer"}, 5.0, 5),
        ({"type": ["integer", "null"]}, 5.0, 5),
        ({"type": "number"}, 5.0, 5.0),
        ({"type": ["integer", "number"]}, 5.0, 5.0),
        ({"type": "integer"}, 5.5, 5.5),
        ({"type": "integer"}, 1e300, int(1e300)),
        ({"items": {"type": "integer"}}, [1.0, 2], [1, 2]),
        ({"items": [{"type": "integer"}], "additionalItems": {}}, [1.0, 2.0], [1, 2.0]),
        ({"prefixItems": [{}, {"type": "integer"}]}, [1.0, 2.0], [1.0, 2]),
        ({"additionalProperties": {"type": "integer"}}, {"a": 1.0}, {"a": 1}),
        ({"anyOf": [{"type": "string"}, {"type": "integer"}]}, 1.0, 1),
        ({"$ref": "#/$defs/n", "$defs": {"n": {"type": "integer"}}}, 1.0, 1),
        ({"$ref": "#/$defs/a~1b", "$defs": {"a/b": {"type": "integer"}}}, 1.0, 1),
        ({"$ref": "#"}, 1.0, 1.0),
    ],
)
def test_integral_float_becomes_an_integer_for_integer_schemas(
    schema: Json, value: Any, expected: Any
) -> None:
    result = numbers.whole(value, schema, schema)
    assert json.dumps(result) == json.dumps(expected)


def test_demo_definitions_have_the_format_of_each_api() -> None:
    tools = toolset_of(BOOKSHELF)
    schema = demo().tools["search_catalogue"]["inputSchema"]
    description = demo().tools["search_catalogue"]["description"]
    (chat,) = [
        definition["function"]
        for definition in tools.definitions("openai")
        if definition["function"]["name"] == "search_catalogue"
    ]
    assert chat == {
        "name": "search_catalogue",
        "description": description,
        "parameters": schema,
        "strict": False,
    }
    only = ["get_item"]
    schema = demo().tools["get_item"]["inputSchema"]
    about = {
        "name": "get_item",
        "description": "Look up an item, and report whether it is on loan.",
    }
    assert tools.definitions("openai-responses", only=only) == [
        {"type": "function", **about, "parameters": schema, "strict": True}
    ]
    assert tools.definitions("anthropic", only=only) == [{**about, "input_schema": schema}]
    assert tools.definitions("gemini", only=only) == [{**about, "parametersJsonSchema": schema}]
    assert tools.definitions("mcp", only=only) == [demo().tools["get_item"]]


@pytest.mark.parametrize("api", [*MODELS, "mcp"])
def test_definitions_are_copies(api: str) -> None:
    before = json.dumps(toolset_of(BOOKSHELF).definitions(api))
    for definition in toolset_of(BOOKSHELF).definitions(api):
        clear(definition)
    assert json.dumps(toolset_of(BOOKSHELF).definitions(api)) == before


def clear(value: Any) -> None:
    for inner in value.values() if isinstance(value, dict) else value:
        if isinstance(inner, dict | list):
            clear(inner)
    value.clear()


def test_unknown_api_is_rejected() -> None:
    tools = toolset_of(BOOKSHELF)
    with pytest.raises(ValueError, match="api is one of"):
        tools.definitions("bedrock")
    with pytest.raises(ValueError, match="api is one of"):
        tools._find_tool({"name": "x"}, "bedrock")


def test_undescribed_tool_gets_a_description() -> None:
    contract = Contract(
        tools={
            "a.b": {"name": "a.b", "inputSchema": {"type": "object"}},
            "c": {"name": "c", "title": "See", "inputSchema": {"type": "object"}},
        }
    )
    tools = toolset_of(import_client(contract, "agents_silent"))
    listed = tools.definitions("anthropic")
    assert [item["name"] for item in listed] == ["a_b", "c"]
    assert [item["description"] for item in listed] == ["The tool a.b.", "See"]
    assert [definition["name"] for definition in tools.definitions("mcp")] == ["a.b", "c"]
