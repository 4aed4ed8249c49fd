"""A fake client: its responses, errors and recorded calls, through the normal call pipeline."""

from __future__ import annotations

import asyncio
import json
import math
import pickle
import subprocess
import sys
import threading
from contextlib import nullcontext
from dataclasses import replace
from typing import Any

import anyio
import pytest
from fake_clients import BOOKSHELF, SHOP, catalogue_page, contract, item, run
from mcpgen_runtime import Callbacks
from runtime.packages import folder, import_client, part
from skeletons import demo

LENT = {"id": "B-1", "member": "ada@example.org"}


@pytest.mark.parametrize("backend", ["asyncio", "trio"])
def test_fake_responds_as_configured_in_any_event_loop(backend: str) -> None:
    async def get(*, id: str) -> Any:
        await anyio.sleep(0)
        return item(id)

    fake = BOOKSHELF.Client.fake()
    fake.on(fake.search_catalogue).after(0.01).returns(catalogue_page(3))
    fake.on(fake.get_item).runs(get)
    fake.on(fake.borrow_item).raises(BOOKSHELF.ToolError("It is lent"))
    fake.on(fake.show_cover).after(math.inf).generates()

    async def act() -> tuple[int, str]:
        with pytest.raises(BOOKSHELF.ToolError, match="It is lent"):
            await fake.borrow_item(**LENT)
        with pytest.raises(BOOKSHELF.CallTimeout):
            await fake.with_options(timeout=0.01).show_cover(id="B-1")
        total = (await fake.search_catalogue(query="night")).total
        return total, (await fake.get_item(id="B-7")).item.id

    assert [anyio.run(act, backend=backend) for _ in range(2)] == [(3, "B-7")] * 2


def test_fake_is_a_client_and_its_repr_shows_it() -> None:
    fake = BOOKSHELF.Client.fake()
    assert isinstance(fake, BOOKSHELF.BookshelfOfFakesClient)
    assert repr(fake) == "<FakeBookshelfOfFakesClient: a fake, open, 8 tools>"
    sync = BOOKSHELF.Client.sync.fake()
    assert isinstance(sync, BOOKSHELF.SyncBookshelfOfFakesClient)
    assert repr(sync) == "<SyncFakeBookshelfOfFakesClient: a fake, open, 8 tools>"
    with pytest.raises(TypeError, match="no client of the SDK"):
        _ = fake.session


def test_arguments_nested_too_deeply_name_the_limit() -> None:
    deep: list[Any] = []
    for _ in range(260):
        deep = [deep]

    async def act(fake: Any) -> None:
        with pytest.raises(BOOKSHELF.InvalidArguments, match="at most 250 levels can be sent"):
            await fake.call("search_catalogue", {"query": "a", "extra": deep})

    run(act)


def test_tool_error_gets_the_name_of_the_called_tool() -> None:
    async def act(fake: Any) -> None:
        fake.on(fake.borrow_item).raises(BOOKSHELF.ToolError("It is lent"))
        with pytest.raises(BOOKSHELF.ToolError) as raised:
            await fake.borrow_item(**LENT)
        error = raised.value
        assert (error.tool, error.text, error.result.is_error) == (
            "borrow_item",
            "It is lent",
            True,
        )
        assert str(pickle.loads(pickle.dumps(error))) == "borrow_item: It is lent"
        with pytest.raises(BOOKSHELF.ToolError, match="It is lent"):
            _ = fake.calls()[0].result

    run(act)


def test_safe_call_is_retried_at_once() -> None:
    missing = BOOKSHELF.ConnectionLost("gone")

    async def act(fake: Any) -> None:
        fake.on(fake.get_item).raises(missing, missing).returns(item())
        fake.on(fake.borrow_item).raises(missing)
        with anyio.fail_after(60):
            assert await fake.get_item(id="B-1") == item()
        assert [call.error for call in fake.calls(fake.get_item)] == [missing, missing, None]
        with pytest.raises(BOOKSHELF.ConnectionLost):
            await fake.borrow_item(**LENT)
        assert len(fake.calls(fake.borrow_item)) == 1
        fake.on(fake.get_item).raises(missing)
        with pytest.raises(BOOKSHELF.ConnectionLost):
            await fake.with_options(retry=None).get_item(id="B-1")
        assert len(fake.calls(fake.get_item)) == 4

    run(act, retry=BOOKSHELF.Retry(backoff=9_999, max_wait=9_999), timeout=None)


