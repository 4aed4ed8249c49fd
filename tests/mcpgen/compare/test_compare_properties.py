"""Properties of every comparison: no changes against itself or a reordered copy, and no missed
change.
"""

from __future__ import annotations

import copy
import json
from pathlib import Path
from random import Random

import pytest
from guards import ending
from paths import CORPUS
from random_contracts import NUMBERED, SEEDS, contract, telling
from schema_changes import change_schema, schema

from mcpgen.compare import RULES, compare
from mcpgen.contract.document import Contract, read
from mcpgen.jsontext import Json, loads

LIVE = sorted((CORPUS / "live").glob("*.json"))


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


REORDERED = (*NUMBERED, "I30", "O30")
"""Those, and that the class of such a name is another branch of a union, so what it holds too."""


@pytest.mark.parametrize("seed", SEEDS)
def test_random_schema_equals_itself_in_any_order(seed: int) -> None:
    random = Random(seed)
    raw = schema(random)
    assert compare(contract(raw), contract(copy.deepcopy(raw))) == ()
    other = shuffle(contract(raw).tools["t"], random)
    assert telling(compare(contract(raw), Contract({"t": other})), REORDERED) == []


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


@pytest.mark.slow
def test_comparing_many_members_ends() -> None:
    old = {"type": "object", "properties": {f"a{n}": {"type": "string"} for n in range(1000)}}
    new = {"type": "object", "properties": {f"b{n}": {"type": "string"} for n in range(1000)}}
    with ending():
        assert len(compare(contract(old), contract(new))) == 4000
