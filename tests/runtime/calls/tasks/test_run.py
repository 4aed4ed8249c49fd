"""Tools that a server runs as tasks: called, started, resumed and stopped, in both revisions."""

from __future__ import annotations

import asyncio
import logging
from functools import partial
from typing import Any

import anyio
import pytest
from guards import PATIENCE
from mcp import Client, MCPError
from mcp.server import Server
from mcp.types import ElicitResult, ErrorData, RequestParams
from mcpgen_runtime.calls.tasks import run
from mcpgen_runtime.connection import probe, session_manager
from pydantic import ConfigDict
from runtime.packages import import_client, package
from runtime.scripted import Scripted
from runtime.task_server import (
    EXTENSION,
    LEGACY,
    MODERN,
    TaskServer,
    connect_in_process,
    contract,
    over_http,
)
from task_clients import MADE, REVISIONS, abandon_call, small, using

from runtime import task_server


@pytest.mark.parametrize("revision", REVISIONS)
def test_task_tool_is_called_like_any_other(revision: str) -> None:
    server = TaskServer(revision)
    result = MADE[revision]
    results = using(lambda client: client.make(how="ok"), server, verify="error")
    assert results == result.MakeOutput(made="made ok")
    polls = ["tools/call", *["tasks/get"] * task_server.STEPS]
    assert server.methods == polls + ["tasks/result"] * (revision == LEGACY)


@pytest.mark.parametrize("revision", REVISIONS)
@pytest.mark.parametrize(
    ("how", "error", "text"),
    [
        ("errs", "ToolError", "make: the saw broke"),
        ("crashes", "ProtocolError", "make: no wood (-32001)"),
        ("wrong", "InvalidResult", "make: invalid result"),
        ("stops", "TaskCancelled", "make: the task was cancelled: step 1"),
        ("odd", "InvalidResult", "make: invalid result"),
    ],
)
def test_task_failure_is_a_call_error(revision: str, how: str, error: str, text: str) -> None:
    result = MADE[revision]

    async def act(client: Any) -> None:
        with pytest.raises(getattr(result, error)) as caught:
            await client.make(how=how)
        assert str(caught.value).startswith(text)
        if how == "crashes":
            assert caught.value.data == {"wood": 0}

    using(act, TaskServer(revision))


@pytest.mark.parametrize("revision", REVISIONS)
def test_arguments_are_checked_before_a_task_is_made(revision: str) -> None:
    async def act(client: Any) -> None:
        for call in (client.make, partial(client.start, client.make)):
            with pytest.raises(MADE[revision].InvalidArguments):
                await call(how=7)

    server = TaskServer(revision)
    using(act, server)
    assert server.methods == []


def test_optional_task_runs_as_one_on_request() -> None:
    server = TaskServer(LEGACY)

    async def act(client: Any) -> None:
        await client.may(how="plainly")
        await client.with_options(as_task=True, task_ttl=90).may(how="as asked")
        await client.with_options(as_task=True).never(how="never")

    using(act, server)
    called = [params.get("task") for method, params in server.heard if method == "tools/call"]
    assert called == [None, {"ttl": 90_000}, None]


def test_modern_server_decides_after_the_client_declares_tasks() -> None:
    server = TaskServer(MODERN)

    async def act(client: Any) -> None:
        assert (await client.may(how="ok")).made == "made ok"
        assert (await client.never(how="ok")).made == "made at once"

    using(act, server)
    _, params = server.heard[-1]
    capabilities = params["_meta"]["io.modelcontextprotocol/clientCapabilities"]
    assert capabilities["extensions"] == {EXTENSION: {}}


def test_client_without_task_tools_declares_no_tasks() -> None:
    plain = import_client(contract(MODERN, capabilities={"tools": {}}), "tasks_of_none")
    server = TaskServer(MODERN)
    using(lambda client: client.make(how="at once"), server, plain)
    _, params = server.heard[-1]
    assert "extensions" not in params["_meta"]["io.modelcontextprotocol/clientCapabilities"]


def test_server_without_tasks_capability_gets_no_task_requests() -> None:
    server = TaskServer(LEGACY, tools={})

    async def act(client: Any) -> None:
        with pytest.raises(MADE[LEGACY].ProtocolError):
            await client.make(how="ok")
        with pytest.raises(MADE[LEGACY].TaskUnsupported, match="does not declare tasks"):
            await client.start(client.make, how="ok")

    using(act, server)
    assert [params.get("task") for method, params in server.heard if method == "tools/call"] == [
        None
    ]


@pytest.mark.parametrize("revision", REVISIONS)
def test_immediately_completed_task_returns_its_result(revision: str) -> None:
    async def act(client: Any) -> None:
        assert (await client.make(how="done")).made == "made done"

    using(act, TaskServer(revision))


