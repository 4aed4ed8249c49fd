"""Every rule about tools, prompts, resources and servers. Each rule has a case."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from contract_changes import CASES, S, server, tool, tools
from schema_mutations import BASE, MUTATIONS, PAIRS, WHOLES, changes, mutate_tool, put

from mcpgen.compare import RULES, Change, compare
from mcpgen.errors import UsageError
from mcpgen.jsontext import Json


def test_every_rule_has_a_case() -> None:
    listed = " ".join(text for *_, text in CASES.values()).split()
    listed += [rule for _, item in MUTATIONS.values() for rule in item]
    for *_, text, received in (*PAIRS.values(), *WHOLES.values()):
        listed += f"{text} {received}".split()
    assert set(RULES) - set(listed) == {"I02b", "U03"}  # asked for, and of a fault of ours


def test_contracts_of_clients_with_other_capabilities_are_not_compared() -> None:
    with pytest.raises(UsageError, match="different client capabilities"):
        compare(server(client_capabilities={"a": {}}), server(client_capabilities={"b": {}}))


def test_a_contract_is_the_same_as_itself() -> None:
    for old, new, _ in CASES.values():
        assert compare(old, old) == compare(new, new) == ()


def single_change(mutation: Any) -> Change:
    (change,) = (c for c in changes(BASE, mutate_tool(mutation)) if c.rule != "U02")
    return change


def test_a_change_says_where_it_is_in_both_contracts() -> None:
    change = single_change(put("in.@$defs.@Filter.year", minimum=1900))
    assert change.subject == "tool search"
    assert change.path == "input.filter.year"
    assert change.new_pointer == "/tools/search/inputSchema/$defs/Filter/properties/year/minimum"
    assert (repr(change.old), change.new, change.detail) == ("ABSENT", 1900, "minimum")


def test_change_of_renamed_tool_names_its_old_pointer() -> None:
    old = tools(tool("search", annotations={"readOnlyHint": True}))
    new = tools(tool("find", annotations={"readOnlyHint": False}))
    hint = next(change for change in compare(old, new) if change.rule == "A01")
    assert hint.old_pointer == "/tools/search/annotations/readOnlyHint"
    assert hint.new_pointer == "/tools/find/annotations/readOnlyHint"


def test_fingerprint_depends_on_values_not_on_inlining() -> None:
    behind = single_change(put("in.@$defs.@Filter.year", minimum=1900))
    inlined = copy.deepcopy(BASE)
    inlined["inputSchema"]["properties"]["filter"] = inlined["inputSchema"].pop("$defs")["Filter"]
    after = copy.deepcopy(inlined)
    after["inputSchema"]["properties"]["filter"]["properties"]["year"]["minimum"] = 1900
    (change,) = changes(inlined, after)
    assert change.fingerprint == behind.fingerprint
    assert (
        single_change(put("in.@$defs.@Filter.year", minimum=1901)).fingerprint != behind.fingerprint
    )


def test_format_with_bounds_is_a_string_for_code() -> None:
    """Only a format without bounds has a type of its own, such as Uri."""
    schemas: list[Json] = [
        {"anyOf": [{"type": "string", "format": "uri", "minLength": 1}, S]},
        {"type": "string"},
    ]
    old, new = (
        tools(tool("t", inputSchema={"type": "object", "properties": {"url": raw}}))
        for raw in schemas
    )
    assert "I30" not in {change.rule for change in compare(old, new)}
