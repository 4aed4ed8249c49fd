"""A fake client: its responses, errors and recorded calls, through the normal call pipeline."""

from __future__ import annotations

import asyncio
import json
import math
import pickle
import subprocess
import sys
import threading
from collections.abc import Awaitable, Callable
from contextlib import nullcontext
from dataclasses import replace
from datetime import date
from types import SimpleNamespace
from typing import Any

import anyio
import pytest
from mcp.types import CallToolResult, ImageContent
from mcpgen_runtime import Callbacks
from runtime.packages import STYLES, folder, import_client, package, part
from skeletons import demo

from mcpgen.codegen.plan import Style
from mcpgen.contract.document import Contract, read

BOOKSHELF = import_client(demo(), "bookshelf_of_fakes")
SHOP = package()
MODELS = BOOKSHELF.models
LENT = {"id": "B-1", "member": "ada@example.org"}


def item(name: str = "B-1") -> Any:
    result = {
        "id": name,
        "kind": "book",
        "title": "Night",
        "creator": {"name": "Ada", "born": 1950},
    }
    more = {"genre": "crime", "published": 1990, "added": "2020-01-01T00:00:00Z", "pages": 3}
    return BOOKSHELF.GetItemOutput(item=MODELS.Book(**{**result, **more}), lent=False)


def catalogue_page(total: int = 0) -> Any:
    return BOOKSHELF.SearchCatalogueOutput(items=[], total=total)


def run(
    act: Callable[[Any], Awaitable[Any]], *args: Any, of: Any = BOOKSHELF, **options: Any
) -> Any:
    """Run a function with a fake of its own."""
    return anyio.run(act, of.Client.fake(*args, **options))


# Answers


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


def test_every_call_gets_its_own_result() -> None:
    async def act(fake: Any) -> None:
        arguments = item()
        fake.on(fake.get_item).returns(arguments)
        first = await fake.get_item(id="B-1")
        first.item.title = "Day"
        second = await fake.get_item(id="B-1")
        assert second == arguments != first

    run(act)


def test_several_values_serve_several_calls_repeating_the_last() -> None:
    async def act(fake: Any) -> None:
        rule = fake.on(fake.search_catalogue).returns(catalogue_page(1), catalogue_page(2))
        rule.raises(BOOKSHELF.ToolError("closed")).returns(catalogue_page(4))
        for total in (1, 2):
            assert (await fake.search_catalogue(query="night")).total == total
        with pytest.raises(BOOKSHELF.ToolError, match="search_catalogue: closed"):
            await fake.search_catalogue(query="night")
        for _ in range(2):
            assert (await fake.search_catalogue(query="night")).total == 4

    run(act)


def test_last_matching_rule_wins() -> None:
    async def act(fake: Any) -> None:
        async def total(**arguments: Any) -> Any:
            return (await fake.search_catalogue(**arguments)).total

        search = fake.search_catalogue
        fake.on(search).returns(catalogue_page(1))
        fake.on(search).when(query="night", from_=BOOKSHELF.MISSING).returns(catalogue_page(2))
        fake.on(search).when(from_=1990).returns(catalogue_page(3))
        assert await total(query="day") == 1
        assert await total(query="night") == await total(query="night", limit=3) == 2
        assert await total(query="night", from_=1990) == 3
        assert await total(query="night", from_=1991) == 1
        fake.on(search).returns(catalogue_page(4))
        assert await total(query="night") == 4

    run(act)


def test_arguments_nested_too_deeply_name_the_limit() -> None:
    deep: list[Any] = []
    for _ in range(260):
        deep = [deep]

    async def act(fake: Any) -> None:
        with pytest.raises(BOOKSHELF.InvalidArguments, match="at most 250 levels can be sent"):
            await fake.call("search_catalogue", {"query": "a", "extra": deep})

    run(act)


