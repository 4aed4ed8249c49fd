"""A call of a generated client: the request, the result and the log."""

from __future__ import annotations

import contextlib
import logging
import math
import re
from datetime import date
from typing import Any

import anyio
import pytest
from guards import PATIENCE, patient
from mcp import MCPError, types
from mcpgen_runtime import contract as runtime_contract
from mcpgen_runtime.calls import retry
from mcpgen_runtime.validation import schemas
from runtime.packages import STYLES, import_client, package, part
from runtime.scripted import Scripted, call_without_arguments, structured_result, text_result, using

from mcpgen.codegen.pipeline import Options, generate
from mcpgen.codegen.plan import Style
from runtime import contracts

SHOP = package()
ITEM = {"id": "A", "price": 1}
ORDERED = {"item": ITEM}
CANARY = "canary-5ecret"


def sent_arguments(tool: str, style: Style = "dataclass", **arguments: Any) -> Any:
    """Call a tool and return the arguments that the server received."""

    async def act(client: Any, server: Scripted) -> Any:
        await client.response(getattr(client, tool), **arguments)
        return server.sent

    [(name, value)] = using(act, Scripted(order=ORDERED), style=style)
    assert name == tool
    return value


def rejected_call(tool: str, style: Style = "dataclass", **arguments: Any) -> Any:
    """Make an invalid call, check that nothing is sent, and return the error."""

    async def act(client: Any, server: Scripted) -> Any:
        with pytest.raises(package(style).InvalidArguments) as refusal:
            await getattr(client, tool)(**arguments)
        assert server.sent == []
        assert refusal.value.tool == tool
        assert "nothing was sent" in str(refusal.value)
        return refusal.value

    return using(act, style=style)


# Arguments

every_style = pytest.mark.parametrize("style", STYLES)


@every_style
def test_absent_arguments_are_not_sent(style: Style) -> None:
    assert sent_arguments("order", style, item=ITEM) == {"item": ITEM}


@every_style
def test_null_is_sent_where_it_is_given(style: Style) -> None:
    assert sent_arguments("order", style, item=ITEM, gift=None) == {"item": ITEM, "gift": None}


@every_style
def test_a_default_is_sent_where_it_is_given(style: Style) -> None:
    arguments = sent_arguments("order", style, item=ITEM, class_="slow", count=1)
    assert arguments == {"item": ITEM, "class": "slow", "count": 1}


@every_style
def test_wire_names_are_sent(style: Style) -> None:
    arguments = sent_arguments("order", style, item=ITEM, by_id={"x": ITEM}, self_="me", timeout=3)
    assert arguments == {"item": ITEM, "by-id": {"x": ITEM}, "self": "me", "timeout": 3}


@pytest.mark.parametrize("style", ["dataclass", "basemodel"])
def test_objects_and_plain_json_can_both_be_given(style: Style) -> None:
    kind = part(package(style), "models.order").OrderInputItem
    result = kind(id="B", price=2, made_on=date(2026, 11, 21), parts=[kind(id="C", price=0.5)])
    plain = {"id": "B", "price": 2, "made-on": "2026-11-21", "parts": [{"id": "C", "price": 0.5}]}
    arguments = sent_arguments(
        "order", style, item=result, others=[result, plain], by_id={"a": result, "b": plain}
    )
    assert arguments == {"item": plain, "others": [plain, plain], "by-id": {"a": plain, "b": plain}}


@pytest.mark.parametrize("style", ["dataclass", "basemodel"])
def test_null_properties_are_sent_and_absent_ones_are_not(style: Style) -> None:
    kind = part(package(style), "models.order").OrderInputItem
    assert sent_arguments("order", style, item=kind(id="B", price=2, note=None)) == {
        "item": {"id": "B", "price": 2, "note": None}
    }


@every_style
def test_unknown_members_of_open_arguments_are_sent(style: Style) -> None:
    item = {**ITEM, "x-vendor": [1]}
    assert sent_arguments("order", style, item=item) == {"item": item}


def test_python_dates_are_sent_as_text() -> None:
    assert sent_arguments("formats", on=date(2026, 11, 21)) == {"on": "2026-11-21"}
    assert sent_arguments("formats", on="2026-11-21") == {"on": "2026-11-21"}
    assert sent_arguments("formats", on="tomorrow") == {"on": "tomorrow"}


