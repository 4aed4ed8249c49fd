"""Middleware: its order, its view of a call, and how it may change calls and results."""

from __future__ import annotations

import asyncio
import functools
import logging
import re
import threading
import time
from collections.abc import Callable
from typing import Any

import anyio
import pytest
from mcp import MCPError, types
from middleware_clients import MIDDLEWARE, SHOP, counting
from runtime.scripted import Scripted, structured_result, text_result, using


async def go_on(call: Any, proceed: Any) -> Any:
    return await proceed(call)


def plainly(call: Any, proceed: Any) -> Any:
    return proceed(call)


BOTH = pytest.mark.parametrize("middleware", [go_on, plainly])


def observed_call(act: Callable[[Any], Any]) -> Any:
    """Return the call that middleware receives."""
    calls: list[Any] = []

    async def look(call: Any, proceed: Any) -> Any:
        calls.append(call)
        return await proceed(call)

    async def act_on_client(client: Any, _: Scripted) -> None:
        await act(client)

    using(act_on_client, middleware=[look])
    [call] = calls
    return call


def test_call_has_arguments_and_tool_info() -> None:
    call = observed_call(lambda client: client.add(a=1, b=2))
    assert (call.kind, call.name, dict(call.arguments)) == ("tool", "add", {"a": 1, "b": 2})
    assert call.info is SHOP.Client.tools["add"]
    assert (call.hints.read_only, call.hints.destructive) == (True, True)
    assert isinstance(call, SHOP.Call)


def test_arguments_are_json_by_their_names_on_the_wire() -> None:
    call = observed_call(
        lambda client: client.order(item={"id": "A", "price": 1}, by_id={}, class_="fast")
    )
    assert dict(call.arguments) == {
        "item": {"id": "A", "price": 1},
        "by-id": {},
        "class": "fast",
    }


def test_call_is_frozen_with_read_only_arguments() -> None:
    call = observed_call(lambda client: client.add(a=1, b=2))
    with pytest.raises(AttributeError):
        call.name = "wipe"
    with pytest.raises(TypeError):
        call.arguments["a"] = 2


def test_absent_hints_have_protocol_defaults() -> None:
    hints = MIDDLEWARE.Hints.from_annotations({"readOnlyHint": "yes", "idempotentHint": True})
    assert hints == MIDDLEWARE.Hints(False, True, True, True)


def test_prompts_and_resources_pass_too() -> None:
    call = observed_call(lambda client: client.prompts.pitch(item="A", for_whom="me"))
    assert (call.kind, call.name) == ("prompt", "pitch")
    assert dict(call.arguments) == {"item": "A", "for-whom": "me"}
    call = observed_call(lambda client: client.resources.read("shop://opening"))
    assert (call.kind, call.name, dict(call.arguments)) == ("resource", "shop://opening", {})
    call = observed_call(lambda client: client.resources.shelf(shelf="b"))
    assert call.name == "shop://shelves/b"


def test_the_meta_of_a_call_is_shown() -> None:
    call = observed_call(lambda client: client.with_options(meta={"example.org/a": 1}).count())
    assert dict(call.meta) == {"example.org/a": 1}


@BOTH
def test_it_goes_on_with_the_call(middleware: Any) -> None:
    async def act(client: Any, server: Scripted) -> Any:
        return (await client.add(a=1, b=2)).sum, server.sent

    arguments, payload = using(act, Scripted(add={"sum": 3}), middleware=[middleware])
    assert (arguments, payload) == (3, [("add", {"a": 1, "b": 2})])


def test_the_first_is_outermost() -> None:
    order: list[str] = []

    def tracing_middleware(name: str) -> Any:
        async def middleware(call: Any, proceed: Any) -> Any:
            order.append(f"{name} in")
            result = await proceed(call)
            order.append(f"{name} out")
            return result

        return middleware

    def plain(call: Any, proceed: Any) -> Any:
        order.append("plain in")
        result = proceed(call)
        order.append("plain out")
        return result

    using(
        lambda client, _: client.count(),
        counting(),
        middleware=[tracing_middleware("a"), plain, tracing_middleware("b")],
    )
    assert order == ["a in", "plain in", "b in", "b out", "plain out", "a out"]