@pytest.mark.parametrize("with_progress", [True, False])
@pytest.mark.parametrize("revision", REVISIONS)
def test_question_of_a_task_reaches_the_callback_once(
    revision: str, *, with_progress: bool
) -> None:
    notifications: list[Any] = []

    async def act(client: Any) -> None:
        if with_progress:
            client = client.with_options(
                on_progress=lambda *messages: notifications.append(messages)
            )
        assert (await client.make(how="asks")).made == "made small"

    server = TaskServer(revision)
    using(act, server, elicit=small)
    assert server.methods.count("tasks/update") == (revision == MODERN)
    assert bool(notifications) is with_progress


@pytest.mark.slow
@pytest.mark.sampled(1)
@pytest.mark.parametrize("with_progress", [True, False])
@pytest.mark.parametrize("revision", REVISIONS)
def test_a_person_may_take_longer_than_a_request(revision: str, *, with_progress: bool) -> None:
    def heed(*messages: Any) -> None:
        """Take note of progress."""

    async def slowly(*prompts: Any) -> ElicitResult:
        await anyio.sleep(1.3)
        return await small(*prompts)

    async def act(client: Any) -> None:
        on_progress = heed if with_progress else None
        hurried = client.with_options(timeout=1, on_progress=on_progress)
        task = await hurried.start(client.make, how="asks")
        assert (await task.result()).made == "made small"

    using(act, TaskServer(revision), elicit=slowly)


def test_rejected_question_ends_the_task() -> None:
    async def refuse(*prompts: Any) -> ErrorData:
        return ErrorData(code=-1, message="not now")

    async def act(client: Any) -> None:
        with pytest.raises(MADE[MODERN].ProtocolError, match="not now"):
            await client.make(how="asks")

    server = TaskServer(MODERN)
    using(act, server, elicit=refuse)
    assert server.methods[-1] == "tasks/cancel"


@pytest.mark.slow
@pytest.mark.sampled(1)
@pytest.mark.parametrize("revision", REVISIONS)
def test_call_timeout_covers_its_task(revision: str) -> None:
    async def act(client: Any) -> None:
        with pytest.raises(MADE[revision].CallTimeout) as caught:
            await client.with_options(timeout=2).make(how="endless")
        assert caught.value.seconds == 2

    server = TaskServer(revision)
    using(act, server)
    assert server.methods[-1] == "tasks/cancel"


@pytest.mark.parametrize("revision", REVISIONS)
def test_cancelled_caller_cancels_the_task(revision: str) -> None:
    async def act(client: Any) -> None:
        await abandon_call(partial(client.make, how="endless"), server)

    server = TaskServer(revision)
    using(act, server)
    assert server.methods[-1] == "tasks/cancel"


@pytest.mark.parametrize("with_progress", [True, False])
def test_a_task_may_be_cancelled_while_its_question_waits(*, with_progress: bool) -> None:
    polls = 0

    async def never(*args: Any) -> ElicitResult:
        nonlocal polls
        polls += 1
        await anyio.sleep_forever()
        raise AssertionError

    def heed(*messages: Any) -> None:
        """Take note of progress."""

    async def act(client: Any) -> None:
        telling = client.with_options(on_progress=heed if with_progress else None)
        task = await telling.start(client.make, how="asks")

        async def cancel() -> None:
            while not polls:
                await anyio.sleep(0.01)
            assert (await task.cancel()).state == "cancelled"

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(cancel)
            with pytest.raises(MADE[LEGACY].TaskCancelled):
                await task.result()

    using(act, TaskServer(LEGACY), elicit=never)


def test_server_without_cancellation_gets_no_cancel_request() -> None:
    declared = {"requests": {"tools": {"call": {}}}}

    async def act(client: Any) -> None:
        await abandon_call(partial(client.make, how="endless"), server)
        task = await client.start(client.make, how="endless")
        with pytest.raises(MADE[LEGACY].TaskUnsupported, match="cannot cancel"):
            await task.cancel()

    server = TaskServer(LEGACY, tools={}, tasks=declared)
    using(act, server)
    assert "tasks/cancel" not in server.methods