INVALID: list[tuple[dict[str, Any], str]] = [
    ({"a": "1", "b": 2}, "/a"),
    ({"a": True, "b": 2}, "/a"),
    ({"a": 1.5, "b": 2}, "/a"),
    ({"a": None, "b": 2}, "/a"),
]


@every_style
@pytest.mark.parametrize(("arguments", "pointer"), INVALID)
def test_invalid_arguments_are_never_sent(
    style: Style, arguments: dict[str, Any], pointer: str
) -> None:
    assert [problem.pointer for problem in rejected_call("add", style, **arguments).problems] == [
        pointer
    ]


@every_style
def test_the_law_wins_where_the_type_says_less(style: Style) -> None:
    error = rejected_call("label", style, code="abc")
    assert [problem.pointer for problem in error.problems] == ["/code"]
    assert "pattern" in error.problems[0].reason or "match" in error.problems[0].reason
    assert sent_arguments("label", style, code="ABC") == {"code": "ABC"}


@every_style
def test_a_nested_problem_is_named_by_its_pointer(style: Style) -> None:
    item = {"id": "A", "price": 1, "parts": [{"id": "B", "price": -1}]}
    error = rejected_call("order", style, item=item)
    assert [problem.pointer for problem in error.problems] == ["/item/parts/0/price"]


def test_no_more_than_a_few_problems_are_listed() -> None:
    error = rejected_call("order", item=ITEM, others=[{"id": 1, "price": -1}] * 50)
    assert len(error.problems) == 10


@pytest.mark.parametrize(
    "value", [math.nan, math.inf, -math.inf, object(), {1, object()}, "\ud800"]
)
@pytest.mark.parametrize("tool", ["order", "loose"])
def test_non_json_values_are_never_sent(tool: str, value: object) -> None:
    arguments = {"item": {**ITEM, "x": value}}
    rejected_call(tool, **(arguments if tool == "order" else {"arguments": arguments}))


def test_cyclic_value_is_never_sent() -> None:
    item: dict[str, Any] = {"id": "A", "price": 1}
    item["x"] = [item]
    rejected_call("order", item=item)


def test_a_tool_without_input_schema_takes_plain_json() -> None:
    arguments = {"any": [1, None, {"thing": True}], "class": 1, "": 2}
    assert sent_arguments("loose", arguments=arguments) == arguments


# Results


def test_a_result_is_an_object_of_its_type() -> None:
    answer = {"item": {**ITEM, "parts": [ITEM], "made-on": "2026-11-21"}, "from": "x", "more": 1}

    async def act(client: Any, _: Scripted) -> Any:
        return await client.order(item=ITEM)

    result = using(act, Scripted(order=answer))
    assert type(result) is SHOP.OrderOutput
    assert result.item.parts[0].id == "A"
    assert result.item.made_on == date(2026, 11, 21)
    assert (result.from_, result.due) == ("x", None)
    assert SHOP.extras(result) == {"more": 1}
    assert SHOP.raw_json(result) == answer


def test_a_typed_dict_is_the_json_itself() -> None:
    answer = {"item": {**ITEM, "made-on": "2026-11-21", "x": 1}, "from": "x", "more": 1}

    async def act(client: Any, _: Scripted) -> Any:
        return await client.order(item=ITEM)

    assert using(act, Scripted(order=answer), style="typeddict") == answer


ANSWERS: list[tuple[str, Any]] = [
    ("count", 3),
    ("names", ["a", "b"]),
    ("names", []),
    ("motto", "buy"),
    ("motto", ""),
    ("motto", '{"a": 1}'),
    ("motto", "3"),
    ("motto", "null"),
    ("unmarked", {"result": 1}),
]


@every_style
@pytest.mark.parametrize("revision", ["2026-07-28", "2025-11-25"])
@pytest.mark.parametrize(("tool", "answer"), ANSWERS)
def test_results_of_all_kinds_come_back_in_both_eras(
    style: Style, revision: str, tool: str, answer: Any
) -> None:
    shop = of_era(revision, style)

    async def inside() -> Any:
        async with shop.Client.connect(Scripted(**{tool: answer}).server, verify="off") as client:
            return shop.raw_json(await getattr(client, tool)()), client.session.protocol_version

    assert anyio.run(inside) == (answer, revision)


