"""Messages classified without the SDK, with the SDK's result for every input."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mcp.types import JSONRPCError, JSONRPCNotification, JSONRPCRequest, JSONRPCResponse
from mcp_types import version
from mcpgen_runtime.connection.wire import json_text, messages

from mcpgen.jsontext import Json
from mcpgen.servers.recording.wire import handshake, json_rpc, server_process
from mcpgen.servers.recording.wire.json_rpc import Failure, InvalidMessage, Request, Result


def answer(result: str, number: str = "1") -> bytes:
    return f'{{"jsonrpc":"2.0","id":{number},"result":{result}}}'.encode()


def classify(text: bytes) -> tuple[Any, ...]:
    """Classify a message without the SDK."""
    message = json_rpc.read(text)
    if isinstance(message, InvalidMessage):
        return ("junk", message.text)
    if isinstance(message, Result):
        return ("result", message.number, to_text(message.value))
    if isinstance(message, Failure):
        return ("error", message.number, message.error.code, to_text(message.error.data))
    assert isinstance(message, Request)
    return ("request", message.number, message.method)


def told_by_the_sdk(text: bytes) -> tuple[Any, ...]:
    """Classify a message as generated clients do."""
    read = messages.read(text)
    if isinstance(read, messages.InvalidMessage):
        return ("junk", str(read))
    message = read.message
    match message:
        case JSONRPCResponse():
            return ("result", number(message.id), to_text(message.result))
        case JSONRPCError():
            return ("error", number(message.id), message.error.code, to_text(message.error.data))
        case JSONRPCRequest() if not isinstance(read, messages.PartialMessage):
            return ("request", number(message.id), message.method)
        case JSONRPCNotification() if not isinstance(read, messages.PartialMessage):
            return ("request", None, message.method)
        case _:
            return ("request", None, "")


def number(value: str | int | None) -> str | int | None:
    """Convert a numeric string to a number."""
    try:
        return value if value is None else int(value)
    except ValueError:
        return value


def to_text(value: Json) -> str:
    """Return a value as text, with one placeholder for all unreadable numbers."""

    def part(item: Json) -> Json:
        if isinstance(item, dict):
            return {key: part(inner) for key, inner in item.items()}
        if isinstance(item, list):
            return [part(inner) for inner in item]
        return repr(math.nan if isinstance(item, json_text.UnreadNumber) else json_text.exact(item))

    return json.dumps(part(value))


DEEP = "[" * 250 + "]" * 250
TEXTS = [
    b'{"jsonrpc":"2.0","id":7,"result":{"a":"a\tb"}}',
    b'{"jsonrpc":"2.0","id":"a","result":{}} trailing',
    b'[{"jsonrpc":"2.0","id":7,"result":{}}]',
    b'{"jsonrpc":"2.0","id":7,"method":"ping",}',
    b"[]",
    answer("{}"),
    answer("{}", '"7"'),
    answer("{}", '"a"'),
    answer("{}", "true"),
    answer("{}", "1.0"),
    answer("{}", "null"),
    answer("7"),
    answer("[]"),
    answer("null"),
    answer('{"a":NaN}'),
    answer('{"a":[1e400,-1e400,1e99999,1E5,1e-400,-0,0.1]}'),
    answer('{"a":%s}' % ("9" * 5000)),
    answer(f'{{"a":{DEEP}}}'),
    answer('{"a":%s}' % ("[" * 5000 + "]" * 5000)),
    answer('{"a":"\xff"}').decode().encode("latin-1"),
    answer('{"a":"\\ud800", "b":"NaN Infinity"}'),
    answer('{"a":1,"a":2}'),
    b"\xef\xbb\xbf" + answer("{}"),
    b"  " + answer("{}") + b" \r",
    b'{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"m","data":[1]}}',
    b'{"jsonrpc":"2.0","id":1,"error":{"code":"-32601","message":"m"}}',
    b'{"jsonrpc":"2.0","id":1,"error":{"code":1.0,"message":"m"}}',
    b'{"jsonrpc":"2.0","id":1,"error":{"code":1.5,"message":"m"}}',
    b'{"jsonrpc":"2.0","id":1,"error":{"code":1e300,"message":"m"}}',
    b'{"jsonrpc":"2.0","id":1,"error":{"code":" -1_0.00\\n","message":"m"}}',
    b'{"jsonrpc":"2.0","id":1,"error":{"code":"\xd9\xa1","message":"m"}}',
    b'{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"m"},"method":"ping"}',
    b'{"jsonrpc":"2.0","id":1,"error":{"code":null,"message":"m"}}',
    b'{"jsonrpc":"2.0","id":1,"error":{"code":1}}',
    b'{"jsonrpc":"2.0","id":1,"error":"no"}',
    b'{"jsonrpc":"2.0","id":null,"error":{"code":1,"message":"m"}}',
    b'{"jsonrpc":"2.0","error":{"code":1,"message":"m"}}',
    b'{"jsonrpc":"2.0","id":1,"method":"ping"}',
    b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":NaN}}',
    b'{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}',
    b'{"jsonrpc":"2.0","id":1,"method":"ping","params":null}',
    b'{"jsonrpc":"2.0","id":1,"method":7,"result":{}}',
    b'{"jsonrpc":"2.0","id":1,"method":"ping","result":{}}',
    b'{"jsonrpc":"2.0","id":null,"method":"a/b"}',
    b'{"jsonrpc":"2.0","method":"notifications/message","params":{"x":1}}',
    b'{"jsonrpc":"1.0","id":1,"result":{}}',
    b'{"id":1,"result":{}}',
    b'{"id":1}',
    b"",
    b"hello",
    b"[]",
    b"null",
    b"7",
    b"\xff",
    b"{",
    b'"' * 10_000,
    b"[" * 100_000,
    b'{"jsonrpc":"2.0","id":true,"result":7}',
    answer("{}").decode().encode("utf-16"),
]


@pytest.mark.parametrize("text", TEXTS, ids=range(len(TEXTS)))
def test_message_is_classified_like_the_sdk_does(text: bytes) -> None:
    assert classify(text) == told_by_the_sdk(text)


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
CODES = st.integers() | st.sampled_from(["7", "x", 1.0, 1.5, None, True, [], "1.0", " 7 "])
PARTS = {
    "jsonrpc": st.sampled_from(["2.0", "2.0", "2.0", "1.0", 2]),
    "id": st.sampled_from([1, "1", "a", None, True, 1.5, -7]),
    "method": st.sampled_from(["ping", "", 7, None]),
    "params": st.dictionaries(st.text(), VALUES, max_size=2) | VALUES,
    "result": st.dictionaries(st.text(), VALUES, max_size=2) | VALUES,
    "error": st.fixed_dictionaries(
        {}, optional={"code": CODES, "message": st.text() | VALUES, "data": VALUES}
    ),
}


@pytest.mark.slow
@given(st.fixed_dictionaries({}, optional=PARTS))
def test_random_message_is_classified_like_the_sdk_does(message: Json) -> None:
    text = json.dumps(message).encode()
    assert classify(text) == told_by_the_sdk(text)


def test_limits_and_revisions_equal_the_sdks() -> None:
    assert server_process.LONGEST_LINE == messages.MOST_BYTES
    assert str(server_process.TooLongError()) == str(messages.TooLong())
    assert handshake.HANDSHAKE_REVISIONS == version.HANDSHAKE_PROTOCOL_VERSIONS
    assert handshake.MODERN_REVISIONS == version.MODERN_PROTOCOL_VERSIONS


@pytest.mark.parametrize("text", TEXTS[:3])
def test_almost_json_response_fails_its_request(text: bytes) -> None:
    kind, number, code, _ = classify(text)
    assert (kind, number, code) == ("error", 7 if b":7" in text else "a", -32603)
