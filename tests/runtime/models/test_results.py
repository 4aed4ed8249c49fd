"""Results of calls: typed, wrapped, listed, null, and invalid ones."""

from __future__ import annotations

from datetime import date
from typing import Any

import anyio
import pytest
from mcp import types
from pipeline_clients import ITEM, SHOP, every_style
from runtime.packages import import_client, package
from runtime.scripted import Scripted, call_without_arguments, structured_result, text_result, using

from mcpgen.codegen.plan import Style
from runtime import contracts


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
