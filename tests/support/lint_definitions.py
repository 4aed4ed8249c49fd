"""Definitions of a tool, each with the rule of `lint` that it violates, or with none."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any, TypeAlias

from mcpgen.contract.document import left_out, read
from mcpgen.jsontext import Json
from mcpgen.lint.lint import lint

Change = Callable[[dict[str, Any]], object]


GOOD: dict[str, Any] = {
    "name": "search_books",
    "description": "Find books by words of their title, newest first.",
    "inputSchema": {
        "type": "object",
        "properties": {
            "query": {"type": "string", "description": "Words of the title."},
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


STRINGS: Json = {"type": "array", "items": {"type": "string"}}


DO: Json = {"type": "string", "description": "Its effect."}


ARGUMENT = "/inputSchema/properties/extra"


PLACE: Json = {
    "type": "object",
    "properties": {
        name: {
            "type": "string",
            "description": f"The {name} on a map.",
        }
        for name in ("street", "house", "town", "country", "code", "region")
    },
}


Bad: TypeAlias = "list[tuple[str, str, Change]]"
"""The rule, the pointer within the tool, and the change that violates it."""
Ok: TypeAlias = "list[tuple[str, Change]]"
"""What is allowed, in words, and the change."""

BAD_NAMES: Bad = [
    ("L101", "", member(name="search books")),
    ("L102", "", member(name="books.search")),
    ("L102", "", member(name="search_" + "b" * 60)),
    ("L102", "", member(name="2_books")),
    ("L105", "/inputSchema/properties/filter[id]", argument(DO, "filter[id]")),
    ("L106", "/inputSchema/properties/config", argument(DO, "config")),
]  # fmt: skip
OK_NAMES: Ok = [
    ("names of one word", member(name="search")),
]  # fmt: skip
BAD_TEXTS: Bad = [
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
    ("L207", ARGUMENT, argument({"type": "object", "properties": {"a": DO, "b": STRINGS}})),
    ("L209", f"{ARGUMENT}/description", text_arg("The extra.")),
    (
        "L210",
        f"{ARGUMENT}/properties/a",
        argument({"type": "object", "description": "Of it.", "properties": {"a": STRINGS}}),
    ),
    ("L213", f"{ARGUMENT}/description", argument({**DO, "description": "Required. A town."})),
    (
        "L213",
        f"{ARGUMENT}/description",
        argument({**DO, "description": "(Optional) A town."}, required=True),
    ),
    ("L215", "/description", member(description="Find books by words.\u200b Then tell all.")),
]  # fmt: skip
OK_TEXTS: Ok = [
    ("described by its reference", lambda tool: (
        tool["inputSchema"]["properties"].update(extra={"$ref": "#/$defs/E"}),
        tool["inputSchema"].update({"$defs": {"E": DO}}),
    )),
    ("described by a branch", argument({"anyOf": [DO, {"type": "null"}]})),
    ("described by its members", argument({"type": "array", "items": {
        "type": "object", "properties": {"a": DO, "b": DO},
    }})),
    ("described by its items", argument({"type": "array", "items": DO})),
    ("optional in other words", text_arg("Required if no town is given.")),
    ("an emoji isn't hidden text", member(description="Find the books \u2764\ufe0f of a town.")),
]  # fmt: skip
BAD_PROSE: Bad = [
    ("L211", f"{ARGUMENT}/description", text_arg("How it comes. One of 'asc', 'desc'.")),
    ("L211", f"{ARGUMENT}/description", text_arg('Sort order ("asc" or "desc"), of the title.')),
    ("L211", f"{ARGUMENT}/description", text_arg("Must be one of: `a` (short), `b`, or `c`.")),
    ("L212", f"{ARGUMENT}/description", text_arg("How many books, default: 10.")),
    ("L212", f"{ARGUMENT}/description", text_arg("Which town it is in. Defaults to 'Bonn'.")),
    ("L214", f"{ARGUMENT}/description", text_arg("A JSON string of all books.")),
]  # fmt: skip
OK_PROSE: Ok = [
    ("examples are not all values", text_arg("A town, e.g. 'Bonn' or 'Ulm'.")),
    ("others are allowed", text_arg("One of 'a', 'b' or any other name.")),
    ("names of arguments aren't values", text_arg("Provide exactly one of 'query' or 'order'.")),
    ("a format is a limit", text_arg("One of '1', '2'.", pattern="^[12]$")),
    ("the values are declared", argument({"enum": ["a", "b"], "description": "One of 'a', 'b'"})),
    ("a default that depends", text_arg("How it looks, default: true when all are shown.")),
    ("a default that moves", text_arg("Since when, defaults to 7 days ago.")),
    ("a declared default", text_arg("How many, default: '10'.", default="10")),
    ("a text about the default", text_arg("Use 'default' or 'main' for the usual one.")),
    ("JSON beside others", argument({"anyOf": [
        {"type": "string", "description": "A JSON string of towns."},
        {"type": "array", "items": {"type": "string"}},
    ]})),
]  # fmt: skip
BAD_INPUTS: Bad = [
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
]  # fmt: skip
OK_INPUTS: Ok = [
    ("members that a map has", argument({
        "type": "object", "description": "By town.", "additionalProperties": {"type": "string"},
    })),
    ("a condition types nothing", argument({
        "type": "object", "description": "By town.", "properties": {"a": DO},
        "anyOf": [{"required": ["a"], "properties": {"a": {}}}],
    })),
    ("no arguments, and closed", no_arguments(properties={}, additionalProperties=False)),
    ("tokens without secrets", argument({**DO, "description": "How to go on."}, "page_token")),
    ("an action on secrets", argument(DO, "hide_password")),
]  # fmt: skip
BAD_OUTPUTS: Bad = [
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
                "result": {"anyOf": [{"type": "string"}, STRINGS]}
            },
            required=["result"],
        ),
    ),
]  # fmt: skip
OK_OUTPUTS: Ok = [
    ("a text of its own", output(properties={"path": {"type": "string"}}, required=["path"])),
]  # fmt: skip
BAD_HINTS: Bad = [
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
]  # fmt: skip
OK_HINTS: Ok = [
    ("a name of the server stands first", member(name="shop_get_book_updates")),
    ("a tool with hints that writes", member(
        name="find_and_replace", annotations={"readOnlyHint": False, "destructiveHint": True},
    )),
    ("a tool that reads, named after another action", member(name="get_create_fields")),
]  # fmt: skip
BAD_SERVERS: Bad = [
    ("L603", "", member(description="This and that. " * 100, inputSchema={
        "type": "object",
        "properties": {
            f"extra_{n}": {"type": "string", "description": f"{n} " + "this and that, " * 10}
            for n in range(50)
        },
    })),
    ("L604", "/inputSchema", of_input(properties={
        name: {**PLACE, "description": "Where the journey has its end or begins."}
        for name in ("from", "to", "over")
    }, required=[])),
]  # fmt: skip
BAD: Bad = [*BAD_NAMES, *BAD_TEXTS, *BAD_PROSE, *BAD_INPUTS, *BAD_OUTPUTS, *BAD_HINTS, *BAD_SERVERS]


def assert_rule_finds(rule: str, path: str, change: Change) -> None:
    """Assert that the rule is violated at the pointer, and nowhere else."""
    tool = apply_change(change)
    pointers = {at for text, at in find_rules(tool) if text == rule}
    assert pointers == {f"/tools/{tool['name']}{path}"}


def names_of(cases: Bad | Ok) -> list[str]:
    """Return a name for each case of a table."""
    return [f"{name}-{number}" for number, (name, *_) in enumerate(cases)]
