"""Errors as models read them: causes, hints, and no internals."""

from __future__ import annotations

import logging
from typing import Any

import pytest
from mcp.shared.exceptions import MCPError
from model_calls import (
    bookshelf,
    late,
    make_call,
    office,
    run_in_office,
    text_of,
)
from runtime.scripted import structured_result, text_result


def test_unknown_tool_message_suggests_names() -> None:
    near = bookshelf(lambda client: client.tools.run(make_call("openai", "serch_catalogue", {})))
    assert near["content"] == (
        "Error: There is no tool 'serch_catalogue'. Nothing was sent."
        " Did you mean: search_catalogue?"
    )
    far = bookshelf(lambda client: client.tools.run(make_call("openai", "zzz", {})))
    assert "The tools are: borrow_item, browse_shelves" in far["content"]


@pytest.mark.parametrize(
    ("text", "output"),
    [
        ('{"query": ', "The arguments aren't JSON: "),
        ("[1]", "The arguments aren't a JSON object."),
        ('{"query": NaN}', "The arguments aren't JSON: "),
        ("[" * 100_000, "The arguments aren't JSON: "),
    ],
)
def test_non_json_arguments_get_an_error_message(text: str, output: str) -> None:
    call = make_call("openai", "search_catalogue", text)
    message = bookshelf(lambda client: client.tools.run(call))
    assert message["content"].startswith(f"Error: {output}")
    assert message["content"].endswith("Nothing was sent.")


def test_tool_error_reaches_the_model() -> None:
    message = bookshelf(
        lambda client: client.tools.run(make_call("anthropic", "get_item", {"id": "B-9"}))
    )
    assert message["is_error"] is True
    assert text_of(message) == "there is no item B-9; known are B-1, B-2, F-1"


def test_unconfirmed_call_gets_an_error_message() -> None:
    call = make_call("openai", "write.file", {"count": 1})
    message = run_in_office(call, {"confirm": lambda *_: False}, write__file=text_result("done"))
    assert message["content"] == "Error: The call was not confirmed. Nothing was sent."


def test_protocol_error_reaches_the_model_without_its_data() -> None:
    refusal = MCPError(-32603, "it is broken", {"trace": "/home/ada/server.py line 3"})
    message = run_in_office(make_call("openai", "read", {}), read=refusal)
    assert message["content"] == "Error: The server refused the call: it is broken (-32603)"


def test_invalid_result_is_not_shown() -> None:
    message = run_in_office(
        make_call("openai", "number", {}), number=structured_result({"n": "one"})
    )
    assert message["content"].startswith("Error: The tool's result violates its own schema")
    assert "/n" in message["content"]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("read", "There was no response within 0.2 s."),
        (
            "write.file",
            "There was no response within 0.2 s. The call may have run.",
        ),
    ],
)
def test_unanswered_call_states_whether_it_may_have_run(name: str, text: str) -> None:
    call = make_call("openai", name, {"count": 1} if name != "read" else {})
    answers: Any = {name.replace(".", "__"): late}
    message = run_in_office(call, {"timeout": 0.2, "retry": None}, **answers)
    assert message["content"] == f"Error: {text}"


def test_lost_connection_message_hides_internals(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def act(client: Any) -> Any:
        await client.aclose()
        return await client.tools.run(make_call("openai", "read", {}))

    with caplog.at_level(logging.WARNING, "agents_office"):
        message = office(act)
    assert message["content"] == (
        "Error: The connection to the tool's server was lost. Nothing was sent."
    )
    assert (
        "a call of read for a model failed: the connection was lost: the client was closed"
        in caplog.text
    )