def test_rule_of_exact_arguments_answers_only_those() -> None:
    async def act(fake: Any) -> None:
        fake.on(fake.search_catalogue).returns(catalogue_page(1))
        fake.on(fake.search_catalogue, query="a").returns(catalogue_page(2))
        assert (await fake.search_catalogue(query="a")).total == 2
        assert (await fake.search_catalogue(query="a", limit=3)).total == 1
        with pytest.raises(TypeError, match="idd"):
            fake.on(fake.get_item, idd="B-1")

    run(act)


def test_a_rule_knows_the_arguments_of_its_method() -> None:
    fake = BOOKSHELF.Client.fake()
    with pytest.raises(TypeError, match="search_catalogue has no argument 'form': query, from_"):
        fake.on(fake.search_catalogue).when(form=1990)


def test_a_function_answers_with_the_arguments_of_the_call() -> None:
    def search(query: str, from_: int = 0, **rest: Any) -> Any:
        assert rest == {}
        return catalogue_page(len(query) + from_)

    async def get(*, id: str) -> Any:
        await anyio.sleep(0)
        if id == "B-404":
            raise BOOKSHELF.ToolError("no such item")
        return item(id)

    async def act(fake: Any) -> None:
        fake.on(fake.search_catalogue).runs(search)
        fake.on(fake.get_item).runs(get)
        assert (await fake.search_catalogue(query="night", from_=10)).total == 15
        assert (await fake.get_item(id="B-7")).item.id == "B-7"
        with pytest.raises(BOOKSHELF.ToolError, match="no such item"):
            await fake.get_item(id="B-404")

    run(act)


@pytest.mark.parametrize("style", STYLES)
def test_function_receives_typed_arguments(style: Style) -> None:
    shop = package(style)
    thing = {"id": "a", "price": 1, "made-on": "2026-01-01"}
    args: list[Any] = []

    def order(**arguments: Any) -> Any:
        args.append(arguments)
        return {"item": thing}

    async def act(fake: Any) -> None:
        fake.on(fake.order).runs(order)
        kind = shop.models.OrderInputItem
        item = thing if style == "typeddict" else kind(**{**thing, "made-on": date(2026, 1, 1)})
        await fake.order(item=item, by_id={"a": item}, self_="me")
        assert args == [{"item": item, "by_id": {"a": item}, "self_": "me"}]
        (call,) = fake.calls(fake.order, item=item, by_id={"a": item}, self_="me")
        assert call.sent == {"item": thing, "by-id": {"a": thing}, "self": "me"}
        inputs = shop.models.OrderInput
        result = call.sent if style == "typeddict" else inputs(**args[0])
        assert call.arguments == result

    run(act, of=shop)


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


# Answers that no server may give


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


def test_exception_of_a_function_is_raised_unchanged() -> None:
    def fail(**_: Any) -> Any:
        raise ZeroDivisionError("mine")

    async def act(fake: Any) -> None:
        fake.on(fake.get_item).runs(fail)
        with pytest.raises(ZeroDivisionError, match="mine"):
            await fake.get_item(id="B-1")
        assert isinstance(fake.calls()[0].error, ZeroDivisionError)

    run(act)


def test_call_without_a_rule_is_rejected_with_a_suggestion() -> None:
    async def act(fake: Any) -> None:
        with pytest.raises(BOOKSHELF.NoMatchingRule) as raised:
            await fake.get_item(id="B-2")
        assert str(raised.value) == (
            "get_item: the fake has no rule for this call to {'id': 'B-2'}\n"
            "  write fake.on(fake.get_item).returns(...) to define its result, or make"
            ' the fake with unmatched="generate"'
        )
        assert str(pickle.loads(pickle.dumps(raised.value))) == str(raised.value)
        assert not isinstance(raised.value, BOOKSHELF.ClientError)
        fake.on(fake.get_item).when(id="B-1").generates()
        with pytest.raises(BOOKSHELF.NoMatchingRule, match="its rules are for other arguments"):
            await fake.get_item(id="B-2")

    run(act)


