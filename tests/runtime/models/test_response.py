"""Options of a call, and the full response: `with_options` and `response`."""

from __future__ import annotations

import asyncio
import functools
import inspect
import math
import pickle
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import anyio
import pytest
from guards import patient
from mcp import types
from runtime.packages import import_client, package
from runtime.scripted import Scripted, structured_result, text_result, using

from runtime import contracts

SHOP = package()
ITEM = {"id": "A", "price": 1}
PICTURE = types.ImageContent(type="image", data="aGVsbG8=", mime_type="image/png")


def adding(ctx: Any, params: Any) -> Any:
    del ctx
    return {"sum": params.arguments["a"] + params.arguments["b"]}


def server(**answers: Any) -> Scripted:
    return Scripted(add=adding, count=3, **answers)


def total(answer: Any) -> Any:
    return answer.raw.structured_content["sum"]


@contextmanager
def waiting(**options: Any) -> Iterator[Any]:
    settings: Any = {"verify": "off", **options}
    with SHOP.Client.sync.connect(server().server, **settings) as client:
        yield client


async def slow(ctx: Any, params: Any) -> Any:
    del ctx, params
    await anyio.sleep_forever()


# Options


def test_options_are_of_the_copy_alone() -> None:
    async def act(client: Any, shop: Scripted) -> Any:
        hurried = client.with_options(timeout=0.05)
        assert type(hurried) is type(client)
        with pytest.raises(SHOP.CallTimeout):
            await hurried.count()
        assert await client.add(a=1, b=1)

    with patient():
        using(act, Scripted(add=adding, count=slow))


def test_options_add_up_and_the_last_one_counts() -> None:
    async def act(client: Any, shop: Scripted) -> Any:
        patiently = client.with_options(timeout=0.01).with_options(meta={"example.org/a": 1})
        await patiently.with_options(timeout=math.inf).count()
        await patiently.with_options(timeout=math.inf, meta={"example.org/b": 2}).count()
        return [dict(meta) for meta in shop.metas]

    first, second = using(act, server())
    assert first["example.org/a"] == 1
    assert "example.org/a" not in second
    assert second["example.org/b"] == 2


@pytest.mark.parametrize("option", ["timeuot", "confirm"])
def test_unknown_option_is_rejected(option: str) -> None:
    with waiting() as client:
        for view in (client, client._asynchronous, client.prompts, client._asynchronous.resources):
            with pytest.raises(TypeError, match=option):
                view.with_options(**{option: 1})


def test_options_work_without_async() -> None:
    messages: list[Any] = []

    async def counting(ctx: Any, params: Any) -> Any:
        await ctx.session.report_progress(1, 2, "half")
        return 2

    options: Any = {"verify": "off"}
    with SHOP.Client.sync.connect(Scripted(count=counting).server, **options) as client:
        assert client.with_options(on_progress=lambda *event: messages.append(event)).count() == 2
    assert messages == [(1, 2, "half")]


# Content of a response


def test_response_has_data_and_metadata() -> None:
    note = types.TextContent(
        type="text", text="so", annotations=types.Annotations(audience=["user"], priority=0.5)
    )
    clip = types.AudioContent(type="audio", data="aGVsbG8=", mime_type="audio/wav")
    inner = types.TextResourceContents(uri="shop://a", text="in")
    embedded = types.EmbeddedResource(type="resource", resource=inner)
    whole = types.CallToolResult(
        content=[note, PICTURE, clip, embedded],
        structured_content={"sum": 3},
        _meta={"example.org/cost": 7},
    )

    async def act(client: Any, _: Scripted) -> Any:
        return await client.response(client.add, a=1, b=2)

    answer = using(act, Scripted(add=whole))
    assert isinstance(answer, SHOP.Response)
    assert answer.data.sum == 3
    assert answer.content[0].annotations.priority == 0.5
    assert answer.text == "so"
    assert [(image.data, image.mime_type) for image in answer.images] == [(b"hello", "image/png")]
    assert [(item.data, item.mime_type) for item in answer.audio] == [(b"hello", "audio/wav")]
    assert [resource.text for resource in answer.resources] == ["in"]
    assert answer.meta["example.org/cost"] == 7
    assert answer.raw.structured_content == {"sum": 3}
    with pytest.raises(AttributeError):
        answer.data = None
    assert pickle.loads(pickle.dumps(answer)) == answer


