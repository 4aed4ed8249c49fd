"""Examples of strings have their format."""

from __future__ import annotations

import jsonschema
import pytest
from instances import FORMATS

from mcpgen.schemas.examples import example


@pytest.mark.parametrize("name", sorted(FORMATS))
def test_example_satisfies_format_without_validation(name: str) -> None:
    schema = {"type": "string", "format": name}
    checker = jsonschema.Draft202012Validator.FORMAT_CHECKER
    for seed in range(30):
        value = example(schema, seed)
        assert checker.conforms(value, name), value
        assert " " not in value
