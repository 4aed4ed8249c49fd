"""Replicas that share Redis serve every request of a session, whichever opened it."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import anyio
import httpx2
import pytest
from guarded import post
from guards import PATIENCE, until
from programs import find, redis, started
from replicated import Replicas, Session, open_session, replicas, write_shop
from skeletons import free_port

pytestmark = [
    pytest.mark.services,
    pytest.mark.skipif(sys.platform == "win32", reason="signals are others there"),
]


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with redis(tmp_path_factory.mktemp("redis")) as url:
        yield url


@pytest.fixture(scope="module")
def shop(store: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Replicas]:
    with replicas(tmp_path_factory.mktemp("shop"), store) as running:
        yield running


def run_within(seconds: float, function: Any, *arguments: Any) -> None:
    async def run() -> None:
        with anyio.fail_after(seconds):
            await function(*arguments)

    anyio.run(run)


async def next_message(stream: Any, method: str) -> Any:
    async for message in stream:
        if message.get("method") == method:
            return message
    raise AssertionError(f"the stream ended without {method}")


def test_session_is_served_by_each_replica(shop: Replicas) -> None:
    async def check() -> None:
        async with open_session(shop.urls[0]) as session:
            pids = [await session.call(url, "who") for url in shop.urls * 3]
            assert pids[:2] == [str(process.pid) for process in shop.processes]
            assert len(set(pids)) == 2

    run_within(60, check)


def test_unknown_session_is_not_found(shop: Replicas) -> None:
    async def check() -> None:
        async with httpx2.AsyncClient() as http:
            session = Session(http, "0123456789abcdef")
            response = await session.send(shop.urls[0], id=1, method="ping")
            assert response.status_code == 404

    run_within(60, check)


def test_ended_session_is_not_found_at_any_replica(shop: Replicas) -> None:
    async def check() -> None:
        first, second = shop.urls
        async with open_session(first) as session:
            await session.call(second, "who")
            response = await session.http.delete(second, headers=session.headers)
            assert response.status_code == 200
            for url in shop.urls:
                answer = await session.send(url, id=5, method="ping")
                assert answer.status_code == 404

    run_within(60, check)


def test_answer_reaches_the_replica_with_the_question(shop: Replicas) -> None:
    async def check() -> None:
        first, second = shop.urls
        async with open_session(first) as session:
            await session.call(second, "who")
            for url, other, process in (
                (first, second, shop.processes[0]),
                (second, first, shop.processes[1]),
            ):
                async with session.calling(url, "ask") as stream:
                    question = await next_message(stream, "elicitation/create")
                    result = {"action": "accept", "content": {}}
                    sent = await session.send(other, id=question["id"], result=result)
                    assert sent.status_code == 202
                    final = await anext(stream)
                    text = final["result"]["content"][0]["text"]
                    assert text == f"accept {process.pid}"

    run_within(60, check)


def test_questions_of_two_replicas_are_not_mixed_up(shop: Replicas) -> None:
    async def check() -> None:
        first, second = shop.urls
        async with (
            open_session(first) as session,
            session.calling(first, "ask") as one,
            session.calling(second, "ask") as two,
        ):
            questions = [await next_message(stream, "elicitation/create") for stream in (one, two)]
            assert questions[0]["id"] != questions[1]["id"]
            answers = [{"action": "accept", "content": {}}, {"action": "decline"}]
            for question, answer in zip(questions, answers, strict=True):
                await session.send(second, id=question["id"], result=answer)
            texts = [(await anext(s))["result"]["content"][0]["text"] for s in (one, two)]
            assert [text.split()[0] for text in texts] == ["accept", "decline"]

    run_within(60, check)


def test_cancellation_reaches_the_replica_with_the_call(shop: Replicas) -> None:
    marker = shop.folder / "cancel"

    async def check() -> None:
        first, second = shop.urls
        async with open_session(first) as session:
            number = 99
            async with anyio.create_task_group() as group:
                call = {"name": "slow", "arguments": {"marker": "cancel"}}
                group.start_soon(_send, session, first, number, call)
                while not marker.with_suffix(".begun").exists():
                    await anyio.sleep(0.05)
                params = {"requestId": number}
                await session.send(second, method="notifications/cancelled", params=params)

    run_within(60, check)
    until(marker.with_suffix(".cancelled").exists)


async def _send(session: Session, url: str, number: int, params: Any) -> None:
    await session.send(url, id=number, method="tools/call", params=params)


def test_notification_reaches_the_open_stream_of_another_replica(shop: Replicas) -> None:
    async def check() -> None:
        first, second = shop.urls
        async with open_session(first) as session, session.stream(first) as stream:
            await session.call(second, "push")
            await next_message(stream, "notifications/tools/list_changed")

    run_within(60, check)


def test_question_on_the_open_stream_of_another_replica_is_answered(shop: Replicas) -> None:
    async def check() -> None:
        first, second = shop.urls
        async with (
            open_session(first) as session,
            session.stream(first) as stream,
            session.calling(second, "push", question=True) as call,
        ):
            question = await next_message(stream, "ping")
            await session.send(first, id=question["id"], result={})
            assert (await anext(call))["result"]["content"][0]["text"] == "answered"

    run_within(60, check)


def test_question_without_an_open_stream_ends_in_an_error(shop: Replicas) -> None:
    async def check() -> None:
        async with open_session(shop.urls[0]) as session:
            text = await session.call(shop.urls[1], "push", question=True)
            assert text.startswith("MCPError: The client has no open stream")

    run_within(30, check)


def test_newest_stream_of_a_session_counts(shop: Replicas) -> None:
    async def check() -> None:
        first, second = shop.urls
        async with (
            open_session(first) as session,
            session.stream(first) as old,
            session.stream(second) as new,
        ):
            assert [message async for message in old] == []
            await session.call(first, "push")
            await next_message(new, "notifications/tools/list_changed")

    run_within(60, check)


@pytest.mark.parametrize("where", [0, 1])
def test_subscriber_of_any_replica_is_notified_once(shop: Replicas, where: int) -> None:
    async def check() -> None:
        first, second = shop.urls
        async with open_session(first) as session, session.stream(first) as stream:
            await session.call(second, "who")
            await session.request(shop.urls[where], "resources/subscribe", uri="shop://stock")
            await session.call(second, "change")
            message = await next_message(stream, "notifications/resources/updated")
            assert message["params"]["uri"] == "shop://stock"
            await session.call(second, "push")
            message = await anext(stream)
            assert message["method"] == "notifications/tools/list_changed"
            await session.request(second, "resources/unsubscribe", uri="shop://stock")
            await session.call(first, "change")
            await session.call(first, "push")
            message = await anext(stream)
            assert message["method"] == "notifications/tools/list_changed"

    run_within(60, check)


def test_subscription_outlives_the_stream(shop: Replicas) -> None:
    async def check() -> None:
        first, second = shop.urls
        async with open_session(first) as session:
            await session.request(first, "resources/subscribe", uri="shop://stock")
            async with session.stream(second) as stream:
                await session.call(first, "change")
                await next_message(stream, "notifications/resources/updated")

    run_within(60, check)


def test_listener_of_the_newest_protocol_is_notified_by_each_replica(shop: Replicas) -> None:
    async def check() -> None:
        for listening, changing in (shop.urls, shop.urls[::-1]):
            async with AsyncExitStack() as stack:
                http = await stack.enter_async_context(httpx2.AsyncClient(timeout=PATIENCE))
                messages = await stack.enter_async_context(_listen(http, listening))
                await next_message(messages, "notifications/subscriptions/acknowledged")
                started_at = time.monotonic()
                assert (await post(http, None, params=CHANGE, path=changing)).status_code == 200
                await next_message(messages, "notifications/resources/updated")
                assert time.monotonic() - started_at < 2

    run_within(60, check)


CHANGE = {"name": "change", "arguments": {}}


def _listen(http: httpx2.AsyncClient, url: str) -> Any:
    from contextlib import asynccontextmanager

    from replicated import messages_of

    meta = {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    }
    method = "subscriptions/listen"
    params = {"notifications": {"resourceSubscriptions": ["shop://stock"]}, "_meta": meta}

    @asynccontextmanager
    async def opened() -> Any:
        async with http.stream(
            "POST",
            url,
            json={"jsonrpc": "2.0", "id": 1, "method": method, "params": params},
            headers={
                "accept": "application/json, text/event-stream",
                "mcp-protocol-version": "2026-07-28",
                "mcp-method": method,
            },
        ) as response:
            yield messages_of(response)

    return opened()


def test_disabled_tool_is_unknown_to_each_replica(shop: Replicas) -> None:
    async def check() -> None:
        first, second = shop.urls
        async with open_session(first) as session, session.stream(second) as stream:
            for is_off in (True, False):
                await session.call(first, "switch", off=is_off)
                await next_message(stream, "notifications/tools/list_changed")
                for url in shop.urls:
                    response = await session.send(url, id=9, method="tools/list")
                    assert ('"limited"' in response.text) is not is_off

    run_within(60, check)


def test_later_replica_knows_the_disabled_tools(store: str, tmp_path: Path) -> None:
    async def check(running: Replicas) -> None:
        first = running.urls[0]
        port = free_port()
        async with open_session(first) as session:
            await session.call(first, "switch", off=True)
            try:
                with running.replica(port):
                    response = await session.send(
                        f"http://127.0.0.1:{port}/mcp", id=9, method="tools/list"
                    )
                    assert '"who"' in response.text
                    assert '"limited"' not in response.text
            finally:
                await session.call(first, "switch", off=False)

    with replicas(tmp_path, store, count=1) as running:
        run_within(60, check, running)


def test_log_level_is_known_to_each_replica(shop: Replicas) -> None:
    async def check() -> None:
        first, second = shop.urls
        async with open_session(first) as session:
            await session.call(second, "who")
            for level, expected in (("error", 0), ("debug", 1)):
                await session.request(first, "logging/setLevel", level=level)
                for url in shop.urls:
                    async with session.calling(url, "note") as stream:
                        messages = [message async for message in stream]
                    logged = [message for message in messages if "method" in message]
                    assert len(logged) == expected, (level, url)

    run_within(60, check)


@pytest.mark.parametrize("count", [200])
def test_rate_is_exact_for_all_replicas_together(shop: Replicas, count: int) -> None:
    async def check() -> None:
        texts: Counter[str] = Counter()
        async with httpx2.AsyncClient(timeout=PATIENCE) as http:

            async def call(number: int) -> None:
                params = {"name": "limited", "arguments": {}}
                url = shop.urls[number % 2]
                response = await post(http, None, params=params, path=url)
                text = "allowed" if '"allowed"' in response.text else "refused"
                texts[text] += 1

            async with anyio.create_task_group() as group:
                for number in range(count):
                    group.start_soon(call, number)
        assert texts == {"allowed": 100, "refused": count - 100}

    run_within(60, check)


def test_keys_expire_and_contain_no_session_id_or_address(shop: Replicas, store: str) -> None:
    async def check() -> None:
        async with open_session(shop.urls[0]) as session, session.stream(shop.urls[1]):
            await session.request(shop.urls[0], "resources/subscribe", uri="shop://stock")
            await session.call(shop.urls[1], "limited")
            client: Any = pytest.importorskip("redis").Redis.from_url(store, decode_responses=True)
            dump = []
            for key in client.scan_iter():
                assert key.startswith("mcpgen:shop:"), key
                assert client.ttl(key) > 0, key
                kinds = {
                    "string": client.get,
                    "hash": client.hgetall,
                    "set": client.smembers,
                    "list": lambda name: client.lrange(name, 0, -1),
                }
                dump.append(f"{key} {kinds[client.type(key)](key)}")
            client.close()
            text = "\n".join(dump)
            assert "session:" in text
            assert session.id not in text
            assert "127.0.0.1" not in text

    run_within(60, check)


# Failures


def test_question_fails_after_the_replica_with_the_stream_is_killed(
    store: str, tmp_path: Path
) -> None:
    with replicas(tmp_path, store) as shop:

        async def check() -> None:
            first, second = shop.urls
            async with open_session(first) as session, session.stream(first) as stream:
                async with session.calling(second, "push", question=True) as call:
                    await next_message(stream, "ping")
                    shop.processes[0].kill()
                    text = (await anext(call))["result"]["content"][0]["text"]
                    assert text.startswith("MCPError: The client has no open stream")
                assert await session.call(second, "who") == str(shop.processes[1].pid)

        run_within(60, check)


def test_calls_get_503_while_redis_is_stopped(tmp_path: Path) -> None:
    port = free_port()
    command = [find("redis-server"), "--port", str(port), "--save", ""]
    with (
        started(command, tmp_path / "redis.log") as process,
        replicas(tmp_path, f"redis://127.0.0.1:{port}", 1) as shop,
    ):
        url = shop.urls[0]
        ready = url.replace("/mcp", "/readyz")

        async def check() -> None:
            async with open_session(url) as session, httpx2.AsyncClient(timeout=30) as http:
                assert (await http.get(ready)).status_code == 200
                process.send_signal(signal.SIGSTOP)
                try:
                    for send in (
                        lambda: session.send(url, id=7, method="tools/call", params=WHO),
                        lambda: post(http, None, params={**WHO, "name": "limited"}, path=url),
                    ):
                        asked = time.monotonic()
                        response = await send()
                        assert response.status_code == 503, response.text
                        assert "retry-after" in response.headers
                        assert time.monotonic() - asked < 5
                    await anyio.sleep(2.5)
                    assert (await http.get(ready)).status_code == 503
                    assert (await post(http, None, params=WHO, path=url)).status_code == 503
                finally:
                    process.send_signal(signal.SIGCONT)
                while (await http.get(ready)).status_code != 200:
                    await anyio.sleep(0.1)
                assert await session.call(url, "who") == str(shop.processes[0].pid)

        run_within(60, check)


WHO: dict[str, Any] = {"name": "who", "arguments": {}}


def test_calls_without_limits_are_allowed_while_redis_is_stopped_if_open(tmp_path: Path) -> None:
    port = free_port()
    command = [find("redis-server"), "--port", str(port), "--save", ""]
    with (
        started(command, tmp_path / "redis.log") as process,
        replicas(tmp_path, f"redis://127.0.0.1:{port}", 1, WHEN_DOWN="open") as shop,
    ):

        async def check() -> None:
            async with httpx2.AsyncClient(timeout=30) as http:
                process.send_signal(signal.SIGSTOP)
                try:
                    params = {**WHO, "name": "limited"}
                    response = await post(http, None, params=params, path=shop.urls[0])
                    assert '"allowed"' in response.text
                finally:
                    process.send_signal(signal.SIGCONT)

        run_within(60, check)


@pytest.mark.parametrize("missing", ["REDIS_URL", "MCPGEN_STATE_KEYS"])
def test_shared_store_without_its_variables_ends_the_start(tmp_path: Path, missing: str) -> None:
    write_shop(tmp_path)
    shop = Replicas(tmp_path, "redis://127.0.0.1:1")
    variables = {name: value for name, value in shop.variables.items() if name != missing}
    completed = subprocess.run(
        shop.command(free_port()), env=variables, capture_output=True, text=True, check=False
    )
    assert completed.returncode == 2
    assert missing in completed.stderr


@pytest.mark.parametrize(
    ("variables", "reason"),
    [
        ({"MCPGEN_STATE_KEYS": "short"}, "needs 32 bytes or more"),
        ({"RATE": "1.5"}, "whole calls and seconds"),
    ],
)
def test_shared_store_with_wrong_settings_ends_the_start(
    tmp_path: Path, variables: dict[str, str], reason: str
) -> None:
    write_shop(tmp_path)
    shop = Replicas(tmp_path, "redis://127.0.0.1:1", variables)
    completed = subprocess.run(
        shop.command(free_port()),
        env=shop.variables,
        capture_output=True,
        text=True,
        check=False,
    )
    assert completed.returncode == 2
    assert reason in completed.stderr


def test_server_starts_without_redis_and_is_not_ready(tmp_path: Path) -> None:
    with replicas(tmp_path, "redis://127.0.0.1:1", 1) as shop:
        url = shop.urls[0].replace("/mcp", "/readyz")
        assert httpx2.get(url).status_code == 503
        assert httpx2.get(url.replace("readyz", "healthz")).status_code == 200


def test_restarted_replica_serves_earlier_sessions(store: str, tmp_path: Path) -> None:
    with replicas(tmp_path, store, 1) as shop:

        async def check() -> None:
            url = shop.urls[0]
            async with open_session(url) as session:
                await session.call(url, "who")
                shop.processes[0].kill()
                shop.processes[0].wait()
                with shop.replica(shop.ports[0]) as again:
                    assert await session.call(url, "who") == str(again.pid)

        run_within(60, check)