@every_style
@pytest.mark.parametrize("revision", ["2026-07-28", "2025-11-25"])
def test_null_can_be_a_result(style: Style, revision: str) -> None:
    shop = of_era(revision, style)

    async def inside() -> Any:
        server = Scripted(nothing=text_result("null"), find=text_result("null"))
        async with shop.Client.connect(server.server, verify="off") as client:
            return await client.nothing(), await client.find()

    assert anyio.run(inside) == (None, None)


def of_era(revision: str, style: Style) -> Any:
    if revision == "2026-07-28":
        return package(style)
    return import_client(contracts.shop(revision=revision), f"legacy_{style}", style)


@every_style
def test_a_list_of_objects_is_typed_and_remembered(style: Style) -> None:
    answer = [ITEM, {"id": "B", "price": 2.5, "x": 1}]
    result = call_without_arguments("items", answer, style=style)
    assert package(style).raw_json(result) == answer
    assert (result[1]["id"] if style == "typeddict" else result[1].id) == "B"


@every_style
def test_a_marked_result_is_unwrapped_and_another_is_not(style: Style) -> None:
    assert call_without_arguments("wrapped", {"result": [1, 2]}, style=style) == [1, 2]
    unmarked = call_without_arguments("unmarked", {"result": 1}, style=style)
    assert (unmarked if style == "typeddict" else {"result": unmarked.result}) == {"result": 1}


@every_style
@pytest.mark.parametrize("text", ['{"result": [1, 2]}', "[1, 2]"])
def test_wrapped_result_may_be_text_or_unwrapped(style: Style, text: str) -> None:
    assert call_without_arguments("wrapped", text_result(text), style=style) == [1, 2]


@every_style
@pytest.mark.parametrize(
    "result",
    [
        structured_result({"printed": "no"}),
        structured_result({"printed": 1}),
        structured_result({}),
        structured_result([]),
        text_result('{"printed": "no"}'),
        text_result("not json"),
        text_result(),
        text_result('{"printed": "ok:"}', "and more"),
    ],
)
def test_invalid_result_is_rejected_with_the_arguments(
    style: Style, result: types.CallToolResult
) -> None:
    async def act(client: Any, _: Scripted) -> Any:
        with pytest.raises(package(style).InvalidResult) as refusal:
            await client.label(code="ABC")
        return refusal.value

    error = using(act, Scripted(label=result), style=style)
    assert error.tool == "label"
    assert error.problems
    assert error.result.content == result.content


@every_style
def test_no_structured_content_is_an_invalid_result(style: Style) -> None:
    with pytest.raises(package(style).InvalidResult, match="there is no structured content"):
        call_without_arguments("count", text_result(), style=style)


@every_style
def test_tool_error_raises_with_its_content(style: Style) -> None:
    with pytest.raises(package(style).ToolError) as failure:
        call_without_arguments(
            "count", text_result("no such shelf", "try another", is_error=True), style=style
        )
    assert failure.value.tool == "count"
    assert failure.value.text == "no such shelf\ntry another"
    assert str(failure.value) == "count: no such shelf\ntry another"
    assert failure.value.result.is_error is True


def test_a_failure_without_text_says_so() -> None:
    with pytest.raises(SHOP.ToolError, match="the tool failed without a message"):
        call_without_arguments("count", text_result(is_error=True))


def test_protocol_error_raises_with_its_data() -> None:
    with pytest.raises(SHOP.ProtocolError) as failure:
        call_without_arguments(
            "count", MCPError(-32602, "Unknown tool: count", {"near": ["counts"]})
        )
    error = failure.value
    assert (error.target, error.code, error.message) == ("count", -32602, "Unknown tool: count")
    assert error.data == {"near": ["counts"]}
    assert str(error) == "count: Unknown tool: count (-32602)"


