"""Defaults that their own schemas forbid are found, with and without a validator."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest

from mcpgen.validation import lint
from mcpgen.validation.schemas import SchemaValidator

VALUES: list[Any] = [
    *(None, True, False, 0, 1, 5, -1, 2.5, 5.0, 2**70, "", "a", "abc", "\U0001f600\U0001f600"),
    *([], [1], ["a", "a", "a"], {}, {"a": 1}),
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
    {"anyOf": [{"type": "string", "maxLength": 1}, {"type": "null"}]},
    {"anyOf": [{"multipleOf": 2}, {"type": "null"}], "description": "Other keywords."},
    {"type": "string", "pattern": "^a$"},
]


@pytest.mark.parametrize("dialect", ["2020-12/schema", "2019-09/schema", "draft-07", "draft-04"])
def test_what_is_plain_to_see_is_what_the_validator_says(dialect: str) -> None:
    old = f"http://json-schema.org/{dialect}/schema#"
    named = old if "draft-" in dialect else f"https://json-schema.org/draft/{dialect}"
    for schema, value in product(SCHEMAS, VALUES):
        part = {**schema, "default": value}
        said = bool([*lint.bad_defaults({"$schema": named, **part})])
        assert said is not SchemaValidator({"$schema": named, **schema}).allows(value), part


def test_no_validator_is_made_for_common_keywords(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lint, "SchemaValidator", None)
    schema = {"type": "integer", "minimum": 1, "maximum": 100, "default": 20}
    nullable = {"anyOf": [{"type": "string"}, {"type": "null"}], "default": None}
    properties = {"limit": schema, "after": nullable}
    assert not [*lint.bad_defaults({"type": "object", "properties": properties})]
