"""Clients that stay open until any task, thread or loop closes them, or nothing does."""

from __future__ import annotations

import asyncio
import contextvars
import gc
import os
import signal
import subprocess
import sys
import threading
import time
import warnings
from collections.abc import Callable
from typing import Any

import anyio
import pytest
import sdk_programs
from guards import PATIENCE, patient, until
from mcp import StdioServerParameters
from mcpgen_runtime import SessionOptions
from runtime.packages import folder
from runtime.restarted import ERAS, SDK, import_sdk_client, is_alive, restartable_server
from runtime.web import RAW

MADE = import_sdk_client(ERAS[0])


def sdk_server() -> StdioServerParameters:
    return sdk_programs.stdio(SDK, "stdio")


async def pid_of(client: Any) -> int:
    return int((await client.ask()).json()["pid"])


def in_threads(count: int, act: Callable[[], object]) -> None:
    """Run a function in several threads at once, and raise its exceptions."""
    failures: list[BaseException] = []

    def run() -> None:
        try:
            act()
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=run) for _ in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]


def await_exit(pid: int) -> None:
    until(lambda: not is_alive(pid))


# Opened, called and closed from anywhere


@pytest.mark.sampled(1)
@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("over", ["stdio", "http"])
def test_a_client_is_opened_and_closed(over: str, era: str) -> None:
    async def inside(target: Any) -> None:
        package = import_sdk_client(era)
        client = await package.Client.open(target, verify="error")
        assert isinstance(client, package.Client)
        assert client.session.protocol_version == era
        pid = await pid_of(client)
        await client.aclose()
        await client.aclose()
        assert ", closed, " in repr(client)
        with pytest.raises(package.ConnectionLost, match="the client was closed") as caught:
            await client.ask()
        assert not caught.value.may_have_run
        assert over == "http" or not is_alive(pid)
        assert asyncio.all_tasks() == {asyncio.current_task()}

    with restartable_server(over) as server:
        asyncio.run(inside(server.target))


@pytest.mark.slow
def test_one_task_opens_others_call_and_another_closes() -> None:
    async def inside() -> None:
        client = await asyncio.create_task(MADE.Client.open(sdk_server()))
        pids = await asyncio.gather(*[asyncio.create_task(pid_of(client)) for _ in range(10)])
        assert len(set(pids)) == 1
        waiting = asyncio.create_task(client.beg())
        await asyncio.sleep(0.2)
        await asyncio.create_task(client.aclose())
        with pytest.raises(MADE.ConnectionLost):
            await waiting
        assert not is_alive(pids[0])

    asyncio.run(inside())


@pytest.mark.slow
@pytest.mark.parametrize("over", ["stdio", "http"])
def test_twenty_threads_with_loops_of_their_own_call(over: str) -> None:
    messages: list[int] = []

    async def inside(server: Any) -> None:
        client = await MADE.Client.open(server.target)

        async def calls() -> None:
            for _ in range(3):
                answer = await client.response(client.ask)
                assert answer.text == answer.data.text
                messages.append(await pid_of(client.with_options(timeout=PATIENCE)))

        def thread() -> None:
            asyncio.run(calls())

        await asyncio.to_thread(in_threads, 20, thread)
        server.kill(await pid_of(client))
        await asyncio.sleep(0.3)
        server.start()
        await asyncio.to_thread(in_threads, 20, thread)
        await client.aclose()

    with restartable_server(over) as server:
        asyncio.run(inside(server))
    assert len(messages) == 120
    assert len(set(messages)) == 2


@pytest.mark.slow
def test_the_errors_of_another_loop_are_the_same() -> None:
    async def inside() -> None:
        client = await MADE.Client.open(sdk_server())

        async def call_from_another_loop() -> None:
            with pytest.raises(MADE.CallTimeout):
                await client.with_options(timeout=0.1).beg()
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(client.beg(), 0.2)
            with pytest.raises(MADE.UnknownTool):
                await client.call("nope", {})
            await client.aclose()
            with pytest.raises(MADE.ConnectionLost):
                await client.ask()

        await asyncio.to_thread(asyncio.run, call_from_another_loop())

    asyncio.run(inside())