def test_non_protocol_response_is_an_invalid_result() -> None:
    odd = types.CallToolResult(content=[])

    async def act(client: Any, _: Scripted) -> Any:
        async def broken(*_: Any, **__: Any) -> Any:
            types.CallToolResult.model_validate({"content": CANARY})

        vars(client.session)["call_tool"] = broken
        await client.count()

    with pytest.raises(SHOP.InvalidResult) as failure:
        using(act, Scripted(count=odd))
    assert failure.value.result is None
    assert CANARY not in str(failure.value)


# Results without an output schema


def test_content_without_schema_is_sorted_by_kind() -> None:
    data = "aGVsbG8="
    blocks: list[Any] = [
        types.TextContent(type="text", text='{"a":'),
        types.ImageContent(type="image", data=data, mime_type="image/png"),
        types.TextContent(type="text", text="1}"),
        types.AudioContent(type="audio", data=data, mime_type="audio/wav"),
        types.ResourceLink(type="resource_link", uri="shop://opening", name="opening"),
        types.EmbeddedResource(
            type="resource", resource=types.TextResourceContents(uri="shop://a", text="in")
        ),
    ]

    async def act(client: Any, _: Scripted) -> Any:
        return await client.explain(topic="x")

    result = using(act, Scripted(explain=types.CallToolResult(content=blocks)))
    assert isinstance(result, SHOP.ToolResult)
    assert result.text == '{"a":\n1}'
    assert result.json() == {"a": 1}
    assert [(image.data, image.mime_type) for image in result.images] == [(b"hello", "image/png")]
    assert [(clip.data, clip.mime_type) for clip in result.audio] == [(b"hello", "audio/wav")]
    assert [link.uri for link in result.resource_links] == ["shop://opening"]
    assert [resource.text for resource in result.resources] == ["in"]
    assert len(result.raw.content) == 6


@pytest.mark.parametrize("value", [{"a": 1}, [1], 3, "text", False])
def test_structured_content_without_schema_is_its_json(value: Any) -> None:
    async def act(client: Any, _: Scripted) -> Any:
        return (await client.explain(topic="x")).json()

    assert using(act, Scripted(explain=structured_result(value))) == value


def test_non_json_text_is_a_value_error() -> None:
    async def act(client: Any, _: Scripted) -> Any:
        return (await client.explain(topic="x")).json()

    with pytest.raises(ValueError, match="Expecting value"):
        using(act, Scripted(explain=text_result("no json")))


# Time limits, progress, metadata, cancellation


async def slow(ctx: Any, params: Any) -> Any:
    del ctx, params
    await anyio.sleep_forever()


@pytest.mark.parametrize("options", [{"timeout": 0.05}, {}], ids=["client", "call"])
def test_a_call_takes_no_longer_than_its_limit(options: Any) -> None:
    async def act(client: Any, _: Scripted) -> Any:
        with pytest.raises(SHOP.CallTimeout) as late:
            await client.with_options(timeout=None if options else 0.05).count()
        assert isinstance(late.value, TimeoutError)
        assert (late.value.target, late.value.seconds) == ("count", 0.05)
        assert str(late.value) == "count: no response within 0.05 s"
        assert await client.with_options(timeout=PATIENCE).names() == ["still here"]

    with patient():
        using(act, Scripted(count=slow, names=["still here"]), **options)


def test_a_limit_of_nothing_is_reached_at_once() -> None:
    async def act(client: Any, _: Scripted) -> Any:
        with pytest.raises(SHOP.CallTimeout):
            await client.with_options(timeout=0).count()

    with patient():
        using(act, Scripted(count=slow))


@pytest.mark.parametrize("options", [{"timeout": None}, {"timeout": math.inf}, {"timeout": 0.01}])
def test_a_call_may_have_no_limit(options: Any) -> None:
    async def a_while(ctx: Any, params: Any) -> Any:
        del ctx, params
        await anyio.sleep(0.1)
        return 1

    async def act(client: Any, _: Scripted) -> Any:
        limit = math.inf if options["timeout"] else None
        return await client.with_options(timeout=limit).count()

    assert using(act, Scripted(count=a_while), **options) == 1


def test_server_error_with_timeout_code_is_no_timeout() -> None:
    with pytest.raises(SHOP.ProtocolError, match="the shelf is busy"):
        call_without_arguments("count", MCPError(types.REQUEST_TIMEOUT, "the shelf is busy"))


