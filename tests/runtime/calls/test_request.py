"""A request whose session ends without a response, which the SDK leaves waiting."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from functools import partial
from typing import Any, cast

import anyio
import pytest
from mcpgen_runtime.calls.request import Request
from mcpgen_runtime.connection.routing.route import Route
from mcpgen_runtime.connection.session import Session
from mcpgen_runtime.errors import CallTimeout, ConnectionLost
from mcpgen_runtime.options import CallOptions, Retry
from mcpgen_runtime.package import Package

PATIENCE = 10.0


class Connector:
    """Opens as many sessions as are needed, without a server."""

    is_over = False
    package = Package("nothing")

    def __init__(self, *, can_renew: bool) -> None:
        self.can_renew = can_renew
        self.current = self.open_session()

    def open_session(self) -> Session:
        session = Session.new(Route("a server", None, self.package), PATIENCE)
        session.use(cast("Any", object()))
        session.is_ready = True
        return session

    async def session(self) -> Session:
        self.current = self.open_session()
        return self.current

    async def run(self, act: Callable[[], Coroutine[Any, Any, Any]]) -> Any:
        return await act()

    async def sleep_before_retry(self, seconds: float) -> None:
        await anyio.sleep(min(seconds, 0.01))


async def outcome(
    options: CallOptions, *, answers_at: int = 0, loses: bool = True
) -> tuple[Any, Request[str]]:
    """Return the result or error of a request. Only the given attempt gets a response."""
    connector = Connector(can_renew=loses)
    waiting = anyio.Event()
    attempts = 0

    async def make(_: object) -> str:
        nonlocal attempts
        attempts += 1
        if attempts == answers_at:
            return "the response"
        waiting.set()
        await anyio.sleep_forever()
        raise AssertionError

    request = Request(cast("Any", connector), make, "opening", options)
    results: list[Any] = []

    async def answer() -> None:
        try:
            results.append(await request.answer())
        except Exception as error:
            results.append(error)

    with anyio.fail_after(PATIENCE):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(answer)
            await waiting.wait()
            session = connector.current
            if loses:
                session.lost = "its process has ended"
            session.release()
    assert not session.asking
    return results[0], request


@pytest.mark.parametrize("timeout", [None, PATIENCE])
def test_released_request_may_have_run(timeout: float | None) -> None:
    error, request = anyio.run(outcome, CallOptions(timeout))
    assert isinstance(error, ConnectionLost)
    assert "its process has ended" in str(error)
    assert error.may_have_run
    assert request.attempts == 1


def test_released_request_is_retried() -> None:
    async def run() -> None:
        options = CallOptions(PATIENCE, retry=Retry(attempts=2))
        result, request = await outcome(options, answers_at=2)
        assert (result, request.attempts) == ("the response", 2)

    anyio.run(run)


def test_released_request_times_out() -> None:
    error, request = anyio.run(partial(outcome, CallOptions(0.3), loses=False))
    assert isinstance(error, CallTimeout)
    assert request.attempts == 1
