"""Every rule on whole tools, prompts, resources and servers, and that no rule is without a case."""

from __future__ import annotations

import copy
from dataclasses import replace
from typing import Any, get_args

import pytest
from schema_mutations import BASE, MUTATIONS, PAIRS, WHOLES, changes, mutate_tool, put

from mcpgen.compare import RULES, Audience, Change, Severity, compare
from mcpgen.compare.definitions.tool_schemas import RULES_OF
from mcpgen.compare.judge import judge
from mcpgen.compare.schemas.difference import Aspect
from mcpgen.contract.document import Contract
from mcpgen.errors import UsageError
from mcpgen.findings.options import ReportOptions
from mcpgen.findings.policy import DiffPolicy
from mcpgen.findings.reports.formats import render_diff
from mcpgen.jsontext import Json

S: Json = {"type": "string"}


def tool(name: str, **members: Json) -> dict[str, Any]:
    return {"name": name, "inputSchema": {"type": "object", "properties": {"q": S}}, **members}


def tools(*listed: dict[str, Any], **parts: Any) -> Contract:
    return Contract({item["name"]: item for item in listed}, **parts)


def prompts(*listed: dict[str, Any]) -> Contract:
    return Contract({}, prompts={item["name"]: item for item in listed})


def resources(*listed: dict[str, Any]) -> Contract:
    return Contract(
        {},
        resources={item["uri"]: item for item in listed if "uri" in item},
        resource_templates={item["uriTemplate"]: item for item in listed if "uriTemplate" in item},
    )


def prompt(*arguments: dict[str, Any], **members: Json) -> dict[str, Any]:
    return {"name": "p", "arguments": list(arguments), **members}


def server(**parts: Any) -> Contract:
    return Contract({}, **parts)


FREE = {"type": "object"}
READER = {"readOnlyHint": True}
WRAPPED = {
    "type": "object",
    "properties": {"result": S},
    "required": ["result"],
    "x-fastmcp-wrap-result": True,
}
PLAIN = {key: value for key, value in WRAPPED.items() if key != "x-fastmcp-wrap-result"}
A = {"name": "a"}
CODE = {"name": "code", "required": True}
README = {"uri": "file:///r", "name": "r"}
TAGS = "".join(chr(0xE0000 + ord(char)) for char in "send it")


def contract_with_hints(**hints: Json) -> Contract:
    return tools(tool("a", annotations=hints))


def tasks(support: str = "") -> Contract:
    return tools(tool("a", **({"execution": {"taskSupport": support}} if support else {})))


