"""Retries: conditions, waiting times and budgets after a transport failure."""

from __future__ import annotations

import logging
import math
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import anyio
import anyio.to_thread
import pytest
from guards import PATIENCE, patient
from mcpgen_runtime import SessionOptions
from mcpgen_runtime.calls import retry as runtime_retry
from runtime.flaky import Flaky
from runtime.packages import import_client

from mcpgen.contract.document import Contract

Json = Any

HINTS: dict[str, Json] = {
    "look": {"readOnlyHint": True},
    "put": {"readOnlyHint": False, "idempotentHint": True, "destructiveHint": True},
    "add": {"readOnlyHint": False, "idempotentHint": False},
    "odd": {"readOnlyHint": True, "destructiveHint": True},
    "quiet": {},
    "text": {"readOnlyHint": "true", "idempotentHint": 1},
}
NO_ARGUMENTS: Json = {"type": "object", "additionalProperties": False}
TOOLS: dict[str, Json] = {
    name: {"name": name, "inputSchema": NO_ARGUMENTS, "annotations": hints}
    for name, hints in HINTS.items()
}


def contract(revision: str) -> Contract:
    return Contract(
        tools=TOOLS,
        prompts={"greet": {"name": "greet"}},
        resources={"a://b": {"name": "b", "uri": "a://b"}},
        revision=revision,
        server={"name": "flaky"},
    )


ERAS = ("2025-11-25", "2026-07-28")
MADE, MODERN = (import_client(contract(era), f"flaky_{era[:4]}") for era in ERAS)
LONG = 1e6


def connection_lost(*, may_have_run: bool = True) -> Any:
    return MADE.ConnectionLost("gone", "", may_have_run)


def status(number: int, after: float | None = None) -> Any:
    return MADE.HttpError("t", number, after)


def connection_failed(http: Any = None) -> Any:
    return MADE.ConnectionFailed("s", "no", "", http)


def _info(tool: str | None) -> Any:
    return None if tool is None else MADE.Client.tools[tool]


def next_wait(
    error: Any, tool: str | None = "look", *, remaining: float = LONG, **more: Any
) -> Any:
    """Return the longest wait before the next attempt, or None if there isn't one."""
    attempts, jitter = more.pop("made", 1), more.pop("jitter", 1.0)
    retry = MADE.Retry(**more)
    return runtime_retry.wait_before_next(
        error, _info(tool), retry, attempts, seconds_left=remaining, jitter=lambda: jitter
    )


# Errors and tools


REPEATED_IF_SAFE = [connection_lost(), status(502), status(503), status(504)]
ALWAYS_REPEATED = [
    connection_lost(may_have_run=False),
    status(429),
    connection_failed(),
    connection_failed(status(503)),
]
NEVER_REPEATED = [
    status(400),
    status(404),
    status(500),
    connection_failed(status(500)),
    MADE.AuthorizationRequired("s", "no", "", status(401)),
    MADE.AuthorizationRequired("s", "no"),
    MADE.CallTimeout("t", 1.0),
    MADE.ProtocolError("t", -32603, "broken"),
    MADE.InvalidResult("t", []),
    MADE.InvalidArguments("t", []),
    MADE.NotConfirmed("t", {}),
    MADE.TooManyCalls("t", 1, 1.0),
    MADE.ContractDrift([]),
]


@pytest.mark.parametrize("error", REPEATED_IF_SAFE, ids=repr)
def test_possibly_executed_call_is_retried_if_safe(error: Any) -> None:
    repeated = {name for name in TOOLS if next_wait(error, name) is not None}
    assert repeated == {"look", "put"}
    assert next_wait(error, None) is not None


@pytest.mark.parametrize("error", ALWAYS_REPEATED, ids=repr)
def test_unexecuted_call_is_retried_for_every_tool(error: Any) -> None:
    assert all(next_wait(error, name) is not None for name in (*TOOLS, None))


