"""The page of a contract: every definition, its tables, its example calls, and safe HTML."""

from __future__ import annotations

import ast
import json
import os
import re
import shlex
from collections.abc import Iterator, Mapping
from html.parser import HTMLParser
from typing import Any

import pytest
from hostile.frames import PAYLOADS, everywhere, of_a_server
from projects import DEMO
from recorded_servers import SERVERS, contract

from mcpgen.codegen.pages import contract_page, render_page
from mcpgen.codegen.pages.anchors import anchor, segment
from mcpgen.codegen.pages.values import ContractPage, Entry, Row, Table
from mcpgen.codegen.pipeline import Options, generate
from mcpgen.contract.document import Contract, read
from mcpgen.jsontext import Json, loads
from mcpgen.schemas.validation.schemas import SchemaValidator

ELEMENTS = frozenset(
    "a article body caption code dd del details div dl dt em figcaption figure form h1 h2 h3 h4"
    " head header html input ins label li link main meta nav output p pre script section small span"
    " style summary table tbody td th thead title tr ul".split()
)


IS_ALL = "MCPGEN_ALL" in os.environ


class Outline(HTMLParser):
    """The elements and attributes of a page."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text += data


def page_of(tool: Json) -> ContractPage:
    return contract_page(read({"tools": [tool], "server": {"name": "shop"}}), "shop")


def tool_entry(schema: Json, **more: Json) -> Entry:
    page = page_of({"name": "order", "inputSchema": schema, **more})
    return page.sections[0].entries[0]


def all_rows(tables: tuple[Table, ...]) -> Iterator[Row]:
    for table in tables:
        for row in table.rows:
            yield row
            yield from all_rows(row.tables)


def rows(entry: Entry, index: int = 0) -> dict[str, Row]:
    return {row.name: row for row in all_rows(entry.values[index].tables)}


def demo() -> Contract:
    return read(loads(DEMO.read_bytes()))


def test_page_lists_every_definition() -> None:
    page = contract_page(demo(), "bookshelf")
    names = {section.anchor: [entry.name for entry in section.entries] for section in page.sections}
    assert names["tools"] == sorted(demo().tools)
    assert names["prompts"] == ["recommend", "welcome"]
    assert (names["resources"], names["templates"]) == (["rules"], ["card"])


def test_rows_have_type_usage_and_constraints() -> None:
    schema: Json = {
        "type": "object",
        "properties": {
            "count": {"type": "integer", "minimum": 1, "maximum": 4, "default": 2},
            "tags": {"type": "array", "items": {"type": "string", "maxLength": 5}},
            "size": {"enum": ["S", "M"]},
            "price": {"type": ["number", "null"]},
        },
        "required": ["count"],
    }
    found = rows(tool_entry(schema))
    assert [found[name].usage for name in ("count", "tags")] == ["required", "optional"]
    assert found["count"].constraints == "1 to 4. Default: 2."
    assert found["tags"].type == "array of string (at most 5 characters)"
    assert found["size"].type == '"S" | "M"'
    assert found["price"].type == "number or null"


def test_nested_objects_have_tables_and_recursion_links_back() -> None:
    schema: Json = {
        "type": "object",
        "properties": {"root": {"$ref": "#/$defs/node"}},
        "$defs": {
            "node": {
                "type": "object",
                "properties": {
                    "name": {"type": "string"},
                    "children": {"type": "array", "items": {"$ref": "#/$defs/node"}},
                },
            }
        },
    }
    found = rows(tool_entry(schema))
    assert found["children"].type == "array of object"
    assert [link.target for link in found["children"].links] == [found["root"].anchor]


def test_alternatives_have_captions_and_distinct_anchors() -> None:
    schema: Json = {
        "type": "object",
        "properties": {
            "shape": {
                "anyOf": [
                    {
                        "type": "object",
                        "properties": {"kind": {"const": kind}, "size": {"type": "number"}},
                        "required": ["kind"],
                    }
                    for kind in ("circle", "square")
                ]
            }
        },
    }
    tables = rows(tool_entry(schema))["shape"].tables
    assert [table.caption for table in tables] == ["circle", "square"]
    anchors = [row.anchor for row in all_rows(tables)]
    assert len(set(anchors)) == len(anchors) == 4


@pytest.mark.parametrize(
    "names", [("a.b",), ("a", "b"), ("a~2e~b",), ("!1", "b"), ("a b",), ("a" * 500,)]
)
def test_no_two_anchors_are_equal(names: tuple[str, ...]) -> None:
    others = [("a.b",), ("a", "b"), ("a~2e~b",), ("!1", "b"), ("a b",), ("a" * 500,), ("a" * 501,)]
    anchors = {anchor("tool", *map(segment, other)) for other in others}
    assert len(anchors) == len(others)
    assert re.fullmatch(r"[A-Za-z0-9_.~-]+", anchor("tool", *map(segment, names)))


def test_inexact_schema_is_shown_completely() -> None:
    inexact: Json = {"type": "object", "properties": {"a": {"type": "string", "pattern": "^x"}}}
    exact: Json = {"type": "object", "properties": {"a": {"type": "string"}}}
    assert json.loads(tool_entry(inexact).values[0].schema) == inexact
    assert tool_entry(exact).values[0].schema == ""


def test_hints_are_marked_unverified() -> None:
    entry = tool_entry({"type": "object"}, annotations={"destructiveHint": True})
    assert entry.hints == "Hints, unverified: destructive."


def test_tool_without_output_schema_and_input_schema_says_so() -> None:
    entry = page_of({"name": "order"}).sections[0].entries[0]
    assert [values.note for values in entry.values] == [
        "The tool has no usable input schema: its arguments are unchecked JSON.",
        "Content blocks, such as text. The tool has no output schema.",
    ]


@pytest.mark.parametrize(
    ("schema", "options"),
    [
        ({"n": {"type": "integer", "const": 3}}, "--n 3"),
        ({"q": {"const": "two words"}}, "--q 'two words'"),
        ({"deep": {"const": True}}, "--deep"),
        ({"deep": {"const": False, "type": "boolean"}}, "--deep=false"),
        ({"q": {"const": "-x"}}, "--q=-x"),
        ({"q": {"examples": ["5"], "type": ["string", "integer"]}}, "'--q:=\"5\"'"),
    ],
)
def test_shell_call_is_short_and_read_back(schema: Json, options: str) -> None:
    entry = tool_entry({"type": "object", "properties": schema, "required": list(schema)})
    assert entry.calls[1].code == f"mcpgen call shop order {options}"


def test_unusual_names_are_sent_by_stdin() -> None:
    schema: Json = {"type": "object", "properties": {"a b": {"const": "c'd"}}, "required": ["a b"]}
    assert tool_entry(schema).calls[1].code == (
        'mcpgen call shop order - <<\'JSON\'\n{"a b": "c\'d"}\nJSON'
    )


def sent_arguments(code: str) -> dict[str, Json]:
    """Return the arguments of a JSON call."""
    arguments: dict[str, Json] = json.loads(code)["arguments"]
    return arguments


def parameters_by_method(files: Mapping[str, str]) -> dict[str, set[str]]:
    """Return the parameters of each tool's method. Prompts can have the same names."""
    trees = [ast.parse(t) for path, t in files.items() if re.match(r"client\.py|tools/", path)]
    classes = [node for tree in trees for node in tree.body if isinstance(node, ast.ClassDef)]
    return {
        method.name: {argument.arg for argument in (*method.args.args, *method.args.kwonlyargs)}
        for class_ in classes
        if not re.search(r"(?:Prompts|Resources)$", class_.name)
        for method in class_.body
        if isinstance(method, ast.AsyncFunctionDef)
    }