def test_only_a_method_of_this_fake_is_answered() -> None:
    fake, other, sync = (
        BOOKSHELF.Client.fake(),
        BOOKSHELF.Client.fake(),
        BOOKSHELF.Client.sync.fake(),
    )
    for method in (other.get_item, sync.get_item, BOOKSHELF.Client.get_item, len):
        with pytest.raises(TypeError, match="a method of this fake"):
            fake.on(method)
    for method in (fake.call, fake.aclose, fake.response):
        with pytest.raises(TypeError):
            fake.on(method)
    fake.on(fake.with_options(timeout=1).get_item).returns(item())
    with pytest.raises(ValueError, match="unmatched is one of"):
        BOOKSHELF.Client.fake("make up")
    for rule in ("returns", "raises", "sends"):
        with pytest.raises(TypeError):
            getattr(fake.on(fake.get_item), rule)()


# Made-up data


def test_generated_results_are_valid_and_reproducible() -> None:
    async def act(fake: Any) -> None:
        first = await fake.search_catalogue(query="night")
        assert first == await fake.search_catalogue(query="day")
        assert first.items[0].title == "title"
        assert (await fake.show_cover(id="B-1")).text == "made-up result of show_cover"
        assert (await fake.resources.card(id="B-1")).json() == {"uri": "bookshelf://items/B-1"}
        assert (await fake.resources.rules()).text == "The rules of the house."
        (message,) = (await fake.prompts.recommend(genre="crime")).messages
        assert message.content.text == "Ask for a recommendation from the catalogue.\ngenre: crime"

    run(act, "generate")


def test_rules_take_precedence_over_generated_results() -> None:
    async def act(fake: Any) -> None:
        fake.on(fake.search_catalogue).returns(catalogue_page(7))
        assert (await fake.search_catalogue(query="night")).total == 7

    run(act, "generate")


