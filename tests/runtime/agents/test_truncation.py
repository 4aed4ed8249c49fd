"""Long results are truncated, and continued on request."""

from __future__ import annotations

from typing import Any

import anyio
import pytest
from mcpgen_runtime.agents import result as runtime_result
from mcpgen_runtime.agents import truncation
from model_calls import (
    make_call,
    office,
    text_of,
    tool,
)
from runtime.packages import import_client
from runtime.scripted import Scripted, text_result

from mcpgen.contract.document import Contract


def test_long_result_is_truncated_and_can_be_continued() -> None:
    lines = "\n".join(f"line {number}" for number in range(500))

    async def act(client: Any) -> Any:
        tools = client.tools.select(max_chars=1_000)
        assert "read_more" in [definition["name"] for definition in tools.definitions("anthropic")]
        text = text_of(await tools.run(make_call("anthropic", "read", {})))
        whole = ""
        for _ in range(10):
            assert len(text) <= 1_000
            page, result, note = text.partition("\n\n[characters ")
            whole += page
            if not result:
                return whole
            handle = note.split('"')[1]
            offset = float(note.rpartition(" ")[2].rstrip("]"))
            arguments = {"handle": handle, "offset": offset}
            text = text_of(await tools.run(make_call("anthropic", "read_more", arguments)))
        return ""

    assert office(act, read=text_result(lines)) == lines


def test_failed_continuation_is_explained() -> None:
    async def act(client: Any) -> Any:
        tools = client.tools.select(max_chars=500)
        text = text_of(await tools.run(make_call("openai", "read", {})))
        handle = text.split('"')[1]
        return [
            text_of(await tools.run(make_call("openai", "read_more", item)))
            for item in (
                {"handle": "gone", "offset": 0},
                {"handle": handle, "offset": 10_000},
                {"handle": handle, "offset": -1},
                {"handle": handle},
            )
        ]

    gone, ended, wrong, start = office(act, read=text_result("x" * 2_000))
    assert "The text 'gone' is no longer stored" in gone
    assert ended == "The text ends at 2,000."
    assert "a non-negative integer" in wrong
    assert start.startswith("xxx")


def test_texts_are_kept_within_bounds(monkeypatch: pytest.MonkeyPatch) -> None:

    monkeypatch.setattr(truncation, "MOST_KEPT", 3_000)
    memory = truncation.TruncatedTexts(500)
    for number in range(5):
        memory.truncate(runtime_result.AgentResult(str(number) * 1_000))
    assert [text[0] for text in memory.texts.values()] == ["2", "3", "4"]
    memory.truncate(runtime_result.AgentResult("y" * 9_000))
    assert [len(text) for text in memory.texts.values()] == [3_000]
    with pytest.raises(ValueError, match="at least 500"):
        truncation.TruncatedTexts(1)


def test_server_tool_named_like_the_reader_keeps_its_name() -> None:
    tools = {"read_more": tool("read_more"), "other": tool("other")}
    package = import_client(Contract(tools=tools), "agents_reader")
    server = Scripted(
        Contract(tools=tools), other=text_result("x" * 900), read_more=text_result("mine")
    )

    async def inside() -> None:
        async with package.Client.connect(server.server) as client:
            chosen = client.tools.select(max_chars=500)
            assert [*chosen] == ["other", "read_more", "_read_more"]
            text = text_of(await chosen.run(make_call("openai", "other", {})))
            assert "call _read_more with handle" in text
            assert text_of(await chosen.run(make_call("openai", "read_more", {}))) == "mine"

    anyio.run(inside)
