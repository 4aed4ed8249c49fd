"""The limit that stops runaway loops: the maximum number of calls per minute."""

from __future__ import annotations

import math
from typing import Any

import pytest
from mcpgen_runtime.calls import limits as runtime_limits
from mcpgen_runtime.package import package_of_module
from runtime.packages import package
from runtime.scripted import Scripted, using

SHOP = package()


PACKAGE = package_of_module(SHOP.__name__)


class Clock:
    """A clock that the test advances."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


def make_limits(limit: Any) -> tuple[Any, Clock]:
    limits, clock = runtime_limits.CallLimits.from_option(limit, PACKAGE), Clock()
    limits.clock = clock
    return limits, clock


def refusal(limits: Any, tool: str) -> Any:
    with pytest.raises(SHOP.TooManyCalls) as refused:
        limits.take(tool)
    return refused.value


def test_the_window_slides() -> None:
    limits, clock = make_limits(3)
    for _ in range(3):
        limits.take("count")
        clock.now += 10
    assert refusal(limits, "add").retry_after == 30
    clock.now += 29.5
    assert refusal(limits, "add").retry_after == 0.5
    clock.now += 0.5
    limits.take("add")
    assert refusal(limits, "add").retry_after == 10


def test_rejected_calls_are_not_counted() -> None:
    limits, clock = make_limits(1)
    limits.take("count")
    for _ in range(100):
        refusal(limits, "count")
    clock.now += 60
    limits.take("count")


def test_a_tool_has_a_limit_of_its_own() -> None:
    limits, _ = make_limits({"count": 1})
    for _ in range(100):
        limits.take("add")
    limits.take("count")
    error = refusal(limits, "count")
    assert (error.target, error.limit, error.retry_after) == ("count", 1, 60)
    limits.take("add")


def test_a_tool_and_all_together_are_both_limited() -> None:
    limits, clock = make_limits({"count": 2, "*": 3})
    limits.take("count")
    limits.take("count")
    assert refusal(limits, "count").limit == 2
    clock.now += 1
    limits.take("add")  # calls rejected by a tool's own limit don't count toward the total
    assert refusal(limits, "add").limit == 3
    clock.now += 59
    limits.take("count")


def test_limit_of_zero_rejects_every_call() -> None:
    limits, _ = make_limits({"count": 0})
    error = refusal(limits, "count")
    assert error.retry_after == math.inf
    assert str(error) == (
        "count: the limit is 0 a minute, nothing was sent; the next call is possible in inf s"
    )


def test_no_more_is_remembered_than_the_limit() -> None:
    limits, clock = make_limits(5)
    for _ in range(1000):
        limits.take("count")
        clock.now += 20
    assert sum(map(len, limits._call_times.values())) <= 5


@pytest.mark.parametrize(
    ("limit", "reason"),
    [
        ({"cuont": 1}, "the contract has no tool 'cuont'"),
        (-1, "-1 isn't a number of calls"),
        (True, "True isn't a number of calls"),
        ({"*": 1.5}, "1.5 isn't a number of calls"),
    ],
)
def test_invalid_limit_is_rejected(limit: Any, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        runtime_limits.CallLimits.from_option(limit, PACKAGE)


# In a client


def test_call_over_the_limit_is_not_sent() -> None:
    async def act(client: Any, server: Scripted) -> Any:
        await client.names()
        await client.with_options(timeout=9).names()
        with pytest.raises(SHOP.TooManyCalls, match="the limit is 2 a minute, nothing was sent"):
            await client.count()
        return server.sent

    assert len(using(act, Scripted(names=["x"]), limit=2)) == 2


def test_prompts_and_resources_count_among_all() -> None:
    async def act(client: Any, _: Scripted) -> None:
        await client.prompts.pitch(item="A")
        await client.resources.opening()
        for call in (client.names, client.resources.opening, lambda: client.response(client.names)):
            with pytest.raises(SHOP.TooManyCalls):
                await call()

    using(act, Scripted(names=["x"]), limit=2)


def test_invalid_calls_do_not_count_or_ask() -> None:
    questions: list[str] = []

    def confirm(tool: Any, arguments: Any) -> bool:
        questions.append(tool.name)
        return True

    async def act(client: Any, _: Scripted) -> None:
        with pytest.raises(SHOP.InvalidArguments):
            await client.add(a="1", b=2)
        await client.add(a=1, b=2)
        with pytest.raises(SHOP.TooManyCalls):
            await client.add(a=1, b=2)
        await client.names()

    shop = Scripted(add={"sum": 3}, names=["x"])
    using(act, shop, limit={"add": 1}, confirm=confirm, confirm_when="always")
    assert questions == ["add", "names"]


def test_a_limit_without_async() -> None:
    shop = Scripted(names=["x"])
    with SHOP.Client.sync.connect(shop.server, verify="off", limit=1) as client:
        client.names()
        with pytest.raises(SHOP.TooManyCalls):
            client.names()


def test_invalid_limit_fails_before_connecting() -> None:
    async def act(client: Any, _: Scripted) -> None:
        raise AssertionError

    with pytest.raises(ValueError, match="no tool 'cuont'"):
        using(act, limit={"cuont": 1})