def test_one_call_is_made_for_a_response() -> None:
    async def act(client: Any, shop: Scripted) -> Any:
        await client.response(client.count)
        return shop.sent

    assert using(act, server()) == [("count", {})]


def test_prompt_response_has_the_blocks_of_its_messages() -> None:
    class Painting(Scripted):
        async def get_prompt(self, ctx: Any, params: Any) -> Any:
            texts: list[Any] = [
                types.TextContent(type="text", text=text) for text in ("draw", "this")
            ]
            messages = [
                types.PromptMessage(role="user", content=block) for block in (*texts, PICTURE)
            ]
            return types.GetPromptResult(messages=messages)

    async def act(client: Any, _: Scripted) -> Any:
        return await client.response(client.prompts.pitch, item="A")

    answer = using(act, Painting())
    assert isinstance(answer.raw, types.GetPromptResult)
    assert answer.data is answer.raw
    assert answer.text == "draw\nthis"
    assert [image.data for image in answer.images] == [b"hello"]
    assert (len(answer.content), answer.audio, answer.resources) == (3, [], [])


def test_a_response_of_a_resource_has_its_contents() -> None:
    class Shelf(Scripted):
        async def read_resource(self, ctx: Any, params: Any) -> Any:
            contents: Any = [
                types.TextResourceContents(uri="shop://a", text="one"),
                types.BlobResourceContents(uri="shop://b", blob="aGVsbG8=", mime_type="image/png"),
                types.BlobResourceContents(uri="shop://c", blob="aGVsbG8="),
            ]
            return types.ReadResourceResult(contents=contents)

    async def act(client: Any, _: Scripted) -> Any:
        return [
            await client.response(client.resources.shelf, shelf="3"),
            await client.response(client.resources.read, "shop://x"),
        ]

    for answer in using(act, Shelf()):
        assert isinstance(answer.raw, types.ReadResourceResult)
        assert answer.data.raw is answer.raw
        assert answer.text == "one"
        assert [image.mime_type for image in answer.images] == ["image/png"]
        assert [contents.uri for contents in answer.resources] == [
            "shop://a",
            "shop://b",
            "shop://c",
        ]
        assert [block.type for block in answer.content] == ["resource"] * 3


def test_a_response_works_without_async_for_every_view() -> None:
    with waiting() as client:
        assert total(client.response(client.add, a=1, b=2)) == 3
        assert client.response(client.call, "count", {}).data == 3
        assert client.response(client.prompts.pitch, item="A").text == '{"item": "A"}'
        assert client.response(client.resources.shelf, shelf="3").text == "read shop://shelves/3"


# Which call is recorded


def ask_client(ask: Callable[[Any], Any], **answers: Any) -> Any:
    async def act(client: Any, _: Scripted) -> Any:
        return await ask(client)

    return using(act, server(**answers))


def test_a_hundred_at_once_have_each_their_own_result() -> None:
    async def ask(client: Any) -> Any:
        calls = (client.response(client.add, a=n, b=0) for n in range(100))
        return await asyncio.gather(*calls)

    assert [total(answer) for answer in ask_client(ask)] == list(range(100))


def test_of_several_calls_the_last_is_the_raw_one() -> None:
    async def ask(client: Any) -> Any:
        async def add_twice() -> int:
            first, two = await client.add(a=1, b=1), await client.add(a=2, b=2)
            return int(first.sum + two.sum)

        return await client.response(add_twice)

    answer = ask_client(ask)
    assert (answer.data, total(answer)) == (6, 4)


def test_a_response_within_a_response_keeps_to_itself() -> None:
    async def ask(client: Any) -> Any:
        async def respond_after_another_call() -> Any:
            await client.add(a=1, b=1)
            return await client.response(client.add, a=5, b=5)

        return await client.response(respond_after_another_call)

    answer = ask_client(ask)
    assert (total(answer), total(answer.data)) == (2, 10)


