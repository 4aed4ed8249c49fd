"""Connections of a generated client: every kind of server, and every kind of failure."""

from __future__ import annotations

import asyncio
import gc
import os
import sys
import threading
from pathlib import Path
from typing import Any

import anyio
import pytest
from connected_servers import (
    ANSWER,
    call_ask,
    call_count,
    command,
    failing,
    forget,
    raw,
    raw_contract,
)
from guards import PATIENCE, patient, until
from mcp import Client, MCPError, StdioServerParameters, types
from mcp.server import MCPServer
from mcp.server.mcpserver import Context
from mcpgen_runtime import SessionOptions
from pydantic import BaseModel
from runtime.packages import import_client, package
from runtime.raw_server import ODD, TOOLS
from runtime.scripted import Scripted, text_result
from runtime.web import raw_web, web
from servers.web import running

from runtime import contracts

if sys.version_info < (3, 11):
    from exceptiongroup import ExceptionGroup


def test_sdk_client_is_a_target_and_is_closed() -> None:
    async def inside() -> None:
        sdk = Client(command("well"), mode="legacy")
        async with raw().Client.connect(sdk) as client:
            assert client.session is sdk
            assert (await client.ask()).json() == ANSWER
        with pytest.raises(RuntimeError):
            _ = sdk.session

    anyio.run(inside)


def test_connected_sdk_client_is_a_target_and_stays_connected() -> None:
    async def inside() -> None:
        async with Client(command("well"), mode="legacy") as sdk:
            async with raw().Client.connect(sdk) as client:
                assert (await client.ask()).json() == ANSWER
            assert (await sdk.call_tool("ask")).is_error is False
            assert "validate_tool_result" not in vars(sdk.session)  # it checks results again

    anyio.run(inside)


def test_a_low_level_server_is_a_target(shop: Any) -> None:
    assert call_count(shop[2].server) == 3


def test_a_server_of_the_sdk_is_a_target() -> None:
    server = MCPServer("shop")

    @server.tool()
    def count() -> int:
        return 4

    tool = {**contracts.TOOLS[4], "outputSchema": wrapped_integer()}
    client_package = import_client(contracts.shop(tools={"count": tool}), "of_the_sdk")

    async def inside() -> Any:
        async with client_package.Client.connect(server, verify="off") as client:
            return (await client.count()).result

    assert anyio.run(inside) == 4


def wrapped_integer(**more: Any) -> Any:
    properties = {"result": {"type": "integer"}}
    return {"type": "object", "properties": properties, "required": ["result"], **more}


def test_a_server_of_fastmcp_is_a_target() -> None:
    fastmcp = pytest.importorskip("fastmcp")
    server = fastmcp.FastMCP("shop")

    @server.tool
    def count() -> int:
        return 5

    marked = wrapped_integer(**{"x-fastmcp-wrap-result": True})
    tool = {**contracts.TOOLS[4], "outputSchema": marked}
    client_package = import_client(contracts.shop(tools={"count": tool}), "of_fastmcp")

    async def inside() -> Any:
        async with client_package.Client.connect(server, verify="off") as client:
            return await client.count()

    assert anyio.run(inside) == 5
    forget("fastmcp")  # the name of a golden package, too


def test_a_client_of_the_sdk_has_its_own_answers() -> None:
    error = failing(Client(command("well"), mode="legacy"), elicit=lambda *_: None)
    assert isinstance(error, TypeError)
    assert "elicit" in str(error)


def test_arguments_are_mirrored_into_declared_headers() -> None:
    properties = {"region": {"type": "string", "x-mcp-header": "Region"}}
    tool: Any = {"name": "go", "inputSchema": {"type": "object", "properties": properties}}
    contract = contracts.shop(tools={"go": tool})
    client_package = import_client(contract, "mirrored")

    async def inside(url: str, verify: str) -> Any:
        async with client_package.Client.connect(url, verify=verify) as client:
            return (await client.go(region="eu")).text

    server = Scripted(contract, go=text_result("gone"))
    for verify in ("error", "off"):
        with web(server.server) as (url, transcript):
            assert anyio.run(inside, url, verify) == "gone"
            assert transcript.headers[-1]["mcp-param-region"] == "eu"


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("behaviour", "changes"),
    [
        ("drifted", ["beg: inputSchema differs"]),
        ("removed", ["cry: the server does not list it"]),
        ("more", []),
        ("paged", []),
        ("odd", []),
        ("well", []),
    ],
)
def test_drift_is_an_error_a_warning_or_nothing(
    behaviour: str, changes: list[str], caplog: pytest.LogCaptureFixture
) -> None:
    assert call_ask(raw(), command(behaviour)) == ANSWER
    warnings = [record.getMessage() for record in caplog.records if record.name == "raw"]
    assert [line.strip() for text in warnings for line in text.splitlines()[1:]] == changes
    caplog.clear()
    assert call_ask(raw(), command(behaviour), verify="off") == ANSWER
    assert [record for record in caplog.records if record.name == "raw"] == []
    if not changes:
        assert call_ask(raw(), command(behaviour), verify="error") == ANSWER
        return
    error = failing(command(behaviour), verify="error")
    assert isinstance(error, raw().ContractDrift)
    assert [str(change) for change in error.changes] == changes


