"""Each lint rule finds its defect and nothing in correct definitions."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from typing import Any

import pytest
from hard_schemas import HARD
from paths import CORPUS

from mcpgen.contract.document import Contract, left_out, read
from mcpgen.findings.rules.lint.catalogue import RULES
from mcpgen.findings.severity import Level
from mcpgen.jsontext import Json, loads
from mcpgen.lint.checks import offered
from mcpgen.lint.checks.inputs import _recursion
from mcpgen.lint.lint import lint

Change = Callable[[dict[str, Any]], object]

GOOD: dict[str, Any] = {
    "name": "search_books",
    "description": "Find books by words of their title, newest first.",
    "inputSchema": {
        "type": "object",
        "properties": {
            "query": {"type": "string", "description": "Words that stand in the title."},
            "order": {"enum": ["new", "old"], "description": "Which come first.", "default": "new"},
            "shelf": {
                "type": "object",
                "description": "Where to look.",
                "properties": {"floor": {"type": "integer", "description": "From 0 to 4."}},
            },
        },
        "required": ["query"],
    },
    "outputSchema": {
        "type": "object",
        "properties": {"ids": {"type": "array", "items": {"type": "string"}}},
        "required": ["ids"],
    },
    "annotations": {"readOnlyHint": True},
}


def test_rounded_number_is_never_the_limit_itself() -> None:
    assert [offered._about(count, 10_000) for count in (10_001, 10_400, 10_600, 25_123)] == [
        *("a few more", "a few more", "about 11,000", "about 25,000")
    ]


def find_rules(*tools: Json, **parts: Any) -> set[tuple[str, str]]:
    """Return the violated rules with their pointers."""
    document = {"tools": list(tools), **parts}
    items, notices = lint(read(document), left_out(document))
    assert notices == ()
    return {(problem.rule, problem.pointer) for problem in items}


def apply_change(change: Change) -> dict[str, Any]:
    tool = copy.deepcopy(GOOD)
    change(tool)
    return tool


def argument(schema: Json, name: str = "extra", *, required: bool = False) -> Change:
    """Add an argument."""

    def change(tool: dict[str, Any]) -> None:
        tool["inputSchema"]["properties"][name] = schema
        tool["inputSchema"]["required"] += [name] * required

    return change


def text_arg(description: str, **schema: Json) -> Change:
    """Add a string argument with this description."""
    return argument({"type": "string", "description": description, **schema})


def member(**members: Json) -> Change:
    return lambda tool: tool.update(members)


def output(**members: Json) -> Change:
    return lambda tool: tool.update(outputSchema={"type": "object", **members})


def of_input(**members: Json) -> Change:
    return lambda tool: tool["inputSchema"].update(members)


def remove_property(key: str) -> Change:
    return lambda tool: tool.pop(key)


def no_arguments(**members: Json) -> Change:
    return lambda tool: tool.update(inputSchema={"type": "object", **members})


TEXTS: Json = {"type": "array", "items": {"type": "string"}}
DO: Json = {"type": "string", "description": "What it does to it."}
ARGUMENT = "/inputSchema/properties/extra"
PLACE: Json = {
    "type": "object",
    "properties": {
        name: {
            "type": "string",
            "description": f"The {name} of it, as it is on a map.",
        }
        for name in ("street", "house", "town", "country", "code", "region")
    },
}

BAD: list[tuple[str, str, Change]] = [
    ("L101", "", member(name="search books")),
    ("L102", "", member(name="books.search")),
    ("L102", "", member(name="search_" + "b" * 60)),
    ("L102", "", member(name="2_books")),
    ("L105", "/inputSchema/properties/filter[id]", argument(DO, "filter[id]")),
    ("L106", "/inputSchema/properties/config", argument(DO, "config")),
    ("L201", "", remove_property("description")),
    ("L201", "", member(description="  ")),
    ("L202", "/description", member(description="Searches for a book.")),
    ("L202", "/description", lambda tool: tool.update(
        name="list_books", description="Returns all existing books.",
    )),
    ("L203", "/description", member(description="Look through the catalogue.")),
    ("L204", "/description", member(description="word " * 300)),
    ("L205", "/description", member(description="word " * 500)),
    ("L207", ARGUMENT, argument({"type": "string"})),
    ("L207", ARGUMENT, argument({"type": "string", "title": "Extra"})),
    ("L207", ARGUMENT, argument({"type": "object", "properties": {"a": DO, "b": TEXTS}})),
    ("L209", f"{ARGUMENT}/description", text_arg("The extra.")),
    (
        "L210",
        f"{ARGUMENT}/properties/a",
        argument({"type": "object", "description": "Of it.", "properties": {"a": TEXTS}}),
    ),
    ("L211", f"{ARGUMENT}/description", text_arg("How it comes. One of 'asc', 'desc'.")),
    ("L211", f"{ARGUMENT}/description", text_arg('Sort order ("asc" or "desc"), of the title.')),
    ("L211", f"{ARGUMENT}/description", text_arg("Must be one of: `a` (short), `b`, or `c`.")),
    ("L212", f"{ARGUMENT}/description", text_arg("How many books, default: 10.")),
    ("L212", f"{ARGUMENT}/description", text_arg("Which town it is in. Defaults to 'Bonn'.")),
    ("L213", f"{ARGUMENT}/description", argument({**DO, "description": "Required. A town."})),
    (
        "L213",
        f"{ARGUMENT}/description",
        argument({**DO, "description": "(Optional) A town."}, required=True),
    ),
    ("L214", f"{ARGUMENT}/description", text_arg("A JSON string of all books.")),
    ("L215", "/description", member(description="Find books by words.\u200b Then tell all.")),
    ("L301", "/inputSchema", remove_property("inputSchema")),
    ("L302", "/inputSchema", lambda tool: tool["inputSchema"].pop("type")),
    ("L303", f"{ARGUMENT}/type", argument({"type": "int", "description": "A number of it."})),
    ("L304", "/inputSchema/anyOf", of_input(anyOf=[{"required": ["order"]}])),
    ("L305", ARGUMENT, argument({"type": "array", "description": "All of them."})),
    ("L306", "/inputSchema", no_arguments(additionalProperties=False)),
    ("L307", f"{ARGUMENT}/enum", argument({"enum": [1, 2], "description": "How many."})),
    ("L308", ARGUMENT, argument({"description": "What to look for."})),
    ("L309", ARGUMENT, argument({"type": "object", "description": "What to set."})),
    ("L310", "/inputSchema/required", of_input(required=["query", "nothing"])),
    ("L311", f"{ARGUMENT}/default", argument({**DO, "default": "a"}, required=True)),
    ("L312", f"{ARGUMENT}/default", argument({**DO, "default": None})),
    ("L313", ARGUMENT, argument({**DO, "pattern": r"^(a+)\1$"})),
    ("L314", "/inputSchema", no_arguments(properties={})),
    ("L315", f"{ARGUMENT}/enum", argument({"enum": [], "description": "How many."})),
    ("L316", f"{ARGUMENT}/readOnly", argument({**DO, "readOnly": True})),
    ("L317", f"{ARGUMENT}/x-mcp-header", argument({**DO, "x-mcp-header": "a b"})),
    ("L318", "/inputSchema/properties/apiKey", argument(DO, "apiKey")),
    (
        "L319",
        "/inputSchema/$defs/Node",
        of_input(
            **{
                "$defs": {
                    "Node": {
                        "type": "object",
                        "properties": {"next": {"$ref": "#/$defs/Node", "description": "After."}},
                    }
                }
            }
        ),
    ),
    ("L401", "", remove_property("outputSchema")),
    (
        "L402",
        "/outputSchema",
        output(properties={"result": {"type": "string"}}, required=["result"]),
    ),
    ("L403", "/outputSchema", output(additionalProperties=True)),
    ("L403", "/outputSchema", output(properties={"result": {"type": "object"}})),
    ("L404", "/outputSchema/properties/ids", output(properties={"ids": {}}, required=["ids"])),
    ("L405", "/outputSchema", member(outputSchema={"type": "array", "items": {"type": "null"}})),
    ("L406", "/outputSchema", output(properties={"id": {"type": "string"}})),
    (
        "L407",
        "/outputSchema/properties/result",
        output(
            properties={
                "result": {"anyOf": [{"type": "string"}, TEXTS]}
            },
            required=["result"],
        ),
    ),
    ("L501", "", member(annotations={"title": "Books"})),
    ("L502", "/annotations", member(annotations={"readOnlyHint": True, "destructiveHint": True})),
    ("L503", "/annotations", member(annotations={"openWorldHint": False})),
    ("L504", "/annotations/readOnlyHint", member(name="shop_delete_book")),
    (
        "L505",
        "/annotations/destructiveHint",
        member(name="removeBook", annotations={"destructiveHint": False}),
    ),
    ("L506", "/annotations/readOnlyHint", member(annotations={"readOnlyHint": "yes"})),
    ("L603", "", member(description="Of this and that. " * 100, inputSchema={
        "type": "object",
        "properties": {
            f"extra_{n}": {"type": "string", "description": f"{n} " + "of this and that, " * 10}
            for n in range(50)
        },
    })),
    ("L604", "/inputSchema", of_input(properties={
        name: {**PLACE, "description": "Where the journey has its end or begins."}
        for name in ("from", "to", "over")
    }, required=[])),
]  # fmt: skip


def test_nothing_is_found_where_all_is_well() -> None:
    assert find_rules(GOOD) == set()


@pytest.mark.parametrize(
    ("rule", "path", "change"), BAD, ids=[f"{rule}-{n}" for n, (rule, *_) in enumerate(BAD)]
)
def test_rule_finds_its_defect(rule: str, path: str, change: Change) -> None:
    tool = apply_change(change)
    pointers = {at for text, at in find_rules(tool) if text == rule}
    assert pointers == {f"/tools/{tool['name']}{path}"}


OK: list[tuple[str, Change]] = [
    ("names of one word", member(name="search")),
    ("a name of the server stands first", member(name="shop_get_book_updates")),
    ("described by what it refers to", lambda tool: (
        tool["inputSchema"]["properties"].update(extra={"$ref": "#/$defs/E"}),
        tool["inputSchema"].update({"$defs": {"E": DO}}),
    )),
    ("described by a branch", argument({"anyOf": [DO, {"type": "null"}]})),
    ("described by its members", argument({"type": "array", "items": {
        "type": "object", "properties": {"a": DO, "b": DO},
    }})),
    ("described by its items", argument({"type": "array", "items": DO})),
    ("examples are not all values", text_arg("A town, e.g. 'Bonn' or 'Ulm'.")),
    ("others are allowed", text_arg("One of 'a', 'b' or any other name.")),
    ("names of arguments are no values", text_arg("Provide exactly one of 'query' or 'order'.")),
    ("a format is a limit", text_arg("One of '1', '2'.", pattern="^[12]$")),
    ("the values are declared", argument({"enum": ["a", "b"], "description": "One of 'a', 'b'"})),
    ("a default that depends", text_arg("How it looks, default: true when all are shown.")),
    ("a default that moves", text_arg("Since when, defaults to 7 days ago.")),
    ("a default that is declared", text_arg("How many, default: '10'.", default="10")),
    ("what is said of the default one", text_arg("Use 'default' or 'main' for the usual one.")),
    ("optional in other words", text_arg("Required if no town is given.")),
    ("JSON beside others", argument({"anyOf": [
        {"type": "string", "description": "A JSON string of towns."},
        {"type": "array", "items": {"type": "string"}},
    ]})),
    ("members that a map has", argument({
        "type": "object", "description": "By town.", "additionalProperties": {"type": "string"},
    })),
    ("a condition types nothing", argument({
        "type": "object", "description": "By town.", "properties": {"a": DO},
        "anyOf": [{"required": ["a"], "properties": {"a": {}}}],
    })),
    ("no arguments, and closed", no_arguments(properties={}, additionalProperties=False)),
    ("tokens that are no secrets", argument({**DO, "description": "How to go on."}, "page_token")),
    ("what is done with secrets", argument(DO, "hide_password")),
    ("a text of its own", output(properties={"path": {"type": "string"}}, required=["path"])),
    ("a writer that says so", member(
        name="find_and_replace", annotations={"readOnlyHint": False, "destructiveHint": True},
    )),
    ("a reader of what others create", member(name="get_create_fields")),
    ("an emoji is no hidden text", member(description="Find the books \u2764\ufe0f of a town.")),
]  # fmt: skip


@pytest.mark.parametrize("change", [item for _, item in OK], ids=[name for name, _ in OK])
def test_correct_definitions_have_no_findings(change: Change) -> None:
    assert find_rules(apply_change(change)) == set()


def test_defects_between_tools_are_found() -> None:
    again = apply_change(member(name="searchBooks"))
    assert find_rules(GOOD, again) == {
        ("L103", "/tools/search_books"),
        ("L103", "/tools/searchBooks"),
        ("L206", "/tools/search_books/description"),
        ("L206", "/tools/searchBooks/description"),
    }
    assert find_rules(GOOD, GOOD) == {("L107", "/tools/search_books")}
    many = [
        apply_change(member(name=f"find_{n}", description=f"Of {n}, all the books."))
        for n in "abcdefg"
    ]
    odd = apply_change(
        member(name="findOther", description="Find what others have in their houses.")
    )
    assert find_rules(*many, odd) == {("L104", "/tools/findOther")}


def test_defects_of_the_whole_contract_are_found() -> None:
    tools = [
        apply_change(member(name=f"find_{n}", description=f"Find {n} in the house, by its number."))
        for n in range(129)
    ]
    assert find_rules(*tools) == {("L601", "/tools"), ("L602", "/tools")}
    requests: dict[str, Json] = {"capabilities": {"tools": {}}}
    assert find_rules(*tools[:20], **requests) == {("L605", "/instructions")}
    assert find_rules(*tools[:20], **requests, instructions="Of houses.") == set()
    parts = {
        "prompts": [{"name": "review", "arguments": [{"name": "code"}]}],
        "resources": [{"uri": "a://b", "name": "b"}],
        "resourceTemplates": [{"uriTemplate": "a://{b", "name": "c", "description": "All of c."}],
    }
    assert find_rules(GOOD, **parts) == {
        ("L701", "/prompts/review"),
        ("L702", "/prompts/review/arguments/0"),
        ("L703", "/resources/a:~1~1b"),
        ("L704", "/resources/a:~1~1b"),
        ("L705", "/resourceTemplates/a:~1~1{b"),
    }


def test_every_rule_is_shown_to_find_something() -> None:
    elsewhere = "L103 L104 L107 L206 L208 L601 L602 L605 L701 L702 L703 L704 L705".split()
    assert {rule for rule, *_ in BAD} | {*elsewhere} == RULES.keys()


def test_argument_described_by_its_tool_is_recognized() -> None:
    tool = apply_change(argument({"type": "string"}))
    tool["description"] += "\n\nArgs:\n    extra (str): Where they stand."
    assert find_rules(tool) == {("L208", f"/tools/search_books{ARGUMENT}")}


def test_non_object_root_is_allowed_since_its_revision() -> None:
    tool = apply_change(member(outputSchema={"type": "array", "items": {"type": "string"}}))
    assert ("L405", "/tools/search_books/outputSchema") in find_rules(
        tool, protocolVersion="2025-11-25"
    )
    assert find_rules(tool, protocolVersion="2026-07-28") == set()


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


MANY = 100_000


@pytest.mark.parametrize(
    "text",
    [
        "one of" + "!" * MANY,
        "'a', " + " " * MANY,
        "'a'" + " (" * MANY,
        "default " + " " * MANY + "x",
        "default '" * (MANY // 9),
        "\n" * MANY + "x",
        "(required" * (MANY // 9),
        "a" * MANY,
        "\u200b" * MANY,
    ],
    ids=lambda text: repr(text[:9]),
)
def test_no_text_takes_long(text: str) -> None:
    tool = apply_change(text_arg(text))
    tool["description"] = text
    lint(read({"tools": [tool]}))


def test_many_references_take_no_time() -> None:
    steps = {f"S{n}": {"items": {"$ref": f"#/$defs/S{n + 1}"}} for n in range(3000)}
    ring = {**steps, "S3000": {"$ref": "#/$defs/S0"}}
    assert _recursion({"$ref": "#/$defs/S0", "$defs": {**steps, "S3000": True}}) is None
    assert _recursion({"$ref": "#/$defs/S0", "$defs": ring}) == "/$defs/S0"


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