def test_progress_is_reported() -> None:
    messages: list[Any] = []

    async def on_progress(progress: float, total: float | None, message: str | None) -> None:
        messages.append((progress, total, message))

    async def counting(ctx: Any, params: Any) -> Any:
        del params
        await ctx.session.report_progress(1, 2, "half")
        await ctx.session.report_progress(2, 2, None)
        return 2

    async def act(client: Any, _: Scripted) -> Any:
        return await client.with_options(on_progress=on_progress).count()

    assert using(act, Scripted(count=counting)) == 2
    assert messages == [(1, 2, "half"), (2, 2, None)]


def test_progress_callback_may_be_synchronous() -> None:
    messages: list[Any] = []

    def on_progress(progress: float, total: float | None, message: str | None) -> None:
        messages.append((progress, total, message))

    async def counting(ctx: Any, params: Any) -> Any:
        del params
        await ctx.session.report_progress(1, 2, "half")
        await ctx.session.report_progress(2, 2, None)
        return 2

    async def act(client: Any, _: Scripted) -> Any:
        return await client.with_options(on_progress=on_progress).count()

    assert using(act, Scripted(count=counting)) == 2
    assert messages == [(1, 2, "half"), (2, 2, None)]


@pytest.mark.parametrize("is_async", [True, False])
@pytest.mark.parametrize("goes_on", [True, False])
def test_exception_of_a_progress_callback_ends_the_call(is_async: bool, goes_on: bool) -> None:
    own = KeyError("mine")

    async def later(progress: float, total: float | None, message: str | None) -> None:
        await anyio.sleep(0.01)
        raise own

    def at_once(progress: float, total: float | None, message: str | None) -> None:
        raise own

    async def counting(ctx: Any, params: Any) -> Any:
        del params
        await ctx.session.report_progress(1, 2, "half")
        await (anyio.sleep_forever() if goes_on else anyio.sleep(0))
        return 2

    async def act(client: Any, _: Scripted) -> Any:
        with pytest.raises(KeyError) as caught:
            await client.with_options(on_progress=later if is_async else at_once).count()
        assert caught.value is own
        assert await client.names() == ["still here"]

    with patient():
        using(act, Scripted(count=counting, names=["still here"]))


def test_metadata_is_sent() -> None:
    async def act(client: Any, server: Scripted) -> Any:
        await client.with_options(meta={"example.org/trace": "abc"}).count()
        return server.metas

    [meta] = using(act, Scripted(count=1))
    assert meta["example.org/trace"] == "abc"


def test_a_cancelled_call_leaves_the_client_usable() -> None:
    async def act(client: Any, _: Scripted) -> Any:
        with anyio.move_on_after(0.05) as scope:
            await client.count()
        assert scope.cancelled_caught
        return await client.names()

    assert using(act, Scripted(count=slow, names=["x"])) == ["x"]


def test_calls_can_be_made_at_the_same_time() -> None:
    transcript: dict[int, anyio.Event] = {}

    async def adding(ctx: Any, params: Any) -> Any:
        del ctx
        number = params.arguments["a"]
        if number < 3:
            await transcript[number + 1].wait()
        return {"sum": number}

    async def act(client: Any, _: Scripted) -> Any:
        numbers: list[int] = []
        transcript.update({number: anyio.Event() for number in (1, 2, 3)})

        async def call(number: int) -> None:
            numbers.append((await client.add(a=number, b=0)).sum)
            transcript[number].set()

        async with anyio.create_task_group() as group:
            for number in (1, 2, 3):
                group.start_soon(call, number)
        return numbers

    with patient():
        assert using(act, Scripted(add=adding)) == [3, 2, 1]


# The audit log


def log_records(
    caplog: pytest.LogCaptureFixture, act: Any, server: Scripted, **options: Any
) -> str:
    """Run a function and return all log records about it, from every logger and level."""
    caplog.set_level(logging.DEBUG, "shop_dataclass")
    using(act, server, **options)
    return "\n".join(
        f"{record.name}: {record.getMessage()}"
        for record in caplog.records
        if record.name.startswith("shop_dataclass")
    )


