"""Views of schemas: definitions are followed, and slow patterns are never run."""

from __future__ import annotations

from random import Random

import pytest
from random_contracts import SEEDS, contract, telling
from schema_changes import hoist_definitions, schema

from mcpgen.compare import compare
from mcpgen.contract.document import Contract
from mcpgen.jsontext import Json


@pytest.mark.parametrize("seed", SEEDS)
def test_inlining_definitions_is_no_change(seed: int) -> None:
    random = Random(seed)
    raw = schema(random)
    definitions: dict[str, Json] = {}
    inner = hoist_definitions(raw, random, definitions)
    old = {"type": "object", "properties": {"x": inner}, "$defs": definitions}
    changes = compare(Contract({"t": {"name": "t", "inputSchema": old}}), without_output(raw))
    assert telling(changes) == []


def without_output(raw: Json) -> Contract:
    return Contract(
        {"t": {"name": "t", "inputSchema": {"type": "object", "properties": {"x": raw}}}}
    )


def test_catastrophic_pattern_is_never_run() -> None:
    slow = {"type": "object", "patternProperties": {r"(A+)+\1$": {"type": "string"}}}
    named = {"type": "object", "properties": {"A" * 40 + "!": {"type": "string"}}}
    names = [change.rule for change in compare(contract(slow), contract({**slow, **named}))]
    assert "U01" in names