def replacing(**arguments: Any) -> Any:
    async def middleware(call: Any, proceed: Any) -> Any:
        return await proceed(call.replace(arguments=arguments))

    return middleware


def test_other_arguments_are_sent() -> None:
    async def act(client: Any, server: Scripted) -> Any:
        await client.add(a=1, b=2)
        await client.prompts.pitch(item="A")
        return server.sent

    async def double_arguments(call: Any, proceed: Any) -> Any:
        return await proceed(
            call.replace(arguments={name: value * 2 for name, value in call.arguments.items()})
        )

    assert using(act, Scripted(add={"sum": 3}), middleware=[double_arguments])[0] == (
        "add",
        {"a": 2, "b": 4},
    )


def test_other_arguments_of_a_prompt_are_sent() -> None:
    async def act(client: Any, _: Scripted) -> Any:
        return (await client.prompts.pitch(item="A")).messages[0].content.text

    assert using(act, middleware=[replacing(item="B")]) == '{"item": "B"}'


@BOTH
def test_other_arguments_are_checked_again(middleware: Any) -> None:
    async def act(client: Any, server: Scripted) -> None:
        with pytest.raises(SHOP.InvalidArguments) as refusal:
            await client.add(a=1, b=2)
        assert [problem.pointer for problem in refusal.value.problems] == ["/b"]
        assert server.sent == []

    using(act, middleware=[middleware, replacing(a=1, b="two")])


def test_other_arguments_of_prompts_and_resources_are_checked() -> None:
    async def act(client: Any, _: Scripted) -> None:
        with pytest.raises(SHOP.InvalidArguments, match="/item: not a string"):
            await client.prompts.pitch(item="A")
        with pytest.raises(SHOP.InvalidArguments, match="/item: resources have no arguments"):
            await client.resources.read("shop://opening")

    using(act, middleware=[replacing(item=1)])


def test_changed_arguments_are_validated_and_sent() -> None:
    async def act(client: Any, server: Scripted) -> Any:
        await client.order(item={"id": "A", "price": 1})
        return server.sent[0][1]

    async def discount(call: Any, proceed: Any) -> Any:
        call.arguments["item"]["price"] = 0
        return await proceed(call)

    async def spoil(call: Any, proceed: Any) -> Any:
        call.arguments["item"]["price"] = -1
        return await proceed(call)

    answer = {"item": {"id": "A", "price": 1}}
    assert using(act, Scripted(order=answer), middleware=[discount])["item"]["price"] == 0
    with pytest.raises(SHOP.InvalidArguments, match="/item/price"):
        using(act, Scripted(order=answer), middleware=[spoil])


def test_confirmation_sees_the_changed_arguments() -> None:
    questions: list[Any] = []

    def confirm(info: Any, arguments: Any) -> bool:
        questions.append((info.name, arguments))
        return True

    async def act(client: Any, _: Scripted) -> None:
        await client.add(a=1, b=2)

    options: Any = {"confirm": confirm, "confirm_when": "always"}
    using(act, Scripted(add={"sum": 3}), middleware=[replacing(a=5, b=6)], **options)
    assert questions == [("add", {"a": 5, "b": 6})]


def test_each_request_counts_for_the_limit() -> None:
    async def twice(call: Any, proceed: Any) -> Any:
        await proceed(call)
        return await proceed(call)

    async def act(client: Any, server: Scripted) -> Any:
        with pytest.raises(SHOP.TooManyCalls):
            await client.count()
        return len(server.sent)

    assert using(act, counting(), middleware=[twice], limit=1) == 1