@pytest.mark.parametrize("kind", ["partial", "lambda", "decorated", "one's own"])
def test_whatever_calls_the_method_is_recorded(kind: str) -> None:
    class Own:
        def __init__(self, client: Any) -> None:
            self.client = client

        async def add(self, a: int) -> Any:
            return await self.client.add(a=a, b=2)

    def decorate(method: Any) -> Any:
        @functools.wraps(method)
        async def again(*args: Any, **kwargs: Any) -> Any:
            return await method(*args, **kwargs)

        return again

    async def ask(client: Any) -> Any:
        methods: dict[str, Any] = {
            "partial": functools.partial(client.add, a=1, b=2),
            "lambda": lambda: client.add(a=1, b=2),
            "decorated": functools.partial(decorate(client.add), a=1, b=2),
            "one's own": functools.partial(Own(client).add, 1),
        }
        return await client.response(methods[kind])

    assert total(ask_client(ask)) == 3


def test_background_task_is_not_part_of_the_response() -> None:
    async def ask(client: Any) -> Any:
        later: list[Any] = []

        async def after() -> Any:
            await anyio.sleep(0.05)
            return await client.add(a=9, b=9)

        async def starting() -> Any:
            later.append(asyncio.ensure_future(after()))
            return await client.add(a=1, b=1)

        answer = await client.response(starting)
        assert (await later[0]).sum == 18
        return answer

    assert total(ask_client(ask)) == 2


def test_calls_of_progress_and_confirm_callbacks_are_not_recorded() -> None:
    calls: list[str] = []

    async def counting(ctx: Any, params: Any) -> Any:
        await ctx.session.report_progress(1, 2, "half")
        return 7

    async def act(client: Any, _: Scripted) -> Any:
        async def call_in_progress(*_: Any) -> None:
            calls.append("progress")
            await client.add(a=1, b=1)

        answer = await client.with_options(on_progress=call_in_progress).response(client.count)
        assert (answer.data, answer.raw.structured_content) == (7, 7)

    using(act, Scripted(add=adding, count=counting))

    clients: list[Any] = []

    async def confirm(info: Any, arguments: Any) -> bool:
        if info.name == "wipe":
            calls.append("confirm")
            await clients[0].add(a=1, b=1)
        return True

    async def respond_to_client(client: Any, _: Scripted) -> Any:
        clients.append(client)

        async def refused_after() -> None:
            with pytest.raises(SHOP.ToolError):
                await client.wipe()

        return await client.response(refused_after)

    answer = using(
        respond_to_client, server(wipe=text_result("no", is_error=True)), confirm=confirm
    )
    assert answer.raw.is_error
    assert calls == ["progress", "confirm"]


def test_client_options_override_the_methods() -> None:
    async def act(client: Any, shop: Scripted) -> Any:
        own = client.with_options(meta={"example.org/own": 1}, timeout=math.inf)
        requests = client.with_options(meta={"example.org/asked": 1})
        await requests.response(own.count)
        await requests.response(own.prompts.pitch, item="A")
        with pytest.raises(SHOP.CallTimeout):
            await client.with_options(timeout=0.05).response(own.label, code="ABC")
        return shop.metas[0]

    with patient():
        meta = using(act, server(label=slow))
    assert "example.org/asked" in meta
    assert "example.org/own" not in meta


# The traps


def test_method_of_another_connection_is_rejected_before_calling() -> None:
    async def act(client: Any, shop: Scripted) -> Any:
        other = server()
        async with SHOP.Client.connect(other.server, verify="off") as stranger:
            partial = functools.partial(stranger.count)
            for method in (stranger.count, partial, stranger.resources.opening):
                with pytest.raises(TypeError, match="is of another connection"):
                    await client.response(method)
            assert other.sent == []
            with pytest.raises(TypeError, match="called nothing over this connection"):
                await client.response(lambda: stranger.add(a=1, b=1))
        assert shop.sent == []

    using(act, server())


def test_a_tool_may_have_an_argument_called_method() -> None:
    properties = {name: {"type": "string"} for name in ("method", "args", "kwargs", "self", "tool")}
    tool = {"name": "t", "inputSchema": {"type": "object", "properties": properties}}
    client_package = import_client(contracts.shop(tools={"t": tool}), "called_method")
    shop = Scripted(contracts.shop(tools={"t": tool}), t=text_result("so"))

    async def inside() -> Any:
        async with client_package.Client.connect(shop.server, verify="off") as client:
            values: Any = {"method": "m", "args": "a", "kwargs": "k", "self_": "s", "tool": "t"}
            return await client.response(client.t, **values)

    assert anyio.run(inside).text == "so"
    assert shop.sent == [
        ("t", {"method": "m", "args": "a", "kwargs": "k", "self": "s", "tool": "t"})
    ]