def test_delays_and_call_timeouts_apply() -> None:
    async def act(fake: Any) -> None:
        fake.on(fake.get_item).after(math.inf).returns(item())
        with pytest.raises(BOOKSHELF.CallTimeout, match=r"get_item: no response within 0\.01 s"):
            await fake.with_options(timeout=0.01).get_item(id="B-1")
        fake.on(fake.get_item).returns(item()).after(0.01)
        assert await fake.get_item(id="B-1") == item()

    run(act)


def test_call_without_end_needs_no_response() -> None:
    async def act(fake: Any) -> None:
        fake.on(fake.get_item).when(id="B-2").after(math.inf)
        fake.on(fake.get_item).when(id="B-1").returns(item())
        assert await fake.get_item(id="B-1") == item()
        with pytest.raises(BOOKSHELF.CallTimeout):
            await fake.with_options(timeout=0.01).get_item(id="B-2")

    run(act)


def test_arguments_are_checked_before_the_fake_is_asked() -> None:
    async def act(fake: Any) -> None:
        with pytest.raises(BOOKSHELF.InvalidArguments, match="does not match"):
            await fake.get_item(id="nothing")
        assert fake.calls() == []
        with pytest.raises(BOOKSHELF.UnknownTool):
            await fake.call("none", {})
        assert (await fake.call("get_item", {"id": "B-1"})).lent is True
        assert len(fake.calls(fake.get_item, id="B-1")) == 1

    run(act, "generate")


def test_hooks_limits_and_middleware_are_those_of_a_client() -> None:
    questions: list[str] = []

    def confirm(tool: Any, arguments: Any) -> bool:
        questions.append(tool.name)
        return False

    async def shorter(call: Any, proceed: Any) -> Any:
        if "query" in call.arguments:
            call = call.replace(arguments={**call.arguments, "query": "x"})
        return await proceed(call)

    async def act(fake: Any) -> None:
        with pytest.raises(BOOKSHELF.NotConfirmed):
            await fake.withdraw_items(ids=["B-1"], reason=None)
        assert questions == ["withdraw_items"]
        await fake.search_catalogue(query="night")
        assert fake.calls(fake.search_catalogue)[0].arguments.query == "x"
        await fake.get_item(id="B-1")
        with pytest.raises(BOOKSHELF.TooManyCalls):
            await fake.get_item(id="B-1")
        assert len(fake.calls()) == 2

    limit = {"get_item": 1}
    run(act, "generate", confirm=confirm, trust=True, middleware=[shorter], limit=limit)


def test_tool_may_report_progress_log_and_ask() -> None:
    notifications: list[Any] = []

    async def act(fake: Any) -> None:
        form = {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}
        rule = fake.on(fake.take_inventory).reports(1, 2, "half").logs({"a": 1}, "warning")
        rule.logs("quiet", "debug").asks("Who are you?", form).reports(2, 2).generates()
        client = fake.with_options(on_progress=lambda *of: notifications.append(of))
        await client.take_inventory()
        assert notifications == [(1, 2, "half"), ("warning", {"a": 1}, None), (2, 2, None)]
        (call,) = fake.calls(fake.take_inventory)
        assert [(r.action, r.content) for r in call.replies] == [("accept", {"name": "Ada"})]

    run(
        act,
        elicit=lambda question: question.accept(name="Ada"),
        callbacks=Callbacks(on_log=lambda *of: notifications.append(of)),
    )


def test_client_without_elicitation_raises_missing_capability() -> None:
    async def act(fake: Any) -> None:
        fake.on(fake.get_item).asks(
            "Who are you?", {"type": "object", "properties": {}}
        ).generates()
        with pytest.raises(BOOKSHELF.ProtocolError, match="without elicit="):
            await fake.get_item(id="B-1")

    run(act)


def test_a_fake_takes_no_subscriptions_and_says_so() -> None:
    async def act(fake: Any) -> None:
        for ask in (fake.resources.subscribe, fake.resources.unsubscribe):
            with pytest.raises(TypeError, match="shop://opening: a fake sends no notifications"):
                await ask("shop://opening")

    run(act, of=SHOP)
    with SHOP.Client.sync.fake() as fake, pytest.raises(TypeError, match="sends no notifications"):
        fake.resources.subscribe("shop://opening")


