"""Rules of a fake: order, exact arguments, functions and errors."""

from __future__ import annotations

import pickle
from datetime import date
from typing import Any

import anyio
import pytest
from fake_clients import BOOKSHELF, catalogue_page, item, run
from runtime.packages import STYLES, package

from mcpgen.codegen.plan import Style


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


def test_rules_take_precedence_over_generated_results() -> None:
    async def act(fake: Any) -> None:
        fake.on(fake.search_catalogue).returns(catalogue_page(7))
        assert (await fake.search_catalogue(query="night")).total == 7

    run(act, "generate")


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