@pytest.mark.parametrize("is_plain", [True, False])
def test_a_call_may_be_answered_without_the_server(*, is_plain: bool) -> None:
    def plain(call: Any, proceed: Any) -> Any:
        return structured_result(7)

    async def alone(call: Any, proceed: Any) -> Any:
        return structured_result(7)

    async def act(client: Any, server: Scripted) -> Any:
        return await client.count(), server.sent

    assert using(act, middleware=[plain if is_plain else alone]) == (7, [])


def test_changed_result_is_validated() -> None:
    async def spoil(call: Any, proceed: Any) -> Any:
        result = await proceed(call)
        return result.model_copy(update={"structured_content": -1})

    async def act(client: Any, _: Scripted) -> None:
        with pytest.raises(SHOP.InvalidResult):
            await client.count()

    using(act, counting(), middleware=[spoil])


def test_response_holds_the_changed_result() -> None:
    async def mark_result(call: Any, proceed: Any) -> Any:
        result = await proceed(call)
        return result.model_copy(update={"meta": {"example.org/by": "us"}})

    async def act(client: Any, _: Scripted) -> Any:
        return await client.response(client.count)

    response = using(act, counting(), middleware=[mark_result])
    assert (response.data, response.meta) == (1, {"example.org/by": "us"})


def test_middleware_call_is_not_recorded_in_the_response() -> None:
    async def act(client: Any, _: Scripted) -> Any:
        built.append(client)
        return await client.response(client.add, a=1, b=2)

    built: list[Any] = []

    async def counts(call: Any, proceed: Any) -> Any:
        result = await proceed(call)
        if call.name == "add":
            await built[0].count()
        return result

    assert using(act, counting(add={"sum": 3}), middleware=[counts]).data.sum == 3


@BOTH
def test_typed_errors_pass_through(middleware: Any) -> None:
    caught: list[str] = []

    async def look(call: Any, proceed: Any) -> Any:
        try:
            return await proceed(call)
        except SHOP.ProtocolError as error:
            caught.append(error.message)
            raise

    async def act(client: Any, _: Scripted) -> None:
        with pytest.raises(SHOP.ProtocolError):
            await client.count()

    using(act, Scripted(count=MCPError(-5, "no")), middleware=[look, middleware, look])
    assert caught == ["no", "no"]


def test_tool_error_reaches_middleware_as_a_result() -> None:
    texts: list[str] = []

    def look(call: Any, proceed: Any) -> Any:
        result = proceed(call)
        texts.append(result.content[0].text)
        return result

    async def act(client: Any, _: Scripted) -> None:
        with pytest.raises(SHOP.ToolError, match="broken"):
            await client.count()

    using(act, Scripted(count=text_result("broken", is_error=True)), middleware=[look])
    assert texts == ["broken"]


@BOTH
def test_an_error_can_be_made_up_for(middleware: Any) -> None:
    failures = [MCPError(-5, "no"), MCPError(-5, "no"), structured_result(3)]

    async def again(call: Any, proceed: Any) -> Any:
        for _ in range(2):
            try:
                return await proceed(call)
            except SHOP.ProtocolError:
                pass
        return await proceed(call)

    server = Scripted(count=lambda *_: failures.pop(0))
    assert using(lambda client, _: client.count(), server, middleware=[again, middleware]) == 3


@BOTH
def test_exception_of_middleware_is_raised(middleware: Any) -> None:
    def refuse(call: Any, proceed: Any) -> Any:
        raise PermissionError("not at night")

    async def act(client: Any, server: Scripted) -> None:
        with pytest.raises(PermissionError, match="not at night"):
            await client.count()
        assert server.sent == []

    using(act, middleware=[middleware, refuse])


