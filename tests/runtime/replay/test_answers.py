"""The recorded answer for a call: equal ones in order, and the nearest."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from mcpgen_runtime import errors
from replayed_calls import SHOP, record, replay
from runtime.packages import import_client
from runtime.scripted import Scripted, structured_result

from runtime import contracts


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
        f"label: not in {path}: no call has these arguments\n"
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
        assert "calls.jsonl:1 was recorded with other schemas" in str(caught.value)
    with pytest.raises(result.StaleRecording):  # the new argument is not why nothing is found
        replay(path, lambda client: client.add(a=1, b=2, c=3), result)
