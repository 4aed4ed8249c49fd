from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Any

import pytest
from made_calls import make_answer

from mcpgen.errors import UsageError
from mcpgen.jsontext import Json
from mcpgen.testing.answer import is_soft_error
from mcpgen.testing.arguments import safety
from mcpgen.testing.arguments.values import Schema


@pytest.mark.parametrize(
    ("name", "is_secret"),
    [
        ("password", True),
        ("api_key", True),
        ("apiKey", True),
        ("access_token", True),
        ("otp", True),
        ("key", False),
        ("page_token", False),
        ("max_tokens", False),
        ("username", False),
        ("account_id", False),
        ("query", False),
    ],
)
def test_secrets_are_known_by_their_names(name: str, is_secret: bool) -> None:
    assert safety.is_secret(name) is is_secret


@pytest.mark.parametrize(
    ("definition", "options", "reason"),
    [
        ({"annotations": {"readOnlyHint": True}}, {}, ""),
        ({}, {}, "not annotated as read-only"),
        ({"annotations": {"readOnlyHint": False}}, {}, "not annotated as read-only"),
        ({}, {"allows_writes": True}, ""),
        ({"name": "x"}, {"named": ["x"]}, ""),
        (
            {"execution": {"taskSupport": "required"}},
            {"allows_writes": True},
            "callable only as a task",
        ),
    ],
)
def test_hints_and_options_decide_whether_tools_may_run(
    definition: Any, options: Any, reason: str
) -> None:
    allowed = {"named": (), "allows_writes": False, "is_given": False, **options}
    permission = safety.permission(definition, Schema({"type": "object"}), **allowed)
    assert permission.reason.startswith(reason)
    assert permission.is_given is (reason == "")


@pytest.mark.parametrize(
    ("data", "text", "is_soft"),
    [
        ({"error": "no such book"}, "", True),
        ({"success": False}, "", True),
        (None, "Error: no such book", True),
        (None, "Unknown book: B-7", True),
        (None, "Unknown book B-7.", True),
        (None, "Unknown artist, 1738", False),
        (None, "UNKNOWN, Winter coat 2, 1738", False),
        ({"error": None, "id": 1}, "", False),
        ({"title": "The error of our ways"}, "The error of our ways", False),
    ],
)
def test_result_reporting_a_failure_differs_from_data(data: Any, text: str, is_soft: bool) -> None:
    assert is_soft_error(make_answer(data, text)) is is_soft


@pytest.mark.skipif(sys.platform == "win32", reason="each user has temporary files of their own")
def test_made_up_paths_lead_into_no_folder_of_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "gettempdir", lambda: str(tmp_path))
    other = tmp_path / "other"
    other.mkdir()
    (tmp_path / "mcpgen-test-scratch").symlink_to(other)
    with safety.Scratch() as scratch:
        assert scratch.folder.is_dir()
        assert Path(str(scratch.path_for("x", "path"))).is_file()
        assert list(other.iterdir()) == []
    assert not scratch.folder.exists()
    scratch.folder.symlink_to(other)
    with pytest.raises(UsageError, match="belongs to another user"):
        safety.Scratch()


def test_known_values_for_each_item_of_a_list() -> None:
    part: Json = {"type": "array", "items": {"type": "string"}}
    schema = Schema({"properties": {"book_ids": part, "name": {"type": "string"}}})
    known = {"book_ids": ["B-1", "B-2", "B-3"], "name": ["x"]}
    filled = schema.fill_known({"book_ids": ["a", "b"], "name": "n"}, known.__getitem__)
    assert filled == {"book_ids": ["B-1", "B-2"], "name": "n"}
    known["book_ids"] = ["B-1"]
    filled = schema.fill_known({"book_ids": ["a", "b"], "name": "n"}, known.__getitem__)
    assert filled["book_ids"] == ["B-1", "B-1"]