@pytest.mark.slow
def test_a_notebook_keeps_a_client_over_many_cells() -> None:
    loop = asyncio.new_event_loop()
    client = loop.run_until_complete(MADE.Client.open(sdk_server()))
    pids = [loop.run_until_complete(pid_of(client)) for _ in range(2)]
    os.kill(pids[0], signal.SIGKILL)
    loop.run_until_complete(asyncio.sleep(0.2))
    pids.append(loop.run_until_complete(pid_of(client)))
    loop.run_until_complete(client.aclose())
    loop.close()
    assert len(set(pids)) == 2
    assert not any(map(is_alive, pids))


@pytest.mark.slow
def test_client_in_async_with_works_from_other_loops() -> None:
    async def inside() -> None:
        async with MADE.Client.connect(sdk_server()) as client:
            assert await asyncio.to_thread(asyncio.run, pid_of(client)) == await pid_of(client)
            await asyncio.to_thread(asyncio.run, client.aclose())
            with pytest.raises(MADE.ConnectionLost):
                await client.ask()

    asyncio.run(inside())


@pytest.mark.slow
def test_callers_context_does_not_reach_the_connection() -> None:
    variable: contextvars.ContextVar[str] = contextvars.ContextVar("variable", default="none")
    calls: list[str] = []

    async def inside() -> None:
        def transport() -> Any:
            from mcp import stdio_client

            return stdio_client(sdk_server())

        client = await MADE.Client.open(transport)
        connector = client._connection.connector
        variable.set("of the caller")
        connector.home.context.run(lambda: calls.append(variable.get()))
        await client.aclose()

    asyncio.run(inside())
    assert calls == ["none"]


@pytest.mark.slow
def test_failed_open_leaves_nothing() -> None:
    async def inside() -> None:
        for behaviour in ("exits", "silent"):
            command = StdioServerParameters(command=sys.executable, args=[RAW, behaviour])
            with pytest.raises(MADE.ConnectionFailed) as failed:
                await MADE.Client.open(
                    command,
                    session=SessionOptions(connect_timeout=1 if behaviour == "silent" else 30),
                )
            assert ("fatal: no database" in failed.value.stderr) == (behaviour == "exits")
        ended = {asyncio.current_task()}
        with anyio.fail_after(PATIENCE):
            while asyncio.all_tasks() != ended:
                await anyio.sleep(0.05)

    asyncio.run(inside())


# Not closed at all


def assert_warned(caught: list[warnings.WarningMessage]) -> None:
    # Other objects collected at that moment may warn as well, so only our warnings count.
    ours = [warning for warning in caught if "was not closed" in str(warning.message)]
    assert [warning.category for warning in ours] == [ResourceWarning], list(map(str, caught))


def collect_garbage_of_other_tests() -> None:
    """Collect it without warnings: a loop may have ended before its process did.

    Later collections skip what is left, which would take seconds.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)
        gc.collect()
    gc.freeze()


@pytest.mark.slow
def test_dropped_client_warns_and_leaves_no_process() -> None:
    collect_garbage_of_other_tests()

    async def inside() -> None:
        client = await MADE.Client.open(sdk_server())
        view = client.with_options(timeout=5)
        pid = await pid_of(client)
        del client
        gc.collect()
        assert await pid_of(view) == pid
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            del view
            gc.collect()
            await asyncio.sleep(0.1)
        assert_warned(caught)
        with anyio.fail_after(PATIENCE):
            while is_alive(pid) or len(asyncio.all_tasks()) > 1:
                await asyncio.sleep(0.05)

    asyncio.run(inside())


@pytest.mark.slow
def test_open_client_at_loop_end_leaves_no_process() -> None:
    async def inside() -> Any:
        client = await MADE.Client.open(sdk_server())
        return client, await pid_of(client)

    with pytest.warns(ResourceWarning, match="was not closed"):
        client, pid = asyncio.run(inside())
    assert not is_alive(pid)
    with pytest.raises(MADE.ConnectionLost, match="loop that it was opened in has ended"):
        asyncio.run(client.ask())
    asyncio.run(client.aclose())


@pytest.mark.slow
def test_terminating_process_is_killed_when_the_loop_ends() -> None:
    async def inside() -> int:
        client = await MADE.Client.open(sdk_server())
        pid = await pid_of(client)
        os.kill(pid, signal.SIGSTOP)
        closing = asyncio.create_task(client.aclose())
        await asyncio.sleep(0.2)
        del closing
        return pid

    with patient():
        await_exit(asyncio.run(inside()))


@pytest.mark.slow
def test_dropped_sync_client_warns_and_leaves_nothing() -> None:
    collect_garbage_of_other_tests()
    client = MADE.Client.sync.open(sdk_server())
    pid = client.ask().json()["pid"]
    thread = client._portal._thread
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        del client
        gc.collect()
        thread.join(PATIENCE)
    assert_warned(caught)
    assert not thread.is_alive()
    assert not is_alive(pid)


FORGOTTEN = """
import sys
sys.path.insert(0, sys.argv[1])
from {package} import Client
from mcp import StdioServerParameters

