"""Progress of calls is reported to a callback."""

from __future__ import annotations

from typing import Any

import anyio
import pytest
from guards import patient
from runtime.scripted import Scripted, using


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
