"""The schemas of one tool: rules, fingerprints and details of their changes."""

from __future__ import annotations

from typing import Any, get_args

import pytest
from contract_changes import A, S, tool, tools
from schema_mutations import changes

from mcpgen.compare import RULES, compare
from mcpgen.compare.definitions.tool_schemas import RULES_OF
from mcpgen.compare.schemas.difference import Aspect
from mcpgen.jsontext import Json


def test_every_aspect_of_a_schema_has_its_rules() -> None:
    assert set(RULES_OF) == set(get_args(Aspect))
    assert {rule for row in RULES_OF.values() for rules in row.values() for rule in rules} <= {
        *RULES
    }


def test_side_channel_argument_is_found() -> None:
    new = tools(tool("a", inputSchema={"type": "object", "properties": {"q": S, "reasoning": S}}))
    assert [c.rule for c in compare(tools(tool("a")), new)] == ["I02"]
    assert [c.rule for c in compare(tools(tool("a")), new, channels=True)] == ["I02", "I02b"]


def of_input(**members: Json) -> dict[str, Any]:
    return tool("a", inputSchema={"type": "object", "properties": {"q": S, "r": S}, **members})


def test_each_condition_is_a_separate_finding() -> None:
    conditions: Json = {
        "not": {"required": ["q", "r"]},
        "propertyNames": {"maxLength": 5},
        "dependentRequired": {"q": ["r"]},
    }
    listed = changes(of_input(), of_input(**conditions))
    assert sorted((change.rule, change.detail) for change in listed) == [
        ("I18", "dependentRequired"),
        ("I18", "not"),
        ("I18", "propertyNames"),
    ]
    assert len({change.fingerprint for change in listed}) == 3


BEHIND = {"not": {"$ref": "#/$defs/N"}}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ({"not": {"required": ["q"]}}, {"not": {"required": ["r"]}}),
        (
            {**BEHIND, "$defs": {"N": {"required": ["q"]}}},
            {**BEHIND, "$defs": {"N": {"required": ["r"]}}},
        ),
        ({"then": {"minProperties": 1}}, {"then": {"minProperties": 2}}),
        ({"dependentRequired": {"q": ["r"]}}, {"dependentRequired": {"r": ["q"]}}),
        ({"dependencies": {"q": ["r"]}}, {"dependencies": {"r": ["q"]}}),
        ({"dependentSchemas": {"q": {"minProperties": 2}}}, {"dependentSchemas": {"q": False}}),
        ({"$ref": "https://example.org/a"}, {"$ref": "https://example.org/b"}),
        ({"patternProperties": {"^x": S}}, {"patternProperties": {"^x": {"type": "null"}}}),
        ({"oneOf": [{"required": ["q"]}, S]}, {"oneOf": [{"required": ["r"]}, S]}),
        ({"anyOf": [{"required": ["q"]}]}, {"anyOf": [{"required": ["r"]}]}),
        ({"properties": {"z": {"$ref": "#/$defs/Z"}}, "$defs": {"Z": S}}, {"properties": {"z": A}}),
    ],
    ids=lambda members: next(iter(members)),
)
def test_two_changes_of_one_place_have_two_fingerprints(before: Json, after: Json) -> None:
    extra: Json = {"if": {"required": ["q"]}}
    first, other = (
        changes(of_input(**extra), of_input(**extra, **item)) for item in (before, after)
    )
    marks = [{change.fingerprint for change in listed} for listed in (first, other)]
    assert marks[0] - marks[1]
    assert marks[1] - marks[0]


def test_finding_names_a_removed_keyword() -> None:
    old, new = of_input(minProperties=1), of_input()
    assert [(c.rule, c.detail) for c in changes(old, new)] == [("I13", "minProperties")]


def test_required_argument_finding_mentions_unused_default() -> None:
    new = of_input(required=["n"])
    new["inputSchema"]["properties"]["n"] = {"type": "integer", "default": 5}
    (change,) = changes(of_input(), new)
    assert (change.rule, change.detail[:16]) == ("I01", "its default is 5")


def test_renamed_property_is_reported_as_such() -> None:
    old = tool("a", inputSchema={"type": "object", "properties": {"q": {**S, "maxLength": 9}}})
    new = tool("a", inputSchema={"type": "object", "properties": {"query": {**S, "maxLength": 9}}})
    result = {change.rule: change.detail for change in changes(old, new)}
    assert result == {
        "I06": "apparently renamed to input.query",
        "I02": "apparently renamed from input.q",
    }


def test_equal_types_do_not_imply_a_renamed_property() -> None:
    def switch(name: str, text: str) -> dict[str, Any]:
        schema = {"type": "boolean", "description": text}
        return tool("a", inputSchema={"type": "object", "properties": {name: schema}})

    old = switch("raw", "Return it without compression.")
    assert not any(c.detail for c in changes(old, switch("fullPage", "Take the whole page.")))
    new = switch("plain", "Return all of it without compression.")
    assert all("apparently renamed" in c.detail for c in changes(old, new))
