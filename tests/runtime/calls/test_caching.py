"""Caching of results: conditions, duration, and separate clients."""

from __future__ import annotations

import asyncio
import functools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import anyio
import pytest
import sdk_programs
from mcp import MCPError
from mcpgen_runtime import Callbacks
from mcpgen_runtime.calls import caller
from middleware_clients import MIDDLEWARE, SHOP, counting
from runtime.packages import import_client, part
from runtime.scripted import Scripted, structured_result, text_result, using

from runtime import contracts, telling_server


class Clock:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


def run_cached(act: Any, server: Scripted, **options: Any) -> Any:
    settings: Any = {"ttl": 60.0, **options}
    caching = MIDDLEWARE.caching(**settings)
    caching.clock = clock = Clock()
    return using(functools.partial(act, clock), server, middleware=[caching])


def test_result_is_cached_for_its_ttl() -> None:
    async def act(clock: Clock, client: Any, _: Scripted) -> Any:
        first = await client.count()
        clock.now += 59
        second = await client.count()
        clock.now += 1
        return first, second, await client.count()

    assert run_cached(act, counting()) == (1, 1, 2)


def test_calls_with_other_arguments_are_others() -> None:
    async def act(_: Clock, client: Any, server: Scripted) -> Any:
        for topic in ("a", "b", "a"):
            await client.explain(topic=topic)
        return [arguments["topic"] for _, arguments in server.sent]

    assert run_cached(act, Scripted()) == ["a", "b"]


def test_only_read_only_or_named_tools_are_cached() -> None:
    async def act(_: Clock, client: Any, server: Scripted) -> Any:
        for _ in range(2):
            await client.label(code="ABC")
            await client.count()
        return [name for name, _ in server.sent]

    answers: Any = {"label": {"printed": "ok:"}}
    assert run_cached(act, counting(**answers)) == ["label", "count", "label"]
    named = run_cached(act, counting(**answers), tools=["label"])
    assert named == ["label", "count", "count"]


def test_without_ttl_only_results_with_their_own_are_cached() -> None:
    reads: list[str] = []

    class Server(Scripted):
        async def read_resource(self, ctx: Any, params: Any) -> Any:
            reads.append(str(params.uri))
            result = await super().read_resource(ctx, params)
            is_kept = str(params.uri) == "shop://opening"
            return result.model_copy(update={"ttl_ms": 60_000}) if is_kept else result

    async def act(clock: Clock, client: Any, server: Scripted) -> Any:
        for _ in range(2):
            await client.count()
            await client.resources.read("shop://opening")
        clock.now += 61
        return len(server.sent)

    assert run_cached(act, Server(count=1), ttl=None) == 2
    assert reads == ["shop://opening"]


class Asked(Scripted):
    """A shop that records requested prompts and resources."""

    def __init__(self) -> None:
        super().__init__()
        self.names: list[str] = []

    async def read_resource(self, ctx: Any, params: Any) -> Any:
        self.names.append(str(params.uri))
        return await super().read_resource(ctx, params)

    async def get_prompt(self, ctx: Any, params: Any) -> Any:
        self.names.append(params.name)
        return await super().get_prompt(ctx, params)


@pytest.mark.parametrize(("revision", "reads"), [("2025-11-25", 1), ("2026-07-28", 2)])
def test_resource_is_cached_unless_it_forbids_it(revision: str, reads: int) -> None:
    older = import_client(contracts.shop(revision=revision), f"shop_{revision[:4]}")
    shop = Asked()

    async def act() -> None:
        middleware: Any = [part(older, "middleware").caching(ttl=60)]
        connecting = older.Client.connect(shop.server, verify="off", middleware=middleware)
        async with connecting as client:
            for _ in range(2):
                await client.resources.read("shop://opening")
                await client.prompts.pitch(item="A")

    anyio.run(act)
    # Since 2026-07-28, each resource declares its lifetime, and this server declares 0.
    assert (shop.names.count("shop://opening"), shop.names.count("pitch")) == (reads, 2)


def test_errors_are_not_kept() -> None:
    answers = [text_result("no", is_error=True), MCPError(-5, "no"), structured_result(3)]

    async def act(_: Clock, client: Any, server: Scripted) -> Any:
        with pytest.raises(SHOP.ToolError):
            await client.count()
        with pytest.raises(SHOP.ProtocolError):
            await client.count()
        return await client.count(), await client.count()

    assert run_cached(act, Scripted(count=lambda *_: answers.pop(0))) == (3, 3)


def test_equal_calls_at_the_same_time_share_one_request() -> None:
    async def act(_: Clock, client: Any, server: Scripted) -> Any:
        results: list[int] = []

        async def call() -> None:
            results.append(await client.count())

        async with anyio.create_task_group() as tasks:
            for _ in range(20):
                tasks.start_soon(call)
        return results, len(server.sent)

    async def slow(ctx: Any, params: Any) -> Any:
        await anyio.sleep(0.05)
        return 7

    assert run_cached(act, Scripted(count=slow)) == ([7] * 20, 1)


def test_concurrent_equal_calls_share_an_error() -> None:
    async def fail(ctx: Any, params: Any) -> Any:
        await anyio.sleep(0.05)
        raise MCPError(-5, "no")

    async def act(_: Clock, client: Any, server: Scripted) -> Any:
        async def call() -> None:
            with pytest.raises(SHOP.ProtocolError):
                await client.count()

        async with anyio.create_task_group() as tasks:
            for _ in range(5):
                tasks.start_soon(call)
        return len(server.sent)

    assert run_cached(act, Scripted(count=fail)) == 1


