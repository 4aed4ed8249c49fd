"""The fast validator agrees with the full one and loads no library."""

from __future__ import annotations

import subprocess
import sys
from itertools import product
from typing import Any

import pytest

from mcpgen.schemas.validation import lint
from mcpgen.schemas.validation.plain import surely_admits
from mcpgen.schemas.validation.schemas import SchemaValidator

VALUES: list[Any] = [
    *(None, True, False, 0, 1, 5, -1, 2.5, 5.0, 2**70, "", "a", "abc", "\U0001f600\U0001f600"),
    *([], [1], ["a", "a", "a"], {}, {"a": 1}, {"a": "b"}, {"b": 1}, {"a": "b", "b": 1}),
]
SCHEMAS: list[dict[str, Any]] = [
    *({"type": kind} for kind in ("string", "integer", "number", "boolean", "null", "array")),
    *({"type": kind} for kind in ("object", ["string", "null"], ["integer", "array"])),
    {"enum": ["a", "abc", None]},
    {"enum": [1, True]},
    {"minimum": 1, "maximum": 4},
    {"exclusiveMinimum": 1, "exclusiveMaximum": 5},
    {"type": "integer", "minimum": 1.5},
    {"minLength": 1, "maxLength": 2},
    {"minItems": 1, "maxItems": 2},
    {"uniqueItems": True, "items": {"type": "string"}},
    {"uniqueItems": False, "items": {"anyOf": [{"type": "string"}, {"minimum": 1}]}},
    {"anyOf": [{"type": "string", "maxLength": 1}, {"type": "null"}]},
    {"anyOf": [{"multipleOf": 2}, {"type": "null"}], "description": "Other keywords."},
    {"type": "string", "pattern": "^a$"},
    {"properties": {"a": {"type": "string"}}, "required": ["a"]},
    {"properties": {"a": {"type": "integer"}}, "additionalProperties": False},
    {"properties": {"a": {}}, "additionalProperties": {"type": "string"}},
    {"patternProperties": {"b": {}}, "additionalProperties": False},
]
DIALECTS = ["2020-12", "2019-09", "07", "06", "04"]


def dialect_uri(dialect: str) -> str:
    old = f"http://json-schema.org/draft-{dialect}/schema#"
    return old if len(dialect) == 2 else f"https://json-schema.org/draft/{dialect}/schema"


@pytest.mark.slow
@pytest.mark.sampled(1)
@pytest.mark.parametrize("dialect", DIALECTS)
def test_quickly_accepted_values_are_valid(dialect: str) -> None:
    admitted = 0
    for schema, value in product(SCHEMAS, VALUES):
        whole = {"$schema": dialect_uri(dialect), **schema}
        if dialect == "04" and "exclusiveMinimum" in schema:
            continue  # no schema in draft-04
        allowed = not SchemaValidator(whole).errors(value)
        if surely_admits(whole, value):
            admitted += 1
            assert allowed, (schema, value)
        bad = [*lint.bad_defaults({**whole, "default": value})]
        assert bool(bad) is not allowed, (schema, value)
    assert admitted > 100


def test_boolean_bounds_and_required_are_left_to_the_validator() -> None:
    assert not surely_admits({"minimum": 1, "exclusiveMinimum": True}, 1)
    assert not surely_admits({"properties": {"a": {"required": True}}}, {})


def test_no_library_is_loaded_for_common_keywords() -> None:
    program = """
import sys
from mcpgen.schemas.validation.schemas import SchemaValidator
member = {"type": "integer", "minimum": 1, "maximum": 100, "default": 20}
after = {"anyOf": [{"type": "string"}, {"type": "null"}], "default": None}
properties = {"limit": member, "after": after}
schema = {"type": "object", "properties": properties, "required": ["limit"]}
assert SchemaValidator(schema).allows({"limit": 3, "after": None})
assert not sys.modules.keys() & {"jsonschema", "jsonschema_rs", "pydantic_core"}
"""
    subprocess.run([sys.executable, "-c", program], check=True)
