"""Which refusals of a call are about its arguments."""

from __future__ import annotations

import pytest

from mcpgen.testing.answer import INVALID_PARAMS, Answer
from mcpgen.testing.checks.neighbors import is_about_arguments


def tool_error(text: str) -> Answer:
    return Answer({"isError": True, "content": [{"type": "text", "text": text}]})


@pytest.mark.parametrize(
    "answer",
    [
        tool_error("limit must be at most 50"),
        tool_error("Search query cannot be empty"),
        Answer(code=INVALID_PARAMS, message="bad request"),
    ],
)
def test_refusal_of_a_value_is_about_arguments(answer: Answer) -> None:
    assert is_about_arguments(answer)


@pytest.mark.parametrize(
    "text",
    [
        "there is already a target with that name",
        "Error: ENAMETOOLONG: name too long, stat '/srv/x'",
        "[Errno 36] File name too long: invalid path",
        "permission denied, a token is required",
    ],
)
def test_refusal_of_a_state_or_a_file_name_is_not_about_arguments(text: str) -> None:
    assert not is_about_arguments(tool_error(text))
