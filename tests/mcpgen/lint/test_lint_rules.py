"""Each lint rule finds its defect and nothing in correct definitions."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hard_schemas import HARD
from lint_definitions import (
    BAD,
    GOOD,
    apply_change,
    find_rules,
)
from paths import CORPUS

from mcpgen.contract.document import Contract, read
from mcpgen.findings.rules.lint.catalogue import RULES
from mcpgen.findings.severity import Level
from mcpgen.jsontext import Json, loads
from mcpgen.lint.lint import lint


def test_nothing_is_found_where_all_is_well() -> None:
    assert find_rules(GOOD) == set()


def test_every_rule_is_shown_to_find_something() -> None:
    elsewhere = "L103 L104 L107 L206 L208 L601 L602 L605 L701 L702 L703 L704 L705".split()
    assert {rule for rule, *_ in BAD} | {*elsewhere} == RULES.keys()


@pytest.mark.parametrize("rule", RULES.values(), ids=lambda rule: rule.id)
def test_a_rule_explains_itself(rule: Any) -> None:
    assert rule.id[0] == "L"
    assert not rule.summary.endswith(".")
    assert rule.why.endswith(".")
    assert rule.fix
    assert all(rule.example)


def test_the_order_of_tools_changes_nothing() -> None:
    tools = [apply_change(change) for _, _, change in BAD[:20]]
    for number, tool in enumerate(tools):
        tool["name"] += f"_{number}"
    assert lint(read({"tools": tools})) == lint(read({"tools": tools[::-1]}))


ODD: list[Json] = [
    None, True, 3, [], "object", {"type": ["object", 3]}, {"type": "object", "properties": []},
    {"type": "object", "properties": {"a": True, "b": False, "": {}}, "required": "a"},
    {"type": "object", "properties": {"a": {"enum": {}, "items": 3, "description": ["x"]}}},
    {"$ref": "#"}, {"type": "object", "$ref": "#/$defs/A", "$defs": {"A": {"$ref": "#/$defs/B"}}},
    {"type": "object", "properties": {"a": {"$ref": "https://example.org/a"}}},
]  # fmt: skip


@pytest.mark.parametrize("schema", [*ODD, *HARD.values()], ids=lambda schema: repr(schema)[:40])
def test_no_schema_is_too_odd(schema: Json) -> None:
    # That mcpgen itself failed for none of them is seen in every test.
    tool = {"name": "odd", "inputSchema": schema, "outputSchema": schema, "annotations": schema}
    as_argument = {"type": "object", "properties": {"a/b~": schema}, "required": ["a/b~", 3]}
    lint(read({"tools": [tool, {"name": "held", "inputSchema": as_argument}]}))


def corpus(name: str) -> Contract:
    path = CORPUS / "live" / name
    if not path.is_file():
        pytest.skip("the corpus is not here: set MCPGEN_CORPUS")
    return read(loads(path.read_bytes(), str(path)))


def test_a_good_server_has_no_errors() -> None:
    items, notices = lint(corpus("chrome-devtools-mcp.json"))
    assert notices == ()
    assert [item for item in items if RULES[item.rule].level is Level.ERROR] == []


@pytest.mark.slow
def test_every_server_of_the_corpus_is_looked_at_whole() -> None:
    for path in sorted((CORPUS / "live").glob("*.json")):
        items, notices = lint(corpus(path.name))
        assert notices == (), path.name
        assert json.dumps([item.fingerprint for item in items])
