"""The walk over two schemas: each pair once, and whole schemas fall under their rules."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from schema_mutations import DIRECTIONS, WHOLES, assert_rules_of_pair

from mcpgen.compare.schemas import (
    arrays,
    bounds,
    conditions,
    objects,
    schema_annotations,
    type_and_enum,
)
from mcpgen.compare.schemas.pair import Pair
from mcpgen.compare.schemas.views.view import root
from mcpgen.compare.schemas.walk import differences

ASKED = {
    schema_annotations: "of_value",
    type_and_enum: "listed_values_of",
    bounds: "compare",
    objects: "compare",
    arrays: "compare",
    conditions: "compare",
}


def test_walk_visits_each_pair_of_schemas_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    requests: Counter[tuple[str, str]] = Counter()
    for module, name in ASKED.items():
        monkeypatch.setattr(
            module, name, count_calls(getattr(module, name), module.__name__, requests)
        )
    old = {"type": "object", "properties": {"a": {"type": "array", "items": {"type": "string"}}}}
    new = {**old, "properties": {"a": {"type": "array", "items": {"type": "integer"}}}}
    assert differences(root(old, is_input=False), root(new, is_input=False))
    assert {module.__name__ for module in ASKED} == {module for module, _ in requests}
    assert set(requests.values()) == {1}


def count_calls(function: Any, name: str, prompts: Counter[tuple[str, str]]) -> Any:
    """Return a wrapper that counts calls by path."""

    def count(*arguments: Any, **options: Any) -> Any:
        (pair,) = (argument for argument in arguments if isinstance(argument, Pair))
        prompts[name, pair.path] += 1
        return function(*arguments, **options)

    return count


@pytest.mark.parametrize("direction", DIRECTIONS)
@pytest.mark.parametrize("name", WHOLES)
def test_change_of_a_whole_schema_falls_under_its_rules(name: str, direction: str) -> None:
    assert_rules_of_pair(WHOLES[name], direction, is_whole=True)