command = StdioServerParameters(command=sys.executable, args=[sys.argv[2], "stdio"])
client = Client.sync.open(command)
print(client.ask().json()["pid"], flush=True)
{more}
"""

MORE = {
    "idle": "",
    "restarted": """
import os, signal, time
os.kill(client.ask().json()["pid"], signal.SIGKILL)
time.sleep(0.2)
print(client.ask().json()["pid"], flush=True)
""",
    "busy": """
import threading, time
from contextlib import suppress

def beg():
    with suppress(Exception):
        client.beg()

threading.Thread(target=beg, daemon=True).start()
time.sleep(0.3)
""",
    "frozen": """
import os, signal
os.kill(client.ask().json()["pid"], signal.SIGSTOP)
""",
    "raises": "raise SystemExit(3)",
}


@pytest.mark.slow
@pytest.mark.parametrize("what", MORE)
def test_forgotten_client_lets_the_interpreter_exit(what: str) -> None:
    code = FORGOTTEN.format(package=MADE.__name__, more=MORE[what])
    run = subprocess.run(
        [sys.executable, "-c", code, str(folder()), SDK],
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE,
    )
    assert run.returncode == (3 if what == "raises" else 0), run.stderr
    assert "Traceback" not in run.stderr
    for line in run.stdout.split():
        await_exit(int(line))


# Without async


def test_sync_client_can_be_closed_by_any_thread() -> None:
    client = MADE.Client.sync.open(sdk_server())
    assert isinstance(client, MADE.Client.sync)
    thread = client._portal._thread
    pid = client.ask().json()["pid"]
    messages: list[Any] = []
    in_threads(20, lambda: messages.append(client.response(client.ask).data.json()["pid"]))
    assert messages == [pid] * 20
    in_threads(1, client.close)
    client.close()
    assert not is_alive(pid)
    assert not thread.is_alive()
    with pytest.raises(MADE.ConnectionLost, match="the client was closed"):
        client.ask()


@pytest.mark.slow
def test_a_waiting_client_connects_anew_too() -> None:
    with MADE.Client.sync.connect(sdk_server()) as client:
        first = client.ask().json()["pid"]
        os.kill(first, signal.SIGKILL)
        time.sleep(0.2)
        assert client.ask().json()["pid"] != first


@pytest.mark.slow
def test_closing_a_client_fails_its_pending_calls() -> None:
    client = MADE.Client.sync.open(sdk_server())

    def beg() -> None:
        with pytest.raises(MADE.ConnectionLost):
            client.beg()

    def close() -> None:
        time.sleep(0.3)
        client.close()

    with patient():
        closing = threading.Thread(target=close)
        closing.start()
        in_threads(3, beg)
        closing.join()


@pytest.mark.slow
def test_sync_client_rejects_calls_from_its_own_thread() -> None:
    with MADE.Client.sync.connect(sdk_server()) as client:

        async def inside() -> None:
            with pytest.raises(RuntimeError, match="its own thread"):
                client.ask()

        client._portal.call(inside)


def test_failed_sync_open_leaves_no_thread() -> None:
    before = threading.active_count()
    command = StdioServerParameters(command="no-such-command-here")
    with pytest.raises(MADE.ConnectionFailed):
        MADE.Client.sync.open(command)
    until(lambda: threading.active_count() <= before)