def test_each_call_is_logged_without_values(caplog: pytest.LogCaptureFixture) -> None:
    async def act(client: Any, _: Scripted) -> Any:
        await client.order(item={"id": CANARY, "price": 1}, gift=CANARY)

    text = log_records(caplog, act, Scripted(order={"item": {"id": CANARY, "price": 2}}))
    message = r"shop_dataclass\.audit: tool='order' arguments=\['gift', 'item'\] seconds=[0-9.]+ .*"
    assert re.match(message, text)
    assert text.endswith(" outcome=done")
    assert CANARY not in text


def outcome(text: str) -> str:
    assert CANARY not in text
    assert text.count("audit") == 1
    return text.rpartition("outcome=")[2]


@pytest.mark.parametrize(
    ("answer", "arguments", "expected"),
    [
        (text_result(CANARY, is_error=True), {"code": "ABC"}, "ToolError"),
        (MCPError(-32603, CANARY, CANARY), {"code": "ABC"}, "ProtocolError"),
        ({"printed": CANARY}, {"code": "ABC"}, "InvalidResult"),
        ({"printed": "ok:"}, {"code": CANARY}, "InvalidArguments"),
        ({"printed": "ok:"}, {"code": {1: object()}}, "InvalidArguments"),
        (slow, {"code": "ABC"}, "CallTimeout"),
        ({"printed": "ok:" + CANARY}, {"code": "ABC"}, "done"),
    ],
)
def test_every_outcome_is_logged_by_its_name(
    caplog: pytest.LogCaptureFixture, answer: Any, arguments: Any, expected: str
) -> None:
    async def act(client: Any, _: Scripted) -> Any:
        limit = 0.02 if expected == "CallTimeout" else None
        with contextlib.suppress(SHOP.ClientError):
            await client.with_options(timeout=limit).label(**arguments)

    assert outcome(log_records(caplog, act, Scripted(label=answer))) == expected


def test_a_cancelled_call_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    async def act(client: Any, _: Scripted) -> Any:
        with anyio.move_on_after(0.02):
            await client.count()

    assert outcome(log_records(caplog, act, Scripted(count=slow))) == "cancelled"


def test_a_refused_call_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    async def act(client: Any, _: Scripted) -> Any:
        with pytest.raises(SHOP.NotConfirmed):
            await client.wipe()

    assert outcome(log_records(caplog, act, Scripted(), confirm=lambda *_: False)) == "NotConfirmed"


def test_names_in_the_log_cannot_forge_a_line(caplog: pytest.LogCaptureFixture) -> None:
    async def act(client: Any, _: Scripted) -> Any:
        await client.loose(arguments={"a\nshop.audit: forged": 1})

    assert "\n" not in log_records(caplog, act, Scripted(loose=text_result("ok")))


# Confirmation


def confirmed_calls(
    tool: str, answer: Any = True, when: Any = "risky", trust: bool = True, **arguments: Any
) -> list[Any]:
    """Call a tool and return the confirmations that the hook received."""
    questions: list[Any] = []

    async def later(info: Any, value: Any) -> Any:
        await anyio.sleep(0)
        questions.append((info.name, value))
        return answer

    def at_once(info: Any, options: Any) -> Any:
        questions.append((info.name, options))
        return answer

    async def act(client: Any, server: Scripted) -> Any:
        await getattr(client, tool)(**arguments)
        return server.sent

    for hook in (at_once, later):
        shop = Scripted(order=ORDERED, label={"printed": "ok:"}, count=1)
        using(act, shop, confirm=hook, confirm_when=when, trust=trust)
    return questions


def test_harmless_tool_needs_no_confirmation() -> None:
    assert confirmed_calls("count") == []
    assert confirmed_calls("order", item=ITEM) == []


def test_without_trust_the_hook_is_asked_about_every_tool() -> None:
    assert confirmed_calls("count", trust=False) == [("count", {})] * 2
    assert confirmed_calls("order", item=ITEM, trust=False) == [("order", {"item": ITEM})] * 2


def test_trust_is_a_default_of_the_package() -> None:
    trusting = generate(contracts.SHOP, Options(name="trusting_shop", trust=True)).files
    assert "    _trust = True\n" in trusting["client.py"]
    assert "_trust" not in generate(contracts.SHOP, Options(name="shop")).files["client.py"]
    hostile = contracts.shop(server={"name": "demo", "trust": True}, tools={})
    assert "_trust" not in generate(hostile, Options(name="demo")).files["client.py"]


