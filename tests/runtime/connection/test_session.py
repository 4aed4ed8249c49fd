"""Errors from broken connections, HTTP errors and unreadable responses."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import anyio
import pytest
from broken_connections import MADE, MODERN, OFFERED, error_of, failing_call, raw_contract
from guards import PATIENCE
from mcp import Client, MCPError, StdioServerParameters, stdio_client, types
from mcpgen_runtime import SessionOptions
from runtime.packages import import_client, package
from runtime.raw_server import GARBLED
from runtime.scripted import Scripted, using
from runtime.web import RAW, raw_web, web
from servers import bare
from servers.web import running


def command(behaviour: str, *more: str) -> StdioServerParameters:
    return StdioServerParameters(command=sys.executable, args=[RAW, behaviour, *more])


def test_lost_connection_is_raised_only_by_the_call() -> None:
    messages: list[str] = []

    async def inside() -> None:
        async with MADE.Client.connect(command("dies")) as client:
            try:
                await client.ask()
            except MADE.ConnectionLost as error:
                messages.append(error.stderr)
            for request in (client.ask(), client.response(client.ask)):
                assert isinstance(await error_of(request), MADE.ConnectionLost)

    anyio.run(inside)
    assert messages == ["fatal: the shelf fell"]


def test_a_lost_connection_is_heard_of_once_without_async() -> None:
    with MADE.Client.sync.connect(command("dies")) as client:
        for _ in range(2):
            with pytest.raises(MADE.ConnectionLost):
                client.ask()


def test_lost_connection_fails_all_pending_calls_and_nothing_else() -> None:
    async def inside() -> list[Any]:
        errors: list[Any] = []

        async def ask(client: Any, tool: str) -> None:
            errors.append(await error_of(getattr(client, tool)()))

        bystander = anyio.Event()

        async def run_bystander() -> None:
            await anyio.sleep(0.2)
            bystander.set()

        connecting = MADE.Client.connect(command("waits, then dies"))
        async with connecting as client, anyio.create_task_group() as tasks:
            tasks.start_soon(run_bystander)
            for tool in ("beg", "beg", "beg", "ask"):
                tasks.start_soon(ask, client, tool)
        assert bystander.is_set()
        return errors

    errors = anyio.run(inside)
    assert {type(error) for error in errors} == {MADE.ConnectionLost}
    assert len(errors) == 4


@pytest.mark.parametrize("client_package", [MADE, MODERN], ids=["legacy", "modern"])
def test_broken_request_does_not_affect_others(client_package: Any) -> None:
    with raw_web("cuts") as (url, _):
        error: Any = failing_call(url, client_package=client_package)
    assert isinstance(error, client_package.ConnectionLost)
    assert error.may_have_run


@pytest.mark.slow
def test_undelivered_request_is_marked_as_not_run() -> None:
    async def inside(url: str, process: Any) -> Any:
        async with MODERN.Client.connect(url) as client:
            process.kill()
            process.wait()
            return await error_of(client.ask())

    with raw_web("well") as (url, process):
        error = anyio.run(inside, url, process)
    assert isinstance(error, MODERN.ConnectionLost)
    assert not error.may_have_run


@pytest.mark.slow
def test_restarted_http_server_is_used_again() -> None:
    async def inside(url: str, process: Any) -> str:
        async with MODERN.Client.connect(url) as client:
            process.kill()
            process.wait()
            assert isinstance(await error_of(client.ask()), MODERN.ConnectionLost)
            with raw_web("well", urlsplit(url).port or 0):
                return str((await client.ask()).json()["tool"])

    with raw_web("well") as (url, process):
        assert anyio.run(inside, url, process) == "ask"


@pytest.mark.slow
def test_unwritable_requests_all_raise_connection_lost() -> None:
    async def inside() -> list[Any]:
        errors: list[Any] = []

        async def ask(client: Any) -> None:
            errors.append(await error_of(client.ask()))

        connecting = MADE.Client.connect(command("deaf"), session=SessionOptions(reconnect=False))
        async with connecting as client:
            await client.ask()
            async with anyio.create_task_group() as tasks:
                for _ in range(20):
                    tasks.start_soon(ask, client)
        return errors

    assert {type(error) for error in anyio.run(inside)} == {MADE.ConnectionLost}


def test_closed_client_reports_it_in_every_view() -> None:
    shop = package()

    async def inside() -> None:
        async with shop.Client.connect(Scripted().server, verify="off") as client:
            pass
        for request in (
            client.count(),
            client.response(client.count),
            client.call("count", {}),
            client.prompts.pitch(item="x"),
            client.resources.read("a://b"),
        ):
            assert isinstance(await error_of(request), shop.ConnectionLost)

    anyio.run(inside)


def test_after_the_end_the_waiting_client_says_so_too() -> None:
    shop = package()
    with shop.Client.sync.connect(Scripted().server, verify="off") as client:
        pass
    for request in (
        client.count,
        lambda: client.response(client.count),
        lambda: client.call("count", {}),
        lambda: client.prompts.pitch(item="x"),
        lambda: client.resources.read("a://b"),
    ):
        with pytest.raises(shop.ConnectionLost, match="the client was closed"):
            request()


def test_binary_output_counts_as_junk() -> None:
    async def inside() -> str:
        async with MADE.Client.connect(command("binary"), timeout=PATIENCE) as client:
            await client.beg()
            return (await client.ask()).json()["tool"]

    assert anyio.run(inside) == "ask"


def test_non_utf_8_response_is_an_invalid_result() -> None:
    error: Any = failing_call(command("not utf-8"), timeout=PATIENCE)
    assert isinstance(error, MADE.InvalidResult)
    assert "UTF-8" in str(error)


@pytest.mark.sampled(4)
@pytest.mark.parametrize("over", ["stdio", "http", "http sse"])
@pytest.mark.parametrize("kind", [kind for kind in GARBLED if kind != "cut"])
def test_unreadable_response_is_an_immediate_invalid_result(over: str, kind: str) -> None:
    if over == "stdio":
        error: Any = failing_call(command(f"garbled {kind}"), timeout=PATIENCE)
    else:
        with raw_web(f"garbled {kind}{over[4:]}") as (url, _):
            error = failing_call(url, timeout=PATIENCE)
    assert isinstance(error, MADE.InvalidResult)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("over", ["stdio", "http", "http sse", "given"])
def test_unreadable_definition_affects_only_its_tool(over: str) -> None:
    nested: Any = {"type": "object", "not": _nest(230)}
    huge = {"type": "object", "properties": {"n": {"maximum": 10**400}}}
    tools = {
        **OFFERED,
        **{name: {"name": name, "inputSchema": {"type": "object"}} for name in ("deep", "digits")},
        "nested": {"name": "nested", "inputSchema": nested},
        "huge": {"name": "huge", "inputSchema": huge},
    }
    client_package = import_client(raw_contract(tools=tools), f"unheld_{over.replace(' ', '_')}")

    async def inside(target: Any) -> Any:
        def make_target() -> Any:
            return stdio_client(target) if over == "given" else target

        with pytest.raises(client_package.ContractDrift) as drift:
            async with client_package.Client.connect(make_target(), verify="error"):
                pass
        async with client_package.Client.connect(make_target()) as client:
            await client.ask()
        return [str(change) for change in drift.value.changes]

    if over in ("stdio", "given"):
        changes = anyio.run(inside, command("unheld"))
    else:
        with raw_web("unheld") as (url, _):
            changes = anyio.run(inside, url)
    assert changes == [
        "deep: it cannot be read: nested more than 300 levels deep",
        "digits: it cannot be read: it holds an integer of more than 4,300 digits",
    ]


def _nest(levels: int) -> Any:
    schema: Any = {}
    for _ in range(levels):
        schema = {"not": schema}
    return schema


@pytest.mark.parametrize(
    ("transport", "path"),
    [("sse", "/events-of-the-older-kind"), ("sse", "/sse"), ("http", "/mcp/api/sse")],
)
def test_the_transport_of_the_recording_decides(transport: str, path: str) -> None:
    contract = raw_contract(
        tools={"forecast": bare.FORECAST}, origin={"transport": transport, "url": "${SITE}"}
    )
    name = f"recorded_{transport}_{len(path)}"
    client_package = import_client(contract, name)

    async def inside(target: str | None) -> Any:
        async with client_package.Client.connect(target, verify="error") as client:
            return client.session.server_info.name

    with running() as site, pytest.MonkeyPatch.context() as patch:
        patch.setenv("SITE", site.url + path)
        assert anyio.run(inside, None) == "bare"
        assert anyio.run(inside, site.url + path) == "bare"


def client_info(client_package: Any, **options: Any) -> Any:
    """Return the client information that a server receives."""
    notifications: list[Any] = []

    class Told(Scripted):
        async def list_tools(self, ctx: Any, params: Any) -> Any:
            notifications.append(ctx.session.client_params.client_info)
            return await super().list_tools(ctx, params)

    async def inside() -> None:
        async with client_package.Client.connect(Told().server, **options):
            pass

    anyio.run(inside)
    return notifications[0]


def test_server_receives_the_package_name() -> None:
    assert (client_info(package()).name, client_info(package()).version) == ("shop_dataclass", "0")
    other = types.Implementation(name="mine", version="7")
    assert client_info(package(), session=SessionOptions(client_info=other)).name == "mine"


def test_a_given_client_has_its_own_name() -> None:
    async def inside() -> None:
        info = types.Implementation(name="mine", version="7")
        async with MADE.Client.connect(
            Client(command("well")), session=SessionOptions(client_info=info)
        ):
            pass

    with pytest.raises(TypeError, match="client_info"):
        anyio.run(inside)


def test_unknown_tool_has_its_own_error() -> None:
    async def act(client: Any, server: Any) -> None:
        del server
        for request in (client.call("nope", {}), client.response(client.call, "nope", {})):
            error = await error_of(request)
            assert isinstance(error, package().UnknownTool)
            assert isinstance(error, LookupError)
            assert str(error) == "the contract has no tool 'nope'"

    using(act)


@pytest.mark.parametrize("option", ["verify", "confirm_when"])
def test_invalid_option_value_is_rejected_at_once(option: str) -> None:
    with pytest.raises(ValueError, match=f"{option} is one of .*, not 'bogus'"):
        using(lambda *_: None, **{option: "bogus"})  # type: ignore[arg-type,return-value]


@pytest.mark.parametrize("args", ["Connection closed", "SSE stream ended"])
@pytest.mark.parametrize("over", ["process", "http"])
def test_server_error_worded_like_the_sdks_is_unchanged(args: str, over: str) -> None:
    server = Scripted(count=MCPError(types.CONNECTION_CLOSED, args))

    async def inside(target: Any) -> Any:
        async with package().Client.connect(target, verify="off") as client:
            error = await error_of(client.count())
            assert (await client.explain(topic="x")).text
            return error

    if over == "process":
        error = anyio.run(inside, server.server)
    else:
        with web(server.server) as (url, _):
            error = anyio.run(inside, url)
    assert isinstance(error, package().ProtocolError)
    assert (error.code, error.message) == (-32000, args)


@pytest.mark.slow
@pytest.mark.parametrize("behaviour", ["forks", "forks and stays"])
def test_child_processes_end_with_the_connection(behaviour: str, tmp_path: Path) -> None:
    file = tmp_path / "pid"

    async def inside() -> None:
        async with MADE.Client.connect(command(behaviour, str(file))) as client:
            await client.ask()

    anyio.run(inside)
    with pytest.raises(ProcessLookupError):
        os.kill(int(file.read_text()), 0)


def test_more_tools_than_are_looked_at_are_a_difference() -> None:
    async def inside() -> Any:
        with pytest.raises(MADE.ContractDrift) as drift:
            async with MADE.Client.connect(command("many"), verify="error"):
                pass
        return [str(change) for change in drift.value.changes]

    assert anyio.run(inside) == ["*: it lists more than 10,000 tools; the rest are ignored"]