def test_a_model_is_offered_the_tools_of_a_fake() -> None:
    async def act(fake: Any) -> None:
        (tool,) = fake.tools.select(only=["get_item"]).values()
        result = await tool.call({"id": "B-1"})
        assert json.loads(result.text)["lent"] is True
        assert len(fake.calls(fake.get_item)) == 1

    run(act, "generate")


def test_fake_replaces_connect(monkeypatch: pytest.MonkeyPatch) -> None:
    fake = BOOKSHELF.Client.fake("generate")
    monkeypatch.setattr(BOOKSHELF.Client, "connect", lambda **_: fake)

    async def program() -> Any:
        async with BOOKSHELF.Client.connect(timeout=3) as client:
            await client.get_item(id="B-1")
        return client

    for _ in range(2):
        client = anyio.run(program)
    with pytest.raises(BOOKSHELF.ConnectionLost, match="the client was closed"):
        anyio.run(lambda: client.get_item(id="B-1"))
    assert len(fake.calls()) == 2
    assert repr(fake).endswith("a fake, closed, 8 tools>")


def test_closing_ends_pending_calls() -> None:
    async def act(fake: Any) -> None:
        fake.on(fake.get_item).after(math.inf).generates()
        ended: list[str] = []

        async def call() -> None:
            with pytest.raises(BOOKSHELF.ConnectionLost, match="the client was closed"):
                await fake.get_item(id="B-1")
            ended.append("lost")

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(call)
            await anyio.wait_all_tasks_blocked()
            await fake.aclose()
        assert ended == ["lost"]

    run(act)


def test_sync_fake_behaves_like_the_async_one() -> None:
    async def get(*, id: str) -> Any:
        return item(id)

    fake = BOOKSHELF.Client.sync.fake()
    fake.on(fake.search_catalogue).when(query="night").returns(catalogue_page(2))
    fake.on(fake.get_item).runs(get)
    fake.on(fake.borrow_item).raises(BOOKSHELF.ToolError("It is lent"))
    fake.on(fake.prompts.welcome).returns("Hello")
    fake.on(fake.resources.card).when(id="B-1").returns("a card")
    assert fake.search_catalogue(query="night").total == 2
    assert fake.get_item(id="B-3").item.id == "B-3"
    with pytest.raises(BOOKSHELF.ToolError):
        fake.borrow_item(**LENT)
    assert fake.prompts.welcome().messages[0].content.text == "Hello"
    assert fake.resources.card(id="B-1").text == "a card"
    assert fake.response(fake.resources.card, id="B-1").text == "a card"
    with pytest.raises(BOOKSHELF.NoMatchingRule):
        fake.search_catalogue(query="day")
    assert len(fake.calls(fake.resources.card, id="B-1")) == 2
    assert len(fake.calls()) == 7
    assert fake.with_options(timeout=1).search_catalogue(query="night").total == 2


def test_function_of_a_sync_fake_may_call_the_fake() -> None:
    fake = BOOKSHELF.Client.sync.fake("generate")

    def search(query: str) -> Any:
        return catalogue_page(len(fake.get_item(id="B-1").item.title) + len(query))

    fake.on(fake.search_catalogue).runs(search)
    assert fake.search_catalogue(query="day").total == 8


def test_sync_fake_can_be_reopened() -> None:
    fake = BOOKSHELF.Client.sync.fake("generate")
    for _ in range(2):
        with fake as client:
            client.get_item(id="B-1")
        with pytest.raises(BOOKSHELF.ConnectionLost):
            client.get_item(id="B-1")
    with nullcontext(BOOKSHELF.Client.sync.fake("generate")) as client:
        client.get_item(id="B-1")


def test_sync_fake_works_inside_an_event_loop() -> None:
    fake = BOOKSHELF.Client.sync.fake("generate")

    async def act() -> bool:
        return fake.get_item(id="B-1").lent

    assert asyncio.run(act())


@pytest.mark.slow
def test_dropping_a_fake_ends_its_thread() -> None:
    code = """
import gc, threading, {name}
fake = {name}.Client.sync.fake("generate")
fake.get_item(id="B-1")
assert threading.active_count() == 2
(thread,) = set(threading.enumerate()) - {{threading.main_thread()}}
del fake
gc.collect()
thread.join(20)
assert not thread.is_alive()
"""
    name = BOOKSHELF.__name__
    command = [sys.executable, "-W", "error", "-c", code.format(name=name)]
    run = subprocess.run(command, cwd=folder(), capture_output=True, text=True, check=False)
    assert (run.returncode, run.stderr) == (0, "")


