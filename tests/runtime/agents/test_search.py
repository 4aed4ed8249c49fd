"""Tools are found by purpose, and described in as much detail as the model has room for."""

from __future__ import annotations

import json
import subprocess
import sys
from types import SimpleNamespace

import pytest
from mcpgen_runtime import search_tools
from mcpgen_runtime.agents import ranking as runtime_ranking
from runtime.packages import folder
from searched_tools import DEMO, MAIL, names


def test_no_more_are_returned_than_were_asked_for() -> None:
    assert len(names("item", limit=2)) == 2
    assert names("item", limit=0) == names("item", limit=-1) == []


def test_a_found_tool_says_where_its_method_is() -> None:
    (found_tool,) = search_tools("left over", MAIL)
    assert (found_tool.name, found_tool.package, found_tool.method) == ("aux", "found_mail", "aux")
    assert repr(found_tool) == f"<FoundTool: found_mail.aux, {found_tool.score:.1f}>"
    assert hasattr(MAIL.Client, found_tool.method)


def test_names_come_with_the_first_sentence() -> None:
    (found_tool,) = search_tools("letter", MAIL)
    assert str(found_tool) == found_tool.text == "found_mail.send_mail: Send a letter."
    (found_tool,) = search_tools("bare", MAIL)
    assert str(found_tool) == "found_mail.bare"


def test_several_packages_are_searched_together() -> None:
    for mail in (MAIL, MAIL.Client, MAIL.Client.sync):
        tools = search_tools("send a letter", DEMO, mail)
        assert (tools[0].package, tools[0].name) == ("found_mail", "send_mail")
    assert {found_tool.package for found_tool in search_tools("item or letter", DEMO, MAIL)} == {
        "found_demo",
        "found_mail",
    }
    assert names("letter", MAIL) == ["send_mail"]


def test_subclass_is_searched_like_its_base() -> None:
    own = type("Own", (MAIL.Client,), {})
    assert names("letter", own) == ["send_mail"]


@pytest.mark.parametrize("other", [SimpleNamespace(), json, object, "found_demo"])
def test_object_without_tools_is_rejected(other: object) -> None:
    with pytest.raises(TypeError, match="isn't a client or package"):
        search_tools("letter", other)


def test_the_order_of_packages_changes_no_score() -> None:
    first = search_tools("letter item", DEMO, MAIL, limit=20)
    two = search_tools("letter item", MAIL, DEMO, limit=20)
    key = [
        (found_tool.package, found_tool.name, round(found_tool.score, 9)) for found_tool in first
    ]
    assert sorted(key) == sorted(
        (found_tool.package, found_tool.name, round(found_tool.score, 9)) for found_tool in two
    )


def test_non_string_description_is_ignored() -> None:
    odd = {"name": "odd", "description": 7, "inputSchema": {"properties": [1]}, "title": {}}
    ranking = runtime_ranking.Ranking(
        [("server", odd), ("server", {"name": "even", "inputSchema": 3})]
    )
    assert [index for index, _ in ranking.search("odd", 5)] == [0]


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("Find a book. Then read it.", "Find a book."),
        ("Find a book, e.g. a novel. Then read it.", "Find a book, e.g. a novel."),
        ("Version 2.5 of it", "Version 2.5 of it"),
        ("\n  One\n  line", "One line"),
        ("", ""),
    ],
)
def test_the_first_sentence_is_found(text: str, first: str) -> None:
    assert runtime_ranking.summary(text) == first


def test_search_loads_neither_models_nor_transports() -> None:
    code = (
        f"import sys; sys.path.insert(0, {str(folder())!r}); import found_demo;"
        "found_demo.search_tools('item', found_demo, detail='full');"
        "print(*sys.modules)"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = set(run.stdout.split())
    assert "found_demo.models.get_item" not in loaded
    assert not loaded & {"mcp", "anyio", "found_demo._runtime.connect"}
