"""Clients without async: every view, threads, running loops and errors."""

from __future__ import annotations

import asyncio
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import anyio
import pytest
from client_views import ITEM, SHOP
from guards import patient, until
from mcp import StdioServerParameters
from runtime.packages import import_client
from runtime.raw_server import TOOLS
from runtime.scripted import Scripted, text_result
from runtime.web import RAW

from mcpgen.contract.document import Contract


@contextmanager
def waiting(server: Scripted | None = None, **options: Any) -> Iterator[Any]:
    settings: Any = {"verify": "off", **options}
    with SHOP.Client.sync.connect((server or Scripted(count=3)).server, **settings) as client:
        yield client


def used_without_async() -> Any:
    with waiting(Scripted(count=3, explain=text_result("so"), order={"item": ITEM})) as shop:
        assert isinstance(shop, SHOP.Client.sync)
        return [
            shop.count(),
            shop.explain(topic="x").text,
            shop.order(item=ITEM).item.id,
            shop.response(shop.count).raw.structured_content,
            shop.prompts.pitch(item="A").messages[0].content.text,
            shop.resources.shelf(shelf="3").text,
            shop.resources.read("shop://x").text,
            shop.call("count", {}),
        ]


USED = [3, "so", "A", 3, '{"item": "A"}', "read shop://shelves/3", "read shop://x", 3]


def test_every_view_works_without_async() -> None:
    assert used_without_async() == USED


def test_it_works_inside_a_running_loop() -> None:
    async def notebook() -> Any:
        return used_without_async()

    assert asyncio.run(notebook()) == USED


def test_it_works_in_several_threads() -> None:
    with waiting() as shop:
        numbers: list[int] = []
        threads = [threading.Thread(target=lambda: numbers.append(shop.count())) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert numbers == [3] * 4


async def slow(ctx: Any, params: Any) -> Any:
    del ctx, params
    await anyio.sleep_forever()


def test_sync_client_raises_errors_unchanged() -> None:
    shop = Scripted(explain=text_result("no", is_error=True), count=slow)
    with patient(), waiting(shop) as client:
        with pytest.raises(SHOP.ToolError):
            client.explain(topic="x")
        with pytest.raises(SHOP.InvalidArguments):
            client.label(code="abc")
        with pytest.raises(SHOP.CallTimeout):
            client.with_options(timeout=0.05).count()
        assert client.nothing() is None


@pytest.mark.parametrize("own", [KeyError("mine"), KeyboardInterrupt("mine"), SystemExit(3)])
def test_exception_of_the_caller_leaves_a_sync_client(own: BaseException) -> None:
    with pytest.raises(type(own)) as failure, waiting():
        raise own
    assert failure.value is own


def test_a_waiting_client_over_stdio_leaves_no_thread() -> None:
    tools = {tool["name"]: tool for tool in TOOLS}
    client_package = import_client(
        Contract(tools=tools, revision="2025-11-25", server={"name": "r"}), "raw_sync"
    )
    before = threading.active_count()
    command = StdioServerParameters(command=sys.executable, args=[RAW, "dies"])
    with (
        pytest.raises(client_package.ConnectionLost) as caught,
        client_package.Client.sync.connect(command) as client,
    ):
        client.ask()
    assert caught.value.stderr == "fatal: the shelf fell"
    # Threads end asynchronously.
    until(lambda: threading.active_count() <= before)


def test_hooks_work_without_async() -> None:
    messages: list[str] = []

    def confirm(info: Any, arguments: Any) -> bool:
        del arguments
        messages.append(info.name)
        return False

    with waiting(confirm=confirm) as client, pytest.raises(SHOP.NotConfirmed):
        client.wipe()
    assert messages == ["wipe"]
