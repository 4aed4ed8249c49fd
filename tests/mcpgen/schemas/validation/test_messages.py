"""Messages are checked against the official schema of their revision, brief and to the point."""

from __future__ import annotations

import subprocess
import sys

import pytest

from mcpgen.errors import ContractError, Problem, UsageError
from mcpgen.jsontext import Json
from mcpgen.schemas.validation import messages
from mcpgen.schemas.validation.messages import REVISIONS, definitions, nearest, problems

TOOL = {"name": "add", "inputSchema": {"type": "object", "properties": {"a": {"type": "number"}}}}


@pytest.mark.parametrize("revision", REVISIONS)
def test_a_plain_tool_is_right_in_every_revision(revision: str) -> None:
    assert problems(revision, "Tool", TOOL) == ()


@pytest.mark.parametrize("revision", REVISIONS)
def test_missing_input_schema_is_a_problem_of_the_tool(revision: str) -> None:
    results = problems(revision, "Tool", {"name": "add"})
    assert results == (Problem("", "'inputSchema' is a required property"),)


def test_non_object_output_schema_needs_the_newest_revision() -> None:
    tool = {**TOOL, "outputSchema": {"type": "array"}}
    assert problems("2025-11-25", "Tool", tool) == (
        Problem("/outputSchema/type", "'object' was expected"),
    )
    assert problems("2026-07-28", "Tool", tool) == ()


def test_problems_are_sorted_by_pointer() -> None:
    results = problems("2025-11-25", "Tool", {"name": 1, "title": 2})
    assert [problem.pointer for problem in results] == ["", "/name", "/title"]


@pytest.mark.parametrize(
    ("block", "pointer", "reason"),
    [
        ({"type": "text"}, "/content/1", "'text' is a required property"),
        ({"type": "image", "data": 1, "mimeType": "a/b"}, "/content/1/data", "1 is not of type"),
        ({"type": "hologram"}, "/content/1/type", "'hologram' is not one of 'audio', 'image',"),
        (3, "/content/1", "3 is not valid under any"),
    ],
)
def test_wrong_union_value_is_explained_by_its_discriminator(
    block: Json, pointer: str, reason: str
) -> None:
    content = [{"type": "text", "text": "fine"}, block]
    (problem,) = problems("2025-11-25", "CallToolResult", {"content": content})
    assert problem.pointer == pointer
    assert problem.reason.startswith(reason)


def test_a_request_is_checked_as_the_method_it_names() -> None:
    request = {"method": "tools/call", "params": {}}
    assert problems("2025-03-26", "ClientRequest", request) == (
        Problem("/params", "'name' is a required property"),
    )


def test_a_reason_stays_brief_however_long_the_value_is() -> None:
    (problem,) = problems("2025-11-25", "Tool", {**TOOL, "title": ["x" * 10_000]})
    assert len(problem.reason) <= 160


def test_endlessly_nested_message_is_a_problem_not_a_crash() -> None:
    deep: Json = {}
    for _ in range(20_000):
        deep = {"a": deep}
    # Only JSONObject follows a value all the way down.
    (problem,) = problems("2026-07-28", "JSONObject", deep)
    assert problem == Problem("", "the message is nested too deeply")


@pytest.mark.slow
@pytest.mark.parametrize("revision", REVISIONS)
def test_every_definition_can_be_checked(revision: str) -> None:
    for name in definitions(revision):
        assert isinstance(problems(revision, name, {"method": "?"}), tuple)


@pytest.mark.parametrize(
    ("named", "nearest_revision"),
    [
        ("2024-11-05", "2024-11-05"),
        ("2025-01-01", "2024-11-05"),
        ("2025-11-25", "2025-11-25"),
        ("2026-07-27", "2025-11-25"),
        ("2031-01-01", "2026-07-28"),
    ],
)
def test_unknown_revision_uses_the_nearest_earlier_one(named: str, nearest_revision: str) -> None:
    assert nearest(named) == nearest_revision


@pytest.mark.parametrize("named", ["", "2024-10-07", "draft", "latest", "2025-11-25\n", "9" * 500])
def test_invalid_revision_error_lists_known_ones(named: str) -> None:
    with pytest.raises(ContractError) as caught:
        nearest(named)
    assert all(revision in caught.value.hint for revision in REVISIONS)
    assert len(caught.value.problem) < 100


def test_type_missing_from_the_revision_is_an_error() -> None:
    with pytest.raises(UsageError, match="no type 'DiscoverResult'"):
        problems("2024-11-05", "DiscoverResult", {})


def test_tools_are_checked_one_by_one_with_one_validator() -> None:
    problems("2025-11-25", "Tool", TOOL)
    result = messages._validator.cache_info().misses
    results = [problems("2025-11-25", "Tool", {**TOOL, "name": f"tool_{n}"}) for n in range(344)]
    assert messages._validator.cache_info().misses == result
    assert not any(results)


def test_importing_the_module_loads_no_library() -> None:
    program = "import sys, mcpgen.schemas.validation.messages; print('jsonschema' in sys.modules)"
    result = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert result.stdout == "False\n"