@pytest.mark.slow
def test_calls_sharing_a_request_keep_their_own_timeout() -> None:
    async def slow(ctx: Any, params: Any) -> Any:
        await anyio.sleep(0.6)
        return 7

    async def act(_: Clock, client: Any, server: Scripted) -> Any:
        first = asyncio.create_task(client.with_options(timeout=0.3).count())
        await asyncio.sleep(0.05)
        second = asyncio.create_task(client.count())
        with pytest.raises(SHOP.CallTimeout):
            await first
        return await second, len(server.sent)

    assert run_cached(act, Scripted(count=slow)) == (7, 2)


def test_another_asks_where_the_one_who_asked_was_cancelled() -> None:
    async def slow(ctx: Any, params: Any) -> Any:
        await anyio.sleep(0.2)
        return 7

    async def act(_: Clock, client: Any, server: Scripted) -> Any:
        first = asyncio.create_task(client.count())
        await asyncio.sleep(0.05)
        rest = [asyncio.create_task(client.count()) for _ in range(3)]
        await asyncio.sleep(0.05)
        first.cancel()
        return await asyncio.gather(*rest), len(server.sent)

    assert run_cached(act, Scripted(count=slow)) == ([7, 7, 7], 2)


def test_cache_evicts_the_least_recently_used() -> None:
    async def act(_: Clock, client: Any, server: Scripted) -> Any:
        for topic in ("a", "b", "a", "c", "a", "b"):
            await client.explain(topic=topic)
        return [arguments["topic"] for _, arguments in server.sent]

    assert run_cached(act, Scripted(), max_entries=2) == ["a", "b", "c", "b"]


def test_mutating_a_cached_result_affects_nobody() -> None:
    async def act(_: Clock, client: Any, server: Scripted) -> Any:
        (await client.names()).append("mine")
        (await client.names()).append("mine")
        first = await client.response(client.names)
        first.raw.structured_content.append("mine")
        return await client.names()

    assert run_cached(act, Scripted(names=["a"])) == ["a"]


def test_call_with_its_own_metadata_is_not_cached() -> None:
    async def act(_: Clock, client: Any, server: Scripted) -> Any:
        for _ in range(2):
            await client.with_options(meta={"example.org/a": 1}).count()
        return len(server.sent)

    assert run_cached(act, counting()) == 2


def test_each_client_has_results_of_its_own() -> None:
    caching = MIDDLEWARE.caching(ttl=60)

    async def act(client: Any, server: Scripted) -> Any:
        return await client.names()

    def names_of(name: str) -> Any:
        return using(act, Scripted(names=[name]), middleware=[caching])

    assert [names_of("ada"), names_of("bob")] == [["ada"], ["bob"]]


async def kept_of(revision: str, forget: Callable[[Any], Any]) -> int:
    """Return how often a tool with a cached result is called if the cache is cleared in between."""
    telling = notifying_client(revision)
    requests: list[str] = []

    async def note(call: Any, proceed: Any) -> Any:
        requests.append(call.name)
        return await proceed(call)

    caching = part(telling, "middleware").caching(ttl=600, tools=["echo"])
    env = {"PYTHONPATH": str(Path(telling_server.__file__).parents[1])}
    server = sdk_programs.stdio(telling_server.__file__, env=env)
    options: Any = {
        "callbacks": Callbacks(on_tools_changed=lambda _: None),
        "middleware": [caching, note],
    }
    async with telling.Client.connect(server, **options) as client:
        for _ in range(2):
            await client.echo(text="a")
        await forget(client)
        for _ in range(2):
            await client.echo(text="a")
    return requests.count("echo")


@functools.cache
def notifying_client(revision: str) -> Any:
    contract = anyio.run(telling_server.contract, revision)
    return import_client(contract, f"cached_{revision[:4]}")


REVISIONS = pytest.mark.parametrize("revision", ["2025-11-25", "2026-07-28"])


@pytest.mark.slow
@pytest.mark.sampled(1)
@REVISIONS
def test_change_notification_clears_the_cache(revision: str) -> None:
    async def forget(client: Any) -> None:
        session = caller.connection_of(client).session
        await client.grow()
        with anyio.fail_after(10):
            while not session.news:
                await anyio.sleep(0.01)

    notifying_client(revision)
    assert anyio.run(kept_of, revision, forget) == 2


@pytest.mark.slow
@REVISIONS
def test_all_is_forgotten_with_the_session(revision: str) -> None:
    async def forget(client: Any) -> None:
        with pytest.raises(notifying_client(revision).ConnectionLost):
            await client.die()

    notifying_client(revision)
    assert anyio.run(kept_of, revision, forget) == 2


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"tools": ["cuont"]}, "the contract has no tool 'cuont'"),
        ({"ttl": -1}, "ttl is a number of seconds, not -1"),
        ({"max_entries": 0}, "max_entries is at least 1, not 0"),
    ],
)
def test_invalid_cache_options_are_rejected(options: Any, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        SHOP.Client.connect("http://localhost", middleware=[MIDDLEWARE.caching(**options)])
