"""Every subschema of an older dialect is found, regardless of the order of keywords."""

from __future__ import annotations

import sys
from itertools import permutations
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from mcpgen_runtime.package import package_of_module
from mcpgen_runtime.validation import schemas as runtime_schemas
from mcpgen_runtime.validation.keywords.older_drafts import translate_drafts

from mcpgen.codegen.pipeline import STYLES, Options, generate
from mcpgen.codegen.server_pipeline import ServerOptions, generate_server
from mcpgen.contract.document import Contract
from mcpgen.jsontext import Json
from mcpgen.schemas.validation import schemas
from mcpgen.testing.mock import servable

DRAFTS = {
    "draft-03": (jsonschema.Draft3Validator, "id"),
    "draft-04": (jsonschema.Draft4Validator, "id"),
    "draft-06": (jsonschema.Draft6Validator, "$id"),
    "draft-07": (jsonschema.Draft7Validator, "$id"),
}
NEEDS_TWO = {"properties": {"a": {"type": "integer"}}, "additionalProperties": False}


def dialect(draft: str) -> str:
    return f"http://json-schema.org/{draft}/schema#"


def forms(draft: str) -> dict[str, Json]:
    """Return a dependency of each form. One subschema has an address that another refers to."""
    key = DRAFTS[draft][1]
    result: dict[str, Json] = {
        "list": ["a"],
        "part": {key: "urn:part", "definitions": {"k": NEEDS_TWO}, "properties": {"a": {}}},
        "refers": {"properties": {"a": {"$ref": "urn:part#/definitions/k"}}},
        "inner": {
            key: "urn:other",
            "definitions": {"k": NEEDS_TWO},
            "allOf": [{"$ref": "#/definitions/k"}],
        },
    }
    if draft == "draft-03":
        result["inner"]["extends"] = result["inner"].pop("allOf")[0]
        result["text"] = "a"
    if draft in ("draft-06", "draft-07"):
        result |= {"yes": True, "no": False, "none": []}
    return result


def schema(draft: str, order: Any) -> Json:
    dependencies = {
        f"{letter}_{name}": forms(draft)[name]
        for letter, name in zip("abcdefg", order, strict=False)
    }
    return {
        "$schema": dialect(draft),
        DRAFTS[draft][1]: "urn:whole",
        "type": "object",
        "dependencies": dependencies,
    }


def orders() -> list[Any]:
    return [
        pytest.param(draft, order, id=f"{draft} {' '.join(order)}")
        for draft in DRAFTS
        for order in [*permutations(forms(draft))][:: 5 if len(forms(draft)) < 7 else 211]
    ]


@pytest.mark.parametrize(("draft", "order"), orders())
def test_dependencies_mean_the_same_whichever_form_stands_first(draft: str, order: Any) -> None:
    whole = schema(draft, order)
    assert schemas.problem(whole) is None
    judge = schemas.SchemaValidator(whole)
    # Written by hand, because jsonschema can't follow these references.
    verdicts: dict[str, tuple[Json, Json]] = {
        "list": ({"a": 1}, {}),
        "part": ({}, None),
        "refers": ({"a": {"a": 1}}, {"a": {"b": 1}}),
        "inner": (None, {"z": 1}),
        "text": ({"a": 1}, {}),
        "yes": ({}, None),
        "no": (None, {}),
        "none": ({}, None),
    }
    for letter, name in zip("abcdefg", order, strict=False):
        allowed, forbidden = verdicts[name]
        member = f"{letter}_{name}"
        if allowed is not None:
            assert judge.allows({member: 1, **allowed}), member
        if forbidden is not None:
            assert not judge.allows({member: 1, **forbidden}), member


