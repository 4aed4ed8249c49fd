from __future__ import annotations

import pytest

from mcpgen.errors import McpgenError, UsageError
from mcpgen.servers.recording.inputs.arguments_file import arguments_in

LINE = b'{"arguments":{"id":"B-1"},"kind":"tool","name":"get","result":{}}\n'
PROMPT = b'{"kind":"prompt","name":"welcome","arguments":{}}\n\n'
LEFT_OUT = b'{"name":"get","arguments":{"id":"[redacted]"},"redacted":["/arguments/id"]}\n'
ANSWER = b'{"name":"get","arguments":{"id":"B-2"},"redacted":["/result/content/0/text"]}\n'


@pytest.mark.parametrize(
    ("content", "file", "expected"),
    [
        (LINE + PROMPT + LINE, "calls.jsonl", {"get": [{"id": "B-1"}]}),
        (LEFT_OUT + ANSWER, "calls.jsonl", {"get": [{"id": "B-2"}]}),
        (
            b'{"get": [{"id": 1}, {"id": 2}], "list": {}}',
            "x.json",
            {"get": [{"id": 1}, {"id": 2}], "list": [{}]},
        ),
        (b"get: [{id: 1}]\nlist: {}", "x.yaml", {"get": [{"id": 1}], "list": [{}]}),
        (b'{"tool": "get", "arguments": {"id": 1}}', "x.json", {"get": [{"id": 1}]}),
        (b'{"name": {"id": 1}}', "x.json", {"name": [{"id": 1}]}),
        (b'{"get":\n  {"id": 1}}', "x.json", {"get": [{"id": 1}]}),
    ],
)
def test_arguments_are_read_from_lists_lines_and_recordings(
    content: bytes, file: str, expected: object
) -> None:
    assert arguments_in(content, file) == expected


@pytest.mark.parametrize(
    ("content", "pointer", "message"),
    [
        (b"[1]", "x.json", "an object, by the names of tools"),
        (b'{"a/b": [1]}', "x.json#/a~1b", "the arguments of a/b are not objects"),
        (b'{"name": "get", "arguments": 5}', "x.json:1", "name and arguments"),
        (LINE + b"7", "x.json:2", "name and arguments"),
    ],
)
def test_file_without_arguments_is_rejected_with_pointer(
    content: bytes, pointer: str, message: str
) -> None:
    with pytest.raises(UsageError, match=message) as raised:
        arguments_in(content, "x.json")
    assert raised.value.where == pointer
    assert raised.value.hint


@pytest.mark.parametrize("content", [b"", b'{"get": ', LINE + b"{"])
def test_invalid_json_is_an_error(content: bytes) -> None:
    with pytest.raises(McpgenError):
        arguments_in(content, "x.json")
