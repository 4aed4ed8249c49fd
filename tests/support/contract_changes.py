"""Changes of contracts, each with the rules that report it."""

from __future__ import annotations

from typing import Any, TypeAlias

from mcpgen.compare import compare
from mcpgen.contract.document import Contract
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

Case: TypeAlias = tuple[Contract, Contract, str]
"""Old contract, new contract, and the rules."""

BothWays: TypeAlias = tuple[Contract, Contract, str, str]
"""Two contracts, the rules of the change there, and the rules of the change back."""

TOOLS: dict[str, Case] = {
    "tool removed": (tools(tool("a"), tool("b", outputSchema=FREE)), tools(tool("a")), "T01"),
    "tool added": (tools(tool("a")), tools(tool("a"), tool("b")), "T02"),
    "tool renamed": (tools(tool("search")), tools(tool("find")), "T03"),
    "tool renamed, with a new description": (
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
    "tool's name has an invisible character": (
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
}
CHANGED_TOOLS: dict[str, Case] = {
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
}
CHANGED_TOOLS_BOTH_WAYS: dict[str, BothWays] = {
    "a task or not": (tasks("required"), tasks("forbidden"), "T05", "T05"),
    "may be a task": (tasks("forbidden"), tasks("optional"), "T05b", "T05"),
    "need not be a task": (tasks("required"), tasks("optional"), "T05b", "T05"),
    "a call must be a task": (tasks(), tasks("required"), "T05", "T05c"),
    "a call can't be a task": (tasks(), tasks("forbidden"), "T05d", "T05d"),
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
}
HINTS: dict[str, Case] = {
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
    "a hint of another type than boolean": (
        tools(tool("a")),
        tools(tool("a", annotations={"readOnlyHint": "yes"})),
        "A05",
    ),
    "unknown hint": (tools(tool("a")), tools(tool("a", annotations={"cost": 1})), "A05"),
}
HINTS_BOTH_WAYS: dict[str, BothWays] = {
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
}
TEXTS: dict[str, Case] = {
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
    "title no longer made of the name": (
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
    "a name in an unused definition": (
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
}
TEXTS_BOTH_WAYS: dict[str, BothWays] = {
    "title": (tools(tool("a")), tools(tool("a", title="x")), "D04", "D08"),
    "icon": (tools(tool("a")), tools(tool("a", **ICON)), "D06", "D06"),
    "icon's address": (tools(tool("a", **ICON)), tools(tool("a", **ICON_2)), "D06", "D06"),
    "meta of hosts": (tools(tool("a")), tools(HOSTED), "D07", "D07"),
    "unknown member": (tools(tool("a")), tools(tool("a", vendor=1)), "D09", "D09"),
}
SERVER: dict[str, Case] = {
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
    "a list without a server": (
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
}
SERVER_BOTH_WAYS: dict[str, BothWays] = {
    "instructions": (server(), server(instructions="x"), "D02", "D08"),
    "revision": (server(revision="2025-06-18"), server(revision="2025-11-25"), "S04", "S04"),
    "order": (tools(tool("b"), tool("a")), tools(tool("a"), tool("b")), "S05", "S05"),
}
PROMPTS: dict[str, Case] = {
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
}
PROMPTS_BOTH_WAYS: dict[str, BothWays] = {
    "prompt": (prompts(), prompts(prompt()), "P02", "P01"),
    "prompt's argument": (prompts(prompt()), prompts(prompt(CODE)), "P03", "P04"),
    "prompt's optional argument": (prompts(prompt()), prompts(prompt(A)), "P05", "P04"),
}
RESOURCES: dict[str, Case] = {
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
RESOURCES_BOTH_WAYS: dict[str, BothWays] = {
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
CASES: dict[str, Case] = {
    **TOOLS,
    **CHANGED_TOOLS,
    **HINTS,
    **TEXTS,
    **SERVER,
    **PROMPTS,
    **RESOURCES,
}


def find_rules(old: Contract, new: Contract) -> list[str]:
    return sorted({change.rule for change in compare(old, new)})


def assert_rules_both_ways(case: BothWays) -> None:
    old, new, merged, back = case
    assert find_rules(old, new) == merged.split()
    assert find_rules(new, old) == back.split()
