"""Calls recorded in a file and replayed later without a server."""

from __future__ import annotations

import asyncio
import json
import logging
import re
import subprocess
import sys
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import MCPError
from mcpgen_runtime import Callbacks, Record, Replay, errors, problem
from mcpgen_runtime.package import package_of_module
from mcpgen_runtime.replay import answers as runtime_answers
from mcpgen_runtime.replay import call_records
from mcpgen_runtime.replay import tape as runtime_tape
from runtime.packages import folder, import_client, package
from runtime.scripted import Scripted, structured_result, text_result, using
from runtime.task_server import LEGACY, MODERN, TaskServer, connect_in_process, contract

from mcpgen.testing import mock
from runtime import contracts

SHOP = package()
Act = Callable[[Any], Awaitable[Any]]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "calls" / "calls.jsonl"


def record(path: Path, act: Act, server: Scripted | None = None, redact: Sequence[Any] = ()) -> Any:
    """Use a server and record the calls."""
    return using(lambda client, _: act(client), server, record=Record(path, redact))


def replay(
    path: Path,
    act: Act,
    client_package: Any = SHOP,
    backend: str = "asyncio",
    *,
    in_order: bool = False,
    **options: Any,
) -> Any:
    """Use a recording instead of a server."""
    replay = Replay(path, match="order") if in_order else path

    async def inside() -> Any:
        async with client_package.Client.connect(replay=replay, **options) as client:
            return await act(client)

    return anyio.run(inside, backend=backend)


def lines(path: Path) -> list[Any]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


async def whole(client: Any) -> list[Any]:
    """Make one call of each kind and return comparable results."""
    return [
        await client.add(a=1, b=2),
        await client.order(item={"id": "A", "price": 1, "made-on": "2020-01-02"}),
        (await client.explain(topic="x")).text,
        (await client.prompts.pitch(item="pen")).messages,
        (await client.resources.opening()).text,
        (await client.resources.shelf(shelf="left")).text,
    ]


def test_recorded_calls_are_replayed_without_a_server(path: Path) -> None:
    before = record(path, whole)
    assert [(line["kind"], line["name"]) for line in lines(path)] == [
        ("tool", "add"),
        ("tool", "order"),
        ("tool", "explain"),
        ("prompt", "pitch"),
        ("resource", "shop://opening"),
        ("resource", "shop://shelves/left"),
    ]
    assert replay(path, whole) == before
    assert replay(path, whole, in_order=True) == before


def test_recording_and_replay_work_in_another_event_loop(path: Path) -> None:
    async def inside() -> list[Any]:
        async with SHOP.Client.connect(Scripted().server, record=path) as client:
            return await whole(client)

    before = anyio.run(inside, backend="trio")
    assert len(lines(path)) == 6
    assert replay(path, whole, backend="trio") == before == replay(path, whole)


def test_sync_client_replays_an_async_recording(path: Path) -> None:
    before = record(path, lambda client: client.add(a=1, b=2))
    with SHOP.Client.sync.connect(replay=path) as client:
        assert client.add(a=1, b=2) == before
    client = SHOP.Client.sync.open(replay=path)
    assert client.add(a=1, b=2) == before
    client.close()
    with pytest.raises(errors.ConnectionLost):
        client.add(a=1, b=2)


def test_line_holds_request_and_response_only(path: Path) -> None:
    record(path, lambda client: client.add(a=1, b=2), Scripted(add=structured_result({"sum": 3})))
    [line] = lines(path)
    assert len(line.pop("definition")) == 16
    assert line == {
        "arguments": {"a": 1, "b": 2},
        "kind": "tool",
        "name": "add",
        "result": {"content": [], "structuredContent": {"sum": 3}, "isError": False},
    }


@pytest.mark.parametrize("revision", ["2025-11-25", "2026-07-28"])
def test_both_eras_are_recorded_alike(path: Path, revision: str) -> None:
    bookshelf = contracts.shop(revision=revision)
    client_package = import_client(bookshelf, f"replay_era_{revision[:4]}")

    async def inside() -> None:
        async with client_package.Client.connect(
            mock.server(bookshelf), record=path, verify="off"
        ) as client:
            await client.add(a=1, b=2)

    anyio.run(inside)
    [line] = lines(path)
    assert line["result"].keys() <= {"content", "structuredContent", "isError"}
    assert replay(path, lambda client: client.add(a=1, b=2), client_package).sum is not None


def test_equal_calls_replay_in_recorded_order(path: Path) -> None:
    numbers = iter(range(10))

    async def act(client: Any) -> list[int]:
        return [await client.count() for _ in range(3)]

    record(path, act, Scripted(count=lambda *_: next(numbers)))
    assert replay(path, act) == [0, 1, 2]

    async def once_more(client: Any) -> None:
        await act(client)
        await client.count()

    with pytest.raises(errors.NotRecorded) as caught:
        replay(path, once_more)
    message = "it was recorded 3 times (lines 1, 2, 3), and is requested once more"
    assert str(caught.value) == f"count: not in {path}: {message}"