@pytest.mark.parametrize("trust", [True, False])
def test_tools_for_agents_need_approval_where_confirm_is_asked(trust: bool) -> None:
    async def act(client: Any, server: Scripted) -> Any:
        return {name: tool.needs_approval for name, tool in client.tools.select().items()}

    needed = using(act, Scripted(), trust=trust)
    assert needed["wipe"] is True
    assert needed["count"] is not trust


def test_select_leaves_out_destructive_tools_and_takes_a_predicate() -> None:
    async def act(client: Any, server: Scripted) -> Any:
        assert "wipe" not in client.tools.select(destructive=False)
        assert "count" in client.tools.select(destructive=False)
        assert {*client.tools.select(only=lambda tool: tool.wire == "count")} == {"count"}
        names = [
            definition["name"] for definition in client.tools.definitions("mcp", destructive=False)
        ]
        assert "wipe" not in names

    using(act, Scripted())


def test_retries_ignore_hints_if_asked_to() -> None:
    is_safe = retry.is_safe
    info = SHOP.Client.tools["count"]
    assert is_safe(info, SHOP.Retry())
    assert not is_safe(info, SHOP.Retry(hints=False))
    assert is_safe(info, SHOP.Retry(hints=False, safe=["count"]))


def test_tool_without_hints_counts_as_destructive() -> None:
    assert confirmed_calls("wipe") == [("wipe", {})] * 2
    assert confirmed_calls("label", code="ABC") == [("label", {"code": "ABC"})] * 2


def test_tool_with_contradictory_hints_is_confirmed() -> None:
    hints = {"readOnlyHint": True, "destructiveHint": True}
    tool: Any = {**contracts.TOOLS[4], "annotations": hints}
    client_package = import_client(contracts.shop(tools={"count": tool}), "contradicting")
    assert not client_package.Client.tools["count"].is_harmless


def test_the_hook_may_be_asked_about_every_tool() -> None:
    assert confirmed_calls("count", when="always") == [("count", {})] * 2


@pytest.mark.parametrize("answer", [False, None, 1, "yes", 0])
def test_only_true_confirms(answer: Any) -> None:
    async def act(client: Any, server: Scripted) -> Any:
        with pytest.raises(SHOP.NotConfirmed) as refusal:
            await client.label(code="ABC")
        assert server.sent == []
        assert (refusal.value.tool, refusal.value.arguments) == ("label", {"code": "ABC"})
        assert "ABC" not in str(refusal.value)

    using(act, confirm=lambda *_: answer)


def test_the_hook_is_asked_about_valid_arguments_only() -> None:
    def never(*_: Any) -> bool:
        raise AssertionError

    async def act(client: Any, _: Scripted) -> Any:
        with pytest.raises(SHOP.InvalidArguments):
            await client.label(code="abc")

    using(act, confirm=never)


def test_hook_cannot_change_the_sent_arguments() -> None:
    def meddling(_: Any, arguments: Any) -> bool:
        arguments["code"] = "not valid"
        return True

    async def act(client: Any, server: Scripted) -> Any:
        await client.label(code="ABC")
        return server.sent

    payload = using(act, Scripted(label={"printed": "ok:"}), confirm=meddling)
    assert payload == [("label", {"code": "ABC"})]


def test_exception_of_the_hook_is_raised() -> None:
    def failing(*_: Any) -> bool:
        raise KeyError("mine")

    async def act(client: Any, server: Scripted) -> Any:
        with pytest.raises(KeyError, match="mine"):
            await client.wipe()
        assert server.sent == []

    using(act, confirm=failing)


# The tools as data, and names


