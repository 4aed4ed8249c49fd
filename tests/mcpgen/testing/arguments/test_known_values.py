"""Values learned from results: IDs by their noun, and no secrets."""

from __future__ import annotations

import pytest
from made_calls import make_answer

from mcpgen.jsontext import Json
from mcpgen.testing.arguments import safety
from mcpgen.testing.arguments.known_values import KnownValues
from mcpgen.testing.arguments.values import Schema


@pytest.mark.parametrize("name", ["path", "file_path", "directory", "command", "pid", "token"])
def test_required_identifiers_of_writes_are_not_guessed(name: str) -> None:
    schema = Schema({"properties": {name: {"type": "string"}}, "required": [name]})
    guessed = {"named": (), "allows_writes": True}
    assert not safety.permission({}, schema, **guessed, is_given=False).is_given
    assert safety.permission({}, schema, **guessed, is_given=True).is_given


@pytest.mark.parametrize(
    ("tool", "argument", "is_sure"),
    [
        ("get_book", "id", True),
        ("get_book", "book_id", True),
        ("get_book", "bookId", True),
        ("lend", "book_ids", True),
        ("lend", "bookIds", True),
        ("lend", "member_ids", False),
        ("get_member", "id", False),
        ("get_book", "title", False),
    ],
)
def test_an_id_is_known_by_its_noun(tool: str, argument: str, is_sure: bool) -> None:
    known_values = KnownValues()
    known_values.learn("search", {}, make_answer({"books": [{"id": "B-1", "title": "x"}]}))
    results = [sure for _, _, sure in known_values.matching(tool, argument)]
    assert any(results) is is_sure


def test_a_secret_in_a_result_is_not_learnt() -> None:
    known_values = KnownValues()
    known_values.learn("login", {}, make_answer({"access_token": "abc", "id": 1}))
    assert [source.name for source in known_values.values] == ["id"]


def ids(entities: list[Json]) -> list[Json]:
    known_values = KnownValues()
    known_values.learn("list_books", {}, make_answer({"books": entities}))
    _, values, _ = next(known_values.matching("get_book", "id"))
    return values


def test_ids_of_unlike_entities_first() -> None:
    alike: list[Json] = [{"id": number, "state": "new", "tags": ["a"]} for number in range(8)]
    unlike: list[Json] = [
        {"id": 11, "state": "lent", "tags": ["a"]},
        {"id": 12, "state": "new", "tags": []},
        {"id": 13, "state": "new", "tags": ["a"], "lender": None},
    ]
    assert ids([*alike, *unlike])[:4] == [0, 11, 12, 13]


def test_different_words() -> None:
    names = "Ann Bo Cleo Dan Eve Finn Gil Hal Ida".split()
    assert len(ids([{"id": number, "name": name} for number, name in enumerate(names)])) <= 7


def test_entity_named_by_description() -> None:
    known_values = KnownValues()
    known_values.learn("list_comments", {}, make_answer({"comments": [{"commentId": 4}]}))
    assert [*known_values.matching("reply", "parentId", "")] == []
    text = "ID of the comment to reply to"
    ((_, values, is_sure),) = known_values.matching("reply", "parentId", text)
    assert (values, is_sure) == ([4], False)


def test_names_without_words() -> None:
    known_values = KnownValues()
    known_values.learn("list_books", {}, make_answer({"": 1, "\u00a7": 2, "bookId": 3}))
    assert [*known_values.matching("get_book", "\u00a7", "of a book")] == []
    assert [*known_values.matching("get_book", "", "of a book")] == []


def test_names_of_flags_outside_lists() -> None:
    known_values = KnownValues()
    teams: list[Json] = [{"id": 1, "open": True}]
    known_values.learn("list", {}, make_answer({"teams": teams, "has_more": False}))
    known_values.learn("read", {}, make_answer({"page": {"partial": True}}))
    assert known_values.names("list") == {"id", "has_more"}
    assert known_values.names("read") == {"partial"}