def test_each_client_replays_from_the_start(path: Path) -> None:
    record(path, lambda client: client.add(a=1, b=2))
    for _ in range(2):
        replay(path, lambda client: client.add(a=1, b=2))


def test_unrecorded_call_error_shows_the_nearest_call(path: Path) -> None:
    async def act(client: Any) -> None:
        await client.label(code="ABC", copies=2)
        await client.label(code="XYZ")

    record(path, act, Scripted(label=structured_result({"printed": "ok: done"})))
    with pytest.raises(errors.NotRecorded) as caught:
        replay(path, lambda client: client.label(code="ABC", copies=3))
    assert str(caught.value) == (
        f"label: not in {path}: it has no call with these arguments\n"
        "  the nearest is line 1:\n"
        "    /copies: recorded 2, now 3"
    )
    assert caught.value.nearest == 1
    assert isinstance(caught.value, SHOP.ClientError)
    with pytest.raises(errors.NotRecorded, match="it has no call of it; of label it has some"):
        replay(path, lambda client: client.count())


def test_in_order_replay_matches_tools_not_arguments(path: Path) -> None:
    async def act(client: Any) -> None:
        await client.add(a=1, b=2)
        await client.motto()

    record(path, act, Scripted(add={"sum": 3}))

    async def act_differently(client: Any) -> int:
        added = await client.add(a=5, b=5)
        await client.motto()
        return int(added.sum)

    assert replay(path, act_differently, in_order=True) == 3
    with pytest.raises(errors.NotRecorded, match="next, in line 1, is the tool 'add'"):
        replay(path, lambda client: client.motto(), in_order=True)

    async def too_many(client: Any) -> None:
        await act_differently(client)
        await client.motto()

    with pytest.raises(errors.NotRecorded, match="its 2 calls have been replayed"):
        replay(path, too_many, in_order=True)


def test_call_is_stale_after_a_schema_change(path: Path) -> None:
    record(path, lambda client: client.add(a=1, b=2), Scripted(add={"sum": 3}))
    add = contracts.SHOP.tools["add"]
    texts = contracts.shop(tools={"add": {**add, "description": "Other words."}})
    args = import_client(texts, "replay_other_words")
    assert replay(path, lambda client: client.add(a=1, b=2), args).sum == 3
    more = {**add["inputSchema"], "properties": {**add["inputSchema"]["properties"], "c": {}}}
    changed = contracts.shop(tools={"add": {**add, "inputSchema": more}})
    result = import_client(changed, "replay_other_schema")
    for in_order in (False, True):
        with pytest.raises(result.StaleRecording) as caught:
            replay(path, lambda client: client.add(a=1, b=2), result, in_order=in_order)
        assert "calls.jsonl:1 was recorded when the tool's schemas" in str(caught.value)
    with pytest.raises(result.StaleRecording):  # the new argument is not why nothing is found
        replay(path, lambda client: client.add(a=1, b=2, c=3), result)


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (MCPError(-32602, "No such thing", {"x": 1}), "ProtocolError"),
        (text_result("too busy", is_error=True), "ToolError"),
    ],
)
def test_error_is_replayed_as_the_same_error(path: Path, error: Any, kind: str) -> None:
    with pytest.raises(getattr(errors, kind)) as before:
        record(path, lambda client: client.count(), Scripted(count=error))
    with pytest.raises(getattr(errors, kind)) as after:
        replay(path, lambda client: client.count())
    assert str(after.value) == str(before.value)


ALL_ERRORS = [
    errors.ProtocolError("count", -32000, "No", {"a": [1]}),
    errors.HttpError("count", 503, 2.0, "", "busy", "Service Unavailable"),
    errors.ConnectionLost("it ended", "", may_have_run=False),
    errors.TaskCancelled("count", "t1", "enough"),
    errors.InvalidResult("count", [problem.Problem("/a", "no")]),
    errors.CallTimeout("count", 60.0),
]


@pytest.mark.parametrize("error", ALL_ERRORS, ids=lambda error: type(error).__name__)
def test_every_response_error_round_trips(path: Path, error: Any) -> None:
    path.parent.mkdir()
    stored = json.loads(json.dumps(runtime_answers.error_json(error)))
    path.write_text(json.dumps({"kind": "tool", "name": "count", "error": stored}))
    with pytest.raises(type(error)) as caught:
        replay(path, lambda client: client.count())
    assert caught.value.__reduce__()[1] == error.__reduce__()[1]


def test_failed_connection_keeps_its_http_error() -> None:
    http = errors.HttpError("here", 401)
    error = errors.AuthorizationRequired("here", "no", "", http, "read")
    again = runtime_answers.error_of(runtime_answers.error_json(error), "count", "here", 1.0)
    assert (type(again), again.http.status, again.scope) == (type(error), 401, "read")


def test_locally_rejected_call_is_not_recorded(path: Path) -> None:
    with pytest.raises(SHOP.InvalidArguments):
        record(path, lambda client: client.label(code="abc"))
    assert lines(path) == []


