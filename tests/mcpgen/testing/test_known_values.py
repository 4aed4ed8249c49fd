"""Values learned from results: IDs by their noun, and no secrets."""

from __future__ import annotations

import pytest
from made_calls import make_answer

from mcpgen.testing import safety
from mcpgen.testing.known_values import KnownValues
from mcpgen.testing.values import Schema


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