@pytest.mark.sampled(8)
@pytest.mark.parametrize("server", SERVERS)
def test_example_calls_of_recorded_servers_are_valid(server: str) -> None:
    """The arguments are valid, and the Python call has the parameters of the generated method."""
    recorded = contract(server)
    methods = parameters_by_method(generate(recorded, Options()).files)
    page = contract_page(recorded, "pkg")
    tools = next(section for section in page.sections if section.anchor == "tools")
    with_calls = [entry for entry in tools.entries if entry.calls]
    assert len(with_calls) >= len(tools.entries) - 1  # one tool of the corpus has none
    for entry in with_calls:
        python, shell, sent = (call.code for call in entry.calls)
        assert SchemaValidator(recorded.tools[entry.name]["inputSchema"]).allows(
            sent_arguments(sent)
        )
        assert shlex.split(shell.partition("<<")[0])[:3] == ["mcpgen", "call", "pkg"]
        call: Any = ast.parse(python).body[0]
        awaited = call.value.value
        assert {keyword.arg for keyword in awaited.keywords} <= methods[awaited.func.attr]


@pytest.mark.sampled(8)
@pytest.mark.parametrize("server", SERVERS)
def test_pages_of_recorded_servers_have_sound_links(server: str) -> None:
    html = render_page(contract_page(contract(server), "pkg"))
    ids = [attrs["id"] for _, attrs in Outline(html).tags if "id" in attrs]
    targets = {
        (attrs["href"] or "").removeprefix("#") for tag, attrs in Outline(html).tags if tag == "a"
    }
    assert len(set(ids)) == len(ids)
    assert targets <= set(ids)


def check_inert(page: ContractPage) -> None:
    """Check that a page has only our elements, without handlers, URLs or invisible text."""
    html = render_page(page)
    outline = Outline(html)
    for tag, attrs in outline.tags:
        assert tag in ELEMENTS, tag
        assert not any(name.startswith("on") or name in ("src", "style") for name in attrs)
        assert (attrs.get("href") or "#").startswith("#"), attrs
    assert [tag for tag, _ in outline.tags].count("script") == 1
    assert not re.search("[\u200b-\u200f\u202a-\u202e\u2066-\u2069\x00-\x08\x0b-\x1f]", html)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("start", range(8))
def test_hostile_texts_are_inert(start: int) -> None:
    """Each case has a share of the texts, in every field. With MCPGEN_ALL=1 they have all."""
    texts = [PAYLOADS[name] for name in sorted(PAYLOADS)[start :: 8 if IS_ALL else 120]]
    check_inert(contract_page(everywhere(texts), "frame"))
    check_inert(contract_page(of_a_server(texts[0]), "frame"))


def test_page_has_a_policy_with_hashes_and_is_the_same_twice() -> None:
    first = render_page(contract_page(demo(), "bookshelf"))
    assert first == render_page(contract_page(demo(), "bookshelf"))
    policy = next(
        attrs["content"] or ""
        for tag, attrs in Outline(first).tags
        if tag == "meta" and "http-equiv" in attrs
    )
    assert policy.startswith("default-src 'none'; style-src 'sha256-")
    assert "unsafe" not in policy


def test_page_does_not_depend_on_the_order_of_tools() -> None:
    recorded = demo()
    reversed_tools = Contract(dict(reversed(list(recorded.tools.items()))), server=recorded.server)
    sorted_tools = Contract(dict(sorted(recorded.tools.items())), server=recorded.server)
    assert render_page(contract_page(reversed_tools, "a")) == render_page(
        contract_page(sorted_tools, "a")
    )
