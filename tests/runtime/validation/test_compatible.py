"""`verify="compatible"` allows only changes that certainly affect no call."""

from __future__ import annotations

import copy
import os
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from functools import cache
from random import Random
from typing import Any

import pytest
from instances import NoInstanceError, instance
from mcpgen_runtime.validation import compatible as runtime_compatible
from mcpgen_runtime.validation.keywords import native
from near_misses import near_misses
from paths import CORPUS, HAS_LARGE_CORPUS
from schema_changes import change_schema, hoist_definitions, schema

from mcpgen.compare import RULES, Severity
from mcpgen.compare.definitions.tool_schemas import ToolSchema, compare
from mcpgen.contract.definitions import Schema
from mcpgen.contract.document import read
from mcpgen.findings.severity import Audience
from mcpgen.jsontext import Json, loads
from mcpgen.schemas.validation import schemas

SEEDS = int(os.environ.get("MCPGEN_CHANGES", "1500"))
SIDES = ["input", "output"]
LIVE = sorted((CORPUS / "live").glob("*.json"))

STRING = {"type": "string"}
BASE = {"type": "object", "properties": {"a": STRING}, "required": ["a"]}
CLOSED = {**BASE, "additionalProperties": False}
MAP = {"type": "object", "additionalProperties": {"type": "integer"}}
TREE = {
    "$ref": "#/$defs/Node",
    "$defs": {
        "Node": {
            "type": "object",
            "properties": {"label": STRING, "next": {"$ref": "#/$defs/Node"}},
        }
    },
}


def judge(recorded: Any, live: Any) -> Any:
    return runtime_compatible.judge(recorded, live)


def differences(direction: str, old: Json, new: Json) -> tuple[str, ...]:
    """Return the differences between two tools with these schemas."""
    if direction == "input":
        return tuple(judge({"inputSchema": old}, {"inputSchema": new}).differences)
    other = {"inputSchema": {"type": "object"}}
    return tuple(judge({**other, "outputSchema": old}, {**other, "outputSchema": new}).differences)


def member(raw: Json, **more: Json) -> Json:
    return {"type": "object", "properties": {"x": raw}, "required": ["x"], **more}


