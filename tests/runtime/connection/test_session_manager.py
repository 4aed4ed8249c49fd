"""The next call after a lost connection reconnects. Only affected calls raise the loss."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from dataclasses import replace
from typing import Any

import anyio
import pytest
from guards import PATIENCE
from mcp import Client, StdioServerParameters, stdio_client
from mcpgen_runtime import SessionOptions
from runtime.restarted import ERAS, import_sdk_client, restartable_server
from runtime.scripted import Scripted, using
from runtime.web import RAW, raw_web

BOTH = pytest.mark.parametrize("era", ERAS)
WAYS = pytest.mark.parametrize("over", ["stdio", "http"])


async def pid_of(client: Any) -> int:
    return int((await client.ask()).json()["pid"])


async def error_of(request: Any) -> Any:
    try:
        await request
    except Exception as error:
        return error
    raise AssertionError("it did not fail")


@pytest.mark.slow
@BOTH
@WAYS
def test_call_after_a_killed_server_reconnects(over: str, era: str) -> None:
    async def inside(server: Any) -> None:
        async with import_sdk_client(era).Client.connect(server.target) as client:
            assert client.session.protocol_version == era
            first = await pid_of(client)
            waiting = asyncio.create_task(error_of(client.beg()))
            await asyncio.sleep(0.3)
            server.kill(first)
            failure = await waiting
            assert isinstance(failure, import_sdk_client(era).ConnectionLost)
            assert failure.may_have_run
            server.start()
            second = await pid_of(client)
            assert second not in (first, os.getpid())
            assert await pid_of(client) == second
            assert (await client.response(client.ask)).data.json()["pid"] == second
            assert await pid_of(client.with_options(timeout=PATIENCE)) == second

    with restartable_server(over) as server:
        anyio.run(inside, server)


@pytest.mark.slow
@BOTH
def test_call_to_a_vanished_http_server_did_not_run(era: str) -> None:
    async def inside(server: Any) -> None:
        async with import_sdk_client(era).Client.connect(server.target) as client:
            server.kill(await pid_of(client))
            for _ in range(2):
                error = await error_of(client.ask())
                assert isinstance(error, import_sdk_client(era).ConnectionLost)
                assert not error.may_have_run
            server.start()
            await pid_of(client)

    with restartable_server("http") as server:
        anyio.run(inside, server)


@pytest.mark.slow
def test_calls_to_a_forgotten_session_are_sent_again() -> None:
    async def inside(server: Any) -> list[int]:
        async with import_sdk_client(ERAS[0]).Client.connect(server.target) as client:
            server.kill(await pid_of(client))
            server.start()
            return list(await asyncio.gather(*[pid_of(client) for _ in range(20)]))

    with restartable_server("http") as server:
        pids = anyio.run(inside, server)
        assert set(pids) == {server.pid}


@pytest.mark.slow
@BOTH
@WAYS
def test_next_call_works_after_a_frozen_server(over: str, era: str) -> None:
    async def inside(server: Any) -> None:
        async with import_sdk_client(era).Client.connect(
            server.target, session=SessionOptions(connect_timeout=PATIENCE)
        ) as client:
            frozen = await pid_of(client)
            os.kill(frozen, signal.SIGSTOP)
            hasty = client.with_options(timeout=0.5)
            waiting = [asyncio.create_task(error_of(hasty.ask())) for _ in range(3)]
            waiting.append(asyncio.create_task(error_of(client.beg())))
            for error in await asyncio.gather(*waiting):
                assert isinstance(error, import_sdk_client(era).ConnectionLost)
                assert error.may_have_run
                assert error.reason == "the server does not answer"
            if over == "http":
                server.kill(frozen)
                server.start()
            assert await pid_of(client) != frozen

    with restartable_server(over) as server:
        anyio.run(inside, server)


@pytest.mark.slow
def test_full_pipe_of_a_frozen_process_blocks_nobody() -> None:
    async def inside(server: Any) -> None:
        async with import_sdk_client(ERAS[0]).Client.connect(server.target) as client:
            os.kill(await pid_of(client), signal.SIGSTOP)
            hasty = client.with_options(timeout=0.5, meta={"com.example/long": "x" * 100_000})
            calls = [error_of(request()) for request in (hasty.ask, hasty.cry, hasty.beg)]
            patient = error_of(client.with_options(timeout=PATIENCE).ask())
            with anyio.fail_after(PATIENCE / 2):
                for error in await asyncio.gather(*calls, patient):
                    assert isinstance(error, import_sdk_client(ERAS[0]).ConnectionLost)
            await pid_of(client)

    with restartable_server("stdio") as server:
        anyio.run(inside, server)


@pytest.mark.slow
@pytest.mark.sampled(1)
@BOTH
@WAYS
def test_slow_server_is_not_dropped(over: str, era: str) -> None:
    async def inside(server: Any) -> None:
        async with import_sdk_client(era).Client.connect(server.target) as client:
            first = await pid_of(client)
            error = await error_of(client.with_options(timeout=0.2).beg())
            assert isinstance(error, import_sdk_client(era).CallTimeout)
            assert await pid_of(client) == first

    with restartable_server(over) as server:
        anyio.run(inside, server)


@pytest.mark.slow
def test_reconnect_false_keeps_the_connection_lost() -> None:
    async def inside(server: Any) -> None:
        async with import_sdk_client(ERAS[0]).Client.connect(
            server.target, session=SessionOptions(reconnect=False)
        ) as client:
            server.kill(await pid_of(client))
            for _ in range(2):
                assert isinstance(
                    await error_of(client.ask()), import_sdk_client(ERAS[0]).ConnectionLost
                )
            assert "lost: " in repr(client)

    with restartable_server("stdio") as server:
        anyio.run(inside, server)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["transport", "client"])
def test_single_use_target_is_not_reconnected(kind: str) -> None:
    async def inside(server: Any) -> None:
        target: Any = stdio_client(server.target)
        if kind == "client":
            target = Client(server.target, mode="legacy")
        async with import_sdk_client(ERAS[0]).Client.connect(target) as client:
            server.kill(await pid_of(client))
            for _ in range(2):
                assert isinstance(
                    await error_of(client.ask()), import_sdk_client(ERAS[0]).ConnectionLost
                )

    with restartable_server("stdio") as server:
        anyio.run(inside, server)


@pytest.mark.slow
def test_transport_factory_is_called_again() -> None:
    opened: list[Any] = []

    async def inside(server: Any) -> None:
        def transport() -> Any:
            opened.append(stdio_client(server.target))
            return opened[-1]

        async with import_sdk_client(ERAS[0]).Client.connect(transport) as client:
            first = await pid_of(client)
            server.kill(first)
            await anyio.sleep(0.1)
            assert await pid_of(client) != first

    with restartable_server("stdio") as server:
        anyio.run(inside, server)
    assert len(opened) == 2


@pytest.mark.slow
def test_pending_calls_share_one_reconnection_and_its_error() -> None:
    opened: list[Any] = []

    async def inside(target: Any) -> None:
        def transport() -> Any:
            command = target if not opened else StdioServerParameters(command="no-such-command")
            opened.append(command)
            return stdio_client(command)

        package = import_sdk_client(ERAS[0])
        async with package.Client.connect(transport) as client:
            os.kill(await pid_of(client), signal.SIGKILL)
            await anyio.sleep(0.2)
            once = client.with_options(retry=None)
            errors = await asyncio.gather(*[error_of(once.ask()) for _ in range(5)])
            assert len(opened) == 2
            assert {type(error) for error in errors} == {package.ConnectionFailed}
            assert len({id(error) for error in errors}) == 5

    with restartable_server("stdio") as server:
        anyio.run(inside, server.target)


@pytest.mark.slow
def test_connecting_anew_takes_no_longer_than_it_may() -> None:
    silent = StdioServerParameters(command=sys.executable, args=[RAW, "silent"])
    opened: list[Any] = []

    async def inside(target: Any) -> None:
        def transport() -> Any:
            opened.append(silent if len(opened) == 1 else target)
            return stdio_client(opened[-1])

        package = import_sdk_client(ERAS[0])
        async with package.Client.connect(transport) as client:
            connector = client._connection.connector
            os.kill(await pid_of(client), signal.SIGKILL)
            await anyio.sleep(0.2)
            patient = connector._options
            connector._options = replace(patient, sessions=SessionOptions(connect_timeout=1.5))
            timeout = await error_of(client.with_options(timeout=0.1).ask())
            assert isinstance(timeout, package.CallTimeout)
            failed = await error_of(client.with_options(retry=None).ask())
            assert isinstance(failed, package.ConnectionFailed)
            assert failed.reason == "no response within 1.5 s"
            assert len(opened) == 2
            connector._options = patient
            await pid_of(client)

    with restartable_server("stdio") as server:
        anyio.run(inside, server.target)


@pytest.mark.slow
@pytest.mark.sampled(1)
@pytest.mark.parametrize("behaviour", ["forgets", "forgets in words"])
def test_unknown_new_session_is_a_final_error(behaviour: str) -> None:
    async def inside(url: str) -> None:
        async with import_sdk_client(ERAS[0]).Client.connect(url) as client:
            await client.ask()
            error = await error_of(client.beg())
            assert isinstance(error, import_sdk_client(ERAS[0]).ConnectionLost)
            assert error.reason == "the server has forgotten the session"
            assert not error.may_have_run
            assert (await client.ask()).json()["tool"] == "ask"

    with raw_web(behaviour) as (url, _):
        anyio.run(inside, url)


@pytest.mark.slow
def test_the_hooks_run_in_each_session() -> None:
    messages: list[Any] = []

    async def hook(session: Any, stack: Any) -> None:
        messages.append(session.sdk.protocol_version)
        stack.callback(messages.append, "left")

    async def inside(server: Any) -> None:
        connecting = import_sdk_client(ERAS[0]).Client.connect(server.target)
        connecting._options = replace(connecting._options, on_session=(hook,))
        async with connecting as client:
            server.kill(await pid_of(client))
            await anyio.sleep(0.2)
            await pid_of(client)

    with restartable_server("stdio") as server:
        anyio.run(inside, server)
    assert messages == [ERAS[0], "left", ERAS[0], "left"]


def test_a_server_of_this_process_is_connected_to_anew() -> None:
    async def act(client: Any, server: Scripted) -> int:
        del server
        client._connection.session.end("it was dropped")
        return int(await client.count())

    assert using(act, Scripted(count=3)) == 3