def test_tool_error_carries_the_full_result() -> None:
    async def act(client: Any, _: Scripted) -> Any:
        with pytest.raises(SHOP.ToolError) as failure:
            await client.response(client.count)
        assert await client.response(client.add, a=1, b=1)
        return failure.value.result

    result = using(act, Scripted(add=adding, count=text_result("no", is_error=True)))
    assert isinstance(result, types.CallToolResult)
    assert result.is_error is True


def test_invalid_result_error_carries_the_full_result() -> None:
    async def act(client: Any, _: Scripted) -> Any:
        with pytest.raises(SHOP.InvalidResult) as failure:
            await client.response(client.add, a=1, b=1)
        return failure.value.result

    assert using(act, Scripted(add=structured_result({"sum": "x"}))).structured_content == {
        "sum": "x"
    }


def test_sync_client_rejects_async_methods() -> None:
    with waiting() as client:
        with pytest.raises(TypeError, match="is async, and this client waits"):
            client.response(client._asynchronous.count)
        with pytest.raises(TypeError, match="is async, and this client waits"):
            client.response(lambda: client._asynchronous.add(a=1, b=1))


def test_async_client_rejects_sync_methods_before_calling() -> None:
    shop = server()
    with SHOP.Client.sync.connect(shop.server, verify="off") as client:

        async def inside() -> None:
            with pytest.raises(TypeError, match="waits, and this client is async"):
                await client._asynchronous.response(client.count)

        client._portal.call(inside)
    assert shop.sent == []


def test_sync_client_calls_overridden_async_methods() -> None:
    class Doubling(SHOP.Client):  # type: ignore[misc, name-defined]
        async def count(self) -> int:
            return 2 * int(await super().count())

    class Waiting(SHOP.Client.sync):  # type: ignore[misc, name-defined]
        _asynchronous_class = Doubling

    with Waiting.connect(server().server, verify="off") as client:
        assert client.count() == 6
        assert client.response(client.count).data == 6


def test_attributes_set_on_a_copy_stay_on_it() -> None:
    class Counting(SHOP.Client):  # type: ignore[misc, name-defined]
        calls = 0

        async def count(self) -> int:
            self.calls += 1
            return int(await super().count())

    async def inside() -> Any:
        async with Counting.connect(server().server, verify="off") as client:
            other = client.with_options(timeout=5)
            await other.count()
            await other.response(client.count)
            return client.calls, other.calls

    assert anyio.run(inside) == (1, 1)


def test_prompts_and_resources_inherit_the_options_of_the_client() -> None:
    class Dark(Scripted):
        async def get_prompt(self, ctx: Any, params: Any) -> Any:
            await anyio.sleep_forever()

        async def read_resource(self, ctx: Any, params: Any) -> Any:
            await anyio.sleep_forever()

    async def act(client: Any, _: Scripted) -> Any:
        hurried = client.with_options(timeout=0.05)
        for view in (hurried.prompts, client.prompts.with_options(timeout=0.05)):
            with pytest.raises(SHOP.CallTimeout):
                await view.pitch(item="A")
        with pytest.raises(SHOP.CallTimeout):
            await hurried.resources.read("shop://x")

    with patient():
        using(act, Dark())


def test_a_method_without_parameters_has_no_star() -> None:
    assert list(inspect.signature(SHOP.Client.count).parameters) == ["self"]
    assert list(inspect.signature(SHOP.Client.resources.fget).parameters) == ["self"]


def test_tools_never_shadow_client_attributes() -> None:
    names = ["with_options", "response", "models", "connect", "call", "tools", "prompts", "sync"]
    tools = {name: {"name": name, "inputSchema": {"type": "object"}} for name in names}
    client_package = import_client(contracts.shop(tools=tools), "hiding_nothing")
    base: Any = client_package.Client.__mro__[1]
    for name in names:
        assert callable(getattr(client_package.Client, f"{name}_"))
        assert vars(client_package.Client).get(name) is None or name in ("sync", "prompts")
    for name in ("with_options", "response", "connect", "call"):
        assert inspect.getattr_static(client_package.Client, name) is inspect.getattr_static(
            base, name
        )


def test_binary_content_is_saved_to_a_file(tmp_path: Path) -> None:
    package().Binary(b"\x89PNG", "image/png").save(tmp_path / "cover.png")
    assert (tmp_path / "cover.png").read_bytes() == b"\x89PNG"
