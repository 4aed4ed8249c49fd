from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Any

import pytest

from mcpgen.errors import UsageError
from mcpgen.findings.contract_tests import Case
from mcpgen.testing import safety
from mcpgen.testing.answer import Answer, is_soft_error
from mcpgen.testing.known_values import KnownValues
from mcpgen.testing.repro_commands import Lines
from mcpgen.testing.shrink import shrunk
from mcpgen.testing.value_paths import alternatives
from mcpgen.testing.values import Schema

SCHEMA = {
    "type": "object",
    "properties": {
        "query": {"type": "string", "minLength": 2},
        "limit": {"type": "integer", "minimum": 1, "maximum": 20},
        "order": {"enum": ["title", "pages"]},
        "tags": {"type": "array", "items": {"type": "string"}, "maxItems": 2},
    },
    "required": ["query"],
    "additionalProperties": False,
}


def test_changes_stand_at_each_limit_and_beyond_it() -> None:
    schema = Schema(SCHEMA)
    base: dict[str, Any] = {"query": "ab", "limit": 5, "order": "title", "tags": ["x"]}
    changes = [change.arguments for change in schema.changes(base)]
    allowed = [item for item in changes if schema.allows(item)]
    forbidden = [item for item in changes if not schema.allows(item)]
    assert {item["limit"] for item in allowed if "limit" in item} >= {1, 20}
    assert {"title", "pages"} <= {str(item.get("order")) for item in allowed}
    assert {"ab", "a"} <= {str(item.get("query")) for item in [*allowed, *forbidden]}
    assert {str(item.get("limit")) for item in forbidden} >= {"0", "21", "None", "text"}
    assert any("query" not in item for item in forbidden)
    assert any("mcpgen_unknown" in item for item in forbidden)
    assert any(len(item.get("tags") or ()) == 3 for item in forbidden)
    assert schema.frugal(base) == {"query": "ab"}


def test_mutually_recursive_unions_are_read_once() -> None:
    """Filter languages have such schemas, with twenty to the fourth power of combinations."""
    names = [f"kind{number}" for number in range(20)]
    union = {"anyOf": [{"$ref": f"#/$defs/{name}"} for name in names]}
    kind = {"anyOf": [{"$ref": "#/$defs/any"}, {"type": "string"}]}
    root = {"$ref": "#/$defs/any", "$defs": {"any": union, **dict.fromkeys(names, kind)}}
    nodes = alternatives(root, root)
    assert len(nodes) == 2 + len(names) * 4
    assert {"type": "string"} in nodes


@pytest.mark.parametrize(("more", "is_named"), [({}, True), ({"format": "uri"}, False)])
def test_truncated_string_counts_as_valid_without_a_format(
    more: dict[str, Any], *, is_named: bool
) -> None:
    part = {"type": "string", "minLength": 1, "maxLength": 30, **more}
    changes = Schema({"properties": {"url": part}}).changes({"url": "https://example.org"})
    lengths = {
        change.how: change.is_named
        for change in changes
        if change.how in ("minLength", "maxLength")
    }
    assert lengths == {"minLength": is_named, "maxLength": is_named}


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
        ({}, {}, "it does not claim"),
        ({"annotations": {"readOnlyHint": False}}, {}, "it does not claim"),
        ({}, {"allows_writes": True}, ""),
        ({"name": "x"}, {"named": ["x"]}, ""),
        ({"execution": {"taskSupport": "required"}}, {"allows_writes": True}, "it can only be"),
    ],
)
def test_hints_and_options_decide_whether_tools_may_run(
    definition: Any, options: Any, reason: str
) -> None:
    allowed = {"named": (), "allows_writes": False, "is_given": False, **options}
    permission = safety.permission(definition, Schema({"type": "object"}), **allowed)
    assert permission.reason.startswith(reason)
    assert permission.is_given is (reason == "")


@pytest.mark.parametrize("name", ["path", "file_path", "directory", "command", "pid", "token"])
def test_required_identifiers_of_writes_are_not_guessed(name: str) -> None:
    schema = Schema({"properties": {name: {"type": "string"}}, "required": [name]})
    guessed = {"named": (), "allows_writes": True}
    assert not safety.permission({}, schema, **guessed, is_given=False).is_given
    assert safety.permission({}, schema, **guessed, is_given=True).is_given


def make_answer(data: Any, text: str = "") -> Answer:
    return Answer({"content": [{"type": "text", "text": text}], "structuredContent": data})


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


@pytest.mark.parametrize(
    ("data", "text", "is_soft"),
    [
        ({"error": "no such book"}, "", True),
        ({"success": False}, "", True),
        (None, "Error: no such book", True),
        ({"error": None, "id": 1}, "", False),
        ({"title": "The error of our ways"}, "The error of our ways", False),
    ],
)
def test_result_reporting_a_failure_differs_from_data(data: Any, text: str, is_soft: bool) -> None:
    assert is_soft_error(make_answer(data, text)) is is_soft


def test_case_is_shrunk_to_its_cause() -> None:
    case = Case("call", "tool x", {"arguments": {"a": 987, "b": ["x", "yyyyB"], "c": {"d": 1}}})

    def fails(smaller: Case) -> bool:
        return any("B" in str(item) for item in smaller.data["arguments"].get("b", ()))

    assert shrunk(case, fails, 200).data["arguments"] == {"b": ["B"]}
    assert shrunk(case, fails, 0) == case


def test_given_secret_is_not_stored_and_comes_from_environment() -> None:
    data = {"arguments": {"apiKey": "abc", "id": "x", "password": ""}}
    result = safety.redact(data)
    assert result["arguments"] == {"apiKey": "${API_KEY}", "id": "x", "password": ""}
    assert safety.shown_again(result, {"API_KEY": "abc"}) == data
    assert safety.shown_again(result, {}) == result
    line = Lines(server="demo").line_for(Case("call", "tool unlock", data))
    assert "abc" not in line


def test_a_secret_is_hidden_wherever_a_case_has_it() -> None:
    secret = {"login": {"password": "hunter2-hunter2"}, "id": "x"}
    data = {
        "calls": [{"name": "unlock", "arguments": secret}],
        "reads": [{"method": "tools/call", "params": {"name": "get_token", "arguments": secret}}],
        "source": {"tool": "unlock", "arguments": secret, "parents": [], "member": "id"},
        "arguments": {"pin": 123456},
    }
    result = safety.redact(data)
    assert "hunter2" not in str(result)
    assert "123456" not in str(result)
    assert result["calls"][0]["arguments"] == {"login": {"password": "${PASSWORD}"}, "id": "x"}
    assert safety.shown_again(result, {"PASSWORD": "hunter2-hunter2", "PIN": "123456"}) == {
        **data,
        "arguments": {"pin": "123456"},
    }
    by_tool = {"calls": {"get_token": [{"token": "abcdefgh1"}]}}
    assert safety.redact(by_tool) == {"calls": {"get_token": [{"token": "${TOKEN}"}]}}
    assert safety.secrets_of(data).replace("no 123456, hunter2-hunter2") == "no ${PIN}, ${PASSWORD}"
    case = Case("chain", "tool x", {**data, "argument": "id"})
    assert "hunter2" not in Lines(server="demo").line_for(case)


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
    with pytest.raises(UsageError, match="is not yours"):
        safety.Scratch()
