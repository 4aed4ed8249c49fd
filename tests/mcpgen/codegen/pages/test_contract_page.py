"""The page of a contract: all definitions with tables and example calls, in safe HTML."""

from __future__ import annotations

import re

import pytest
from contract_pages import Outline, demo, page_of, tool_entry
from recorded_servers import SERVERS, contract

from mcpgen.codegen.pages import contract_page, render_page
from mcpgen.codegen.pages.anchors import anchor, segment
from mcpgen.contract.document import Contract


def test_page_lists_every_definition() -> None:
    page = contract_page(demo(), "bookshelf")
    names = {section.anchor: [entry.name for entry in section.entries] for section in page.sections}
    assert names["tools"] == sorted(demo().tools)
    assert names["prompts"] == ["recommend", "welcome"]
    assert (names["resources"], names["templates"]) == (["rules"], ["card"])


@pytest.mark.parametrize(
    "names", [("a.b",), ("a", "b"), ("a~2e~b",), ("!1", "b"), ("a b",), ("a" * 500,)]
)
def test_no_two_anchors_are_equal(names: tuple[str, ...]) -> None:
    others = [("a.b",), ("a", "b"), ("a~2e~b",), ("!1", "b"), ("a b",), ("a" * 500,), ("a" * 501,)]
    anchors = {anchor("tool", *map(segment, other)) for other in others}
    assert len(anchors) == len(others)
    assert re.fullmatch(r"[A-Za-z0-9_.~-]+", anchor("tool", *map(segment, names)))


def test_hints_are_marked_unverified() -> None:
    entry = tool_entry({"type": "object"}, annotations={"destructiveHint": True})
    assert entry.hints == "Hints, unverified: destructive."


def test_tool_without_output_schema_and_input_schema_says_so() -> None:
    entry = page_of({"name": "order"}).sections[0].entries[0]
    assert [values.note for values in entry.values] == [
        "The tool has no usable input schema: its arguments are unchecked JSON.",
        "Content blocks, such as text. The tool has no output schema.",
    ]


@pytest.mark.slow
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


def test_page_does_not_depend_on_the_order_of_tools() -> None:
    recorded = demo()
    reversed_tools = Contract(dict(reversed(list(recorded.tools.items()))), server=recorded.server)
    sorted_tools = Contract(dict(sorted(recorded.tools.items())), server=recorded.server)
    assert render_page(contract_page(reversed_tools, "a")) == render_page(
        contract_page(sorted_tools, "a")
    )