@pytest.mark.parametrize("error", NEVER_REPEATED, ids=repr)
def test_permanent_error_is_not_retried(error: Any) -> None:
    assert all(next_wait(error, name) is None for name in (*TOOLS, None))


@pytest.mark.parametrize(
    "safe",
    [["add", "quiet"], {"add": 1, "quiet": 2}, lambda tool: tool.name in ("add", "quiet")],
    ids=["names", "mapping", "function"],
)
def test_the_policy_of_the_caller_wins_over_the_hints(safe: Any) -> None:
    repeated = {name for name in TOOLS if next_wait(connection_lost(), name, safe=safe) is not None}
    assert repeated == {"add", "quiet"}


def test_only_true_is_a_yes() -> None:
    assert next_wait(connection_lost(), "look", safe=lambda _: 1) is None


def test_policy_receives_the_recorded_annotations() -> None:
    calls: list[Any] = []
    next_wait(connection_lost(), "put", safe=calls.append)
    assert [(tool.name, tool.annotations) for tool in calls] == [("put", HINTS["put"])]


# How often and when


def test_attempts_count_the_first_one() -> None:
    assert [next_wait(connection_lost(), made=n) is None for n in (1, 2, 3, 4)] == [
        False,
        False,
        True,
        True,
    ]
    assert next_wait(connection_lost(), attempts=1) is None


def test_the_wait_doubles_and_has_a_bound() -> None:
    waits = [next_wait(connection_lost(), made=n, attempts=2000) for n in (1, 2, 3, 7, 8, 1999)]
    assert waits == [0.5, 1, 2, 32, 60, 60]


def test_the_wait_is_of_random_length() -> None:
    assert next_wait(connection_lost(), jitter=0.0) == 0
    assert next_wait(connection_lost(), jitter=0.5, backoff=4) == 2
    retry = MADE.Retry(backoff=1)
    waits = [
        runtime_retry.wait_before_next(
            connection_lost(), _info("look"), retry, 2, seconds_left=LONG
        )
        for _ in range(500)
    ]
    assert 0 <= min(waits) < 0.2
    assert 1.8 < max(waits) < 2


def test_retry_after_is_the_minimum_wait() -> None:
    assert next_wait(status(429, 7), jitter=0.0) == 7
    assert next_wait(status(503, 7)) == 7.5
    assert next_wait(connection_failed(status(503, 7))) == 7.5


def test_too_long_wait_is_not_started() -> None:
    assert next_wait(status(429, 7), remaining=7) is None
    assert next_wait(connection_lost(), remaining=0.4) is None
    assert next_wait(connection_lost(), remaining=0.0, jitter=0.0) is None
    assert next_wait(status(429, 61), remaining=math.inf) is None
    assert next_wait(status(429, 61), remaining=math.inf, max_wait=61) is not None


@pytest.mark.parametrize(
    ("options", "kind"),
    [
        ({"attempts": 0}, ValueError),
        ({"backoff": -1}, ValueError),
        ({"max_wait": math.nan}, ValueError),
        ({"safe": "look"}, TypeError),
    ],
)
def test_invalid_policy_is_rejected(options: Any, kind: type[Exception]) -> None:
    with pytest.raises(kind):
        MADE.Retry(**options)


# The budget


def test_budget_starts_at_ten_and_earns_a_tenth() -> None:
    budget = runtime_retry.RetryBudget()
    assert [budget.take(1) for _ in range(11)] == [True] * 10 + [False]
    assert not budget.take(9)
    assert budget.take(10)
    assert not budget.take(19)
    assert budget.take(39)
    assert budget.take(39)
    assert not budget.take(39)


def test_budget_is_bounded() -> None:
    budget = runtime_retry.RetryBudget()
    assert [budget.take(10**6) for _ in range(101)] == [True] * 100 + [False]


# Against servers