TEMPLATE = {"uriTemplate": "f:///{a}", "name": "t"}
HOSTED = tool("a", _meta={"ui": {"resourceUri": "ui://a"}})
ICON, ICON_2 = ({"icons": [{"src": f"https://{n}.example/i"}]} for n in "ab")
ARRAY = {"type": "array"}
# The two directions of a change, each with its rules.
THERE_AND_BACK: dict[str, tuple[Contract, Contract, str, str]] = {
    "read only": (
        contract_with_hints(readOnlyHint=True),
        contract_with_hints(readOnlyHint=False),
        "A01",
        "A03",
    ),
    "destructive": (
        contract_with_hints(destructiveHint=False),
        contract_with_hints(destructiveHint=True),
        "A02",
        "A03",
    ),
    "open world": (
        contract_with_hints(openWorldHint=False),
        contract_with_hints(openWorldHint=True),
        "A02",
        "A03",
    ),
    "idempotent": (
        contract_with_hints(idempotentHint=True),
        contract_with_hints(idempotentHint=False),
        "A02b",
        "A03",
    ),
    "default said": (tools(tool("a")), contract_with_hints(openWorldHint=True), "A04", "A04"),
    "unknown hint": (tools(tool("a")), contract_with_hints(cost=1), "A05", "A05"),
    "unknown hint's value": (
        contract_with_hints(cost=1),
        contract_with_hints(cost=2),
        "A05",
        "A05",
    ),
    "a task or not": (tasks("required"), tasks("forbidden"), "T05", "T05"),
    "may be a task": (tasks("forbidden"), tasks("optional"), "T05b", "T05"),
    "need not be a task": (tasks("required"), tasks("optional"), "T05b", "T05"),
    "says that it must be a task": (tasks(), tasks("required"), "T05", "T05c"),
    "says that it is no task": (tasks(), tasks("forbidden"), "T05d", "T05d"),
    "title": (tools(tool("a")), tools(tool("a", title="x")), "D04", "D08"),
    "icon": (tools(tool("a")), tools(tool("a", **ICON)), "D06", "D06"),
    "icon's address": (tools(tool("a", **ICON)), tools(tool("a", **ICON_2)), "D06", "D06"),
    "meta of hosts": (tools(tool("a")), tools(HOSTED), "D07", "D07"),
    "unknown member": (tools(tool("a")), tools(tool("a", vendor=1)), "D09", "D09"),
    "array": (
        tools(tool("a", outputSchema=FREE)),
        tools(tool("a", outputSchema=ARRAY)),
        "O14",
        "O14",
    ),
    "wrapped": (
        tools(tool("a", outputSchema=PLAIN)),
        tools(tool("a", outputSchema=WRAPPED)),
        "O15 O29",
        "O15 O29",
    ),
    "instructions": (server(), server(instructions="x"), "D02", "D08"),
    "revision": (server(revision="2025-06-18"), server(revision="2025-11-25"), "S04", "S04"),
    "order": (tools(tool("b"), tool("a")), tools(tool("a"), tool("b")), "S05", "S05"),
    "prompt": (prompts(), prompts(prompt()), "P02", "P01"),
    "prompt's argument": (prompts(prompt()), prompts(prompt(CODE)), "P03", "P04"),
    "prompt's optional argument": (prompts(prompt()), prompts(prompt(A)), "P05", "P04"),
    "resource": (resources(), resources(README), "R02", "R01"),
    "resource's type": (
        resources(README),
        resources({**README, "mimeType": "text/plain"}),
        "R04",
        "R04",
    ),
    "template": (resources(), resources(TEMPLATE), "R02", "R01"),
    "template's variables": (
        resources(TEMPLATE),
        resources({**TEMPLATE, "uriTemplate": "f:///{a}/{b}"}),
        "R03",
        "R03",
    ),
}

