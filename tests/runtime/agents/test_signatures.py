"""Tools described by signature, in as much detail as asked for."""

from __future__ import annotations

import pytest
from mcpgen_runtime import search_tools
from mcpgen_runtime.agents import search
from paths import ROOT
from runtime.packages import import_client
from searched_tools import DEMO, MAIL

from mcpgen.contract.document import read
from mcpgen.jsontext import loads

TYPEDDICT = import_client(
    read(loads((ROOT / "golden/demo/contract.json").read_bytes())), "found_typeddict", "typeddict"
)


def test_signature_includes_the_types_it_uses() -> None:
    (found_tool,) = search_tools("look one item up", DEMO, detail="signatures", limit=1)
    first, line, *types = found_tool.text.splitlines()
    assert first == "# found_demo: Look up an item, and report whether it is on loan."
    assert line == "async def get_item(*, id: str) -> GetItemOutput"
    assert [type_.partition("(")[0] for type_ in types] == [
        "GetItemOutput",
        "Book",
        "Film",
        "Creator",
    ]
    assert types[0] == "GetItemOutput(item: Book | Film, lent: bool)"
    assert "series: str | None" in types[1]
    assert "Annotated" not in found_tool.text
    assert "MISSING" not in found_tool.text


def test_full_detail_includes_descriptions_of_properties() -> None:
    (found_tool,) = search_tools("words of the query", DEMO, detail="full", limit=1)
    assert "    Hints, unverified: read-only, closed world." in found_tool.text
    assert "class Book:\n    kind: Literal['book']\n" in found_tool.text
    assert "    # Absent for a book without a series." in found_tool.text
    assert len(search_tools("words of the query", DEMO, limit=1)[0].text) < len(found_tool.text)


def test_plain_dicts_are_described_too() -> None:
    (found_tool,) = search_tools("words of the query", TYPEDDICT, detail="signatures", limit=1)
    assert "\nSearchCatalogueOutput(items: list[Book | Film], total: int)\n" in found_tool.text
    assert "series: NotRequired[str]" in found_tool.text


@pytest.mark.parametrize("detail", ["names", "signatures", "full"])
def test_no_tool_takes_more_room_than_its_level_has(detail: str) -> None:
    (found_tool,) = search_tools("zebra", MAIL, detail=detail)
    most = search.BUDGET[detail]
    assert len(found_tool.text) == most
    assert found_tool.text.endswith("…")


@pytest.mark.parametrize("detail", ["names", "signatures", "full"])
def test_no_description_can_look_like_another_tool(detail: str) -> None:
    (found_tool,) = search_tools("evil", MAIL, detail=detail)
    assert not any(line.startswith("bookshelf.evil") for line in found_tool.text.splitlines())
    assert "\x1b" not in found_tool.text


def test_an_unknown_detail_is_refused() -> None:
    with pytest.raises(ValueError, match="names, signatures, full"):
        search_tools("letter", DEMO, detail="all")