@pytest.mark.parametrize("revision", REVISIONS)
def test_a_server_is_asked_again_when_it_says(
    revision: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    waited: list[float] = []

    async def record_sleep(connector: Any, seconds: float) -> None:
        waited.append(seconds)

    monkeypatch.setattr(session_manager.SessionManager, "sleep_before_retry", record_sleep)
    server = TaskServer(revision)
    server.interval = 90_000
    using(lambda client: client.make(how="ok"), server)
    assert waited == [90.0] * task_server.STEPS


def test_tool_without_task_support_cannot_be_started() -> None:
    server = TaskServer(LEGACY)
    plain = import_client(contract(MODERN, capabilities={"tools": {}}), "tasks_of_no_server")

    async def act(client: Any) -> None:
        with pytest.raises(MADE[LEGACY].TaskUnsupported, match="doesn't declare support for tasks"):
            await client.start(client.never, how="ok")

    async def start_undeclared(client: Any) -> None:
        with pytest.raises(plain.TaskUnsupported, match="the client does not declare"):
            await client.start(client.make, how="ok")

    using(act, server)
    assert server.methods == []
    modern = TaskServer(MODERN)
    using(start_undeclared, modern, plain)
    assert modern.methods == []


def test_a_server_of_an_older_revision_has_no_tasks() -> None:
    scripted = Scripted(contract(LEGACY))

    async def act() -> None:
        async with Client(scripted.server, mode="legacy") as sdk:
            vars(sdk.session)["_negotiated_version"] = "2025-06-18"
            async with MADE[LEGACY].Client.connect(sdk, verify="off") as client:
                with pytest.raises(MADE[LEGACY].TaskUnsupported, match="speaks 2025-06-18"):
                    await client.start(client.make)

    anyio.run(act)


def test_immediate_response_creates_no_task() -> None:
    async def act(client: Any) -> None:
        task = await client.start(client.make, how="at once")
        assert repr(task) == "<Task: make, answered at once>"
        assert task.id == ""
        assert (await task.status()).state == (await task.cancel()).state == "completed"
        assert (await task.result()).made == "made at once"
        with pytest.raises(MADE[MODERN].TaskUnsupported, match="no task to resume"):
            task.to_text()

    using(act, TaskServer(MODERN))


def test_dynamically_called_tool_can_be_started_and_resumed() -> None:
    async def act(client: Any) -> None:
        task = await client.start(client.call, "make", {"how": "ok"})
        again = await client.resume(client.call, task.to_text())
        assert (await again.result()).made == "made ok"

    using(act, TaskServer(MODERN))


def test_non_tool_call_cannot_be_started() -> None:
    async def nothing() -> int:
        return 7

    async def act(client: Any) -> None:
        with pytest.raises(TypeError, match="doesn't call a tool over this connection"):
            await client.start(nothing)
        with pytest.raises(TypeError, match="waits, and this client is async"):
            await client.start(client.sync(client, None).make)

    using(act, TaskServer(MODERN))


def test_a_prompt_or_a_resource_cannot_be_started() -> None:
    shop = package()

    async def act() -> None:
        async with shop.Client.connect(Scripted().server, verify="off") as client:
            with pytest.raises(TypeError, match="isn't a tool"):
                await client.start(client.resources.opening)
            with pytest.raises(shop.TaskUnsupported, match="does not declare"):
                await client.start(client.motto)

    anyio.run(act)


def test_hooks_limits_and_log_apply_to_started_tasks(caplog: pytest.LogCaptureFixture) -> None:
    questions: list[Any] = []

    def confirm(tool: Any, arguments: Any) -> bool:
        questions.append((tool.name, arguments))
        return bool(arguments["how"] == "ok")

    async def act(client: Any) -> None:
        await client.start(client.make, how="ok")
        with pytest.raises(MADE[MODERN].NotConfirmed):
            await client.start(client.make, how="no")
        with pytest.raises(MADE[MODERN].TooManyCalls):
            await client.start(client.make, how="ok")

    with caplog.at_level(logging.INFO, logger="tasks_2026.audit"):
        using(act, TaskServer(MODERN), confirm=confirm, limit={"make": 2})
    assert questions == [("make", {"how": "ok"}), ("make", {"how": "no"})]
    outcomes = [record.getMessage().rpartition("=")[2] for record in caplog.records]
    assert outcomes == ["started", "NotConfirmed", "TooManyCalls"]


@pytest.mark.slow
def test_temporarily_unavailable_server_is_polled_again() -> None:
    server, client_package = TaskServer(MODERN), MADE[MODERN]
    with over_http(server) as (url, _):

        async def act() -> None:
            async with client_package.Client.connect(url, retry=None) as client:
                server.statuses = [503, 502]
                assert (await client.make(how="ok")).made == "made ok"
                server.statuses = [503, 403]
                with pytest.raises(client_package.AuthorizationRequired):
                    await client.make(how="ok")

        anyio.run(act)


@pytest.mark.slow
@pytest.mark.sampled(1)
@pytest.mark.parametrize("revision", REVISIONS)
def test_silent_server_is_not_polled_again(revision: str, monkeypatch: pytest.MonkeyPatch) -> None:
    server, result = TaskServer(revision), MADE[revision]
    monkeypatch.setattr(run, "_TO_STOP", 0.1)
    monkeypatch.setattr(probe, "_PATIENCE", 0.1)

    async def act(client: Any) -> None:
        server.is_silent = True
        with pytest.raises(result.CallTimeout):
            await client.with_options(timeout=2).make(how="endless")
        assert "the server does not answer" in repr(client)
        server.is_silent = False
        assert (await client.make(how="ok")).made == "made ok"

    using(act, server)


def test_closing_a_client_awaits_no_task() -> None:
    server = TaskServer(MODERN)

    async def act() -> None:
        client = await MADE[MODERN].Client.open(lambda: connect_in_process(server))
        task = await client.start(client.make, how="endless")
        waiting = asyncio.create_task(task.result())
        await asyncio.sleep(0.1)
        await client.aclose()
        with pytest.raises(MADE[MODERN].ConnectionLost, match="the client was closed"):
            await asyncio.wait_for(waiting, PATIENCE)
        with pytest.raises(MADE[MODERN].ConnectionLost, match="the client was closed"):
            await task.status()

    asyncio.run(act())


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_given_sdk_client_runs_tasks_if_supported(mode: str) -> None:
    revision = LEGACY if mode == "legacy" else MODERN
    server, client_package = TaskServer(revision), MADE[revision]

    async def act() -> None:
        async with (
            Client(connect_in_process(server), mode=mode) as sdk,
            client_package.Client.connect(sdk) as client,
        ):
            if revision == MODERN:
                with pytest.raises(client_package.TaskUnsupported, match="client does not declare"):
                    await client.start(client.make)
                return
            notifications: list[Any] = []
            options = client.with_options(
                on_progress=lambda *messages: notifications.append(messages)
            )
            assert (await options.make(how="tells")).made == "made tells"
            assert notifications

    anyio.run(act)


def sdk_server(behind: TaskServer) -> Server[Any]:
    """Return a server of the SDK that forwards requests to another one, without streams."""

    class Params(RequestParams):
        model_config = ConfigDict(extra="allow")

    def handler(method: str) -> Any:
        async def respond(context: Any, params: Any) -> Any:
            raw = params.model_dump(by_alias=True, mode="json") if params else {}
            (response,) = behind.handle({"method": method, "id": 1, "params": raw})
            if "error" in response:
                raise MCPError.from_error_data(ErrorData.model_validate(response["error"]))
            return response["result"]

        return respond

    server: Server[Any] = Server(
        "tasks", on_list_tools=handler("tools/list"), on_call_tool=handler("tools/call")
    )
    server.extensions[EXTENSION] = {}
    for method in ("tasks/get", "tasks/update", "tasks/cancel"):
        server.add_request_handler(method, Params, handler(method))
    return server


@pytest.mark.slow
def test_a_server_of_this_process_runs_tasks() -> None:
    behind, client_package = TaskServer(MODERN), MADE[MODERN]

    async def act() -> None:
        async with client_package.Client.connect(sdk_server(behind), elicit=small) as client:
            assert (await client.make(how="asks")).made == "made small"
            task = await client.start(client.make, how="ok")
            same = await client.resume(client.make, task.to_text())
            assert (await same.result()).made == "made ok"
            with pytest.raises(client_package.CallTimeout):
                await client.with_options(timeout=2).make(how="endless")
            assert behind.methods[-1] == "tasks/cancel"

    anyio.run(act)


@pytest.mark.parametrize("revision", REVISIONS)
def test_sync_client_runs_tasks(revision: str) -> None:
    server, client_package = TaskServer(revision), MADE[revision]

    with client_package.Client.sync.connect(
        lambda: connect_in_process(server), elicit=small
    ) as client:
        assert client.make(how="asks").made == "made small"
        task = client.start(client.make, how="ok")
        assert isinstance(task, client_package.SyncTask)
        assert repr(task) == "<SyncTask: make, t2>"
        assert (task.id, task.tool, task.status().state) == ("t2", "make", "working")
        assert client.response(task.result).data.made == "made ok"
        again = client.resume(client.make, task.to_text())
        assert again.result(timeout=PATIENCE).made == "made ok"
        endless = client.with_options(timeout=5).start(client.call, "make", {"how": "endless"})
        with pytest.raises(client_package.CallTimeout):
            endless.result(0.1)
        assert endless.cancel().state == "cancelled"
        with pytest.raises(TypeError, match="doesn't call a tool"):
            client.start(lambda: 7)

        async def asynchronous() -> None:
            """Call nothing."""

        with pytest.raises(TypeError, match="is async, and this client waits"):
            client.start(asynchronous)
    with pytest.raises(client_package.ConnectionLost, match="the client was closed"):
        endless.status()
    with pytest.raises(client_package.ConnectionLost, match="the client was closed"):
        client.start(client.make, how="ok")


def test_a_tool_says_whether_it_runs_as_a_task() -> None:
    tools = MADE[LEGACY].Client.tools
    assert {name: info.task_support for name, info in tools.items()} == {
        "make": "required",
        "may": "optional",
        "never": "forbidden",
        "simulate-research-query": "required",
    }
    assert package().Client.tools["add"].task_support == "forbidden"
