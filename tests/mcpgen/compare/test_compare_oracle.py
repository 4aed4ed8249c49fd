"""Compares our verdicts with jsoncompat, an independent implementation that only compares whole
schemas. If it proves a break by an example, our verdict must not be "compatible".
"""

from __future__ import annotations

import json
from random import Random
from typing import Any

import pytest
from schema_changes import change_schema, close_objects, hoist_definitions, schema
from schema_mutations import BASE, MUTATIONS, PAIRS, WHOLES, member, mutate_tool

from mcpgen.compare import RULES, Severity
from mcpgen.compare.definitions.tool_schemas import ToolSchema, compare
from mcpgen.contract.definitions import Schema
from mcpgen.jsontext import Json
from mcpgen.schemas.validation import schemas

jsoncompat: Any = pytest.importorskip(
    "jsoncompat", reason="it needs Python 3.12 or later: pip install 'mcpgen[jsoncompat]'"
)

ROLES = {"input": "deserializer", "output": "serializer"}
SEEDS = 1500


def whole(raw: Json, random: Random) -> Json:
    """Return an object schema with this schema as a property, sometimes with definitions."""
    if random.random() < 0.5:
        return member(raw, required=True)
    definitions: dict[str, Json] = {}
    inner = hoist_definitions(raw, random, definitions)
    return member(inner, required=True, **{"$defs": definitions})


def is_compatible(direction: str, old: Json, new: Json) -> bool:
    """Return True if we consider a change compatible."""
    changes = compare(ToolSchema(direction, "t", "", ""), Schema(old, ""), Schema(new, ""))
    return all((RULES[c.rule].severity() or 0) < Severity.DANGEROUS for c in changes)


def is_broken(direction: str, old: Json, new: Json) -> bool:
    """Return True if jsoncompat proves that a valid value became invalid. Objects are assumed
    closed, which must not affect the proof: in a `oneOf`, a closed alternative accepts more.
    """
    before, after = (close_objects(old), new) if direction == "input" else (old, close_objects(new))
    result = jsoncompat.analyze_compat(json.dumps(before), json.dumps(after), ROLES[direction])
    if result["status"] != "incompatible" or "counterexample_json" not in result:
        return False
    example = json.loads(result["counterexample_json"])
    sent_schema, checked = (old, new) if direction == "input" else (new, old)
    is_sent = schemas.validator(sent_schema).is_valid(example)
    return is_sent and not schemas.validator(checked).is_valid(example)


@pytest.mark.parametrize("direction", ROLES)
def test_no_compatible_case_is_proved_breaking(direction: str) -> None:
    cases = [*((member(old), member(new)) for old, new, *_ in PAIRS.values())]
    cases += [(old, new) for old, new, *_ in WHOLES.values()]
    tools = [mutate_tool(mutation) for mutation, _ in MUTATIONS.values()]
    mutants = [tool.get(f"{direction}Schema", True) for tool in tools]
    cases += [(BASE[f"{direction}Schema"], schema) for schema in mutants]
    # It supports only one dialect.
    usable = [c for c in cases if not any(map(schemas.problem, c)) and "$schema" not in repr(c)]
    wrong = [c for c in usable if is_compatible(direction, *c) and is_broken(direction, *c)]
    assert wrong == []
    assert sum(is_broken(direction, *case) for case in usable) > 40


@pytest.mark.parametrize("direction", ROLES)
def test_no_random_change_is_called_compatible_and_proved_otherwise(direction: str) -> None:
    wrong, proved = [], 0
    for seed in range(SEEDS):
        random = Random(seed)
        old = schema(random)
        new = change_schema(old, random)
        case = whole(old, random), whole(new, random)
        if is_broken(direction, *case):
            proved += 1
            wrong += [(seed, case)] if is_compatible(direction, *case) else []
    assert wrong == []
    assert proved > SEEDS / 20
