"""Messages in the format of each API."""

from __future__ import annotations

import base64
import json
from types import SimpleNamespace
from typing import Any

import pytest
from model_calls import (
    APIS,
    bookshelf,
    make_call,
    text_of,
)


def as_object(value: Any) -> Any:
    """Return a call as an SDK has it, whose members are attributes."""
    if isinstance(value, dict) and {"name", "function", "params"} & value.keys():
        members = {key: as_object(member) for key, member in value.items()}
        return SimpleNamespace(**members)
    return value


@pytest.mark.parametrize("shape", [lambda call: call, as_object], ids=["mapping", "object"])
@pytest.mark.parametrize("api", APIS)
def test_call_gets_a_message_in_its_api_format(api: str, shape: Any) -> None:
    call = shape(make_call(api, "search_catalogue", {"query": "night", "from": 1900}))
    message = bookshelf(lambda client: client.tools.run(call))
    content = json.loads(text_of(message))
    assert [item["id"] for item in content["items"]] == ["B-2"]
    if api == "openai":
        assert (message["role"], message["tool_call_id"]) == ("tool", "c1")
    elif api == "openai-responses":
        assert (message["type"], message["call_id"]) == ("function_call_output", "c1")
    elif api == "anthropic":
        assert (message["type"], message["tool_use_id"]) == ("tool_result", "c1")
        assert "is_error" not in message
    elif api == "gemini":
        response = message["functionResponse"]
        assert (response["id"], response["name"]) == ("c1", "search_catalogue")
        assert response["response"]["output"] == content
    else:
        assert message["structuredContent"] == content
        assert message["isError"] is False


@pytest.mark.parametrize("api", APIS)
def test_an_image_is_shown_as_the_api_wants_it(api: str) -> None:
    call = make_call(api, "show_cover", {"id": "B-2"})
    message = bookshelf(lambda client: client.tools.run(call))
    assert "The cover of The Night Ferry" in text_of(message)
    if api == "openai":
        assert "[image/png, 70 bytes: it cannot be shown here]" in message["content"]
        return
    if api == "openai-responses":
        url = message["output"][1]["image_url"]
        assert message["output"][1]["type"] == "input_image"
        assert url.startswith("data:image/png;base64,")
        data = url.partition(",")[2]
    elif api == "anthropic":
        source = message["content"][1]["source"]
        assert (source["type"], source["media_type"]) == ("base64", "image/png")
        data = source["data"]
    elif api == "gemini":
        (part,) = message["functionResponse"]["parts"]
        assert part["inlineData"]["mimeType"] == "image/png"
        data = part["inlineData"]["data"]
    else:
        data = message["content"][1]["data"]
    assert base64.b64decode(data).startswith(b"\x89PNG")


def test_gemini_parts_and_mcp_requests_are_accepted() -> None:
    async def act(client: Any) -> Any:
        part = {"functionCall": {"name": "list_opening_hours"}}
        request = {"method": "tools/call", "params": {"name": "list_opening_hours"}}
        named = {"name": "list_opening_hours"}
        return [
            await client.tools.run(part),
            await client.tools.run(request),
            await client.tools.run(named),
            await client.tools.run(named, api="gemini"),
        ]

    members = [set(message) for message in bookshelf(act)]
    assert members[0] == members[3] == {"functionResponse"}
    assert members[1] == members[2] >= {"content", "isError"}