@pytest.fixture(params=ERAS)
def era(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def made_of(era: str) -> Any:
    return MADE if era == ERAS[0] else MODERN


def server(folder: Path, era: str, plan: str) -> Flaky:
    return Flaky(folder, era, list(TOOLS.values()), plan)


def run_flaky(flaky: Flaky, era: str, act: Any, over: str = "http", **options: Any) -> Any:
    """Connect to a flaky server and return the result of `act`."""
    settings: Any = {"retry": quick(era), "timeout": PATIENCE, **options}

    async def inside(target: Any) -> Any:
        async with made_of(era).Client.connect(target, **settings) as client:
            return await act(client)

    with patient():
        if over == "stdio":
            return anyio.run(inside, flaky.command)
        with flaky.web() as (url, _):
            return anyio.run(inside, url)


def quick(era: str, **more: Any) -> Any:
    """Return a policy with short waits."""
    return made_of(era).Retry(**{"backoff": 0.02, **more})


async def look(client: Any) -> Any:
    return (await client.look()).text


def error_of(tool: str, flaky: Flaky, era: str, over: str = "http", **options: Any) -> Any:
    """Return the error that a call raises."""

    async def act(client: Any) -> Any:
        with pytest.raises(made_of(era).ClientError) as failed:
            await getattr(client, tool)()
        return failed.value

    return run_flaky(flaky, era, act, over, **options)


def test_transient_status_is_retried(tmp_path: Path, era: str) -> None:
    flaky = server(tmp_path, era, "503,502,ok")
    assert run_flaky(flaky, era, look) == "done"
    assert flaky.calls == ["look"] * 3


def test_prompts_and_resources_are_asked_for_again(tmp_path: Path, era: str) -> None:
    flaky = server(tmp_path, era, "503,ok,504,ok")

    async def act(client: Any) -> None:
        await client.prompts.greet()
        assert (await client.resources.b()).text == "done"

    run_flaky(flaky, era, act)
    assert flaky.calls == ["greet", "greet", "a://b", "a://b"]


def test_last_failure_is_raised(tmp_path: Path, era: str) -> None:
    flaky = server(tmp_path, era, "503,502,504,ok")
    error = error_of("look", flaky, era)
    assert (error.status, error.reason) == (504, "Gateway Timeout")
    assert str(error) == "look: the server responded with HTTP 504 Gateway Timeout"
    assert flaky.calls == ["look"] * 3


@pytest.mark.slow
@pytest.mark.sampled(1)
def test_retry_after_of_the_server_is_observed(tmp_path: Path, era: str) -> None:
    flaky = server(tmp_path, era, "429:1,ok")

    async def add(client: Any) -> float:
        started = time.monotonic()
        assert (await client.add()).text == "done"
        return time.monotonic() - started

    assert run_flaky(flaky, era, add) >= 1
    assert flaky.calls == ["add"] * 2


def test_retry_after_beyond_the_timeout_is_not_awaited(tmp_path: Path, era: str) -> None:
    flaky = server(tmp_path, era, "429:30,ok")
    started = time.monotonic()
    error = error_of("look", flaky, era, timeout=29)
    assert (error.status, error.retry_after) == (429, 30)
    assert time.monotonic() - started < 25
    assert flaky.calls == ["look"]


@pytest.mark.slow
@pytest.mark.sampled(1)
@pytest.mark.parametrize("plan", ["cuts,ok", "503,ok", "502,ok"])
def test_possibly_executed_write_is_never_sent_twice(tmp_path: Path, era: str, plan: str) -> None:
    flaky = server(tmp_path, era, plan)
    for tool in ("add", "quiet", "odd"):
        flaky.log.unlink(missing_ok=True)
        error_of(tool, flaky, era)
        assert flaky.calls == [tool]


def test_interrupted_idempotent_call_is_retried(tmp_path: Path, era: str) -> None:
    flaky = server(tmp_path, era, "cuts,ok")

    async def put(client: Any) -> None:
        answer = await client.response(client.put)
        assert answer.text == "done"

    run_flaky(flaky, era, put)
    assert flaky.calls == ["put"] * 2


@pytest.mark.slow
def test_connection_refused_is_retried_until_the_server_starts(tmp_path: Path) -> None:
    era = ERAS[1]
    flaky, up = server(tmp_path, era, "ok"), threading.Event()
    retry = quick(era, attempts=8, backoff=0.2)

    def serve_again(port: Any, event: threading.Event) -> None:
        time.sleep(0.3)
        with flaky.web(port):
            up.set()
            event.wait(PATIENCE)

    async def inside(url: str, process: Any) -> Any:
        async with MODERN.Client.connect(url, retry=retry) as client:
            process.kill()
            process.wait()
            completed = threading.Event()
            port = urlsplit(url).port
            thread = threading.Thread(target=serve_again, args=(port, completed))
            thread.start()
            try:
                return (await client.add()).text
            finally:
                completed.set()
                thread.join()

    with patient(), flaky.web() as (url, process):
        assert anyio.run(inside, url, process) == "done"
    assert up.is_set()
    assert flaky.calls == ["add"]


@contextmanager
def kept_up(flaky: Flaky) -> Iterator[str]:
    """Serve over HTTP and restart the server whenever it dies. Yields the URL."""
    event = threading.Event()

    def keep(port: int) -> None:
        while not event.is_set():
            with flaky.web(port) as (_, process):
                while process.poll() is None and not event.wait(0.05):
                    pass

    with flaky.web() as (url, process):
        again = threading.Thread(target=lambda: (process.wait(), keep(urlsplit(url).port or 0)))
        again.start()
        try:
            yield url
        finally:
            event.set()
            process.kill()
            again.join()


def over_both(flaky: Flaky, over: str) -> Any:
    """Return a command, or the URL of a server that is always restarted."""
    return nullcontext(flaky.command) if over == "stdio" else kept_up(flaky)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("over", ["stdio", "http"])
def test_an_idempotent_call_survives_the_death_of_its_server(
    tmp_path: Path, era: str, over: str
) -> None:
    flaky = server(tmp_path, era, "dies,ok")
    retry = quick(era, attempts=9, backoff=0.3)

    async def inside(target: Any) -> Any:
        async with made_of(era).Client.connect(target, retry=retry) as client:
            return (await client.put()).text

    with patient(), over_both(flaky, over) as target:
        assert anyio.run(inside, target) == "done"
    assert flaky.calls == ["put"] * 2


@pytest.mark.parametrize("over", ["stdio", "http"])
def test_possibly_executed_write_is_not_sent_after_reconnecting(
    tmp_path: Path, era: str, over: str
) -> None:
    flaky = server(tmp_path, era, "dies,ok")
    retry = quick(era, attempts=9, backoff=0.3)

    async def inside(target: Any) -> Any:
        async with made_of(era).Client.connect(target, retry=retry) as client:
            with pytest.raises(made_of(era).ConnectionLost) as failure:
                await client.add()
            assert failure.value.may_have_run
            assert (await client.look()).text == "done"

    with patient(), over_both(flaky, over) as target:
        anyio.run(inside, target)
    assert flaky.calls == ["add", "look"]


def test_without_reconnecting_there_is_nobody_to_ask_again(tmp_path: Path, era: str) -> None:
    flaky = server(tmp_path, era, "dies,ok")
    error = error_of("look", flaky, era, "stdio", session=SessionOptions(reconnect=False))
    assert isinstance(error, made_of(era).ConnectionLost)
    assert flaky.calls == ["look"]


@pytest.mark.slow
@pytest.mark.parametrize("over", ["stdio", "http"])
def test_many_callers_survive_it_together(tmp_path: Path, era: str, over: str) -> None:
    flaky = server(tmp_path, era, "ok,ok,dies,ok")
    retry = quick(era, attempts=9, backoff=0.3)
    answers: list[str] = []

    async def inside(target: Any) -> Any:
        async def ask() -> None:
            answers.append((await client.look()).text)

        connecting = made_of(era).Client.connect(target, retry=retry)
        async with connecting as client, anyio.create_task_group() as tasks:
            for _ in range(4):
                tasks.start_soon(ask)

    with patient(), over_both(flaky, over) as target:
        anyio.run(inside, target)
    assert answers == ["done"] * 4


def test_a_call_of_another_loop_is_made_again_too(tmp_path: Path, era: str) -> None:
    flaky = server(tmp_path, era, "503,ok")

    async def inside(url: str) -> Any:
        client = await made_of(era).Client.open(url, retry=quick(era))
        try:
            return await anyio.to_thread.run_sync(anyio.run, look, client)
        finally:
            await client.aclose()

    with patient(), flaky.web() as (url, _):
        assert anyio.run(inside, url) == "done"
    assert flaky.calls == ["look"] * 2


def test_closing_a_client_ends_its_retry_wait(tmp_path: Path, era: str) -> None:
    flaky, package = server(tmp_path, era, "429:50"), made_of(era)

    async def inside(url: str) -> float:
        client = await package.Client.open(url, retry=quick(era), timeout=PATIENCE)
        errors: list[Any] = []

        async def ask() -> None:
            with pytest.raises(package.ConnectionLost) as failed:
                await client.look()
            errors.append(failed.value)

        started = time.monotonic()
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(ask)
            while not flaky.calls:
                await anyio.sleep(0.05)
            await anyio.sleep(0.3)
            await client.aclose()
        assert errors[0].reason == "the client was closed"
        return time.monotonic() - started

    with patient(), flaky.web() as (url, _):
        assert anyio.run(inside, url) < 40
    assert flaky.calls == ["look"]


@pytest.mark.slow
def test_unavailable_server_uses_up_the_retry_budget(tmp_path: Path, era: str) -> None:
    flaky = server(tmp_path, era, "503")

    async def loop(client: Any) -> None:
        for _ in range(30):
            with pytest.raises(made_of(era).HttpError):
                await client.look()

    run_flaky(flaky, era, loop, retry=quick(era, backoff=0))
    assert len(flaky.calls) == 30 + 10 + 3


@pytest.mark.slow
@pytest.mark.sampled(1)
def test_all_attempts_share_the_time_limit(tmp_path: Path, era: str) -> None:
    flaky = server(tmp_path, era, "503,503,slow:60")
    error = error_of("look", flaky, era, timeout=2)
    assert isinstance(error, made_of(era).CallTimeout)
    assert error.seconds == 2
    assert flaky.calls == ["look"] * 3


def test_a_call_may_be_cancelled_while_it_waits(tmp_path: Path, era: str) -> None:
    async def act(client: Any) -> float:
        started = time.monotonic()
        with anyio.move_on_after(0.2):
            await client.look()
        return time.monotonic() - started

    assert run_flaky(server(tmp_path, era, "429:50"), era, act) < 40


# Options


def test_retries_can_be_disabled(tmp_path: Path, era: str) -> None:
    flaky = server(tmp_path, era, "503,ok")
    assert error_of("look", flaky, era, retry=None).status == 503
    assert flaky.calls == ["look"]


def test_a_call_may_have_a_policy_of_its_own(tmp_path: Path, era: str) -> None:
    flaky = server(tmp_path, era, "503,503,ok,503,ok,503")
    error = made_of(era).HttpError

    async def act(client: Any) -> None:
        with pytest.raises(error):
            await client.with_options(retry=None).look()
        with pytest.raises(error):
            await client.add()
        able = client.with_options(retry=quick(era, safe=["add"])).with_options(timeout=PATIENCE)
        await able.add()  # the third call
        await able.add()
        with pytest.raises(error):
            await client.with_options(retry=None).resources.b()

    run_flaky(flaky, era, act)
    assert flaky.calls == ["look", "add", "add", "add", "add", "a://b"]


def test_a_client_without_async_has_the_same_options(tmp_path: Path, era: str) -> None:
    flaky, package = server(tmp_path, era, "503,ok,503,ok"), made_of(era)
    with (
        patient(),
        flaky.web() as (url, _),
        package.Client.sync.connect(url, retry=quick(era)) as client,
    ):
        assert client.look().text == "done"
        with pytest.raises(package.HttpError):
            client.with_options(retry=None).look()
    assert flaky.calls == ["look"] * 3


def test_a_person_is_asked_once(tmp_path: Path, era: str) -> None:
    flaky, questions = server(tmp_path, era, "429,429,ok"), list[str]()

    def confirm(tool: Any, arguments: Any) -> bool:
        questions.append(tool.name)
        return True

    async def act(client: Any) -> None:
        await client.add()

    run_flaky(flaky, era, act, confirm=confirm)
    assert (questions, flaky.calls) == (["add"], ["add"] * 3)


def test_the_audit_log_says_how_often(
    tmp_path: Path, era: str, caplog: pytest.LogCaptureFixture
) -> None:
    async def act(client: Any) -> None:
        await client.look()
        await client.look()

    caplog.set_level(logging.INFO)
    run_flaky(server(tmp_path, era, "503,503,ok"), era, act)
    lines = [r.getMessage() for r in caplog.records if r.name.endswith(".audit")]
    assert [line.partition(" attempts=")[2] for line in lines] == [
        "3 outcome=done",
        "1 outcome=done",
    ]


# Progress


@pytest.mark.slow
@pytest.mark.parametrize("over", ["http", "stdio"])
def test_progress_may_give_a_call_its_time_anew(tmp_path: Path, era: str, over: str) -> None:
    async def act(client: Any) -> Any:
        with pytest.raises(made_of(era).CallTimeout):
            await client.look()
        return (await client.with_options(timeout_resets_on_progress=True).look()).text

    flaky = server(tmp_path, era, "progress:6:0.4")
    assert run_flaky(flaky, era, act, over, timeout=1.5) == "done"


@pytest.mark.slow
def test_progress_extends_all_calls_of_a_configured_client(tmp_path: Path, era: str) -> None:
    messages: list[float] = []

    def on_progress(progress: float, total: float | None, message: str | None) -> None:
        messages.append(progress)

    async def act(client: Any) -> Any:
        with pytest.raises(made_of(era).CallTimeout):
            await client.with_options(timeout_resets_on_progress=False).look()
        return (await client.with_options(on_progress=on_progress).look()).text

    options = {"timeout": 1.5, "timeout_resets_on_progress": True}
    assert run_flaky(server(tmp_path, era, "progress:6:0.4"), era, act, **options) == "done"
    assert messages == [1, 2, 3, 4, 5, 6]


def test_call_without_progress_is_not_extended(tmp_path: Path, era: str) -> None:
    flaky = server(tmp_path, era, "slow:60")
    error = error_of("look", flaky, era, timeout=0.3, timeout_resets_on_progress=True)
    assert isinstance(error, made_of(era).CallTimeout)


def test_exception_of_a_callback_is_not_retried(tmp_path: Path, era: str) -> None:
    flaky, own = server(tmp_path, era, "progress:1:0"), made_of(era).ConnectionLost("mine")

    def on_progress(progress: float, total: float | None, message: str | None) -> None:
        raise own

    async def act(client: Any) -> None:
        with pytest.raises(made_of(era).ConnectionLost) as caught:
            await client.with_options(on_progress=on_progress).look()
        assert caught.value is own

    run_flaky(flaky, era, act)
    assert flaky.calls == ["look"]