# Old contract, new contract, and the rules.
CASES: dict[str, tuple[Contract, Contract, str]] = {
    "tool removed": (tools(tool("a"), tool("b", outputSchema=FREE)), tools(tool("a")), "T01"),
    "tool added": (tools(tool("a")), tools(tool("a"), tool("b")), "T02"),
    "tool renamed": (tools(tool("search")), tools(tool("find")), "T03"),
    "tool renamed and described anew": (
        tools(tool("search", description="x")),
        tools(tool("find", description="y")),
        "D01 T03",
    ),
    "tool without arguments exchanged": (
        tools({"name": "a", "inputSchema": FREE}),
        tools({"name": "b", "inputSchema": FREE}),
        "T01 T02",
    ),
    "tool looks like another by its letters": (
        tools(tool("pay")),
        tools(tool("pay"), tool("pаy")),  # noqa: RUF001 - that is the point
        "D03 T02 T02b",
    ),
    "tool looks like another by its spelling": (
        tools(tool("get_user")),
        tools(tool("get_user"), tool("GetUser")),
        "T02 T02b",
    ),
    "tool's name holds what is not seen": (
        tools(tool("pay")),
        tools(tool("pay"), tool("pay\u200b")),
        "D03 T02 T02b",
    ),
    "method renamed": (
        tools(tool("get-user")),
        tools(tool("get-user"), tool("get_user")),
        "T02 T02b T04",
    ),
    "names pinned": (
        tools(tool("get-user")),
        tools(tool("get-user"), tool("get_users"), names={"get-user": "get_user"}),
        "T02",
    ),
    "task required": (
        tools(tool("a", execution={"taskSupport": "optional"})),
        tools(tool("a", execution={"taskSupport": "required"})),
        "T05",
    ),
    "task forbidden": (
        tools(tool("a", execution={"taskSupport": "optional"})),
        tools(tool("a", execution={"taskSupport": "forbidden"})),
        "T05",
    ),
    "task optional": (
        tools(tool("a", execution={"taskSupport": "forbidden"})),
        tools(tool("a", execution={"taskSupport": "optional"})),
        "T05b",
    ),
    "task forbidden said": (
        tools(tool("a")),
        tools(tool("a", execution={"taskSupport": "forbidden"})),
        "T05d",
    ),
    "task unsaid": (
        tools(tool("a", execution={"taskSupport": "optional"})),
        tools(tool("a")),
        "T05c",
    ),
    "execution changed": (tools(tool("a")), tools(tool("a", execution={"cost": 1})), "D09"),
    "input schema gone": (tools(tool("a")), tools({"name": "a"}), "T07"),
    "output added": (tools(tool("a")), tools(tool("a", outputSchema=FREE)), "O02"),
    "output removed": (tools(tool("a", outputSchema=FREE)), tools(tool("a")), "O01"),
    "output invalid": (
        tools(tool("a", outputSchema=FREE)),
        tools(tool("a", outputSchema={"$ref": "https://example.org/x"})),
        "T07",
    ),
    "output is an array": (
        tools(tool("a", outputSchema=FREE)),
        tools(tool("a", outputSchema={"type": "array"})),
        "O14",
    ),
    "output wrapped": (
        tools(tool("a", outputSchema=PLAIN)),
        tools(tool("a", outputSchema=WRAPPED)),
        "O15 O29",
    ),
    "output never valid": (
        tools(tool("a", outputSchema={"type": "object", "properties": {"x": S}})),
        tools(tool("a", outputSchema={"type": "object", "properties": {"x": {"enum": []}}})),
        "O27 O30",
    ),
    "output's items never valid": (
        tools(tool("a", outputSchema={"type": "array", "items": S})),
        tools(tool("a", outputSchema={"type": "array", "items": {"type": [], "allOf": [False]}})),
        "T07",
    ),
    "output false": (
        tools(tool("a", outputSchema=FREE)),
        tools(tool("a", outputSchema={"type": "object", "allOf": [False]})),
        "O27",
    ),
    "input false": (
        tools(tool("a")),
        tools(tool("a", inputSchema={"type": "object", "allOf": [False]})),
        "I27",
    ),
    "schema written in another way": (
        tools(tool("a")),
        tools(tool("a", inputSchema={**tool("a")["inputSchema"], "minProperties": 0})),
        "U02",
    ),
    "secret in a header": (
        tools(tool("a", inputSchema={"type": "object", "properties": {"api_key": S}})),
        tools(
            tool(
                "a",
                inputSchema={
                    "type": "object",
                    "properties": {"api_key": {**S, "x-mcp-header": "Key"}},
                },
            )
        ),
        "I23 I23b",
    ),
    "new secret in a header": (
        tools(tool("a")),
        tools(
            tool(
                "a",
                inputSchema={
                    "type": "object",
                    "properties": {"q": S, "token": {**S, "x-mcp-header": "Key"}},
                },
            )
        ),
        "I02 I23b",
    ),
    # hints
    "read-only lost": (
        tools(tool("a", annotations=READER)),
        tools(tool("a", annotations={"readOnlyHint": False})),
        "A01",
    ),
    "read-only dropped": (tools(tool("a", annotations=READER)), tools(tool("a")), "A01"),
    "read-only claimed": (tools(tool("a")), tools(tool("a", annotations=READER)), "A03"),
    "destructive dropped": (
        tools(tool("a", annotations={"destructiveHint": False})),
        tools(tool("a")),
        "A02",
    ),
    "destructive denied": (
        tools(tool("a")),
        tools(tool("a", annotations={"destructiveHint": False})),
        "A03",
    ),
    "destructive said": (
        tools(tool("a")),
        tools(tool("a", annotations={"destructiveHint": True})),
        "A04",
    ),
    "destructive of a reader": (
        tools(tool("a", annotations=READER)),
        tools(tool("a", annotations={**READER, "destructiveHint": False})),
        "A04",
    ),
    "idempotent lost": (
        tools(tool("a", annotations={"idempotentHint": True})),
        tools(tool("a")),
        "A02b",
    ),
    "idempotent claimed": (
        tools(tool("a")),
        tools(tool("a", annotations={"idempotentHint": True})),
        "A03",
    ),
    "open world opened": (
        tools(tool("a", annotations={"openWorldHint": False})),
        tools(tool("a")),
        "A02",
    ),
    "open world closed": (
        tools(tool("a")),
        tools(tool("a", annotations={"openWorldHint": False})),
        "A03",
    ),
    "a hint that is no boolean": (
        tools(tool("a")),
        tools(tool("a", annotations={"readOnlyHint": "yes"})),
        "A05",
    ),
    "unknown hint": (tools(tool("a")), tools(tool("a", annotations={"cost": 1})), "A05"),
    # texts
    "description": (tools(tool("a", description="x")), tools(tool("a", description="y")), "D01"),
    "description added": (tools(tool("a")), tools(tool("a", description="y")), "D01"),
    "description removed": (tools(tool("a", description="x")), tools(tool("a")), "D08"),
    "description emptied": (
        tools(tool("a", description="x")),
        tools(tool("a", description=" ")),
        "D08",
    ),
    "tags": (
        tools(tool("a", description="x")),
        tools(tool("a", description=f"x{TAGS}")),
        "D01 D03",
    ),
    "bidirectional": (
        tools(tool("a", title="x")),
        tools(tool("a", title="x\u202ey")),
        "D03 D04",
    ),
    "emoji are seen": (
        tools(tool("a", description="x")),
        tools(tool("a", description="\u26a0\ufe0f \U0001f468\u200d\U0001f4bb")),
        "D01",
    ),
    "variation selectors": (
        tools(tool("a", description="x")),
        tools(tool("a", description="x\ufe01\ufe02")),
        "D01 D03",
    ),
    "hidden in an unknown member": (
        tools(tool("a", vendor={"k": "x"})),
        tools(tool("a", vendor={"k\u2060": "x"})),
        "D03 D09",
    ),
    "hidden text moved": (
        tools(tool("a", description="x\u200b", title="y")),
        tools(tool("a", description="y", title="x\u200b")),
        "D01 D04",
    ),
    "annotations' title": (
        tools(tool("a", annotations={"title": "x"})),
        tools(tool("a", annotations={"title": "y"})),
        "D04",
    ),
    "title removed": (tools(tool("a", title="x")), tools(tool("a")), "D08"),
    "title made of the name": (
        tools(tool("get_it")),
        tools(tool("get_it", title="Get It")),
        "D04b",
    ),
    "title that was made of the name": (
        tools(tool("get_it", annotations={"title": "Get it"})),
        tools(tool("get_it", annotations={"title": "Get it for free"})),
        "D04",
    ),
    "title made of a tool's name": (
        tools(tool("a")),
        tools(tool("a", inputSchema={**tool("a")["inputSchema"], "title": "aArguments"})),
        "D04b",
    ),
    "title made of an argument's name": (
        tools(tool("a", inputSchema={"type": "object", "properties": {"page_size": S}})),
        tools(
            tool(
                "a",
                inputSchema={
                    "type": "object",
                    "properties": {"page_size": {**S, "title": "Page Size"}},
                },
            )
        ),
        "D04b",
    ),
    "a name where nothing is compared": (
        tools(tool("a")),
        tools(tool("a", inputSchema={**tool("a")["inputSchema"], "$defs": {"get_it_all": S}})),
        "D02b U02",
    ),
    "icons": (tools(tool("a")), tools(tool("a", icons=[{"src": "https://x"}])), "D06"),
    "meta of hosts": (
        tools(tool("a")),
        tools(tool("a", _meta={"ui": {"resourceUri": "ui://x"}})),
        "D07",
    ),
    "meta of its own": (
        tools(tool("a", _meta={"build": 1})),
        tools(tool("a", _meta={"build": 2})),
        "D07b",
    ),
    "unknown member": (tools(tool("a")), tools(tool("a", vendor=True)), "D09"),
    "true to 1": (tools(tool("a", vendor=True)), tools(tool("a", vendor=1)), "D09"),
    # the server
    "server renamed": (server(server={"name": "a"}), server(server={"name": "b"}), "S01"),
    "version": (
        server(server={"name": "a", "version": "1"}),
        server(server={"name": "a", "version": "2"}),
        "S02",
    ),
    "server's title": (
        server(server={"name": "a", "title": "x"}),
        server(server={"name": "a", "title": "y"}),
        "D04",
    ),
    "website": (
        server(server={"name": "a"}),
        server(server={"name": "a", "websiteUrl": "https://x"}),
        "D06",
    ),
    "instructions": (server(instructions="x"), server(instructions="y"), "D02"),
    "instructions removed": (server(instructions="x"), server(), "D08"),
    "hidden instructions": (server(instructions="x"), server(instructions="x\u200d"), "D02 D03"),
    "a capability removed that offered nothing": (
        server(capabilities={"tools": {}, "prompts": {}, "completions": {}, "sampling": {}}),
        server(capabilities={"tools": {}}),
        "S03d",
    ),
    "a capability removed under which something was listed": (
        server(capabilities={"prompts": {}}, prompts={"p": {"name": "p"}}),
        server(capabilities={"tools": {}}, prompts={"p": {"name": "p"}}),
        "S03 S03b",
    ),
    "logging removed": (
        server(capabilities={"tools": {}, "logging": {}}),
        server(capabilities={"tools": {}}),
        "S03c",
    ),
    "empty capabilities removed": (
        server(capabilities={"tools": {}, "experimental": {}}),
        server(capabilities={"tools": {}}),
        "S03d",
    ),
    "an experimental capability removed": (
        server(capabilities={"tools": {}, "experimental": {"x": {}}}),
        server(capabilities={"tools": {}}),
        "S03",
    ),
    "capability added": (
        server(capabilities={"tools": {}}),
        server(capabilities={"tools": {}, "logging": {}}),
        "S03b",
    ),
    "listChanged lost": (
        server(capabilities={"tools": {"listChanged": True}}),
        server(capabilities={"tools": {}}),
        "S03c",
    ),
    "listChanged gained": (
        server(capabilities={"tools": {}}),
        server(capabilities={"tools": {"listChanged": True}}),
        "S03b",
    ),
    "listChanged denied": (
        server(capabilities={"tools": {}, "prompts": {}}),
        server(capabilities={"tools": {"listChanged": False}, "prompts": {}}),
        "",
    ),
    "subscribe lost": (
        server(capabilities={"resources": {"subscribe": True}}),
        server(capabilities={"resources": {}}),
        "S03",
    ),
    "revision": (server(revision="2025-11-25"), server(revision="2026-07-28"), "S04"),
    "a dump says nothing of the server": (
        server(server={"name": "a"}, revision="2025-11-25", capabilities={"tools": {}}),
        server(),
        "",
    ),
    "a tool comes first": (
        tools(tool("b"), tool("c")),
        tools(tool("z"), tool("b"), tool("a"), tool("c")),
        "T02",
    ),
    "tools come in another order": (
        tools(tool("b"), tool("a")),
        tools(tool("a"), tool("b")),
        "S05",
    ),
    # prompts
    "prompt removed": (prompts(prompt()), prompts(), "P01"),
    "prompt added": (prompts(), prompts(prompt()), "P02"),
    "required argument added": (prompts(prompt()), prompts(prompt(CODE)), "P03"),
    "argument required": (prompts(prompt({"name": "code"})), prompts(prompt(CODE)), "P03"),
    "argument removed": (prompts(prompt(CODE)), prompts(prompt()), "P04"),
    "argument optional": (prompts(prompt(CODE)), prompts(prompt({"name": "code"})), "P05"),
    "argument added": (prompts(prompt()), prompts(prompt(A)), "P05"),
    "argument described": (
        prompts(prompt(A)),
        prompts(prompt({**A, "description": "x"})),
        "D02",
    ),
    "prompt described": (prompts(prompt()), prompts(prompt(description="x")), "D01"),
    "prompt titled": (prompts(prompt(title="x")), prompts(prompt(title="y")), "D04"),
    "hidden in a prompt": (prompts(prompt()), prompts(prompt(description="\u2063x")), "D01 D03"),
    "prompt's icons": (prompts(prompt()), prompts(prompt(icons=[])), "D06"),
    "prompt's method": (
        prompts({"name": "code-review"}),
        prompts({"name": "code-review"}, {"name": "code_review"}),
        "P02 P06",
    ),
    # resources
    "resource removed": (resources(README), resources(), "R01"),
    "resource added": (resources(), resources(README), "R02"),
    "resource moved": (resources(README), resources({**README, "uri": "file:///s"}), "R03"),
    "template removed": (resources({"uriTemplate": "x://{a}", "name": "x"}), resources(), "R01"),
    "template added": (resources(), resources({"uriTemplate": "x://{a}", "name": "x"}), "R02"),
    "template's variables": (
        resources({"uriTemplate": "x://{a}", "name": "x"}),
        resources({"uriTemplate": "x://{a}/{b}", "name": "x"}),
        "R03",
    ),
    "media type": (resources(README), resources({**README, "mimeType": "text/x"}), "R04"),
    "resource renamed": (resources(README), resources({**README, "name": "s"}), "D04 R05"),
    "size": (resources(README), resources({**README, "size": 1}), "R06"),
    "date": (
        resources(README),
        resources({**README, "annotations": {"lastModified": "2026-01-01"}}),
        "R06",
    ),
    "priority": (
        resources(README),
        resources({**README, "annotations": {"priority": 1}}),
        "A05",
    ),
    "resource described": (resources(README), resources({**README, "description": "x"}), "D01"),
}


