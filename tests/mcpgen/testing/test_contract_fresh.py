from __future__ import annotations

from typing import Any

import pytest
from tested import run_of

from mcpgen.testing import fresh
from mcpgen.testing.values import Schema


def schema_of(**properties: Any) -> Schema:
    return Schema({"type": "object", "properties": properties})


@pytest.mark.parametrize(
    ("text", "part", "is_kept"),
    [
        ("B-12", {"pattern": "^[A-Z]-[0-9]{2}$"}, "-"),
        ("ada@example.org", {"format": "email"}, "@example.org"),
        ("6f9619ff-8b86-d011-b42d-00c04fc964ff", {"format": "uuid"}, "-"),
    ],
)
def test_a_fresh_text_has_the_form_of_the_one_before(
    text: str, part: dict[str, Any], is_kept: str
) -> None:
    schema = schema_of(it={"type": "string", **part})
    texts = {
        renewed["it"]
        for number in range(8)
        if (renewed := fresh.renew_argument(schema, {"it": text, "other": 1}, "it", number))
        and renewed["other"] == 1
    }
    assert len(texts) > 4
    assert text not in texts
    assert all(is_kept in each and len(each) == len(text) for each in texts)


def test_what_must_not_be_guessed_and_what_cannot_be_another_stays() -> None:
    string = {"type": "string"}
    members = {"name": string, "password": string, "path": string, "order": {"enum": ["title"]}}
    arguments = dict.fromkeys(members, "title") | {"limit": 3, "empty": ""}
    assert fresh.names(schema_of(**members), arguments) == ["name"]


@pytest.mark.slow
def test_a_tool_that_creates_what_it_does_not_find_is_seen() -> None:
    with run_of("creates", named=("get_book",), judges=("C401",)) as run:
        run.explore()
    (failure,) = run.failures.values()
    assert failure.verdict.judge == "C401"
    assert failure.case.data["fresh"] == "id"