class ListlessAtFirst(Scripted):
    """A server whose tools can be listed only after some attempts."""

    failures = 1

    async def list_tools(self, ctx: Any, params: Any) -> Any:
        if self.failures:
            self.failures -= 1
            raise MCPError(-32603, "busy")
        return await super().list_tools(ctx, params)


def test_unlisted_tools_are_listed_again_before_the_next_call(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """Unlisted tools count neither as equal nor as drift, and one failure doesn't disable the
    client.
    """

    async def inside(verify: str) -> tuple[Any, Any]:
        server = ListlessAtFirst(count=3)
        async with package().Client.connect(server.server, verify=verify) as client:
            return await client.count(), await client.count()

    for verify in ("compatible", "warn"):
        caplog.clear()
        assert anyio.run(inside, verify) == (3, 3)
        messages = [record.getMessage() for record in caplog.records]
        assert any(
            "compared with the contract before a later call" in message for message in messages
        )
        assert not any("generate again" in message and "\n  *" in message for message in messages)


def test_tools_never_listed_stay_unknown() -> None:
    async def inside() -> Any:
        server = ListlessAtFirst(count=3)
        server.failures = 99
        async with package().Client.connect(server.server, verify="compatible") as client:
            for _ in range(2):
                with pytest.raises(package().ContractUnknown) as unknown:
                    await client.count()
            return str(unknown.value), server.sent, server.failures

    result, requests, remaining_processes = anyio.run(inside)
    assert "could not be compared with the contract" in result
    assert requests == []
    assert remaining_processes >= 96  # with growing pauses
    assert issubclass(package().ContractUnknown, package().ContractDrift)


def test_unlistable_tools_are_unknown_when_drift_is_an_error() -> None:
    assert call_ask(raw(), command("unlistable")) == ANSWER
    error = failing(command("unlistable"), verify="error")
    assert type(error) is raw().ContractUnknown
    assert [str(change) for change in error.changes] == [
        "*: the tools cannot be listed: no list today"
    ]


def test_invalid_tool_does_not_affect_others() -> None:
    odd = [tool for tool in ODD if isinstance(tool, dict) and "name" in tool]
    result = import_client(raw_contract(tools=[*TOOLS, *odd]), "odd_tools")
    assert call_ask(result, command("odd"), verify="error") == ANSWER


def test_pages_are_walked_in_process_too() -> None:
    tools = {tool["name"]: tool for tool in contracts.TOOLS if tool["name"] != "loose"}
    contract = contracts.shop(tools=tools)
    client_package = import_client(contract, "paged")

    async def inside() -> Any:
        server = Scripted(contract, page=2, count=3)
        async with client_package.Client.connect(server.server, verify="error") as client:
            return await client.count()

    assert anyio.run(inside) == 3


def test_circular_pages_end() -> None:
    async def circle(*_: Any) -> Any:
        return types.ListToolsResult(tools=[], next_cursor="again")

    server = type("Circle", (Scripted,), {"list_tools": circle})(count=3)
    assert call_count(server.server, verify="warn") == 3


def test_a_missing_command_is_named() -> None:
    error = failing(StdioServerParameters(command="no-such-command-here"))
    assert isinstance(error, raw().ConnectionFailed)
    assert isinstance(error, ConnectionError)
    assert error.server == "no-such-command-here"
    assert error.reason == "No such file or directory"


def test_missing_recorded_program_names_its_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHOP_COMMAND", "/no/such/program")
    origin = {"transport": "stdio", "command": "${SHOP_COMMAND:-shop}", "args": ["--all"]}
    result = import_client(contracts.shop(origin=origin), "without_program")
    reason = failing(of=result).reason
    assert reason == "No such file or directory; set SHOP_COMMAND to the path of the program"


@pytest.mark.parametrize(
    ("era", "revision"),
    [(None, "2025-11-25"), ("auto", "2026-07-28"), ("modern", "2026-07-28")],
)
def test_era_chooses_the_handshake(era: Any, revision: str) -> None:
    client_package = import_client(contracts.shop(revision="2025-06-18"), "of_an_era")
    server = Scripted(count=3)

    async def inside() -> str:
        async with client_package.Client.connect(
            server.server, session=SessionOptions(era=era), verify="off"
        ) as client:
            return str(client.session.protocol_version)

    assert anyio.run(inside) == revision


def test_unknown_era_is_rejected() -> None:
    with pytest.raises(ValueError, match="era is one of"):
        raw().Client.connect(command("well"), session=SessionOptions(era="old"))


def test_server_exiting_during_verification_fails_to_connect() -> None:
    error = failing(command("leaves early"))
    assert isinstance(error, raw().ConnectionFailed)
    assert error.stderr == "fatal: out of shelves"


def test_server_may_require_authorization_only_for_listing() -> None:
    with raw_web("401 late") as (url, _):
        assert isinstance(failing(url), raw().AuthorizationRequired)


def test_unresponsive_server_times_out() -> None:
    error = failing(command("silent"), session=SessionOptions(connect_timeout=0.3))
    assert isinstance(error, raw().ConnectionFailed)
    assert error.reason == "no response within 0.3 s"


@pytest.mark.parametrize(("status", "kind"), [("401", True), ("403", True), ("500", False)])
def test_required_authorization_is_reported(status: str, kind: bool) -> None:
    with raw_web(status) as (url, _):
        error = failing(url + "?key=canary-5ecret", of=raw())
    assert isinstance(error, raw().ConnectionFailed)
    assert isinstance(error, raw().AuthorizationRequired) == kind
    assert error.server == url
    assert "5ecret" not in str(error)


def test_unresponsive_http_server_times_out() -> None:
    with running() as silent:
        error = failing(f"{silent.url}/hang", session=SessionOptions(connect_timeout=0.3))
        silent.over.set()
    assert isinstance(error, raw().ConnectionFailed)
    assert error.reason == "no response within 0.3 s"


def test_web_page_is_not_a_server() -> None:
    with running() as site:
        error = failing(f"{site.url}/html", session=SessionOptions(connect_timeout=PATIENCE))
    assert isinstance(error, raw().ConnectionFailed)


def test_a_refused_connection_is_one() -> None:
    error = failing("http://user:canary-5ecret@127.0.0.1:1/mcp?key=canary-5ecret")
    assert isinstance(error, raw().ConnectionFailed)
    assert error.server == "http://127.0.0.1:1/mcp"
    assert "5ecret" not in str(error)


@pytest.mark.parametrize("url", ["http://[", "ftp://x/", "http://\x00/", "", "x"])
def test_invalid_url_fails_to_connect(url: str) -> None:
    assert isinstance(failing(url), raw().ConnectionFailed)


def test_server_killed_in_a_call_is_a_lost_connection() -> None:
    error = failing(command("dies"), calls=True)
    assert isinstance(error, raw().ConnectionLost)
    assert isinstance(error, ConnectionError)
    assert error.stderr == "fatal: the shelf fell"


def test_server_exiting_between_calls_is_a_lost_connection() -> None:
    async def inside() -> None:
        connecting = raw().Client.connect(
            command("leaves"), session=SessionOptions(reconnect=False)
        )
        async with connecting as client:
            await client.ask()
            await anyio.sleep(0.1)
            with pytest.raises(raw().ConnectionLost) as caught:
                await client.beg()
            assert caught.value.stderr == "goodbye"
            await client.cry()

    with pytest.raises(raw().ConnectionLost) as raised:
        anyio.run(inside)
    assert raised.value.stderr == "goodbye"


def test_idle_server_exit_disturbs_nobody() -> None:
    async def inside() -> str:
        async with raw().Client.connect(command("leaves")) as client:
            await client.ask()
            await anyio.sleep(0.1)
        return "done"

    assert anyio.run(inside) == "done"


def test_http_server_killed_in_a_call_is_lost() -> None:
    with raw_web("dies") as (url, _):
        error = failing(url, calls=True)
    assert isinstance(error, raw().ConnectionLost)


@pytest.mark.slow
def test_http_server_killed_between_calls_is_lost() -> None:
    async def inside(url: str, process: Any) -> None:
        async with raw().Client.connect(url) as client:
            await client.ask()
            process.kill()
            process.wait()
            await client.beg()

    with raw_web("well") as (url, process), pytest.raises(raw().ConnectionLost) as caught:
        anyio.run(inside, url, process)
    assert caught.value.reason == "All connection attempts failed"


def test_a_call_after_the_end_is_a_lost_connection() -> None:
    async def inside() -> None:
        async with raw().Client.connect(command("well")) as client:
            pass
        with pytest.raises(raw().ConnectionLost):
            await client.ask()

    anyio.run(inside)


def test_timed_out_call_leaves_a_closable_server() -> None:
    error = failing(command("hangs"), calls=True, timeout=0.1)
    assert isinstance(error, raw().CallTimeout)


class MineError(Exception):
    pass


OWN: list[Any] = [
    MineError("mine"),
    KeyError("mine"),
    TimeoutError("mine"),
    ConnectionError("mine"),
    MCPError(-1, "mine"),
    KeyboardInterrupt("mine"),
    SystemExit(3),
    GeneratorExit("mine"),
    ExceptionGroup("mine", [KeyError("a"), ValueError("b")]),
    ExceptionGroup("mine", [MineError("single")]),
    RuntimeError("mine"),
    StopAsyncIteration("mine"),
]


def targets() -> list[Any]:
    return [Scripted().server, command("well")]


@pytest.mark.parametrize("own", OWN, ids=lambda e: type(e).__name__)
@pytest.mark.parametrize("over", ["process", "stdio"])
def test_exception_of_the_caller_is_raised_unchanged(own: BaseException, over: str) -> None:
    client_package = package() if over == "process" else raw()
    target = targets()[0 if over == "process" else 1]

    async def inside() -> Any:
        try:
            async with client_package.Client.connect(target, verify="off"):
                raise own
        except BaseException as error:
            return error

    error = anyio.run(inside)
    if isinstance(own, StopAsyncIteration | GeneratorExit):
        assert error is own or error.__cause__ is own or isinstance(error, RuntimeError)
    else:
        assert error is own


def test_a_cancelled_connection_is_cancelled() -> None:
    async def inside() -> bool:
        with anyio.CancelScope() as scope:
            async with raw().Client.connect(command("well")):
                scope.cancel()
                await anyio.sleep_forever()
        return scope.cancelled_caught

    with patient():
        assert anyio.run(inside) is True


def test_connecting_can_be_cancelled() -> None:
    async def inside() -> bool:
        with anyio.move_on_after(0.2) as scope:
            async with raw().Client.connect(command("silent")):
                pass
        return scope.cancelled_caught

    with patient():
        assert anyio.run(inside) is True


def test_a_time_limit_around_the_whole_is_the_callers() -> None:
    async def inside() -> None:
        with anyio.fail_after(PATIENCE) as scope:
            async with raw().Client.connect(command("hangs")) as client:
                scope.deadline = anyio.current_time() + 0.1
                await client.ask()

    with patient(), pytest.raises(TimeoutError) as late:
        anyio.run(inside)
    assert not isinstance(late.value, raw().ClientError)


def test_a_cancelled_task_is_cancelled() -> None:
    async def inside() -> None:
        connected = asyncio.Event()

        async def forever() -> None:
            async with raw().Client.connect(command("well")):
                connected.set()
                await anyio.sleep_forever()

        task = asyncio.create_task(forever())
        await connected.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    with patient():
        asyncio.run(inside())


def test_connections_can_be_nested() -> None:
    async def inside() -> Any:
        shop = Scripted(count=1).server
        async with (
            raw().Client.connect(command("well")) as outer,
            package().Client.connect(shop, verify="off") as inner,
        ):
            with pytest.raises(raw().ConnectionFailed):
                async with raw().Client.connect(command("exits")):
                    pass
            return await inner.count(), (await outer.ask()).json()

    assert anyio.run(inside) == (1, ANSWER)


def test_two_clients_work_in_one_task_group() -> None:
    async def inside() -> Any:
        results: list[Any] = []

        async def call_in_own_client(name: str) -> None:
            async with raw().Client.connect(command("well")) as client:
                await anyio.sleep(0.05)
                results.append((await getattr(client, name)()).json()["tool"])

        async with anyio.create_task_group() as group:
            group.start_soon(call_in_own_client, "ask")
            group.start_soon(call_in_own_client, "beg")
        return sorted(results)

    assert anyio.run(inside) == ["ask", "beg"]


def test_one_failing_connection_in_a_group_comes_out_alone() -> None:
    async def inside() -> None:
        async def fails() -> None:
            async with raw().Client.connect(command("exits")):
                pass

        async def works() -> None:
            async with raw().Client.connect(command("well")):
                await anyio.sleep_forever()

        async with anyio.create_task_group() as group:
            group.start_soon(fails)
            group.start_soon(works)

    with patient(), pytest.raises(ExceptionGroup) as failure:
        anyio.run(inside)
    assert [type(error) for error in failure.value.exceptions] == [raw().ConnectionFailed]


def count_resources() -> tuple[int, int, int]:
    """Count threads, open files and children of this process."""
    gc.collect()
    files = len(list(Path("/proc/self/fd").iterdir()))
    return threading.active_count(), files, len(children())


def children() -> list[int]:
    numbers: list[int] = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[1]) == os.getpid():
            numbers.append(int(stat.parent.name))
    return numbers


