"""Results for models: once, in order, and without content for the user."""

from __future__ import annotations

from typing import Any

import pytest
from mcp import types
from model_calls import (
    make_call,
    run_in_office,
    text_of,
)
from runtime.scripted import structured_result


def test_structured_content_appears_once() -> None:
    texts = [
        text_of(run_in_office(make_call("openai", "number", {}), number=call_tool_result))
        for call_tool_result in (
            structured_result({"n": 1}),
            structured_result({"n": 1}, types.TextContent(text='{\n  "n": 1\n}')),
            structured_result({"n": 1}, types.TextContent(text="One")),
        )
    ]
    assert texts == ['{"n": 1}', '{"n": 1}', 'One\n{"n": 1}']


def test_items_repeated_as_text_appear_once() -> None:
    blocks = [types.TextContent(text="a"), types.TextContent(text="b")]
    answer = structured_result({"result": ["a", "b"]}, *blocks)
    assert text_of(run_in_office(make_call("anthropic", "list", {}), list=answer)) == (
        '{"result": ["a", "b"]}'
    )


@pytest.mark.parametrize(
    ("structured_content", "text", "expected"),
    [
        ({"content": "two\nlines"}, "two\nlines", "two\nlines"),
        ({"entities": [{"a": 1}]}, '[\n  {"a": 1}\n]', '{"entities": [{"a": 1}]}'),
        ({"result": 5}, "5", '{"result": 5}'),
        ({"result": 5}, "five", 'five\n{"result": 5}'),
        ({"a": "1", "b": "2"}, "1", '1\n{"a": "1", "b": "2"}'),
    ],
)
def test_repeated_property_value_appears_once(
    structured_content: Any, text: str, expected: str
) -> None:
    answer = structured_result(structured_content, types.TextContent(text=text))
    assert text_of(run_in_office(make_call("openai", "read", {}), read=answer)) == expected


def test_content_for_the_user_is_hidden_from_models() -> None:
    user, model = types.Annotations(audience=["user"]), types.Annotations(audience=["assistant"])
    secret = types.TextContent(text="for you", annotations=user)
    picture = types.ImageContent(data="AA==", mime_type="image/png", annotations=user)
    visible = types.TextContent(text="for the model", annotations=model)
    result = types.CallToolResult(content=[secret, picture, visible])
    message = run_in_office(make_call("anthropic", "read", {}), read=result)
    assert message["content"] == [{"type": "text", "text": "for the model"}]
    hidden = types.CallToolResult(content=[secret])
    text = text_of(run_in_office(make_call("openai", "read", {}), read=hidden))
    assert text == "The call succeeded. Its result is only for the user and isn't shown here."


def test_empty_content_has_a_message() -> None:
    message = run_in_office(
        make_call("anthropic", "read", {}), read=types.CallToolResult(content=[])
    )
    assert text_of(message) == "The call succeeded, and returned nothing."


def test_resources_and_unsupported_content_are_named() -> None:
    text = types.TextResourceContents(uri="file:///a.txt", text="inside")
    blob = types.BlobResourceContents(uri="file:///a.pdf", blob="AAAA", mime_type="application/pdf")
    scan = types.BlobResourceContents(uri="file:///a.png", blob="AA==", mime_type="image/png")
    blocks: list[Any] = [
        types.ResourceLink(name="log", uri="file:///log", mime_type="text/plain"),
        types.EmbeddedResource(resource=text),
        types.EmbeddedResource(resource=blob),
        types.EmbeddedResource(resource=scan),
        types.AudioContent(data="AAAA", mime_type="audio/wav"),
        types.ImageContent(data="%%%", mime_type="image/png"),
    ]
    message = run_in_office(
        make_call("anthropic", "read", {}), read=types.CallToolResult(content=blocks)
    )
    before, image, after = message["content"]
    assert before["text"].splitlines() == [
        "[resource file:///log: log, text/plain]",
        "[resource file:///a.txt]",
        "inside",
        "[resource file:///a.pdf: 3 bytes of application/pdf, not shown]",
    ]
    assert after["text"].splitlines() == [
        "[audio/wav, 3 bytes: it cannot be shown here]",
        "[an unreadable part of the kind image]",
    ]
    assert image["source"]["data"] == "AA=="


ORDERED: list[Any] = [
    types.TextContent(text="one"),
    types.ImageContent(data="AAAA", mime_type="image/png"),
    types.TextContent(text="two"),
]


@pytest.mark.parametrize("api", ["anthropic", "openai-responses"])
def test_texts_and_images_keep_their_order(api: str) -> None:
    message = run_in_office(make_call(api, "read", {}), read=types.CallToolResult(content=ORDERED))
    content = message["content"] if api == "anthropic" else message["output"]
    assert [item["type"].removeprefix("input_") for item in content] == ["text", "image", "text"]
    assert [item["text"] for item in content if "text" in item] == ["one", "two"]
