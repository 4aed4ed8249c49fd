"""Secrets are redacted in recordings, and calls still match."""

from __future__ import annotations

import json
import logging
import re
from pathlib import Path
from typing import Any

import pytest
from mcpgen_runtime.package import package_of_module
from mcpgen_runtime.replay import call_records
from mcpgen_runtime.replay import tape as runtime_tape
from replayed_calls import SHOP, lines, record, replay
from runtime.scripted import Scripted, structured_result, text_result

KEY = "sk-abcdefghij0123456789"


def test_secrets_are_redacted_and_calls_still_match(path: Path) -> None:
    async def act(client: Any, key: str = KEY) -> Any:
        return await client.call("label", {"code": "ABC", "apiKey": key, "note": f"by {key}"})

    answer = structured_result(
        {"printed": "ok: done", "token": "hunter2hunter2"}, *text_result(KEY).content
    )
    record(path, act, Scripted(label=answer))
    text = path.read_text("utf-8")
    assert "sk-" not in text
    assert "hunter2" not in text
    [line] = lines(path)
    assert line["arguments"] == {"code": "ABC", "apiKey": "[redacted]", "note": "by [redacted]"}
    assert line["redacted"] == [
        "/arguments/apiKey",
        "/arguments/note",
        "/result/content/0/text",
        "/result/structuredContent/token",
    ]
    assert replay(path, act).printed == "ok: done"
    assert replay(path, lambda client: act(client, "another")).printed == "ok: done"
    with pytest.raises(SHOP.NotRecorded):
        replay(path, lambda client: client.label(code="ABC"))


def test_rules_redact_properties_and_patterns_inside_json_text(path: Path) -> None:
    item = {"id": "A", "price": 7.5, "note": "to eve@example.org", "made-on": "2020-02-03"}
    content = {"item": item, "from": "12 Elm Street"}
    answer = structured_result(content, *text_result(json.dumps(content)).content)
    redact = ["from", "item.price", "made-on", re.compile(r"\w+@example\.org")]

    def act(client: Any) -> Any:
        return client.order(item={"id": "A", "price": 9})

    record(path, act, Scripted(order=answer), redact=redact)
    [line] = lines(path)
    stored = {
        "item": {"id": "A", "price": 0, "note": "to [redacted]", "made-on": "2000-01-01"},
        "from": "[redacted]",
    }
    assert line["result"]["structuredContent"] == stored
    assert json.loads(line["result"]["content"][0]["text"]) == stored
    assert line["arguments"] == {"item": {"id": "A", "price": 0}}
    assert replay(path, act).item.price == 0


def test_connection_token_repeated_by_the_server_is_redacted(path: Path) -> None:
    tape = runtime_tape.tape_of(package_of_module(SHOP.__name__), path, None, ["open sesame"])
    call = call_records.RecordedCall("resource", "a://b?c=open sesame")
    assert tape.redaction.redact_call(call).name == "a://b?c=[redacted]"


def test_redaction_breaking_a_result_is_reported_at_once(
    path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING):
        record(
            path,
            lambda client: client.label(code="ABC"),
            Scripted(label=structured_result({"printed": "ok: done"})),
            redact=["printed"],
        )
    assert "label: the redacted result violates its schema" in caplog.text
