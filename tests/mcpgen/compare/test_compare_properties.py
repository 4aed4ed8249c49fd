"""Properties of every comparison: no changes against itself or a reordered copy, and no missed
change.
"""

from __future__ import annotations

import copy
import json
from collections import Counter
from pathlib import Path
from random import Random
from typing import Any

import pytest
from guards import ending
from paths import CORPUS
from schema_changes import change_schema, hoist_definitions, schema

from mcpgen.compare import RULES, compare
from mcpgen.compare.schemas import (
    arrays,
    bounds,
    conditions,
    objects,
    schema_annotations,
    type_and_enum,
)
from mcpgen.compare.schemas.pair import Pair
from mcpgen.compare.schemas.view import root
from mcpgen.compare.schemas.walk import differences
from mcpgen.contract.document import Contract, read
from mcpgen.jsontext import Json, loads

SEEDS = range(150)
LIVE = sorted((CORPUS / "live").glob("*.json"))


def contract(raw: Json, *, output: Json = None) -> Contract:
    arguments = {"type": "object", "properties": {"x": raw}}
    return Contract(
        {"t": {"name": "t", "inputSchema": arguments, "outputSchema": output or arguments}}
    )


def shuffle(value: Json, random: Random, key: str = "") -> Json:
    """Return the same JSON with properties and unordered arrays shuffled."""
    if isinstance(value, dict):
        members = [(k, shuffle(v, random, k)) for k, v in value.items()]
        random.shuffle(members)
        return dict(members)
    if isinstance(value, list):
        items = [shuffle(item, random) for item in value]
        if key in ("required", "enum", "type", "anyOf", "oneOf", "allOf"):
            random.shuffle(items)
        return items
    return value


def is_other(old: Json, new: Json) -> bool:
    return json.dumps(old, sort_keys=True) != json.dumps(new, sort_keys=True)


NUMBERED = ("U02", "I25", "O25")
"""Rules on classes without a name of their own, which are called after their place."""
REORDERED = (*NUMBERED, "I30", "O30")
"""Those, and that the class of such a name is another branch of a union, so what it holds too."""


def telling(result: Any, but: tuple[str, ...] = NUMBERED) -> list[str]:
    """Return the rules of the changes, except those on renumbered classes."""
    return [change.rule for change in result if change.rule not in but]


@pytest.mark.parametrize("seed", SEEDS)
def test_random_schema_equals_itself_in_any_order(seed: int) -> None:
    random = Random(seed)
    raw = schema(random)
    assert compare(contract(raw), contract(copy.deepcopy(raw))) == ()
    other = shuffle(contract(raw).tools["t"], random)
    assert telling(compare(contract(raw), Contract({"t": other})), REORDERED) == []


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


@pytest.mark.parametrize("seed", SEEDS)
def test_a_random_change_is_never_passed_over(seed: int) -> None:
    random = Random(seed)
    raw = schema(random)
    new = change_schema(raw, random)
    changes = compare(contract(raw), contract(new))
    assert bool(changes) == is_other(raw, new)
    assert all(change.rule in RULES for change in changes)
    assert len({change.fingerprint for change in changes}) == len(changes)


@pytest.mark.parametrize("path", LIVE, ids=lambda path: path.stem)
def test_recorded_server_equals_itself_in_any_order(path: Path) -> None:
    document = loads(path.read_bytes())
    old = read(document)
    assert compare(old, read(document)) == ()
    random = Random(path.stem)
    names = random.sample(sorted(old.tools), min(3, len(old.tools)))
    some = Contract({name: old.tools[name] for name in names})
    other = Contract({name: shuffle(some.tools[name], random) for name in names})
    assert telling(compare(some, other), REORDERED) == []


@pytest.mark.parametrize("path", LIVE, ids=lambda path: path.stem)
def test_change_of_recorded_tool_is_never_missed(path: Path) -> None:
    old = read(loads(path.read_bytes()))
    random = Random(path.stem)
    for name in random.sample(sorted(old.tools), min(2, len(old.tools))):
        raw = dict(old.tools[name])
        direction = random.choice([key for key in ("inputSchema", "outputSchema") if raw.get(key)])
        raw[direction] = change_schema(raw[direction], random)
        before, after = Contract({name: old.tools[name]}), Contract({name: raw})
        assert bool(compare(before, after)) == is_other(old.tools[name][direction], raw[direction])
        compare(after, before)


def test_catastrophic_pattern_is_never_run() -> None:
    slow = {"type": "object", "patternProperties": {r"(A+)+\1$": {"type": "string"}}}
    named = {"type": "object", "properties": {"A" * 40 + "!": {"type": "string"}}}
    names = [change.rule for change in compare(contract(slow), contract({**slow, **named}))]
    assert "U01" in names


@pytest.mark.slow
def test_comparing_many_members_ends() -> None:
    old = {"type": "object", "properties": {f"a{n}": {"type": "string"} for n in range(1000)}}
    new = {"type": "object", "properties": {f"b{n}": {"type": "string"} for n in range(1000)}}
    with ending():
        assert len(compare(contract(old), contract(new))) == 4000


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