MADE_UP = {
    "pattern": {"type": "string", "pattern": "^[A-Z]{3}-[0-9]+$", "minLength": 6},
    "lengths": {"type": "string", "minLength": 40, "maxLength": 41},
    "bounds": {"type": "integer", "minimum": 7, "maximum": 9, "multipleOf": 4},
    "between": {"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1},
    "most": {"type": "number", "maximum": -3.5},
    "several": {"type": "array", "items": {"type": "string"}, "minItems": 3, "uniqueItems": True},
    "none": {"type": "array", "maxItems": 0},
    "tuple": {"prefixItems": [{"type": "integer"}, {"type": "string"}], "items": False},
    "every": {"allOf": [{"required": ["a"]}, {"properties": {"a": {"type": "integer"}}}]},
    "either": {"oneOf": [{"type": "null"}, {"type": "integer", "title": "Number"}]},
    "nullable": {"anyOf": [{"type": "null", "title": "None"}, {"type": "string"}]},
    "tree": {"$ref": "#/$defs/Tree"},
    "open": {"type": "object", "additionalProperties": {"type": "integer"}, "minProperties": 2},
    "named": {"type": "object", "propertyNames": {"pattern": "^x-"}, "minProperties": 1},
    "patterned": {"patternProperties": {"^x-": {"type": "integer"}}, "required": ["x-a"]},
    "kinds": {"type": ["null", "boolean"]},
    "listed": {"enum": [None, "a"]},
    "example": {"type": "string", "examples": ["such"]},
    "only": {"if": {"required": ["b"]}, "then": {"properties": {"b": {"const": 3}}}},
    "anything": True,
    **{form: {"type": "string", "format": form} for form in ("date", "uuid", "email", "duration")},
}
DEFINITIONS = {
    "Tree": {
        "type": "object",
        "properties": {
            "name": {"type": "string"},
            "trees": {"type": "array", "items": {"$ref": "#/$defs/Tree"}},
            "above": {"anyOf": [{"$ref": "#/$defs/Tree"}, {"type": "null"}]},
        },
        "required": ["name", "trees"],
    }
}


def contract(tools: dict[str, Any], **more: Any) -> Contract:
    """Return a contract of tools with these output schemas."""
    return read(
        {
            "tools": [
                {"name": name, "inputSchema": {"type": "object"}, "outputSchema": schema}
                for name, schema in tools.items()
            ],
            **more,
        }
    )


def test_data_is_made_up_for_whatever_a_schema_says() -> None:
    whole = {
        "type": "object",
        "properties": MADE_UP,
        "required": [*MADE_UP],
        "$defs": DEFINITIONS,
    }
    module = import_client(contract({"all": whole}), "made_up_of_all")
    fake = module.Client.fake("generate")

    async def act() -> Any:
        return module.raw_json(await fake.all())

    result = anyio.run(act)
    assert result["example"] == "such"
    assert result["either"] == 1
    assert result["tree"]["trees"][0]["name"] == "name"


def test_ungeneratable_result_is_reported() -> None:
    endless = {"type": "object", "properties": {"a": {"$ref": "#"}}, "required": ["a"]}
    module = import_client(contract({"endless": endless}), "made_up_of_nothing")
    fake = module.Client.fake("generate")
    with pytest.raises(module.InvalidFake, match="no result can be generated for it"):
        anyio.run(fake.endless)


# Errors


def test_fake_raises_configured_errors() -> None:
    errors = [
        BOOKSHELF.CallTimeout("get_item", 5.0),
        BOOKSHELF.ProtocolError("get_item", -32603, "broken"),
        BOOKSHELF.HttpError("get_item", 403),
        BOOKSHELF.AuthorizationRequired("a fake", "no token"),
        BOOKSHELF.ConnectionLost("gone", may_have_run=False),
        BOOKSHELF.InvalidResult("get_item", []),
    ]

    async def act(fake: Any) -> None:
        for error in errors:
            fake.on(fake.get_item).raises(error)
            with pytest.raises(type(error)) as raised:
                await fake.get_item(id="B-1")
            assert raised.value is error
        assert fake.calls()[0].error is errors[0]
        with pytest.raises(BOOKSHELF.CallTimeout):
            _ = fake.calls()[0].result

    run(act)


def test_errors_no_client_raises_are_rejected() -> None:
    fake = BOOKSHELF.Client.fake()
    with pytest.raises(TypeError, match="only raises ClientError, not ValueError"):
        fake.on(fake.get_item).raises(ValueError())
    with pytest.raises(TypeError, match="a prompt raises no ToolError"):
        fake.on(fake.prompts.welcome).raises(BOOKSHELF.ToolError("no"))


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


# The path of a call


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


def test_calls_are_kept_with_their_arguments_and_results() -> None:
    async def act(fake: Any) -> None:
        fake.on(fake.search_catalogue).returns(catalogue_page(3))
        await fake.with_options(meta={"a/b": 1}).search_catalogue(query="night", limit=5)
        await fake.search_catalogue(query="day")
        first, second = fake.calls(fake.search_catalogue)
        assert first.arguments == MODELS.SearchCatalogueInput(query="night", limit=5)
        assert (first.arguments.query, first.sent) == ("night", {"query": "night", "limit": 5})
        assert (first.kind, first.name, first.meta) == ("tool", "search_catalogue", {"a/b": 1})
        assert first.result.total == 3
        assert repr(second) == "<FakeCall: search_catalogue(query='day')>"
        assert fake.calls(fake.search_catalogue, query="day") == [second]
        assert fake.calls(fake.search_catalogue, query="night") == []
        assert fake.calls() == [first, second]
        assert fake.calls(fake.get_item) == []

    run(act)


def test_pending_call_has_no_result() -> None:
    async def act(fake: Any) -> None:
        fake.on(fake.get_item).after(math.inf).generates()
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(lambda: fake.get_item(id="B-1"))
            await anyio.wait_all_tasks_blocked()
            (call,) = fake.calls()
            with pytest.raises(LookupError, match="has not been answered yet"):
                _ = call.result
            tasks.cancel_scope.cancel()

    run(act)


def test_a_model_is_offered_the_tools_of_a_fake() -> None:
    async def act(fake: Any) -> None:
        (tool,) = fake.tools.select(only=["get_item"]).values()
        result = await tool.call({"id": "B-1"})
        assert json.loads(result.text)["lent"] is True
        assert len(fake.calls(fake.get_item)) == 1

    run(act, "generate")


# Open and closed


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


# Classes, names and tasks


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