def find_rules(old: Contract, new: Contract) -> list[str]:
    return sorted({change.rule for change in compare(old, new)})


@pytest.mark.parametrize("name", CASES)
def test_a_change_of_a_contract_falls_under_its_rules(name: str) -> None:
    old, new, expected = CASES[name]
    assert find_rules(old, new) == expected.split()


@pytest.mark.parametrize("name", THERE_AND_BACK)
def test_a_change_there_and_back_falls_under_its_rules(name: str) -> None:
    old, new, merged, back = THERE_AND_BACK[name]
    assert find_rules(old, new) == merged.split()
    assert find_rules(new, old) == back.split()


def test_every_rule_has_a_case() -> None:
    listed = " ".join(text for *_, text in CASES.values()).split()
    listed += [rule for _, item in MUTATIONS.values() for rule in item]
    for *_, text, received in (*PAIRS.values(), *WHOLES.values()):
        listed += f"{text} {received}".split()
    assert set(RULES) - set(listed) == {"I02b", "U03"}  # asked for, and of a fault of ours


def test_every_aspect_of_a_schema_has_its_rules() -> None:
    assert set(RULES_OF) == set(get_args(Aspect))
    assert {rule for row in RULES_OF.values() for rules in row.values() for rule in rules} <= {
        *RULES
    }