def test_unknown_error_type_is_reported_with_its_line(path: Path) -> None:
    path.parent.mkdir()
    path.write_text('\n{"kind": "tool", "name": "count", "error": {"type": "Odd"}}\n')
    with pytest.raises(SHOP.InvalidRecording, match=r"calls\.jsonl:2: .*'Odd' is unknown"):
        replay(path, lambda client: client.count())


def test_invalid_recording_fails_on_connecting(path: Path) -> None:
    with pytest.raises(SHOP.InvalidRecording, match="no such file; record it: connect"):
        SHOP.Client.connect(replay=path)
    path.parent.mkdir()
    path.write_text("[]\n")
    with pytest.raises(SHOP.InvalidRecording, match=r"calls\.jsonl:1: not an object"):
        SHOP.Client.connect(replay=path)
    with pytest.raises(SHOP.InvalidRecording):
        SHOP.Client.connect(record=path.parent)
    with pytest.raises(TypeError, match="records or replays"):
        SHOP.Client.connect(record=path, replay=path)
    with pytest.raises(ValueError, match="match is"):
        Replay(path, match="name")
    with pytest.raises(TypeError, match="redact must be a list"):
        Record(path, redact="token")


# Redaction


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


# Besides


def test_nothing_is_sent_while_calls_are_replayed(path: Path) -> None:
    record(path, lambda client: client.add(a=1, b=2))
    server = Scripted()

    async def act(client: Any) -> None:
        await client.add(a=1, b=2)
        await client.resources.subscribe("shop://opening")
        with pytest.raises(RuntimeError, match="there is no connection to a server"):
            _ = client.session

    async def inside() -> None:
        callbacks = Callbacks(on_resource_updated=print)
        connecting = SHOP.Client.connect(server.server, replay=path, callbacks=callbacks)
        async with connecting as client:
            assert ": the recording calls.jsonl, open, 16 tools>" in repr(client)
            await act(client)

    anyio.run(inside)
    assert server.sent == []


def test_middleware_and_confirmation_stand_before_a_recording_too(path: Path) -> None:
    record(path, lambda client: client.add(a=1, b=2))
    with pytest.raises(SHOP.NotConfirmed):
        replay(
            path,
            lambda client: client.add(a=1, b=2),
            confirm=lambda *_: False,
            confirm_when="always",
        )
    calls: list[str] = []

    async def look(call: Any, proceed: Any) -> Any:
        calls.append(call.name)
        return await proceed(call)

    replay(path, lambda client: client.add(a=1, b=2), middleware=[look])
    assert calls == ["add"]


@pytest.mark.parametrize("revision", [LEGACY, MODERN])
def test_a_task_is_recorded_by_its_result(path: Path, revision: str) -> None:
    client_package = import_client(contract(revision), f"replay_tasks_{revision[:4]}")
    server = TaskServer(revision)

    async def act(client: Any) -> list[Any]:
        started = await client.start(client.make, how="well")
        return [(await started.result()).made, (await client.make(how="slowly")).made]

    async def inside() -> list[Any]:
        async with client_package.Client.connect(
            lambda: connect_in_process(server), record=path
        ) as client:
            return await act(client)

    before = anyio.run(inside)
    assert [line["arguments"] for line in lines(path)] == [{"how": "well"}, {"how": "slowly"}]
    assert replay(path, act, client_package) == before


PARALLEL = """
import asyncio, sys
sys.path.insert(0, sys.argv[1])
from mcp import StdioServerParameters
from {package} import Client

async def main():
    server = StdioServerParameters(command=sys.executable, args=["-m", "mcpgen.demo"])
    async with Client.connect(server, record=sys.argv[2], verify="off") as client:
        await asyncio.gather(*(client.get_item(id=f"B-{{n}}") for n in (1, 2, 2)))

asyncio.run(main())
"""


@pytest.mark.slow
def test_several_processes_record_into_one_file(path: Path) -> None:
    from mcpgen.contract import document
    from mcpgen.jsontext import loads

    golden = Path(__file__).parents[3] / "golden" / "demo" / "contract.json"
    result = import_client(document.read(loads(golden.read_bytes())), "replay_parallel")
    code = PARALLEL.format(package="replay_parallel")
    command = [sys.executable, "-c", code, str(folder()), str(path)]
    running = [subprocess.Popen(command) for _ in range(3)]
    assert [process.wait() for process in running] == [0, 0, 0]

    async def act(client: Any) -> list[str]:
        return [type(await client.get_item(id="B-2")).__name__ for _ in range(6)]

    assert len(lines(path)) == 9
    assert replay(path, act, result) == ["GetItemOutput"] * 6


def test_calls_at_the_same_time_are_each_answered_once(path: Path) -> None:
    numbers = iter(range(20))
    server = Scripted(count=lambda *_: next(numbers))

    async def act(client: Any) -> list[int]:
        return sorted(await asyncio.gather(*(client.count() for _ in range(20))))

    record(path, act, server)
    assert replay(path, act) == list(range(20))
