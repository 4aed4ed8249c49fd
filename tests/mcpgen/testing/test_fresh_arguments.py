from __future__ import annotations

from typing import Any

import pytest
from tested import run_of

from mcpgen.testing import fresh_arguments
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
def test_fresh_string_keeps_its_format(text: str, part: dict[str, Any], is_kept: str) -> None:
    schema = schema_of(it={"type": "string", **part})
    texts = {
        renewed["it"]
        for number in range(8)
        if (
            renewed := fresh_arguments.renew_argument(
                schema, {"it": text, "other": 1}, "it", number
            )
        )
        and renewed["other"] == 1
    }
    assert len(texts) > 4
    assert text not in texts
    assert all(is_kept in item and len(item) == len(text) for item in texts)


def test_sensitive_and_fixed_arguments_stay_unchanged() -> None:
    string = {"type": "string"}
    members = {"name": string, "password": string, "path": string, "order": {"enum": ["title"]}}
    arguments = dict.fromkeys(members, "title") | {"limit": 3, "empty": ""}
    assert fresh_arguments.names(schema_of(**members), arguments) == ["name"]


@pytest.mark.slow
def test_tool_creating_missing_items_is_found() -> None:
    with run_of("creates", named=("get_book",), judges=("C401",)) as run:
        run.explore()
    (failure,) = run.failures.values()
    assert failure.verdict.judge == "C401"
    assert (failure.case.check, failure.case.name) == ("writes-once", "get_book")
