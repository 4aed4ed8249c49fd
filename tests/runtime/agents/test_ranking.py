"""Ranking: words, stems, synonyms and titles."""

from __future__ import annotations

import pytest
from mcpgen_runtime.agents import ranking as runtime_ranking
from runtime.packages import import_client
from searched_tools import MAIL, TOOLS, names

from mcpgen.contract.document import Contract


def test_best_match_comes_first() -> None:
    assert names("which days is the library open")[0] == "list_opening_hours"
    assert names("borrow")[0] == "borrow_item"


def test_search_matches_inflections_and_synonyms() -> None:
    assert names("counting items")[0] == "take_inventory"
    assert names("remove leftovers", of=MAIL) == ["aux"]  # "Delete everything left over."
    assert names("picture of an item", limit=1) == ["show_cover"]  # "as an image"
    assert names("who is on call", of=MAIL)[0] == "listOncall"


def test_search_matches_beginning_of_word_in_no_tool() -> None:
    assert set(names("catal")[:2]) == {"search_catalogue", "withdraw_items"}
    assert names("cata") != []
    assert names("cat") == []


def test_search_matches_title_and_instructions_of_server() -> None:
    server = {"name": "x", "title": "Zeppelin"}
    tools = {item["name"]: item for item in TOOLS[:2]}
    about = Contract(tools, server=server, instructions="Use it for dirigibles.")
    package = import_client(about, "found_about")
    assert set(names("zeppelin", of=package)) == {"send_mail", "aux"}
    assert set(names("dirigible", of=package)) == {"send_mail", "aux"}


def test_arguments_are_searched_too() -> None:
    assert "search_catalogue" in names("subtitles")


def test_unrelated_query_finds_nothing() -> None:
    assert names("zeppelin") == names("") == names("the of and") == []


@pytest.mark.parametrize(
    ("text", "args"),
    [
        ("listOpenIssues", ["list", "open", "issu"]),
        ("get_HTTPStatus2", ["get", "http", "status", "2"]),
        ("the running of indices", ["run", "index"]),
        ("Straße größer", ["straß", "größ"]),
        ("文書を検索", ["文", "書", "を", "検", "索"]),
    ],
)
def test_text_is_cut_into_stems(text: str, args: list[str]) -> None:
    assert runtime_ranking.words(text) == args


def test_a_long_text_is_ranked_in_bounded_time() -> None:
    long = {"name": "a" * 10**6, "description": "aB" * 10**6}
    runtime_ranking.Ranking([("server", long)]).search("aB " * 10**6, 5)