def test_tool_info_holds_server_text_as_data() -> None:
    info = SHOP.Client.tools["explain"]
    assert (info.name, info.title, info.description) == (
        "explain",
        "Explain a topic",
        "The tool explain.",
    )
    assert info.annotations["openWorldHint"] is False
    assert info.icons == ({"src": "https://example.org/icon.png", "mimeType": "image/png"},)
    assert info.meta == {"example.org/team": "sales"}
    assert info.definition["inputSchema"]["required"] == ["topic"]
    assert info.is_harmless
    assert not SHOP.Client.tools["wipe"].is_harmless
    assert len(SHOP.Client.tools) == len(contracts.TOOLS)
    assert set(SHOP.Client.sync.tools) == {tool["name"] for tool in contracts.TOOLS}
    assert "nobody" not in SHOP.Client.tools


def test_odd_claims_of_a_tool_do_no_harm() -> None:
    odd = {
        "name": "odd",
        "inputSchema": {"type": "object"},
        "title": 1,
        "description": None,
        "annotations": [],
        "icons": {"a": 1},
        "_meta": "text",
    }
    info = import_client(contracts.shop(tools={"odd": odd}), "odd_claims").Client.tools["odd"]
    assert (info.title, info.description, dict(info.annotations)) == ("", "", {})
    assert (info.icons, dict(info.meta), info.is_harmless) == ((), {}, False)


@pytest.mark.parametrize("hint", ["true", 1, None, "yes"])
def test_non_boolean_hint_is_ignored(hint: Any) -> None:
    kind = runtime_contract.ToolInfo
    result: Any = {"readOnlyHint": hint, "destructiveHint": hint}
    assert not kind("a", "", "", result, (), {}, {}).is_harmless


# Patterns that cannot be run, and schemas that never end


def law_of(name: str, **arguments: Any) -> Any:
    """Return a function that validates arguments against this schema."""
    contract = contracts.shop(tools={"t": {"name": "t", "inputSchema": arguments}})
    tool = part(import_client(contract, name), "models.t").TOOL
    return lambda **value: [p.pointer for p in schemas.problems(tool, "inputSchema", value)]


UNRUNNABLE = "(?P<n>b)"  # a group as Python has it, which ECMA-262 has not
ODD = {"type": "string", "pattern": UNRUNNABLE}


def test_unsupported_pattern_is_skipped_alone() -> None:
    law = law_of("odd_all", type="object", properties={"a": ODD, "b": {"type": "integer"}})
    assert law(a="é") == []
    assert law(a="é", b="x") == ["/b"]
    assert law(a=1, b="x") == ["/a", "/b"]


def test_skipped_pattern_inverts_no_verdict() -> None:
    for number, part_of in enumerate(
        (
            {"not": {"properties": {"a": ODD}}},
            {"oneOf": [{"properties": {"a": ODD}}, {"properties": {"a": {"type": "string"}}}]},
            {"if": {"properties": {"a": ODD}}, "then": {"required": ["c"]}},
        )
    ):
        law = law_of(
            f"odd_{number}", type="object", properties={"b": {"type": "integer"}}, **part_of
        )
        assert law(a="1") == []
        assert law(a="1", b="x") == ["/b"]


def test_patterns_of_names_are_passed_over_too() -> None:
    arguments = {
        "patternProperties": {UNRUNNABLE: {"type": "integer"}},
        "additionalProperties": False,
    }
    law = law_of("odd_names", type="object", properties={"1": {"type": "integer"}}, **arguments)
    assert law(a="x") == []
    assert law(**{"1": "x"}) == ["/1"]


def test_number_beyond_floats_is_skipped() -> None:
    properties = {"a": {"type": "number", "multipleOf": 0.01}, "b": {"type": "integer"}}
    law = law_of("huge", type="object", properties=properties)
    assert law(a=10**400) == []
    assert law(a=10**400, b="x") == ["/b"]
    assert law(a=0.015) == ["/a"]


def test_self_referring_schema_accepts_everything() -> None:
    schema = {"type": "object", "allOf": [{"$ref": "#"}], "required": ["a"]}
    tool: Any = {"name": "t", "inputSchema": schema}
    shop = import_client(contracts.shop(tools={"t": tool}), "endless")

    async def inside() -> Any:
        server = Scripted(contracts.shop(tools={"t": tool}), t=text_result("done"))
        async with shop.Client.connect(server.server) as client:
            await client.t(a=1)
            with pytest.raises(shop.InvalidArguments):
                await client.call("t", {})
        assert server.sent == [("t", {"a": 1})]

    anyio.run(inside)
