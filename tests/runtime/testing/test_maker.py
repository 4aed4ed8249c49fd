"""Generated results are valid and reproducible."""

from __future__ import annotations

from typing import Any

import anyio
import pytest
from fake_clients import contract, run
from runtime.packages import import_client


def test_generated_results_are_valid_and_reproducible() -> None:
    async def act(fake: Any) -> None:
        first = await fake.search_catalogue(query="night")
        assert first == await fake.search_catalogue(query="day")
        assert first.items[0].title == "title"
        assert (await fake.show_cover(id="B-1")).text == "made-up result of show_cover"
        assert (await fake.resources.card(id="B-1")).json() == {"uri": "bookshelf://items/B-1"}
        assert (await fake.resources.rules()).text == "The rules of the house."
        (message,) = (await fake.prompts.recommend(genre="crime")).messages
        assert message.content.text == "Ask for a recommendation from the catalogue.\ngenre: crime"

    run(act, "generate")


MADE_UP = {
    "pattern": {"type": "string", "pattern": "^[A-Z]{3}-[0-9]+$", "minLength": 6},
    "lengths": {"type": "string", "minLength": 40, "maxLength": 41},
    "bounds": {"type": "integer", "minimum": 7, "maximum": 9, "multipleOf": 4},
    "between": {"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1},
    "most": {"type": "number", "maximum": -3.5},
    "several": {"type": "array", "items": {"type": "string"}, "minItems": 3, "uniqueItems": True},
    "none": {"type": "array", "maxItems": 0},
    "tuple": {"prefixItems": [{"type": "integer"}, {"type": "string"}], "items": False},
    "every": {"allOf": [{"required": ["a"]}, {"properties": {"a": {"type": "integer"}}}]},
    "either": {"oneOf": [{"type": "null"}, {"type": "integer", "title": "Number"}]},
    "nullable": {"anyOf": [{"type": "null", "title": "None"}, {"type": "string"}]},
    "tree": {"$ref": "#/$defs/Tree"},
    "open": {"type": "object", "additionalProperties": {"type": "integer"}, "minProperties": 2},
    "named": {"type": "object", "propertyNames": {"pattern": "^x-"}, "minProperties": 1},
    "patterned": {"patternProperties": {"^x-": {"type": "integer"}}, "required": ["x-a"]},
    "kinds": {"type": ["null", "boolean"]},
    "listed": {"enum": [None, "a"]},
    "example": {"type": "string", "examples": ["such"]},
    "only": {"if": {"required": ["b"]}, "then": {"properties": {"b": {"const": 3}}}},
    "anything": True,
    **{form: {"type": "string", "format": form} for form in ("date", "uuid", "email", "duration")},
}


DEFINITIONS = {
    "Tree": {
        "type": "object",
        "properties": {
            "name": {"type": "string"},
            "trees": {"type": "array", "items": {"$ref": "#/$defs/Tree"}},
            "above": {"anyOf": [{"$ref": "#/$defs/Tree"}, {"type": "null"}]},
        },
        "required": ["name", "trees"],
    }
}


def test_data_is_made_up_for_whatever_a_schema_says() -> None:
    whole = {
        "type": "object",
        "properties": MADE_UP,
        "required": [*MADE_UP],
        "$defs": DEFINITIONS,
    }
    module = import_client(contract({"all": whole}), "made_up_of_all")
    fake = module.Client.fake("generate")

    async def act() -> Any:
        return module.raw_json(await fake.all())

    result = anyio.run(act)
    assert result["example"] == "such"
    assert result["either"] == 1
    assert result["tree"]["trees"][0]["name"] == "name"


def test_ungeneratable_result_is_reported() -> None:
    endless = {"type": "object", "properties": {"a": {"$ref": "#"}}, "required": ["a"]}
    module = import_client(contract({"endless": endless}), "made_up_of_nothing")
    fake = module.Client.fake("generate")
    with pytest.raises(module.InvalidFake, match="no result can be generated for it"):
        anyio.run(fake.endless)