@pytest.mark.slow
@pytest.mark.sampled(1)
@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="needs /proc")
@pytest.mark.parametrize("behaviour", ["well", "exits", "silent", "dies", "junk", "missing"])
def test_no_thread_file_or_process_is_left_behind(behaviour: str) -> None:
    def once() -> None:
        target = command(behaviour)
        if behaviour == "missing":
            target = StdioServerParameters(command="no-such-command-here")
        if behaviour == "well":
            call_ask(raw(), target)
        else:
            failing(
                target,
                calls=True,
                session=SessionOptions(connect_timeout=PATIENCE if behaviour == "dies" else 0.2),
            )

    once()
    gc.collect()
    gc.freeze()  # otherwise each count walks everything that other tests left
    before = count_resources()
    once()
    once()
    # Threads end asynchronously.
    until(lambda: all(now <= then for now, then in zip(count_resources(), before, strict=True)))


def test_targets_without_a_process_start_no_thread() -> None:
    async def inside() -> Any:
        async with package().Client.connect(Scripted().server, verify="off"):
            return threading.active_count()

    before = threading.active_count()
    assert anyio.run(inside) == before


class Wanted(BaseModel):
    size: int


def questions(answer: Any) -> Any:
    """Call a tool that asks the user, and return the answer that it received."""
    server = MCPServer("shop")

    @server.tool()
    async def explain(topic: str, ctx: Context[Any]) -> str:
        message = await ctx.elicit(topic, Wanted)
        return f"{message.action} {getattr(message, 'data', None)}"

    client_package = import_client(contracts.shop(revision="2025-06-18"), "shop_legacy")

    async def inside() -> Any:
        async with client_package.Client.connect(server, verify="off", elicit=answer) as client:
            return (await client.explain(topic="which size?")).text

    return anyio.run(inside)


