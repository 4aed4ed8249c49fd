"""Strict mode is on if it loses nothing."""

from __future__ import annotations

import pytest
from mcpgen_runtime.agents.definitions import strict

from mcpgen.jsontext import Json

CLOSED: Json = {
    "type": "object",
    "properties": {"a": {"type": "string"}},
    "required": ["a"],
    "additionalProperties": False,
}


@pytest.mark.parametrize(
    ("change", "is_strict"),
    [
        ({}, True),
        ({"properties": {"a": {"type": "string", "default": "x"}}}, False),
        ({"required": []}, False),
        ({"additionalProperties": True}, False),
        ({"properties": {"a": {"type": "string", "minLength": 1}}}, False),
        ({"properties": {"a": {}}}, False),
        ({"properties": {"a": {"$ref": "#/$defs/A"}}, "$defs": {"A": CLOSED}}, True),
        ({"properties": {"a": {"type": "object"}}}, False),
        ({"properties": {"a": {"type": "string", "pattern": "(?=a)"}}}, False),
        ({"properties": {"a": {"anyOf": [{"type": "string"}, {"type": "null"}]}}}, True),
        ({"properties": {"a": {"type": "array", "items": {"type": "integer"}}}}, True),
    ],
)
def test_strict_mode_is_on_where_it_loses_nothing(change: Json, is_strict: bool) -> None:
    assert strict.is_strict({**CLOSED, **change}) is is_strict
