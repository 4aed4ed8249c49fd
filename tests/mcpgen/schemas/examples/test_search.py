"""Examples of hard schemas are found, and unsatisfiable schemas are rejected."""

from __future__ import annotations

import json
import re
from typing import Any

import jsonschema
import pytest
from example_schemas import SEEDS
from guards import ending

from mcpgen.jsontext import Json
from mcpgen.schemas.examples import NoExampleError, example

DRAFT_7 = "http://json-schema.org/draft-07/schema#"


HARD: dict[str, Json] = {
    "anything": True,
    "a list that must hold one": {"type": "array", "contains": {"const": 7}, "minItems": 3},
    "neither few nor many of one kind": {
        "type": "array",
        "contains": {"type": "integer"},
        "minContains": 2,
        "maxContains": 2,
        "minItems": 4,
    },
    "many different items": {"type": "array", "items": {"type": "integer"}, "minItems": 60}
    | {"uniqueItems": True},
    "different items from a small set": {"items": {"enum": [1, 2, 3]}, "type": "array"}
    | {"minItems": 3, "uniqueItems": True},
    "different objects": {
        "type": "array",
        "uniqueItems": True,
        "minItems": 5,
        "items": {
            "type": "object",
            "properties": {"a": {"type": "boolean"}, "b": {"enum": [*"xyz"]}},
        }
        | {"required": ["a", "b"]},
    },
    "a tuple": {"type": "array", "prefixItems": [{"const": 1}, {"type": "string"}]}
    | {"items": False, "minItems": 2},
    "an old tuple": {"$schema": DRAFT_7, "items": [{"const": 1}, {"type": "null"}]}
    | {"additionalItems": False, "minItems": 2, "type": "array"},
    "exactly one of two members": {
        "type": "object",
        "properties": {"a": {"type": "string"}, "b": {"type": "string"}},
        "oneOf": [{"required": ["a"]}, {"required": ["b"]}],
    },
    "one of two overlapping ranges": {
        "type": "integer",
        "oneOf": [{"minimum": 0, "maximum": 10}, {"minimum": 0, "maximum": 12}],
    },
    "not one of a few": {"type": "string", "not": {"enum": ["text 1", "text 2", "text 3"]}},
    "not a type": {"not": {"type": ["string", "number", "boolean", "null"]}},
    "without a member": {"type": "object", "properties": {"a": {}}, "not": {"required": ["a"]}},
    "then": {
        "type": "object",
        "properties": {"kind": {"enum": ["a", "b"]}},
        "required": ["kind"],
        "if": {"properties": {"kind": {"const": "a"}}},
        "then": {"required": ["size"], "properties": {"size": {"type": "integer"}}},
        "else": {"not": {"required": ["size"]}, "required": ["name"]},
    },
    "narrowed together": {
        "allOf": [
            {"type": "object", "properties": {"n": {"minimum": 4}}, "required": ["n"]},
            {"properties": {"n": {"type": "integer", "maximum": 4}}},
            {"additionalProperties": {"type": "integer"}, "minProperties": 3},
        ]
    },
    "names by a pattern": {
        "type": "object",
        "patternProperties": {"^x-[a-z]{3}$": {"type": "integer"}},
        "additionalProperties": False,
        "minProperties": 2,
    },
    "names by a rule": {
        "type": "object",
        "propertyNames": {"pattern": "^[A-Z]{2,4}$"},
        "additionalProperties": {"type": "boolean"},
        "minProperties": 3,
    },
    "what depends": {
        "type": "object",
        "properties": {"card": {"type": "string"}},
        "required": ["card"],
        "dependentRequired": {"card": ["address"]},
        "dependentSchemas": {"card": {"properties": {"address": {"type": "integer"}}}},
    },
    "what depended once": {
        "$schema": DRAFT_7,
        "type": "object",
        "required": ["a"],
        "dependencies": {"a": ["b"], "b": {"properties": {"b": {"const": 3}}}},
    },
    "closed object": {
        "type": "object",
        "allOf": [{"properties": {"a": {"type": "string"}}, "required": ["a"]}],
        "properties": {"b": {"type": "integer"}},
        "unevaluatedProperties": False,
    },
    "a password": {
        "type": "string",
        "pattern": r"^(?=.*[A-Z])(?=.*\d)(?=.*[a-z])[A-Za-z\d]{12,}$",
        "maxLength": 20,
    },
    "a pattern that takes Python for ever": {
        "type": "string",
        "pattern": r"^(([a-z ])+.)+[A-Z]([a-z])+$",
    },
    "very many values": {"enum": [*range(100_000)], "allOf": [{"enum": [*range(100_000)]}]},
    "two patterns": {"type": "string", "pattern": "^a", "allOf": [{"pattern": "^[ab]{3,5}$"}]},
    "a pattern with groups": {"type": "string", "pattern": r"^(?<part>[0-9]{3})-[^a-z\s]{2}$"},
    "a repeat by reference": {"type": "string", "pattern": r"^([a-z])\1-(foo|ba[rz])\s?\.$"},
    "a long text": {"type": "string", "minLength": 500, "maxLength": 500},
    "a long text by a pattern": {"type": "string", "pattern": "^[a-z ]+$", "minLength": 200},
    "one character": {"type": "array", "items": {"type": "string", "maxLength": 1}}
    | {"minItems": 20, "uniqueItems": True},
    "an empty text": {"type": "string", "maxLength": 0},
    "a small step": {"type": "number", "multipleOf": 0.01, "exclusiveMinimum": 0, "maximum": 0.02},
    "two steps": {"type": "integer", "multipleOf": 4, "allOf": [{"multipleOf": 6}], "minimum": 1},
    "between two numbers": {"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1e-9},
    "a large number": {"type": "integer", "minimum": 10**30, "maximum": 10**30 + 1},
    "an old bound": {
        "$schema": "http://json-schema.org/draft-04/schema#",
        "type": "integer",
        "minimum": 3,
        "exclusiveMinimum": True,
        "maximum": 4,
    },
    "a tree": {
        "$ref": "#/$defs/node",
        "$defs": {
            "node": {
                "type": "object",
                "properties": {
                    "value": {"type": "integer"},
                    "children": {"type": "array", "items": {"$ref": "#/$defs/node"}},
                },
                "required": ["value", "children"],
            }
        },
    },
    "a list with an end": {
        "$ref": "#/$defs/list",
        "$defs": {
            "list": {
                "type": "object",
                "properties": {
                    "head": {"type": "string"},
                    "tail": {"anyOf": [{"$ref": "#/$defs/list"}, {"type": "null"}]},
                },
                "required": ["head", "tail"],
            }
        },
    },
    "a reference beside other words": {
        "$ref": "#/$defs/a",
        "maximum": 3,
        "$defs": {"a": {"type": "integer", "minimum": 3}},
    },
    "a reference that hides its neighbours": {
        "$schema": DRAFT_7,
        "properties": {"a": {"$ref": "#/definitions/a", "type": "string"}},
        "required": ["a"],
        "type": "object",
        "definitions": {"a": {"type": "integer"}},
    },
    "an address of its own": {
        "$id": "https://example.test/whole",
        "type": "object",
        "required": ["a"],
        "properties": {"a": {"$ref": "part#name"}},
        "$defs": {"p": {"$id": "part", "$defs": {"n": {"$anchor": "name", "const": 5}}}},
    },
    "a default that is not allowed": {"type": "integer", "default": "many"},
    "examples that are not allowed": {"type": "integer", "examples": ["many", None]},
    "a named value of another type": {"type": "string", "enum": [1, None, "a"]},
    "one and true are different": {"enum": [True, 1, 0], "not": {"const": True}},
    "a pattern that Python cannot run": {"type": "string", "pattern": r"^\p{L}+$"},
}


@pytest.mark.sampled(13)
@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("name", HARD)
def test_a_hard_schema_has_a_valid_example(name: str, seed: int) -> None:
    assert_valid(HARD[name], example(HARD[name], seed))


def assert_valid(schema: Json, value: Json) -> None:
    """Judge by jsonschema itself, as any other user of it would."""
    assert json.loads(json.dumps(value, allow_nan=False)) == value
    kind: Any = jsonschema.validators.validator_for(schema, jsonschema.Draft202012Validator)
    try:
        errors = list(kind(schema).iter_errors(value))
    except re.error:
        return
    assert errors == [], value


IMPOSSIBLE: dict[str, tuple[Json, str]] = {
    "nothing": (False, ""),
    "no value": ({"enum": []}, ""),
    "two types": ({"type": "string", "allOf": [{"type": "integer"}]}, ""),
    "bounds that cross": ({"type": "integer", "minimum": 3, "maximum": 2}, ""),
    "a member": (
        {"type": "object", "required": ["a"], "properties": {"a": {"enum": []}}},
        "/a",
    ),
    "an item": (
        {
            "type": "object",
            "required": ["a/b"],
            "properties": {"a/b": {"type": "array", "minItems": 1, "items": {"not": {}}}},
        },
        "/a~1b/0",
    ),
    "no end": (
        {
            "$ref": "#/$defs/a",
            "$defs": {
                "a": {
                    "type": "object",
                    "required": ["b", "c"],
                    "properties": {"b": {"$ref": "#/$defs/a"}, "c": {"$ref": "#/$defs/a"}},
                }
            },
        },
        "/b" * 49,
    ),
    "no schema": ({"type": "text"}, "/type"),
    "another document": ({"$ref": "https://example.test/other"}, "/$ref"),
}


@pytest.mark.sampled(1)
@pytest.mark.parametrize("name", IMPOSSIBLE)
def test_unsatisfiable_schema_is_rejected_with_pointer(name: str) -> None:
    schema, where = IMPOSSIBLE[name]
    with ending(), pytest.raises(NoExampleError) as caught:
        example(schema)
    assert caught.value.where == where