def test_side_channel_argument_is_found() -> None:
    new = tools(tool("a", inputSchema={"type": "object", "properties": {"q": S, "reasoning": S}}))
    assert [c.rule for c in compare(tools(tool("a")), new)] == ["I02"]
    assert [c.rule for c in compare(tools(tool("a")), new, channels=True)] == ["I02", "I02b"]


def test_new_tool_similar_to_another_servers_tool_is_found() -> None:
    listed = compare(tools(), tools(tool("sendMail")), neighbours=[("mail", "send_mail")])
    assert [change.rule for change in listed] == ["T02", "T02b"]


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


def test_finding_in_many_pointers_is_reported_once() -> None:
    hints: Json = {"readOnlyHint": True}
    names = [f"t{n}" for n in range(40)]
    old = resources(*({"uri": f"f:///{n}", "name": n} for n in names))
    old = replace(old, tools={n: tool(n) for n in names})
    new = tools(*(tool(n, annotations=hints) for n in names))
    report = judge(compare(old, new), DiffPolicy())
    assert [len(repeated) for repeated in report.repeated_findings(floor=Severity.COMPATIBLE)] == [
        40,
        40,
    ]
    for form in ("text", "markdown"):
        text = render_diff(report, ReportOptions(form))
        assert (text.count("R01"), text.count("A03")) == ((2, 2) if form == "text" else (1, 1))
        assert ("40 resources" in text, "40 tools" in text) == (True, True)
    assert len(render_diff(report, ReportOptions("text")).splitlines()) < 40