def test_a_question_is_answered_by_the_callback() -> None:
    messages: list[str] = []

    async def answer(question: Any) -> Any:
        messages.append(question.message)
        return question.accept(size=7)

    assert questions(answer) == "accept size=7"
    assert messages == ["which size?"]


def test_an_answer_need_not_be_async() -> None:
    answer = types.ElicitResult(action="accept", content={"size": 8})
    assert questions(lambda _: answer) == "accept size=8"
    assert asking(lambda _: answer) == "accept {'size': 8}"


def asking(answer: Any) -> Any:
    """Call a tool of 2026-07-28 that asks the user something before it answers."""

    def ask(ctx: Any, params: Any) -> Any:
        del ctx
        if params.input_responses:
            message = params.input_responses["size"]
            return text_result(f"{message.action} {message.content}")
        expected = {"type": "object", "properties": {"size": {"type": "integer"}}}
        form = types.ElicitRequestFormParams(message="which size?", requested_schema=expected)
        question = types.ElicitRequest(params=form)
        return types.InputRequiredResult(input_requests={"size": question})

    async def inside() -> Any:
        server = Scripted(explain=ask).server
        async with package().Client.connect(server, verify="off", elicit=answer) as client:
            return (await client.explain(topic="x")).text

    return anyio.run(inside)


def test_a_question_of_the_newer_era_can_be_answered() -> None:
    async def answer(question: Any) -> Any:
        return question.accept(size=7)

    assert asking(answer) == "accept {'size': 7}"


def test_mistakes_of_a_first_program_are_named() -> None:
    shop = package()
    with pytest.raises(AttributeError, match=r"'add' is of the client: `async with"):
        shop.Client.connect().add(a=1, b=1)
    with pytest.raises(AttributeError, match=r"'add' is of the client: `with"):
        shop.Client.sync.connect().add(a=1, b=1)
    with pytest.raises(TypeError, match="confirm is called with a tool and its arguments"):
        shop.Client.fake(confirm=lambda _: True)
    with (
        pytest.raises(shop.ConnectionFailed, match="StdioServerParameters") as caught,
        shop.Client.sync.connect("python3 server.py --token s3cret-value"),
    ):
        pass
    assert "s3cret" not in str(caught.value)
