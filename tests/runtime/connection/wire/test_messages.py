"""Messages parsed from bytes, including input that the SDK's parser rejects or that no parser
can hold.
"""

from __future__ import annotations

import asyncio
import json
from typing import Any

import anyio
import httpx2
import pytest
from guards import PATIENCE
from mcp.shared.message import SessionMessage
from mcp.types import JSONRPCError, JSONRPCRequest, JSONRPCResponse, jsonrpc_message_adapter
from mcpgen_runtime.connection.wire import json_text, messages
from mcpgen_runtime.connection.wire.events import Events
from mcpgen_runtime.connection.wire.faults import Broken, HttpRejection, Unreadable
from mcpgen_runtime.connection.wire.http import AnsweringClient
from mcpgen_runtime.connection.wire.messages import InvalidMessage, PartialMessage
from mcpgen_runtime.connection.wire.pending import Pending
from pydantic import ValidationError


def answer(result: str, number: str = "1") -> bytes:
    return f'{{"jsonrpc":"2.0","id":{number},"result":{result}}}'.encode()


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (answer('{"a":NaN}'), "NaN is not a JSON number"),
        (answer('{"a":-Infinity}'), "-Infinity is not a JSON number"),
        (answer('{"a":%s}' % ("9" * 5000)), "it holds an integer of more than 4,300 digits"),
        (answer('{"a":1e99999}'), "it holds a number that is too large"),
        (answer('{"a":%s}' % ("[" * 5000 + "]" * 5000)), "more than 300 levels deep"),
        (answer('{"a":%s}' % ("[" * 5000 + "-Infinity" + "]" * 5000)), "more than 300 levels"),
        (answer('{"a":%s}' % ("[" * 250 + "]" * 250)), "more than 240 levels deep"),
        (answer('{"a":"\xff"}').decode().encode("latin-1"), "not UTF-8"),
    ],
)
def test_unreadable_response_is_explained(text: bytes, reason: str) -> None:
    message = messages.read(text)
    assert isinstance(message, PartialMessage)
    assert reason in message.reason
    rejection = messages.reject_partial(message)
    assert isinstance(rejection, SessionMessage)
    assert isinstance(rejection.message, JSONRPCError)
    assert rejection.message.id == 1
    assert isinstance(rejection.message.error.data, Unreadable)


@pytest.mark.parametrize("result", ["7", "[]", '"x"', "null"])
def test_invalid_response_fails_its_request(result: str) -> None:
    message = messages.read(answer(result))
    assert isinstance(message, SessionMessage)
    assert isinstance(message.message, JSONRPCError)
    assert isinstance(message.message.error.data, Unreadable)


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"hello",
        b"[]",
        b"7",
        b"\xff",
        b"{",
        b'"' * 10_000,
        b"[" * 100_000,
        b'{"jsonrpc":"2.0","id":true,"result":7}',
        b'{"jsonrpc":"2.0","method":7}',
    ],
)
def test_other_text_is_an_invalid_message(text: bytes) -> None:
    assert isinstance(messages.read(text), InvalidMessage)


def test_long_escaped_string_is_parsed_in_linear_time() -> None:
    text = answer('{"a":NaN,"b":"' + '\\"' * 1_000_000 + '"}')
    assert isinstance(messages.read(text), PartialMessage)
    assert is_failed(messages.read(text[:-3]))


def is_failed(result: object) -> bool:
    """Return True for the error that takes the place of a response that can't be read."""
    message = result.message if isinstance(result, SessionMessage) else None
    return isinstance(message, JSONRPCError) and isinstance(message.error.data, Unreadable)


def test_truncated_response_fails_its_request() -> None:
    assert is_failed(messages.read(b'{"jsonrpc":"2.0","id":1,"result":{'))


def test_oversized_number_is_both_infinite_and_exact() -> None:
    message = messages.read(answer('{"a":1e400,"b":1e300}'))
    assert isinstance(message, SessionMessage)
    assert isinstance(message.message, JSONRPCResponse)
    assert message.message.result == {"a": float("inf"), "b": 1e300}
    assert json_text.exact(message.message.result) == {"a": 10**400, "b": 1e300}


@pytest.mark.parametrize("text", [answer('{"a":%s}' % ("[" * 210 + "]" * 210)), b"nonsense"])
def test_message_rejected_by_the_sdk_is_parsed_again(text: bytes) -> None:
    with pytest.raises(ValidationError) as refused:
        jsonrpc_message_adapter.validate_json(text.decode(), by_name=False)
    read = messages.again(refused.value)
    assert isinstance(read, InvalidMessage) == (text == b"nonsense")