# Each as (old, new, is it harmless for an input, is it for an output).
CASES: dict[str, tuple[Json, Json, bool, bool]] = {
    "texts": (
        {**member({**STRING, "description": "one", "examples": ["a"]}), "title": "A"},
        {**member({**STRING, "description": "two", "deprecated": True}), "$comment": "why"},
        True,
        True,
    ),
    "a member that is called title": (
        {"type": "object", "properties": {"title": STRING}},
        {"type": "object", "properties": {"title": {"type": "integer"}}},
        False,
        False,
    ),
    "a member that is called title is gone": (
        {"type": "object", "properties": {"title": STRING}},
        {"type": "object", "properties": {}},
        False,
        False,
    ),
    "another default": (
        {"type": "object", "properties": {"x": {**STRING, "default": "a"}}},
        {"type": "object", "properties": {"x": {**STRING, "default": "b"}}},
        False,
        True,
    ),
    "a default of true in place of 1": (
        {"type": "object", "properties": {"x": {"default": 1}}},
        {"type": "object", "properties": {"x": {"default": True}}},
        False,
        True,
    ),
    "order": (
        {"type": "object", "properties": {"a": STRING, "b": STRING}, "required": ["a", "b"]},
        {"required": ["b", "a"], "properties": {"b": STRING, "a": STRING}, "type": "object"},
        True,
        True,
    ),
    "new member": (BASE, {**BASE, "properties": {"a": STRING, "b": STRING}}, True, True),
    "new member of what was closed": (
        CLOSED,
        {**CLOSED, "properties": {"a": STRING, "b": STRING}},
        True,
        False,
    ),
    "new member of what was said to be open": (
        {**BASE, "additionalProperties": True},
        {**BASE, "properties": {"a": STRING, "b": STRING}},
        False,
        True,
    ),
    "new member of a map": (MAP, {**MAP, "properties": {"b": STRING}}, False, False),
    "new member of a map, of the same type": (
        MAP,
        {**MAP, "properties": {"b": {"type": "integer"}}},
        False,
        True,
    ),
    "new required member": (
        BASE,
        {"type": "object", "properties": {"a": STRING, "b": STRING}, "required": ["a", "b"]},
        False,
        True,
    ),
    "member gone": (BASE, {"type": "object", "properties": {}}, False, False),
    "optional member gone": (
        {"type": "object", "properties": {"a": STRING}},
        {"type": "object"},
        False,
        False,
    ),
    "required no more": (BASE, {"type": "object", "properties": {"a": STRING}}, True, False),
    "required now": ({"type": "object", "properties": {"a": STRING}}, BASE, False, True),
    "closed now": (BASE, CLOSED, False, True),
    "open now": (CLOSED, BASE, True, False),
    "wider type": (
        member({"type": "integer"}),
        member({"type": ["integer", "string"]}),
        True,
        False,
    ),
    "integer and number": (member({"type": "integer"}), member({"type": "number"}), True, False),
    "nullable as a type": (
        member({"type": ["string", "null"]}),
        member({"anyOf": [STRING, {"type": "null"}]}),
        True,
        True,
    ),
    "nullable": (member(STRING), member({"anyOf": [STRING, {"type": "null"}]}), True, False),
    "nullable with a default": (
        member({**STRING, "default": None}),
        member({"anyOf": [STRING, {"type": "null"}], "default": None}),
        True,
        False,
    ),
    "more values": (member({"enum": ["a"]}), member({"enum": ["b", "a"]}), True, False),
    "a value that is another kind": (member({"enum": [1]}), member({"enum": [True]}), False, False),
    "values and their type": (member({"enum": ["a", "b"]}), member(STRING), True, False),
    "const and enum": (member({"const": "a"}), member({"enum": ["a", "b"]}), True, False),
    "lower minimum": (
        member({"type": "integer", "minimum": 1}),
        member({"type": "integer", "minimum": 0}),
        True,
        False,
    ),
    "bound gone": (member({**STRING, "maxLength": 5}), member(STRING), True, False),
    "bound of another type": (
        member(STRING),
        member({"type": ["string", "integer"], "minimum": 1}),
        True,
        False,
    ),
    "pattern gone": (member({**STRING, "pattern": "^a"}), member(STRING), True, False),
    "other pattern": (
        member({**STRING, "pattern": "^a"}),
        member({**STRING, "pattern": "^b"}),
        False,
        False,
    ),
    "items": (
        member({"type": "array", "items": {"type": "integer"}}),
        member({"type": "array", "items": {"type": "number"}}),
        True,
        False,
    ),
    "items of no type any more": (
        member({"type": "array", "items": member(STRING)}),
        member({"type": "array"}),
        False,
        False,
    ),
    "tuple": (
        member({"type": "array", "prefixItems": [{"type": "integer"}]}),
        member({"type": "array", "prefixItems": [{"type": "number"}]}),
        False,
        False,
    ),
    "branch of anyOf": (
        member({"anyOf": [STRING, {"type": "integer"}]}),
        member({"anyOf": [{"type": "integer"}, STRING, {"type": "array"}]}),
        True,
        False,
    ),
    "branch of oneOf, of a type of its own": (
        member({"oneOf": [STRING, {"type": "integer"}]}),
        member({"oneOf": [{"type": "integer"}, STRING, {"type": "array"}]}),
        True,
        False,
    ),
    "branch of oneOf that overlaps": (
        member({"oneOf": [STRING, {"type": "integer"}]}),
        member({"oneOf": [{"type": "integer"}, STRING, {"type": "number"}]}),
        False,
        False,
    ),
    "reference in place of what it leads to": (
        member({"$ref": "#/$defs/S"}, **{"$defs": {"S": STRING}}),
        member(STRING),
        True,
        True,
    ),
    "definition under another name": (
        member({"$ref": "#/$defs/S"}, **{"$defs": {"S": STRING}}),
        member({"$ref": "#/$defs/T"}, **{"$defs": {"T": STRING}}),
        True,
        True,
    ),
    "same reference to something else": (
        member({"$ref": "#/$defs/S"}, **{"$defs": {"S": STRING}}),
        member({"$ref": "#/$defs/S"}, **{"$defs": {"S": {"type": "integer"}}}),
        False,
        False,
    ),
    "same condition on something else": (
        member({"not": {"$ref": "#/$defs/S"}}, **{"$defs": {"S": STRING}}),
        member({"not": {"$ref": "#/$defs/S"}, "type": "object"}, **{"$defs": {"S": {}}}),
        False,
        False,
    ),
    "reference that leads nowhere": (
        member({"$ref": "#/$defs/S"}),
        member({"$ref": "#/$defs/S", "description": "a"}, title="x", minProperties=0),
        False,
        False,
    ),
    "reference to itself": (
        member({"$ref": "#/$defs/S"}, **{"$defs": {"S": {"anyOf": [{"$ref": "#/$defs/S"}]}}}),
        member(STRING),
        False,
        False,
    ),
    "any of itself": (
        member(STRING),
        member(
            {"$ref": "#/$defs/S"},
            **{"$defs": {"S": {"anyOf": [{"$ref": "#/$defs/S"}, {"type": "integer"}]}}},
        ),
        False,
        False,
    ),
    "recursive": (
        TREE,
        {
            "$ref": "#/$defs/N",
            "$defs": {
                "N": {
                    "type": "object",
                    "properties": {"label": {}, "next": {"$ref": "#/$defs/N"}},
                }
            },
        },
        True,
        False,
    ),
    "unevaluated": (
        {**BASE, "unevaluatedProperties": False},
        {"type": "object", "properties": {"a": STRING}, "unevaluatedProperties": False},
        False,
        False,
    ),
    "another dialect": (
        BASE,
        {**BASE, "$schema": "http://json-schema.org/draft-07/schema#"},
        False,
        False,
    ),
    "the dialect that it has anyway": (
        BASE,
        {**BASE, "$schema": "https://json-schema.org/draft/2020-12/schema"},
        True,
        True,
    ),
    "a keyword of its own": (member(STRING), member({**STRING, "x-a": 1}), False, False),
    "no schema": (BASE, None, False, False),
    "anything": (member(STRING), {}, False, False),
    "nonsense": (
        member(STRING),
        {"type": 1, "properties": [], "required": {}, "anyOf": 5},
        False,
        False,
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_table_lists_harmless_changes(name: str) -> None:
    old, new, input_is, output_is = CASES[name]
    assert (differences("input", old, new) == ()) is input_is
    assert (differences("output", old, new) == ()) is output_is


# Input changes that jsonschema-rs proves harmless, if it is installed.
PROVED: dict[str, tuple[Json, Json]] = {
    "values and their length": ({"enum": ["a", "bc"]}, {**STRING, "maxLength": 2}),
    "values and a pattern": ({"enum": ["a", "ab"]}, {**STRING, "pattern": "^a"}),
    "a multiple": (
        {"type": "integer", "multipleOf": 6},
        {"type": "integer", "multipleOf": 3},
    ),
    "one value more by oneOf": (
        {"oneOf": [{"const": "a"}, {"const": "b"}]},
        {"oneOf": [{"const": "a"}, {"const": "b"}, {"const": "c"}]},
    ),
}


@contextmanager
def without_native_library() -> Iterator[None]:
    """Pretend that jsonschema-rs isn't installed."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(native, "_library", lambda: None)
        yield


@pytest.mark.parametrize("name", PROVED)
def test_change_beyond_the_rules_is_proved_if_possible(name: str) -> None:
    old, new = (member(item) for item in PROVED[name])
    assert differences("input", old, new) == ()
    assert differences("output", old, new) != ()
    with without_native_library():
        assert differences("input", old, new) != ()


def test_a_proof_is_not_asked_of_defaults() -> None:
    old, new = {"enum": ["a"], "default": "a"}, {**STRING, "maxLength": 1, "default": "b"}
    assert differences("input", member(old), member(new)) != ()
    old, new = ({"anyOf": [{**item, "default": n}]} for n, item in enumerate((old, new)))
    assert differences("input", member(old), member(new)) != ()


def test_a_difference_says_where_it_is() -> None:
    old, new = member({"type": "object", "properties": {"a/b": STRING}}), member({"type": "object"})
    assert differences("input", old, new) == (
        "inputSchema differs at /properties/x/properties/a~1b",
    )


def test_redacted_value_matches_any_string() -> None:
    old = member({**STRING, "default": "${HOME}/data"}, title="one")
    assert (
        differences("input", old, member({**STRING, "default": "/home/me/data"}, title="two")) == ()
    )
    assert differences("input", old, member({**STRING, "default": "/home/me/x"}, title="two"))


HINTS: list[tuple[Json, Json, bool]] = [
    ({"readOnlyHint": True}, {"readOnlyHint": False}, False),
    ({"readOnlyHint": True}, {}, False),
    ({"readOnlyHint": True}, {"readOnlyHint": True, "destructiveHint": True}, False),
    ({"destructiveHint": False}, None, False),
    ({"idempotentHint": True}, {"idempotentHint": False}, False),
    ({"openWorldHint": False}, {}, False),
    ({"x-new": 1}, {}, False),
    ({}, {"readOnlyHint": True, "title": "A"}, True),
    ({"title": "A"}, None, True),
    ({"destructiveHint": True}, {"destructiveHint": False}, True),
]


@pytest.mark.parametrize(("old", "new", "is_harmless"), HINTS)
def test_a_hint_may_only_claim_more(old: Json, new: Json, *, is_harmless: bool) -> None:
    recorded, live = ({"inputSchema": BASE, "annotations": item} for item in (old, new))
    assert (judge(recorded, live).differences == ()) is is_harmless


def test_newly_required_task_is_a_difference() -> None:
    live = {"inputSchema": BASE, "execution": {"taskSupport": "required"}}
    assert judge({"inputSchema": BASE}, live).differences == ("it must be called as a task",)
    assert judge(live, live).differences == ()


def test_result_may_gain_a_schema_but_not_lose_it() -> None:
    without, with_one = {"inputSchema": BASE}, {"inputSchema": BASE, "outputSchema": BASE}
    assert judge(without, with_one).differences == ()
    assert judge(with_one, without).differences == ("outputSchema differs",)


def test_only_new_arguments_of_open_objects_need_checking() -> None:
    more = {"a": STRING, "b": STRING}
    opened = judge({"inputSchema": BASE}, {"inputSchema": {**BASE, "properties": more}})
    closed = judge({"inputSchema": CLOSED}, {"inputSchema": {**CLOSED, "properties": more}})
    assert (opened.is_opened, closed.is_opened) == (True, False)


def levels(direction: str, old: Json, new: Json) -> set[Severity | None]:
    changes = compare(ToolSchema(direction, "t", "", ""), Schema(old, ""), Schema(new, ""))
    return {RULES[change.rule].severity([Audience("wire")]) for change in changes}


def find_harmed_values(direction: str, old: Json, new: Json, random: Random) -> Json:
    """Return values that one side may send and the other rejects."""
    sent_schema, accepting = (old, new) if direction == "input" else (new, old)
    try:
        first = instance(sent_schema)
    except NoInstanceError:
        return []
    is_sent, is_taken = (schemas.SchemaValidator(item).allows for item in (sent_schema, accepting))
    values = [
        first,
        *near_misses(sent_schema, first, random, 40),
        *near_misses(accepting, first, random, 40),
    ]
    return [value for value in values if is_sent(value) and not is_taken(value)]


def whole(raw: Json, random: Random) -> Json:
    """Return an object schema with this schema as a property, sometimes with definitions."""
    if random.random() < 0.5:
        return member(raw)
    definitions: dict[str, Json] = {}
    inner = hoist_definitions(raw, random, definitions)
    return member(inner, **{"$defs": definitions})


@cache
def let_through(direction: str, *, by_rules: bool) -> list[tuple[int, Json, Json, bool]]:
    """Return the random changes considered harmless, and whether calls must be checked."""
    results: list[tuple[int, Json, Json, bool]] = []
    for seed in range(SEEDS):
        random = Random(seed)
        raw = schema(random)
        old, new = whole(raw, random), whole(change_schema(raw, random), random)
        tools = ({"inputSchema": BASE, f"{direction}Schema": item} for item in (old, new))
        with without_native_library() if by_rules else nullcontext():
            verdict = judge(*tools)
        if not verdict.differences and old != new:
            results.append((seed, old, new, verdict.is_opened))
    return results


@pytest.mark.parametrize("direction", SIDES)
def test_breaking_random_change_is_never_allowed(direction: str) -> None:
    cases = let_through(direction, by_rules=True)
    assert len(cases) > SEEDS / 20
    for seed, old, new, _ in cases:
        assert Severity.BREAKING not in levels(direction, old, new), (seed, old, new)


@pytest.mark.slow
@pytest.mark.parametrize("direction", SIDES)
def test_value_rejecting_random_change_is_never_allowed(direction: str) -> None:
    for seed, old, new, is_opened in let_through(direction, by_rules=False):
        if not is_opened:
            assert find_harmed_values(direction, old, new, Random(seed)) == [], (seed, old, new)


@pytest.mark.slow
@pytest.mark.skipif(not LIVE, reason="the corpus is not here; MCPGEN_CORPUS names its folder")
@pytest.mark.parametrize("direction", SIDES)
def test_breaking_change_of_a_corpus_tool_is_never_allowed(
    direction: str,
) -> None:
    tried = let = 0
    for path in LIVE:
        for number, tool in enumerate(read(loads(path.read_bytes())).tools.values()):
            old = tool.get(f"{direction}Schema")
            if not isinstance(old, dict) or schemas.problem(old):
                continue
            for seed in range(2):
                new = change_schema(copy.deepcopy(old), Random(f"{path.name} {number} {seed}"))
                if not isinstance(new, dict) or schemas.problem(new):
                    continue
                tried += 1
                with without_native_library():
                    is_let = not differences(direction, old, new)
                if is_let:
                    let += 1
                    assert Severity.BREAKING not in levels(direction, old, new), (path.name, tool)
    assert tried > (100 if HAS_LARGE_CORPUS else 50)
    assert let > tried / 20