@pytest.mark.parametrize("result", [None, {"structuredContent": 7}, 7])
def test_invalid_return_value_is_reported(result: Any) -> None:
    async def wrong(call: Any, proceed: Any) -> Any:
        return result

    async def act(client: Any, _: Scripted) -> None:
        kind = type(result).__name__
        with pytest.raises(TypeError, match=f"middleware returned {kind} for a tool"):
            await client.count()

    using(act, middleware=[wrong])


def test_result_of_another_kind_is_rejected() -> None:
    async def wrong(call: Any, proceed: Any) -> Any:
        return types.ReadResourceResult(contents=[])

    async def act(client: Any, _: Scripted) -> None:
        with pytest.raises(TypeError, match="ReadResourceResult for a prompt"):
            await client.prompts.pitch(item="A")

    using(act, middleware=[wrong])


def test_it_can_go_on_with_its_own_call_alone() -> None:
    calls: list[Any] = []

    async def replay_first_call(call: Any, proceed: Any) -> Any:
        calls.append(call)
        return await proceed(calls[0])

    async def act(client: Any, _: Scripted) -> None:
        await client.count()
        with pytest.raises(TypeError, match="can't change the target of a call: 'names'"):
            await client.names()

    using(act, counting(), middleware=[replay_first_call])


def test_non_callable_middleware_is_rejected() -> None:
    with pytest.raises(TypeError, match="middleware must be callable, not str"):
        SHOP.Client.connect(middleware=["log"])


class Stateful:
    """A middleware that is an object."""

    def __init__(self) -> None:
        self.names: list[str] = []

    async def __call__(self, call: Any, proceed: Any) -> Any:
        self.names.append(call.name)
        return await proceed(call)


def test_objects_partials_and_decorated_functions_are_middleware() -> None:
    stateful = Stateful()

    async def tag_calls(tags: list[str], call: Any, proceed: Any) -> Any:
        tags.append(call.name)
        return await proceed(call)

    def wrap(function: Any) -> Any:
        @functools.wraps(function)
        def inner(*args: Any) -> Any:
            return function(*args)

        return inner

    tags: list[str] = []
    middleware = [stateful, functools.partial(tag_calls, tags), wrap(go_on)]
    assert using(lambda client, _: client.count(), counting(), middleware=middleware) == 1
    assert (stateful.names, tags) == (["count"], ["count"])


def test_sync_middleware_runs_in_a_thread_without_blocking() -> None:
    threads: set[int] = set()

    def slow(call: Any, proceed: Any) -> Any:
        threads.add(threading.get_ident())
        time.sleep(0.3)
        return proceed(call)

    async def act(client: Any, _: Scripted) -> float:
        started = time.monotonic()
        async with anyio.create_task_group() as tasks:
            for _ in range(50):  # more than the threads that anyio gives at once
                tasks.start_soon(client.count)
        return time.monotonic() - started

    assert using(act, counting(), middleware=[slow, plainly]) < 5
    assert threading.get_ident() not in threads


def test_many_sync_middleware_calls_run_concurrently() -> None:
    async def act(client: Any, server: Scripted) -> int:
        with anyio.fail_after(20):
            async with anyio.create_task_group() as tasks:
                for _ in range(60):
                    tasks.start_soon(client.count)
        return len(server.sent)

    assert using(act, counting(), middleware=[plainly] * 3) == 60


@BOTH
def test_cancelled_call_ends_its_middleware(middleware: Any) -> None:
    ended: list[str] = []

    async def hang(ctx: Any, params: Any) -> Any:
        try:
            await anyio.sleep(60)
        finally:
            ended.append("server")

    async def act(client: Any, _: Scripted) -> None:
        with anyio.move_on_after(0.2) as scope:
            await client.count()
        assert scope.cancelled_caught
        task = asyncio.create_task(client.count())
        await asyncio.sleep(0.2)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        with anyio.fail_after(5):
            while len(ended) < 2:
                await anyio.sleep(0.01)

    using(act, Scripted(count=hang), middleware=[middleware])
    assert ended == ["server", "server"]