# HTTP: each request is answered


REQUEST = JSONRPCRequest(jsonrpc="2.0", id=5, method="tools/call").model_dump(mode="json")


def post(response: bytes) -> Any:
    """Post a request to a server that responds with these bytes, and return the message for the
    SDK.
    """

    async def inside() -> Any:
        async def say(reader: Any, writer: Any) -> None:
            await reader.readuntil(b"\r\n\r\n")
            writer.write(response)
            await writer.drain()
            writer.close()

        server = await asyncio.start_server(say, "127.0.0.1", 0)
        url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/"
        pending = Pending()
        async with server, AnsweringClient(pending, timeout=httpx2.Timeout(PATIENCE)) as client:
            http_request = client.build_request("POST", url, json=REQUEST)
            transcript = await client.send(http_request, stream=True)
            text = (await transcript.aread()).decode()
            await transcript.aclose()
        stub = text.partition("data: ")[2] if "data: " in text else text
        answer = jsonrpc_message_adapter.validate_python(json.loads(stub))
        item = pending.take(SessionMessage(answer))
        message: Any = item.message if isinstance(item, SessionMessage) else None
        assert message is not None
        assert message.id == 5
        return message.error.data if isinstance(message, JSONRPCError) else message.result

    return anyio.run(inside)


def http(body: bytes, kind: str = "application/json", status: int = 200, length: int = 0) -> bytes:
    head = f"HTTP/1.1 {status} X\r\ncontent-type: {kind}\r\nretry-after: 7\r\n"
    return f"{head}content-length: {length or len(body)}\r\n\r\n".encode() + body


def event(text: bytes) -> bytes:
    return b"event: message\ndata: " + text + b"\n\n"


STREAM = "text/event-stream"


@pytest.mark.parametrize("number", ["5", "6", '"5"'])
def test_response_is_matched_to_its_http_request(number: str) -> None:
    assert post(http(answer('{"a":1}', number))) == {"a": 1}
    assert post(http(event(answer('{"a":1}', number)), STREAM)) == {"a": 1}


@pytest.mark.parametrize(
    ("response", "kind"),
    [
        (http(b"<html>", "text/html"), Unreadable),
        (http(b"{]"), Unreadable),
        (http(b'{"jsonrpc":"2.0","method":"x"}'), Unreadable),
        (http(b"{}", length=9), Broken),
        (b"hello\r\n\r\n", Broken),
        (b"", Broken),
        (http(b"no", status=503), HttpRejection),
        (
            http(b'{"jsonrpc":"2.0","id":5,"error":{"code":1,"message":"m"}}', status=429),
            HttpRejection,
        ),
        (http(event(b"nonsense"), STREAM), Unreadable),
        (http(b"", STREAM, length=3), Broken),
        (http(b": only a comment\n\n", STREAM), Broken),
    ],
)
def test_whatever_a_server_says_is_an_answer(response: bytes, kind: type) -> None:
    assert isinstance(post(response), kind)


def test_json_rpc_error_wins_over_a_generic_status() -> None:
    body = b'{"jsonrpc":"2.0","id":null,"error":{"code":-32602,"message":"m","data":[1]}}'
    assert post(http(body, status=400)) == [1]


@pytest.mark.parametrize(
    ("data", "text"),
    [(b"caf\xc3\xa9 \xf0\x9f\x8c\xb2", "caf\u00e9 \U0001f332"), (b"caf\xe9", None)],
)
@pytest.mark.parametrize("charset", ["", "; charset=latin-1"])
def test_events_are_read_as_utf_8(data: bytes, text: str | None, charset: str) -> None:
    """Bytes that aren't UTF-8 fail the request, regardless of the declared charset."""
    line = b'data: {"jsonrpc": "2.0", "id": 7, "result": {"a": "' + data + b'"}}'
    response = httpx2.Response(
        200,
        headers={"content-type": f"text/event-stream{charset}"},
        content=b"event: message\n" + line + b"\n\n",
        request=httpx2.Request("POST", "http://127.0.0.1/mcp"),
    )
    pending = Pending()

    async def stubs() -> list[bytes]:
        return [event async for event in Events(response, pending, 7, "http://127.0.0.1/mcp")]

    assert len(anyio.run(stubs)) == 1
    item = pending.waiting[1]
    if text is None:
        assert isinstance(item, messages.PartialMessage)
        assert item.reason == "not UTF-8"
    else:
        assert isinstance(item, messages.Read)
        assert item.message.result == {"a": text}