@pytest.mark.parametrize("draft", DRAFTS)
def test_translated_schema_accepts_the_same_values(draft: str) -> None:
    kind, key = DRAFTS[draft]
    parts: dict[str, Json] = {
        "l": ["a", "b"],
        "s": {"properties": {"a": {"type": "integer"}}},
        "e": [],
    }
    if draft in ("draft-06", "draft-07"):
        parts |= {"y": True, "n": False}
    if draft == "draft-03":
        parts["t"] = "a"
    data = {"enum": [{"dependencies": {"l": ["a"]}}, 1], "default": {"dependencies": {"x": []}}}
    inner = {"dependencies": parts, "properties": {"d": data, "dependencies": {"type": "array"}}}
    whole = {"$schema": dialect(draft), key: "urn:x", "allOf": [inner], "extends": inner}
    other = translate_drafts(whole)
    assert other != whole
    assert other["allOf"][0]["properties"] == inner["properties"]  # data is not touched
    values: list[Json] = [{}, {"d": {"dependencies": {"l": ["a"]}}}, {"dependencies": 1}]
    values += [{name: 1, **more} for name in parts for more in ({}, {"a": 1}, {"a": "", "b": 2})]
    for value in values:
        assert kind(other).is_valid(value) is kind(whole).is_valid(value), value


def test_schema_without_old_keywords_is_unchanged() -> None:
    for whole in (
        {"$schema": dialect("draft-07"), "dependencies": {"a": ["b"]}},
        {"$schema": dialect("draft-07"), "$id": "urn:x", "properties": {"a": {}}},
        True,
    ):
        assert translate_drafts(whole) is whole
    later = {"$id": "urn:x", "dependencies": {"a": ["b"]}}
    assert translate_drafts(later) == later  # here it isn't a keyword


def test_older_subschema_is_found_in_newer_schema() -> None:
    part = {"$schema": dialect("draft-07"), "$id": "urn:part", "dependencies": {"a": ["b"]}}
    whole = {"$id": "urn:whole", "type": "object", "$defs": {"p": part}, "$ref": "urn:part"}
    assert schemas.problem(whole) is None
    assert not schemas.SchemaValidator(whole).allows({"a": 1})


@pytest.mark.parametrize("draft", DRAFTS)
def test_dependencies_beside_an_address_cost_no_command_anything(draft: str) -> None:
    whole = schema(draft, list(forms(draft)))
    tools = {"t": {"name": "t", "inputSchema": whole, "outputSchema": whole}}
    contract = Contract(tools=tools)
    for style in STYLES:
        assert (
            "TypeAdapter(TInput)" in generate(contract, Options(style=style)).files["models/t.py"]
        )
    assert generate_server(contract, ServerOptions(standalone=False)).notices == ()
    assert servable(contract)[1] == ()


@pytest.mark.parametrize("draft", DRAFTS)
def test_a_generated_package_judges_such_dependencies_too(
    draft: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = schema(draft, ["refers", "list", "part"])
    name = f"parts_{draft.replace('-', '_')}"
    tools = {"t": {"name": "t", "inputSchema": whole}}
    for path, text in generate(Contract(tools=tools), Options(name=name)).files.items():
        file = tmp_path / name / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, "utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    tool = package_of_module(name).tool("t")
    assert runtime_schemas.problems(tool, "inputSchema", {"b_list": 1, "a": 1}) == []
    assert runtime_schemas.problems(tool, "inputSchema", {"b_list": 1}) != []
    assert runtime_schemas.problems(tool, "inputSchema", {"a_refers": 1, "a": {"b": 1}}) != []
    for module in [item for item in sys.modules if item.split(".")[0] == name]:
        del sys.modules[module]


def test_draft_04_subschema_id_moves_its_references() -> None:
    part = {"id": "urn:part", "properties": {"x": {"$ref": "#/definitions/k"}}}
    part["definitions"] = {"k": {"type": "integer"}}
    whole = {
        "$schema": dialect("draft-04"),
        "type": "object",
        "properties": {"p": {"type": "object", **part}},
        "definitions": {"k": {"type": "string"}},
    }
    package = generate(Contract(tools={"t": {"name": "t", "inputSchema": whole}}))
    assert "x: str" not in package.files["models/t.py"]
    assert schemas.SchemaValidator(whole).allows({"p": {"x": 1}})


def test_problems_within_draft_3_types_are_reported() -> None:
    schema = {
        "$schema": dialect("draft-03"),
        "properties": {"a": {"type": [{"enum": [1, 1]}, "any"]}},
    }
    problem = schemas.problem(schema)
    assert problem is not None
    assert problem.pointer == "/properties/a/type/0/enum"
