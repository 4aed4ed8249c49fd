"""Large values are judged exactly, in linear time, or refused as too expensive."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

import anyio
import pytest
from mcpgen_runtime.validation import schemas as runtime_schemas
from mcpgen_runtime.validation.keywords import budgets as limits
from mcpgen_runtime.validation.keywords import native
from mcpgen_runtime.validation.regexes import patterns
from runtime.packages import STYLES, Style, import_client
from runtime.scripted import Scripted, structured_result

from mcpgen.contract.document import Contract
from mcpgen.jsontext import Json
from mcpgen.schemas.validation import schemas


def tagged_schema(number: int) -> Json:
    return {
        "type": "object",
        "properties": {"kind": {"const": f"k{number}"}, f"p{number}": {"type": "string"}},
        "required": ["kind"],
    }


def untagged_schema(number: int) -> Json:
    name = f"p{number}"
    return {"type": "object", "properties": {name: {"type": "string"}}, "required": [name]}


Make = Callable[[int], Any]

# (schema of an item, a valid item, an invalid one)
ITEMS: dict[str, tuple[Json, Make, Any]] = {
    "tagged union, nothing unevaluated": (
        {"anyOf": [tagged_schema(n) for n in range(10)], "unevaluatedProperties": False},
        lambda n: {"kind": f"k{n % 10}", f"p{n % 10}": "x"},
        {"kind": "k1", "z": 1},
    ),
    "all of two, nothing unevaluated": (
        {"allOf": [untagged_schema(0), untagged_schema(1)], "unevaluatedProperties": False},
        lambda _: {"p0": "x", "p1": "y"},
        {"p0": "x", "p1": "y", "z": 1},
    ),
    "look-ahead at the start": (
        {"type": "string", "pattern": r"^(?=.*[A-Z])(?!z)[A-Za-z\d]{8,}$"},
        lambda n: f"Abcdefgh{n}",
        "zBcdefgh1",
    ),
    "look-behind at the end": (
        {"type": "string", "pattern": r"^[a-z]+(?<!ing)$"},
        lambda n: "ab" * (n % 7 + 1),
        "going",
    ),
    "look-ahead inside": (
        {"type": "string", "pattern": r"[a-z]+(?=\d)(?!9)\d+"},
        lambda n: f"abc{n % 8}",
        "abc9",
    ),
    "longer look-ahead inside": (
        {"type": "string", "pattern": r"[a-z]+(?=\d+x)(?!9)\d"},
        lambda n: f"abc{n % 8}x",
        "abc9x",
    ),
    "one of fifty": (
        {"oneOf": [{**tagged_schema(n), "additionalProperties": False} for n in range(50)]},
        lambda n: {"kind": f"k{n % 50}"},
        {"kind": "k50"},
    ),
    "any of fifty, told apart by members": (
        {"anyOf": [untagged_schema(n) for n in range(50)]},
        lambda n: {f"p{n % 50}": "x"},
        {"p1": 1},
    ),
    "one of a thousand values": (
        {"enum": [f"v{n}" for n in range(1000)]},
        lambda n: f"v{n % 1000}",
        "w",
    ),
    "if, then, else": (
        {
            "if": {"properties": {"a": {"const": 1}}},
            "then": {"properties": {"a": True, "b": {"type": "integer"}}},
            "else": {"properties": {"a": True}},
            "unevaluatedProperties": False,
        },
        lambda n: {"a": 1, "b": n} if n % 2 else {"a": 2},
        {"a": 2, "b": 1},
    ),
}
CASES = pytest.mark.parametrize("case", ITEMS)


@pytest.fixture(params=["jsonschema-rs", "jsonschema"])
def library(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """Validate with and without jsonschema-rs."""
    if request.param == "jsonschema":
        monkeypatch.setitem(sys.modules, "jsonschema_rs", None)
    native._library.cache_clear()
    yield request.param
    native._library.cache_clear()


@pytest.mark.slow
@pytest.mark.sampled(1)
@CASES
def test_one_bad_item_among_many_is_refused(case: str, library: str) -> None:
    item, good, bad = ITEMS[case]
    validator = schemas.SchemaValidator({"items": item})
    values = [good(number) for number in range(4_000)]
    assert validator.errors(values) == []
    errors = validator.errors([*values, bad])
    assert errors
    assert [*errors[0].absolute_path][:1] == [4_000]


@CASES
def test_native_library_reports_problems_of_large_values(case: str) -> None:
    item, good, bad = ITEMS[case]
    judge = native.NativeValidator({"items": item})
    problems = judge.problems_of_large([*map(good, range(25_000)), bad])
    if case == "longer look-ahead inside":
        assert problems is None  # the library has no look-around in linear time
        return
    assert problems
    assert problems[0].path[0] == 25_000
    if pattern := item.get("pattern"):
        assert f'does not match "{pattern}"' in problems[0].message


@pytest.mark.sampled(5)
@CASES
def test_work_grows_with_the_size_of_the_value(case: str, monkeypatch: pytest.MonkeyPatch) -> None:
    item, good, bad = ITEMS[case]
    validator = schemas.SchemaValidator({"items": item})
    work = 0

    def count(_: object, steps: int) -> None:
        nonlocal work
        work += steps

    monkeypatch.setattr(patterns.Budget, "spend", count)
    monkeypatch.setattr(native, "_library", lambda: None)

    def spent(size: int) -> int:
        nonlocal work
        work = 0
        assert validator.errors([*map(good, range(size)), bad])
        return work

    assert spent(2_000) < 2.2 * spent(1_000)


def test_tree_of_two_alternatives_is_judged_in_linear_time(library: str) -> None:
    schema: Json = {
        "$ref": "#/$defs/e",
        "$defs": {
            "e": {
                "anyOf": [
                    {"type": "number"},
                    {
                        "type": "object",
                        "properties": {"args": {"type": "array", "items": {"$ref": "#/$defs/e"}}},
                        "required": ["args"],
                        "additionalProperties": False,
                    },
                ]
            }
        },
    }
    tree: Json = 1
    for _ in range(9):
        tree = {"args": [tree, tree, 2]}
    tree = {"args": [tree] * 3}
    validator = schemas.SchemaValidator(schema)
    assert validator.errors(tree) == []
    assert validator.errors({"args": [tree, "x"]})


INEXACT: Json = {"type": "object", "properties": {"a": {"not": {"const": 1}}}}


@pytest.mark.parametrize("style", STYLES)
def test_client_rejects_values_too_expensive_to_validate(
    style: Style, monkeypatch: pytest.MonkeyPatch
) -> None:
    free: Json = {"type": "object"}
    contract = Contract(
        tools={
            "send": {"name": "send", "inputSchema": INEXACT, "outputSchema": free},
            "read": {"name": "read", "inputSchema": free, "outputSchema": INEXACT},
        }
    )
    module = import_client(contract, f"expensive_{style}", style)
    server = Scripted(contract, send=structured_result({}), read=structured_result({"a": 2}))

    async def act() -> None:
        async with module.Client.connect(server.server, verify="off") as client:
            await client.call("send", {"a": 2})
            await client.call("read", {})
            monkeypatch.setattr(limits, "MOST_REFERENCES", -1)
            monkeypatch.setattr(limits, "_REFERENCES", 0)
            monkeypatch.setattr(limits, "count_part", raise_exhausted)
            monkeypatch.setattr(native, "_library", nothing)
            runtime_schemas._judge.cache_clear()
            with pytest.raises(module.InvalidArguments, match="too expensive to validate"):
                await client.call("send", {"a": 2})
            with pytest.raises(module.InvalidResult, match="too expensive to validate"):
                await client.call("read", {})

    def raise_exhausted() -> None:
        raise patterns.ExhaustedError

    anyio.run(act)
    assert [name for name, _ in server.sent] == ["send", "read", "read"]


def nothing() -> None:
    """Return None, as if jsonschema-rs were not installed."""


def test_nothing_is_guessed_when_the_time_is_over(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(native, "_library", nothing)
    monkeypatch.setattr(limits, "MOST_SECONDS", -1.0)
    validator = schemas.SchemaValidator({"items": {"type": "string", "pattern": "a(?=b)"}})
    with pytest.raises(patterns.ExhaustedError):
        validator.errors(["ab" * 50] * 5_000)


def test_further_steps_have_the_same_deadline() -> None:
    budget = patterns.Budget(1, more=lambda: 10**9, deadline=-1.0)
    budget.left = 0
    with pytest.raises(patterns.ExhaustedError, match="too long"):
        budget.spend(1)
    budget = patterns.Budget(20_000, more=lambda: 10**9, deadline=time.thread_time() + 60)
    budget.spend(20_001)
    budget.deadline = -1.0
    with pytest.raises(patterns.ExhaustedError, match="too long"):
        budget.spend(10_001)


@pytest.mark.parametrize(
    ("pattern", "good", "bad"),
    [
        (r"^(?=a)(?!ab)\w+$", ["ac", "a"], ["ab", "abc", "b", ""]),
        (r"^(?:(?!x))[a-z]*$", ["", "ax"], ["x", "xa", "A"]),
        (r"^((?=.*\d).+)$", ["a1", "1"], ["a", ""]),
        (r"^a*(?<=aa)$", ["aa", "aaa"], ["a", ""]),
        (r"^a.*(?<!b|cd)$", ["a", "acdx"], ["ab", "acd"]),
        (r"^(?=a)$", [], ["a", ""]),
        (r"^(?<=a)b", [], ["b", "ab"]),
        (r"(?=a)b|a", ["a", "xa"], ["b"]),
        (r"^(?=(a)).\1$", ["aa"], ["ab", "a"]),
        (r"^(?=a(?=b))ab?", ["ab", "abc"], ["a", "ac"]),
        (r"(?<!a)$", ["", "b"], ["a", "ba"]),
    ],
)
def test_lookaround_matches_expected_strings(pattern: str, good: list[str], bad: list[str]) -> None:
    assert [text for text in [*good, *bad] if patterns.matches(pattern, text)] == good
    program = patterns._program(pattern)
    assert [t for t in [*good, *bad] if program.matches(t, patterns.Budget())] == good