def test_fake_is_usable_from_several_threads_and_loops() -> None:
    fake = BOOKSHELF.Client.fake("generate")

    async def call() -> None:
        await fake.get_item(id="B-1")

    threads = [threading.Thread(target=anyio.run, args=(call,)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [call.error for call in fake.calls()] == [None] * 4


def test_fake_of_a_subclass_is_an_instance_of_it() -> None:
    class Mine(BOOKSHELF.BookshelfOfFakesClient):  # type: ignore[misc]
        async def titles(self) -> list[str]:
            return [entry.title for entry in (await self.search_catalogue(query="night")).items]

    class Waiting(BOOKSHELF.SyncBookshelfOfFakesClient):  # type: ignore[misc]
        _asynchronous_class = Mine

    fake = Mine.fake("generate")
    assert isinstance(fake, Mine)
    assert isinstance(fake, BOOKSHELF.FakeBookshelfOfFakesClient)
    assert anyio.run(fake.titles) == ["title"]
    waiting = Waiting.fake("generate")
    assert isinstance(waiting, Waiting)
    assert isinstance(waiting._asynchronous, Mine)
    assert isinstance(type(fake).fake(), type(fake))


def test_tools_named_like_fake_methods_are_renamed() -> None:
    module = import_client(
        contract({name: {} for name in ("on", "calls", "fake", "when")}), "fakes_named"
    )
    fake = module.Client.fake("generate")
    fake.on(fake.on_).returns(1)
    fake.on(fake.calls_).returns(2)
    fake.on(fake.fake_).returns(3)

    async def act() -> list[Any]:
        return [await fake.on_(), await fake.calls_(), await fake.fake_()]

    assert anyio.run(act) == [1, 2, 3]
    assert [call.name for call in fake.calls()] == ["on", "calls", "fake"]


def test_tool_with_plain_json_arguments_is_supported() -> None:
    async def act(fake: Any) -> None:
        fake.on(fake.on_).when(arguments={"a": 1}).returns(1)
        fake.on(fake.on_).runs(lambda arguments: {"given": arguments}).when(arguments={"b": 2})
        assert await fake.on_(arguments={"a": 1}) == 1
        assert await fake.on_(arguments={"b": 2}) == {"given": {"b": 2}}
        assert len(fake.calls(fake.on_, arguments={"b": 2})) == 1
        with pytest.raises(AssertionError, match="no rule for this call"):
            await fake.on_()

    module = import_client(contract({"on": {}}), "fakes_plain")
    anyio.run(act, module.Client.fake())


def test_started_task_completes_at_once() -> None:
    tools = {
        name: {**raw, "execution": {"taskSupport": "optional"}} if name == "get_item" else raw
        for name, raw in demo().tools.items()
    }
    module = import_client(replace(demo(), tools=tools), "fakes_tasks")

    async def act(fake: Any) -> None:
        task = await fake.start(fake.get_item, id="B-1")
        assert (await task.result()).lent is True
        assert (await task.status()).is_over
        assert (await fake.get_item(id="B-1")).lent is True
        with pytest.raises(module.TaskUnsupported):
            await fake.start(fake.borrow_item, **LENT)

    run(act, "generate", of=module)


@pytest.mark.slow
def test_a_fake_loads_no_transport_and_starts_nothing() -> None:
    code = """
import sys, {name}
fake = {name}.Client.fake("generate")
import anyio
anyio.run(lambda: fake.get_item(id="B-1"))
bad = [m for m in sys.modules if m.endswith(("wire.process", "wire.http", "_runtime.portal"))]
assert not bad, bad
"""
    name = BOOKSHELF.__name__
    command = [sys.executable, "-W", "error", "-c", code.format(name=name)]
    run = subprocess.run(command, cwd=folder(), capture_output=True, text=True, check=False)
    assert (run.returncode, run.stderr) == (0, "")


def test_every_public_name_of_fakes_is_there() -> None:
    for name in (
        "FakeCall",
        "FakeRule",
        "InvalidFake",
        "NoMatchingRule",
        "FakeBookshelfOfFakesClient",
    ):
        assert hasattr(BOOKSHELF, name)
    assert part(BOOKSHELF, "fakes").__all__ == [
        "FakeBookshelfOfFakesClient",
        "SyncFakeBookshelfOfFakesClient",
    ]
