"""Recorded calls, one per line: concurrent writes, and errors with line numbers."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from mcpgen_runtime.replay.call_records import (
    RecordedCall,
    UnreadableLineError,
    append,
    line_of,
    parse,
    read,
)
from mcpgen_runtime.replay.definition import definition_hash

CALL = RecordedCall(
    "tool", "search", {"query": "Nächte", "limit": 2}, {"content": []}, definition="ab" * 8
)

WRITER = """
import sys
from pathlib import Path
from mcpgen_runtime.replay.call_records import RecordedCall, append
for number in range(60):
    arguments = {"writer": sys.argv[2], "number": number, "text": "x" * 20_000}
    append(Path(sys.argv[1]), RecordedCall("tool", "t", arguments, {"content": []}))
"""


def test_line_has_sorted_properties_without_date_or_duration() -> None:
    assert line_of(CALL) == (
        '{"arguments": {"limit": 2, "query": "Nächte"}, "definition": "abababababababab",'
        ' "kind": "tool", "name": "search", "result": {"content": []}}'
    )


def test_written_calls_are_read_back(tmp_path: Path) -> None:
    calls = [
        CALL,
        RecordedCall("resource", "a://b", error={"type": "CallTimeout"}, redacted=["/error/x"]),
        RecordedCall("prompt", "line\u2028end", {"half": "\ud800"}, {"messages": []}),
    ]
    for call in calls:
        append(tmp_path / "calls.jsonl", call)
    recorded_calls = read(tmp_path / "calls.jsonl")
    assert [line_of(call) for call in recorded_calls] == [line_of(call) for call in calls]
    assert [call.number for call in recorded_calls] == [1, 2, 3]


def test_several_processes_write_whole_lines_into_one_file(tmp_path: Path) -> None:
    path = tmp_path / "calls.jsonl"
    command = [sys.executable, "-c", WRITER, str(path)]
    writers = [subprocess.Popen([*command, str(n)]) for n in range(4)]
    assert [writer.wait() for writer in writers] == [0] * 4
    results = [(call.arguments["writer"], call.arguments["number"]) for call in read(path)]
    assert len(results) == 240
    for writer in range(4):  # each in its own order
        assert [n for w, n in results if w == str(writer)] == list(range(60))


def test_incomplete_line_does_not_corrupt_the_next(tmp_path: Path) -> None:
    path = tmp_path / "calls.jsonl"
    path.write_bytes(b'{"kind": "to')
    append(path, CALL)
    assert path.read_bytes().split(b"\n")[1].decode() == line_of(CALL)


def test_torn_line_is_passed_over_with_a_warning(caplog: pytest.LogCaptureFixture) -> None:
    whole = line_of(CALL)
    text = f"{whole}\n{whole[:20]}\n{whole}\n".encode()
    assert [call.number for call in parse(text, "calls.jsonl")] == [1, 3]
    assert "passed over: calls.jsonl:2: not JSON" in caplog.text
    with pytest.raises(UnreadableLineError, match="not JSON"):
        parse(whole[:20].encode(), "calls.jsonl")


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("[]", "not an object"),
        ('{"kind": "tool", "result": {}}', "it has no name"),
        ('{"kind": "task", "name": "a", "result": {}}', "its kind isn't one of tool, prompt, res"),
        ('{"kind": "tool", "name": 1, "result": {}}', "its name isn't a string"),
        ('{"kind": "tool", "name": "a", "result": []}', "its result isn't an object"),
        ('{"kind": "tool", "name": "a"}', "it has not one of result and error"),
        ('{"kind": "tool", "name": "a", "result": {}, "error": {}}', "it has not one of"),
        (
            '{"kind": "tool", "name": "a", "result": {}, "redacted": [1]}',
            "its redacted isn't a list",
        ),
    ],
)
def test_invalid_line_is_rejected_with_its_number(line: str, reason: str) -> None:
    with pytest.raises(UnreadableLineError) as caught:
        parse(f"{line_of(CALL)}\n\n{line}\n".encode(), "calls.jsonl")
    assert str(caught.value).startswith(f"calls.jsonl:3: {reason}")


def test_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(UnreadableLineError, match=r"none\.jsonl: No such file"):
        read(tmp_path / "none.jsonl")


def test_properties_of_newer_versions_are_ignored() -> None:
    (call,) = parse(b'{"kind": "tool", "name": "a", "result": {}, "seconds": 1}', "x")
    assert call == RecordedCall("tool", "a", {}, {}, number=1)


def test_a_definition_is_its_schemas_and_not_its_texts() -> None:
    schema = {"type": "object", "properties": {"a": {"maximum": 1}}}
    definition = {"name": "t", "description": "Old", "inputSchema": schema}
    digest = definition_hash(definition)
    assert len(digest) == 16
    assert definition_hash({**definition, "description": "New", "title": "T"}) == digest
    assert definition_hash({"inputSchema": dict(reversed(schema.items()))}) == digest
    same = {"type": "object", "properties": {"a": {"maximum": 1.0}}}
    assert definition_hash({"inputSchema": same}) == digest
    assert definition_hash({**definition, "outputSchema": {}}) != digest
    assert definition_hash({"inputSchema": {"type": "object"}}) != digest
