"""Results of a fake in each style, and invalid ones."""

from __future__ import annotations

import math
from datetime import date
from types import SimpleNamespace
from typing import Any

import pytest
from fake_clients import BOOKSHELF, SHOP, run
from mcp.types import CallToolResult, ImageContent
from runtime.packages import STYLES, package

from mcpgen.codegen.plan import Style


@pytest.mark.parametrize("style", STYLES)
def test_results_of_every_style_are_sent_like_a_servers(style: Style) -> None:
    shop = package(style)
    values = {"count": 3, "names": ["a"], "motto": "on", "nothing": None, "find": None}
    values["wrapped"] = [1, 2]

    async def act(fake: Any) -> None:
        for name, value in values.items():
            fake.on(getattr(fake, name)).returns(value)
            assert await getattr(fake, name)() == value
            assert fake.calls(getattr(fake, name))[0].result == value

    run(act, of=shop)


def test_tool_without_output_schema_returns_text_or_data() -> None:
    async def act(fake: Any) -> None:
        cover = fake.show_cover
        fake.on(cover).returns("Night", {"a": [1]}, [date(2026, 1, 1)])
        assert (await cover(id="B-1")).text == "Night"
        assert (await cover(id="B-1")).json() == {"a": [1]}
        assert (await cover(id="B-1")).json() == ["2026-01-01"]
        image = ImageContent(type="image", data="AAAA", mime_type="image/png")
        whole = CallToolResult(content=[image], _meta={"a": 1})
        fake.on(cover).sends(whole)
        answer = await fake.response(cover, id="B-1")
        assert (answer.meta, answer.images[0].mime_type) == ({"a": 1}, "image/png")
        fake.on(cover).returns(answer.data)
        assert (await cover(id="B-1")).images == answer.images

    run(act)


def as_card(id: str) -> dict[str, str]:
    return {"id": id}


def test_prompts_and_resources_are_answered_too() -> None:
    async def act(fake: Any) -> None:
        prompts, resources = fake.prompts, fake.resources
        fake.on(prompts.recommend).when(genre="crime").returns("Read Night.")
        fake.on(prompts.welcome).runs(lambda: "Hello")
        fake.on(resources.rules).returns("Be quiet.")
        fake.on(resources.card).runs(as_card)
        fake.on(resources.card).when(id="B 2").returns(b"\x89")
        (message,) = (await prompts.recommend(genre="crime", mood="sad")).messages
        assert (message.role, message.content.text) == ("user", "Read Night.")
        assert (await fake.response(prompts.welcome)).text == "Hello"
        assert (await resources.rules()).text == "Be quiet."
        card = await resources.card(id="B-1")
        assert (card.json(), card.raw.contents[0].mime_type) == ({"id": "B-1"}, "application/json")
        assert (await resources.read("bookshelf://items/B-3")).json() == {"id": "B-3"}
        assert (await resources.card(id="B 2")).blobs[0].data == b"\x89"
        with pytest.raises(BOOKSHELF.NoMatchingRule):
            await resources.read("bookshelf://other")
        fake.on(resources.read).when(uri="bookshelf://other").returns("something else")
        assert (await resources.read("bookshelf://other")).text == "something else"
        assert (await resources.rules()).text == "Be quiet."
        assert fake.calls(prompts.recommend)[0].arguments == SimpleNamespace(
            genre="crime", mood="sad"
        )
        assert [call.name for call in fake.calls(resources.card, id="B-3")] == [
            "bookshelf://items/B-3"
        ]
        assert (len(fake.calls(resources.card)), len(fake.calls(resources.read))) == (3, 7)
        assert len(fake.calls(resources.read, "bookshelf://rules")) == 2

    run(act)


def test_value_violating_the_output_schema_is_rejected() -> None:
    fake = SHOP.Client.fake()
    with pytest.raises(SHOP.InvalidFake, match=r"label: no server .*\n  /printed: 'no'"):
        fake.on(fake.label).returns(SHOP.LabelOutput(printed="no"))
    with pytest.raises(SHOP.InvalidFake, match=r"count: .*\n  /: -1 is less than"):
        fake.on(fake.count).returns(-1)
    with pytest.raises(SHOP.InvalidFake, match="not JSON"):
        fake.on(fake.count).returns(math.nan)
    with pytest.raises(SHOP.InvalidFake, match="no structured content"):
        fake.on(fake.count).sends(CallToolResult(content=[]))
    with pytest.raises(SHOP.InvalidFake, match="int can't be its result"):
        fake.on(fake.explain).returns(3)
    assert repr(fake.on(fake.count)) == "<FakeRule: count, 0 answers>"
    assert not issubclass(SHOP.InvalidFake, SHOP.ClientError)


def test_result_of_a_function_is_validated_at_the_call() -> None:
    def broken(**_: Any) -> Any:
        return BOOKSHELF.GetItemOutput(item="none", lent=1)

    async def act(fake: Any) -> None:
        fake.on(fake.search_catalogue).runs(lambda query: {"total": query})
        with pytest.raises(BOOKSHELF.InvalidFake, match="'items' is a required property"):
            await fake.search_catalogue(query="night")
        fake.on(fake.get_item).runs(broken)
        with pytest.raises(BOOKSHELF.InvalidFake, match="get_item"):
            await fake.get_item(id="B-1")
        fake.on(fake.prompts.welcome).runs(lambda: 3)
        with pytest.raises(BOOKSHELF.InvalidFake, match="int isn't a result of a prompt"):
            await fake.prompts.welcome()

    run(act)
