"""jsonschema-rs runs first, for schemas and values on which both libraries agree."""

from __future__ import annotations

import random
import subprocess
import sys
from typing import Any

import jsonschema
import pytest
from guards import ending
from mcpgen_runtime.validation.keywords import dialect_translation as restated
from mcpgen_runtime.validation.keywords import native

from mcpgen.jsontext import Json
from mcpgen.schemas.validation import messages, schemas

LATEST = restated.LATEST
BEFORE = "https://json-schema.org/draft/2019-09/schema"
DRAFT_4 = "http://json-schema.org/draft-04/schema#"
DRAFT_7 = "http://json-schema.org/draft-07/schema#"


def surely(schema: Json, value: Any) -> bool:
    assert schemas.problem(schema) is None
    return native.NativeValidator(schema).surely_allows(value)


def test_a_yes_is_the_library_s_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(schemas.validators, "errors", None)  # jsonschema is not asked
    schema = {"type": "array", "items": {"type": "string", "pattern": r"^\d+$"}}
    assert schemas.SchemaValidator(schema).errors(["1", "23"]) == []
    assert (
        messages.problems("2025-11-25", "Tool", {"name": "a", "inputSchema": {"type": "object"}})
        == ()
    )


def test_a_no_is_asked_again_and_worded_by_jsonschema() -> None:
    [error] = schemas.SchemaValidator({"items": {"maximum": 3}}).errors([1, 5])
    assert error.message == "5 is greater than the maximum of 3"
    assert [*error.absolute_path] == [1]


@pytest.mark.parametrize("value", [1, "x"])
def test_without_the_library_jsonschema_decides_alone(
    value: Json, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "jsonschema_rs", None)
    native._library.cache_clear()
    try:
        assert surely({"type": "integer"}, value) is False
        assert schemas.SchemaValidator({"type": "integer"}).allows(value) is (value == 1)
    finally:
        native._library.cache_clear()


