"""A call of a generated client: the request, the result and the log."""

from __future__ import annotations

import math
from datetime import date
from typing import Any

import anyio
import pytest
from guards import PATIENCE, patient
from mcp import MCPError, types
from mcpgen_runtime.calls import retry
from mcpgen_runtime.validation import schemas
from pipeline_clients import CANARY, ITEM, ORDERED, SHOP, every_style, slow
from runtime.packages import import_client, package, part
from runtime.scripted import Scripted, call_without_arguments, text_result, using

from mcpgen.codegen.plan import Style
from runtime import contracts


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