def test_renamed_property_is_reported_as_such() -> None:
    old = tool("a", inputSchema={"type": "object", "properties": {"q": {**S, "maxLength": 9}}})
    new = tool("a", inputSchema={"type": "object", "properties": {"query": {**S, "maxLength": 9}}})
    result = {change.rule: change.detail for change in changes(old, new)}
    assert result == {
        "I06": "it looks renamed to input.query",
        "I02": "it looks renamed from input.q",
    }


def test_equal_types_do_not_imply_a_renamed_property() -> None:
    def switch(name: str, text: str) -> dict[str, Any]:
        schema = {"type": "boolean", "description": text}
        return tool("a", inputSchema={"type": "object", "properties": {name: schema}})

    old = switch("raw", "Return it without compression.")
    assert not any(c.detail for c in changes(old, switch("fullPage", "Take the whole page.")))
    new = switch("plain", "Return all of it without compression.")
    assert all("looks renamed" in c.detail for c in changes(old, new))


def test_severity_depends_on_the_audience() -> None:
    rule = RULES["I06"]
    assert rule.severity() is Severity.BREAKING
    assert rule.severity([Audience.WIRE]) is Severity.DANGEROUS
    assert rule.severity([Audience.AGENT]) is None


@pytest.mark.parametrize("rule", RULES.values(), ids=lambda rule: rule.id)
def test_a_rule_explains_itself(rule: Any) -> None:
    assert rule.levels
    assert rule.summary
    assert rule.why.endswith(".")
    assert all(rule.example)
    assert rule.fix or (rule.severity() or 0) <= Severity.COMPATIBLE or rule.id == "O08"


def test_only_hidden_characters_stay_as_severe_as_they_are() -> None:
    assert [rule.id for rule in RULES.values() if rule.fixed] == ["D03"]


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


def test_report_shows_both_defaults_of_a_boolean() -> None:
    old, new = (
        tools(
            tool(
                "t",
                inputSchema={
                    "type": "object",
                    "properties": {"a": {"type": "boolean", "default": default}},
                },
            )
        )
        for default in (False, True)
    )
    assert "false -> true" in render_diff(
        judge(compare(old, new), DiffPolicy()), ReportOptions("text")
    )