@pytest.mark.parametrize(("release", "is_used"), [("0.60.2", 0), ("0.60.3", 1), ("1.0.0rc1", 0)])
def test_untested_release_is_not_used(
    release: str, is_used: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("importlib.metadata.version", lambda _: release)
    native._library.cache_clear()
    try:
        assert surely({}, 1) is bool(is_used)
    finally:
        native._library.cache_clear()


def test_panic_of_the_library_gives_no_verdict(monkeypatch: pytest.MonkeyPatch) -> None:
    class PanicException(BaseException): ...

    def fail(*_: object) -> None:
        raise kind

    judge = native.NativeValidator({})
    monkeypatch.setattr(native, "_allows", fail)
    kind: type[BaseException] = PanicException
    assert judge.surely_allows(1) is False
    kind = KeyboardInterrupt
    with pytest.raises(KeyboardInterrupt):
        judge.surely_allows(1)


# Values that both libraries read equally

ALIKE: dict[str, tuple[Json, Any]] = {
    "1 is 1.0": ({"const": 1}, 1.0),
    "a whole float": ({"type": "integer"}, 3.0),
    "a large number": ({"minimum": 2**70}, 2**70),
    "of decimals": ({"multipleOf": 0.01}, 4.35),
    "a pattern of ECMA-262": ({"pattern": r"^\w\b"}, "aé"),
    "other spaces": ({"pattern": r"^\s$"}, "\ufeff"),
    "no line end": ({"patternProperties": {"^.$": False}}, {"\r": 1}),
    "never": ({"not": {"pattern": "[]"}}, "a"),
    "definitions": ({"$ref": "#/$defs/a~1b", "$defs": {"a/b": {"type": "integer"}}}, 1),
    "in a definition": ({"$ref": "#/$defs/a/items", "$defs": {"a": {"items": {}}}}, 1),
    "unused, endless": ({"$defs": {"a": {"$ref": "#/$defs/a"}}}, 1),
    "an address": (
        {"$id": "http://example.org/a", "items": {"$ref": "#/$defs/a"}, "$defs": {"a": {}}},
        [1],
    ),
    "an old list": ({"$schema": DRAFT_7, "items": [{}], "additionalItems": False}, [1]),
    "hidden by a reference": (
        {"$schema": DRAFT_7, "$ref": "#/definitions/a", "maximum": 1, "definitions": {"a": {}}},
        5,
    ),
    "dependencies": (
        {"$schema": DRAFT_7, "dependencies": {"a": ["b"], "c": {"maxProperties": 1}}},
        {"c": 1},
    ),
    "itself": ({"properties": {"a": {"$ref": "#"}}}, {"a": {}}),
    "two of itself": ({"properties": {"l": {"$ref": "#"}, "r": {"$ref": "#"}}}, {"l": {"r": {}}}),
    "itself, and nothing else": (
        {"properties": {"a": {"$ref": "#"}}, "unevaluatedProperties": False},
        {"a": {"a": {}}},
    ),
    "look-ahead at the start": ({"pattern": "^(?=.*a)(?!b).{2}$"}, "ca"),
    "look-ahead, no string": ({"pattern": "^(?!b)a$"}, 1),
    "look-around of one character": ({"pattern": "(?<!a)b(?=c)"}, "bc"),
    "exclusive bounds of draft-04": (
        {"$schema": DRAFT_4, "maximum": 3, "exclusiveMaximum": True, "type": "integer"},
        2,
    ),
    "dependencies of draft-04": (
        {"$schema": DRAFT_4, "dependencies": {"a": ["b"], "c": {"maxProperties": 1}}},
        {"c": 1},
    ),
    "an anchor": ({"$ref": "#a", "$defs": {"b": {"$anchor": "a", "type": "integer"}}}, 1),
    "an address inside": (
        {"items": {"$id": "http://a/b", "$ref": "#/$defs/a", "$defs": {"a": {}}}},
        [1],
    ),
    "a resource by its address": (
        {
            "$id": "https://example.org/dir/a",
            "$ref": "b",
            "$defs": {
                "b": {
                    "$id": "b",
                    "allOf": [{"$ref": "#/$defs/c"}],
                    "$defs": {"c": {"maximum": 1}},
                }
            },
        },
        1,
    ),
    "what leads to itself": ({"$dynamicAnchor": "a", "items": {"$dynamicRef": "#a"}}, [[]]),
    "what leads to the root": (
        {"$schema": BEFORE, "$recursiveAnchor": True, "items": {"$recursiveRef": "#"}},
        [[]],
    ),
    "the outermost anchor": (
        {
            "$id": "https://example.org/a",
            "$dynamicAnchor": "n",
            "$ref": "b",
            "$defs": {"b": {"$id": "b", "$dynamicAnchor": "n", "items": {"$dynamicRef": "#n"}}},
        },
        [[]],
    ),
}


@pytest.mark.parametrize("what", ALIKE)
def test_equally_read_values_use_the_library(what: str) -> None:
    assert surely(*ALIKE[what])


# (schema, value) pairs that the library would accept, fail on or never finish.
OTHERWISE: dict[str, tuple[Json, Any]] = {
    "infinity": ({"maximum": 5}, float("inf")),
    "no number": ({"maximum": 5}, float("nan")),
    "infinity below": ({"properties": {"a": {"maximum": 5}}}, {"a": float("inf")}),
    "multiple of decimals, large": ({"multipleOf": 1.5}, 1e300),
    "half a character": ({"type": "object"}, {"a": "\ud800"}),
    "half a character as a name": ({"type": "object"}, {"\ud800": 1}),
    "a name that is no text": ({"additionalProperties": {"type": "string"}}, {1: 1}),
    "equal for one": ({"uniqueItems": True}, [2**63, float(2**63)]),
    "a float and a larger bound": ({"exclusiveMinimum": 2**63}, float(2**63)),
    "a float as a bound": ({"maximum": 1e23}, 10**23),
    "written alike": ({"const": 10**23}, 1e23),
    "not in this dialect": ({"not": {"dependencies": {"a": ["b"]}}}, {"a": 1}),
    "an annotation": ({"$schema": DRAFT_7, "not": {"contentEncoding": "base64"}}, "%"),
    "contained, not evaluated": (
        {"$schema": BEFORE, "contains": {"const": 1}, "unevaluatedItems": False},
        [1],
    ),
    "digits": ({"not": {"pattern": r"\D"}}, "٣"),
    "a dialect of its own": (
        {
            "$schema": LATEST,
            "items": {"$schema": DRAFT_7, "$ref": "#/$defs/a", "maximum": 1},
            "$defs": {"a": {}},
        },
        [5],
    ),
    "draft-04": ({"$schema": DRAFT_4, "type": "integer"}, 1.0),
    "look-around of any length": ({"pattern": "a(?=b+c)"}, "abc"),
    "an address inside, in an older draft": (
        {"$schema": DRAFT_7, "items": {"$id": "http://a/b", "maximum": 5}},
        [1],
    ),
    "an address in draft-04": ({"$schema": DRAFT_4, "items": {"id": "http://a/b"}}, [1]),
    "an address behind a pattern": ({"patternProperties": {"a": {"$id": "b"}}}, {"a": 1}),
    "an anchor of two resources, neither of them the root": (
        {
            "$ref": "b",
            "$defs": {
                "b": {"$id": "b", "$dynamicAnchor": "n", "items": {"$dynamicRef": "#n"}},
                "c": {"$id": "c", "$dynamicAnchor": "n"},
            },
        },
        [],
    ),
    "a root without an identifier": (
        {
            "$dynamicAnchor": "n",
            "$ref": "b",
            "$defs": {"b": {"$id": "b", "$dynamicAnchor": "n", "items": {"$dynamicRef": "#n"}}},
        },
        [],
    ),
    "a pointer into another resource": (
        {"$ref": "#/$defs/b/items", "$defs": {"b": {"$id": "b", "items": {}}}},
        1,
    ),
    "recursion between resources": (
        {"$schema": BEFORE, "items": {"$recursiveRef": "#"}, "$defs": {"a": {"$id": "a"}}},
        [],
    ),
    "two references": ({"$ref": "#/$defs/a", "$dynamicRef": "#/$defs/a", "$defs": {"a": {}}}, 1),
}


@pytest.mark.parametrize("what", OTHERWISE)
def test_differently_read_values_are_left_to_jsonschema(what: str) -> None:
    assert surely(*OTHERWISE[what]) is False


E: Json = {"$ref": "#/$defs/E"}


def branch(name: str) -> Json:
    properties = {"op": {"const": name}, "args": {"items": E}}
    return {"properties": properties, "required": ["op", "args"]}


# Recursive schemas that the library may take exponential time for, or never end with.
REPEATED: dict[str, Json] = {
    "branches with the same property": {"anyOf": [branch("and"), branch("or")]},
    "a property, and any": {"properties": {"a": E}, "additionalProperties": E},
    "items, also contained": {"items": E, "contains": E},
    "in two conditions": {"items": E, "not": {"items": E}},
    "by way of another": {"allOf": [{"properties": {"a": E}}, {"patternProperties": {"a": E}}]},
    "without a step": {"allOf": [E]},
}


@pytest.mark.parametrize("what", REPEATED)
def test_doubly_recursive_schema_is_left_to_jsonschema(what: str) -> None:
    schema = {"$ref": "#/$defs/E", "$defs": {"E": REPEATED[what]}}
    assert surely(schema, {"a": {}}) is False


def test_recursive_value_is_judged_up_to_a_depth() -> None:
    schema = {"properties": {"a": {"$ref": "#"}}}
    value: Json = {}
    for _ in range(900):
        value = {"a": value}
    assert surely(schema, value) is False
    for _ in range(700):
        value = value["a"]
    assert surely(schema, value)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("seed", range(20))
def test_recursive_values_get_the_verdict_of_jsonschema(seed: int) -> None:
    rng = random.Random(seed)
    node = {"properties": {"n": {"type": "integer"}, "c": {"items": E}, "m": MAP}}
    schema = {"$ref": "#/$defs/E", "$defs": {"E": {"anyOf": [{"type": "null"}, node]}}}

    def value(level: int) -> Any:
        if level == 0 or rng.random() < 0.1:
            return rng.choice([None, {"n": 1}, {"n": "x"} if rng.random() < 0.1 else {}])
        children = [value(level - 1) for _ in range(3)]
        return {"n": 1, "c": children[:2], "m": {"k": children[2]}}

    for item in (value(5) for _ in range(20)):
        assert surely(schema, item) is not bool(schemas.SchemaValidator(schema).errors(item, 1))


MAP: Json = {"additionalProperties": E}


def deep(levels: int) -> Json:
    value: Json = 1
    for _ in range(levels):
        value = [value]
    return value


def test_very_deep_value_is_left_to_jsonschema() -> None:
    # The library would run out of the stack, and end the process.
    assert surely({"uniqueItems": True}, deep(100))
    assert surely({"uniqueItems": True}, deep(900)) is False


def chain(levels: int, **more: Json) -> Json:
    links: Json = {f"d{i}": {"allOf": [{"$ref": f"#/$defs/d{i + 1}"}] * 2} for i in range(levels)}
    return {"$ref": "#/$defs/d0", "$defs": {**links, f"d{levels}": True}, **more}


def test_doubling_references_are_left_to_jsonschema_quickly() -> None:
    assert surely(chain(5), 1)
    with ending():
        assert surely(chain(40), 1) is False


def test_nested_unevaluated_keywords_are_left_to_jsonschema_quickly() -> None:
    schema: Json = {"properties": {"a": {}}}
    for _ in range(18):
        schema = {"anyOf": [schema], "unevaluatedProperties": False}
    with ending():
        assert surely(schema, {"a": 1}) is False
    assert surely(schema["anyOf"][0]["anyOf"][0] | {"$schema": LATEST}, {"a": 1}) is False
    flat: Json = {"anyOf": [{"properties": {"a": {}}}], "unevaluatedProperties": False}
    assert surely(flat, {"a": 1})


def test_native_patterns_share_the_step_budget() -> None:
    heavy = {"items": {"pattern": "^(?:[a-z]{1,50}){1,50}$"}}
    assert surely(heavy, ["abc"])
    with native.limits.shared_budget(1):
        assert surely(heavy, ["abc" * 1000]) is False
    with ending():
        assert surely(heavy, ["a" * 10_000_000]) is False


def test_patterns_equal_after_translation_stay_separate() -> None:
    schema = {"patternProperties": {r"\d": {"type": "integer"}, "[0-9]": {"minimum": 3}}}
    assert surely(schema, {"1": 5}) is False
    assert schemas.SchemaValidator(schema).allows({"1": 5})
    assert schemas.SchemaValidator(schema).allows({"1": 1}) is False


@pytest.mark.parametrize("uri", restated.KEYWORDS)
def test_every_jsonschema_keyword_is_translated(uri: str) -> None:
    kind = jsonschema.validators.validator_for({"$schema": uri})
    beside = {"then", "else", "minContains", "maxContains"}  # read with their neighbours
    if "draft-04" in uri:
        beside |= {"exclusiveMaximum", "exclusiveMinimum"}
    ignored = {"format"}
    assert restated.KEYWORDS[uri] - beside == {*kind.VALIDATORS} - ignored


WATCHED = """
import sys
from mcpgen.schemas.validation import schemas
from mcpgen_runtime.validation.keywords import native
schemas.SchemaValidator({"multipleOf": 2, "$id": "http://a/b"}).errors(1)
assert native.NativeValidator({}).surely_allows(1)
done = []
def hook(event, arguments):
    if event.startswith(("socket.", "subprocess.", "os.system", "urllib.")) or event == "open":
        done.append(f"{event} {arguments}"[:200])
sys.addaudithook(hook)
library = native._library()
places = ["http://127.0.0.1:9/a", "https://localhost:9/a", "file:///etc/passwd", "s.json"]
for place in [*places, "urn:x:y", "http://json-schema.org/draft-07/schema"]:
    for schema in ({"$ref": place}, {"items": {"$ref": place}}, {"$id": place, "$ref": "#/a"}):
        assert native.NativeValidator(schema).surely_allows(1) is False
        raw = native.TranslatedSchema(schema, True, 0, False)
        assert native._call_library(lambda: native._build_validator(library, raw)) is None
print(done)
"""


def test_nothing_is_fetched() -> None:
    run = subprocess.run(
        [sys.executable, "-c", WATCHED], capture_output=True, text=True, check=False, timeout=60
    )
    assert run.returncode == 0, run.stderr
    assert run.stdout.strip() == "[]"


def test_subschema_is_validated_with_root_definitions(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    part = {"$ref": "#/$defs/a"}
    whole = {"$defs": {"a": {"type": "integer"}}, "properties": {"b": part}}
    assert schemas.SchemaValidator(whole).part_allows(part, "x") is False
    itself = {"properties": {"a": {"type": "integer"}, "b": {"$ref": "#/properties/a"}}}
    inner = {"properties": {"a": {}}, "$ref": "#/properties/a"}
    assert schemas.SchemaValidator({**itself, "items": inner}).part_allows(inner, "x") is False
    monkeypatch.setattr(schemas.validators, "errors", None)  # jsonschema is not asked
    assert schemas.SchemaValidator(whole).part_allows(part, 1)


@pytest.mark.parametrize("pattern", ["[z-a]", "(", r"(a)\1"])
def test_untranslatable_pattern_is_left_to_jsonschema(pattern: str) -> None:
    assert restated.translate({"pattern": pattern}) is None