def test_time_limit_covers_only_the_request() -> None:
    async def slow(call: Any, proceed: Any) -> Any:
        await anyio.sleep(0.3)
        return await proceed(call)

    async def act(client: Any, _: Scripted) -> Any:
        return await client.count()

    assert using(act, counting(), middleware=[slow], timeout=0.2) == 1


def test_a_client_without_async_has_it_too() -> None:
    stateful = Stateful()
    shop = counting()
    connecting = SHOP.Client.sync.connect(shop.server, verify="off", middleware=[stateful, plainly])
    with connecting as client:
        assert client.count() == 1
        assert client.prompts.pitch(item="A").messages
    assert stateful.names == ["count", "pitch"]


def test_middleware_runs_in_the_loop_of_the_connection() -> None:
    threads: list[int] = []

    async def look(call: Any, proceed: Any) -> Any:
        threads.append(threading.get_ident())
        return await proceed(call)

    async def act() -> Any:
        client = await SHOP.Client.open(counting().server, verify="off", middleware=[look])
        try:
            return await asyncio.to_thread(lambda: asyncio.run(client.count()))
        finally:
            await client.aclose()
            with pytest.raises(SHOP.ConnectionLost):
                await client.count()

    assert asyncio.run(act()) == 1
    assert threads == [threading.get_ident()]


def test_each_call_is_logged_once_with_all_its_attempts(caplog: pytest.LogCaptureFixture) -> None:
    async def twice(call: Any, proceed: Any) -> Any:
        await proceed(call)
        return await proceed(call)

    with caplog.at_level(logging.INFO, f"{SHOP.__name__}.audit"):
        using(lambda client, _: client.count(), counting(), middleware=[twice])
    [record] = caplog.records
    assert "attempts=2 outcome=done" in record.getMessage()


def logged_call(
    caplog: pytest.LogCaptureFixture, act: Any, server: Scripted, **options: Any
) -> str:
    with caplog.at_level(logging.INFO, f"{SHOP.__name__}.calls"):
        using(act, server, middleware=[MIDDLEWARE.logging(**options)])
    [record] = [
        log_record for log_record in caplog.records if log_record.name == f"{SHOP.__name__}.calls"
    ]
    return f"{record.levelname} {record.getMessage()}"


def test_a_call_is_logged_with_names_and_no_value(caplog: pytest.LogCaptureFixture) -> None:
    line = logged_call(
        caplog,
        lambda client, _: client.label(code="ABC"),
        Scripted(label={"printed": "ok: secret"}),
    )
    assert re.fullmatch(
        r"INFO tool='label' arguments=\['code'\] seconds=\d\.\d{3} outcome=done", line
    )


def test_values_are_logged_where_they_are_asked_for(caplog: pytest.LogCaptureFixture) -> None:
    line = logged_call(
        caplog,
        lambda client, _: client.label(code="ABC"),
        Scripted(label={"printed": "ok: \n"}),
        values=True,
    )
    assert 'arguments={"code": "ABC"}' in line
    assert '"printed": "ok: \\n"' in line
    assert "\n" not in line


def test_a_failure_is_logged_as_a_warning(caplog: pytest.LogCaptureFixture) -> None:
    async def act(client: Any, _: Scripted) -> None:
        with pytest.raises(SHOP.ToolError):
            await client.count()

    line = logged_call(caplog, act, Scripted(count=text_result("secret", is_error=True)))
    assert line.startswith("WARNING tool='count' arguments=[] ")
    assert line.endswith("outcome=error")


def test_an_error_is_logged_by_its_type(caplog: pytest.LogCaptureFixture) -> None:
    async def act(client: Any, _: Scripted) -> None:
        with pytest.raises(SHOP.ProtocolError):
            await client.count()

    line = logged_call(caplog, act, Scripted(count=MCPError(-5, "secret")))
    assert line.endswith("outcome=ProtocolError")
