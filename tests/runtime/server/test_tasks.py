"""Tools that run as tasks, over both protocols: creation, status, questions, cancellation and
expiry.
"""

from __future__ import annotations

import logging
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import anyio
import pytest
import sdk_programs
from authored import server, write_project
from guards import PATIENCE
from mcp import MCPError, types
from mcp.client._memory import InMemoryTransport
from mcp.shared.message import SessionMessage
from skeletons import MODES, call, http, list_everything, list_raw_tools, raises_mcp, text
from task_client import TASKS, RawResult, TaskClient, text_of
from task_servers import BODY, DECLARED, OPTIONAL, TOOLS, accept, answer_all, run, task_limits


def test_server_declares_tasks_for_each_protocol(odd: ModuleType) -> None:
    legacy = anyio.run(list_everything, odd.server, "legacy")["capabilities"]
    tasks = {"list": {}, "cancel": {}, "requests": {"tools": {"call": {}}}}
    assert legacy == {**DECLARED, "tasks": tasks}
    modern = anyio.run(list_everything, odd.server, "auto")["capabilities"]
    assert modern == {**DECLARED, "extensions": {TASKS: {}}}
    for mode in MODES:
        tools = anyio.run(list_raw_tools, odd.server, mode)
        assert {name: tool.get("execution") for name, tool in tools.items()} == {
            name: raw.get("execution") for name, raw in TOOLS.items()
        }


def test_a_server_of_no_such_tool_has_no_tasks(tmp_path: Path) -> None:
    body = "async def give(self, arguments, context): return str(context.is_task)"
    forbidden = {"execution": {"taskSupport": "forbidden"}}
    with server(tmp_path, {"give": forbidden}, body) as module:
        assert f"{module.__package__}._generated._runtime.tasks" not in sys.modules
        for mode in MODES:
            assert anyio.run(list_everything, module.server, mode)["capabilities"] == {"tools": {}}

        async def act(client: TaskClient) -> None:
            params = types.CallToolRequestParams(name="give", task=types.TaskMetadata())
            request = types.CallToolRequest(params=params)
            result = await client.session.send_request(request, types.CallToolResult)
            assert text(result) == "False"
            await client.ask("tasks/get", "a")

        for mode in MODES:
            with raises_mcp() as error:
                run(module.server, mode, act, declares=False)
            assert error.code == types.METHOD_NOT_FOUND


@pytest.mark.parametrize("mode", MODES)
def test_a_task_is_made_asks_and_ends(odd: ModuleType, mode: str) -> None:
    async def act(client: TaskClient) -> None:
        result = await client.call("make")
        assert result["status"] == "working"
        assert result["createdAt"].endswith("Z")
        ttl, poll = ("ttlMs", "pollIntervalMs") if client.is_modern else ("ttl", "pollInterval")
        assert (result[ttl], result[poll]) == (3_600_000, 1000)
        state = await client.until(result["taskId"], "input_required")
        assert state["statusMessage"] == "half (1 of 2)"
        assert state["lastUpdatedAt"] > state["createdAt"]
        assert text_of(await answer_all(client, result["taskId"])) == "accept True"
        over = await client.ask("tasks/get", result["taskId"])
        assert over["status"] == "completed"
        assert "statusMessage" not in over

    run(odd.server, mode, act, elicitation_callback=accept)


def test_plain_call_of_an_optional_tool_is_no_task(odd: ModuleType) -> None:
    for mode in MODES:
        assert text(anyio.run(call, odd.server, "maybe", {}, mode)) == "False"
        assert text(anyio.run(call, odd.server, "plain", {}, mode)) == "plain"


def test_task_only_tool_rejects_plain_calls(odd: ModuleType) -> None:
    with raises_mcp() as error:
        anyio.run(call, odd.server, "make", {}, "legacy")
    assert error.code == types.METHOD_NOT_FOUND
    with raises_mcp() as error:
        anyio.run(call, odd.server, "make", {}, "auto")
    assert error.code == types.MISSING_REQUIRED_CLIENT_CAPABILITY


def test_tool_without_task_support_rejects_task_calls(odd: ModuleType) -> None:
    """Since 2026-07-28, the server decides and returns a result."""

    async def act(client: TaskClient) -> Any:
        return await client.call("plain")

    with raises_mcp() as error:
        run(odd.server, "legacy", act)
    assert error.code == types.METHOD_NOT_FOUND
    assert run(odd.server, "auto", act)["content"]


def test_older_clients_have_no_tasks(odd: ModuleType) -> None:
    greeting = {"capabilities": {}, "clientInfo": {"name": "old", "version": ""}}
    expected = {"name": "make", "task": {}}
    requests = [
        ("initialize", {"protocolVersion": "2025-06-18", **greeting}),
        ("tools/call", {"name": "maybe", "task": {}}),
        ("tools/call", expected),
        ("tasks/get", {"taskId": "a"}),
        ("tasks/list", {}),
    ]

    async def ask() -> list[Any]:
        messages: list[Any] = []
        async with InMemoryTransport(odd.server) as (read, write):
            for number, (method, params) in enumerate(requests):
                message = types.JSONRPCRequest(
                    jsonrpc="2.0", id=number, method=method, params=params
                )
                await write.send(SessionMessage(message))
                answer = (await read.receive()).message
                messages.append(getattr(answer, "result", None) or answer.error.code)
        return messages

    hello, result, *codes = anyio.run(ask)
    assert hello["capabilities"] == DECLARED
    assert text_of(result) == "False"
    assert codes == [types.METHOD_NOT_FOUND] * 3


@pytest.mark.parametrize("mode", MODES)
def test_structure_is_kept_as_it_is(odd: ModuleType, mode: str) -> None:
    async def act(client: TaskClient) -> Any:
        return await client.result((await client.call("give"))["taskId"])

    result = run(odd.server, mode, act)
    assert result["structuredContent"] == {"a": None}
    assert text_of(result) == '{"a":null}'


@pytest.mark.parametrize("mode", MODES)
def test_an_error_of_the_tool_is_its_result(odd: ModuleType, mode: str) -> None:
    async def act(client: TaskClient) -> Any:
        task = (await client.call("fail"))["taskId"]
        return await client.result(task), await client.ask("tasks/get", task)

    result, state = run(odd.server, mode, act)
    assert (result["isError"], text_of(result)) == (True, "no luck today")
    if mode == "legacy":
        assert (state["status"], state["statusMessage"]) == ("failed", "no luck today")
        assert result["_meta"] == {
            "io.modelcontextprotocol/related-task": {"taskId": state["taskId"]}
        }
    else:
        assert state["status"] == "completed"
        assert "_meta" not in result


def test_a_protocol_error_is_the_tasks_error(odd: ModuleType) -> None:
    async def act(client: TaskClient) -> Any:
        task = (await client.call("refuse"))["taskId"]
        state = await client.until(task, "failed")
        if client.is_modern:
            assert state["error"]["code"] == types.MISSING_REQUIRED_CLIENT_CAPABILITY
        assert "roots" in state["statusMessage"]
        if not client.is_modern:
            await client.result(task)

    run(odd.server, "auto", act)
    with raises_mcp() as error:
        run(odd.server, "legacy", act)
    assert error.code == types.MISSING_REQUIRED_CLIENT_CAPABILITY


@pytest.mark.parametrize("mode", MODES)
def test_task_call_validates_arguments_and_limits(tmp_path: Path, mode: str) -> None:
    schema = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
    body = "async def give(self, arguments, context): return str(arguments.n)"
    with server(tmp_path, {"give": {**OPTIONAL, "inputSchema": schema}}, body) as module:
        once = module.Limits(rate=module.Rate(2, per=3600), timeout=0.001)

        async def act(client: TaskClient) -> Any:
            messages = []
            for arguments in ({"n": "5"}, {"n": 5}, {"n": 6}):
                task = (await client.call("give", arguments))["taskId"]
                messages.append(text_of(await client.result(task)))
            return messages

        package = module.create(module.Tools(), module.Policy(limits=once))
        first, second, third = run(package, mode, act)
        assert first == "Invalid arguments for give:\n  /n: '5' is not of type 'integer'"
        assert second == "5"
        assert third.startswith("Too many calls of give")


@pytest.mark.parametrize("mode", MODES)
def test_two_questions_at_once_are_asked_at_once(odd: ModuleType, mode: str) -> None:
    async def act(client: TaskClient) -> Any:
        return await answer_all(client, (await client.call("both"))["taskId"])

    result = run(odd.server, mode, act, elicitation_callback=accept)
    assert text_of(result) == '{"a": {"said": "a"}, "b": {"said": "b"}}'


def test_answers_arrive_separately_and_unknown_ones_are_ignored(odd: ModuleType) -> None:
    async def act(client: TaskClient) -> Any:
        task = (await client.call("both"))["taskId"]
        with anyio.fail_after(PATIENCE):
            while len((await client.ask("tasks/get", task)).get("inputRequests", {})) < 2:
                await anyio.sleep(0.01)

        async def update(**arguments: Any) -> None:
            message = await client.ask("tasks/update", task, inputResponses=arguments)
            assert message.keys() == {"resultType", "_meta"}

        await update(a={"action": "accept", "content": {"n": 1}}, c={"x": 1})
        state = await client.ask("tasks/get", task)
        assert (state["status"], list(state["inputRequests"])) == ("input_required", ["b"])
        await update(a={"action": "decline"})
        with pytest.raises(MCPError, match="'b' isn't the key"):
            await update(b={"action": "perhaps"})
        await update(b={"action": "accept", "content": {"n": 2}})
        return await client.result(task)

    result = run(odd.server, "auto", act, elicitation_callback=accept)
    assert text_of(result) == '{"a": {"n": 1}, "b": {"n": 2}}'


@pytest.mark.parametrize("mode", MODES)
def test_returned_questions_are_asked(odd: ModuleType, mode: str) -> None:
    async def act(client: TaskClient) -> Any:
        return await answer_all(client, (await client.call("asks"))["taskId"])

    assert text_of(run(odd.server, mode, act, elicitation_callback=accept)) == "done"
    assert odd.Tools.events == [(None, []), ("first", ["k"]), ("second", ["k"])]


def test_question_waits_for_a_repeated_result_request(odd: ModuleType) -> None:
    questions: list[str] = []

    async def stall(context: Any, params: types.ElicitRequestParams) -> types.ElicitResult:
        questions.append(params.message)
        if len(questions) == 1:
            await anyio.sleep(60)
        related = (params.meta or {})["io.modelcontextprotocol/related-task"]
        assert related == {"taskId": task[0]}
        return types.ElicitResult(action="decline")

    task: list[str] = []

    async def act(client: TaskClient) -> Any:
        task.append((await client.call("make"))["taskId"])
        with anyio.move_on_after(0.5):
            await client.result(task[0])
        assert (await client.ask("tasks/get", task[0]))["status"] == "input_required"
        return await client.result(task[0])

    result = run(odd.server, "legacy", act, elicitation_callback=stall)
    assert text_of(result) == "decline True"
    assert questions == ["Sure?", "Sure?"]


def test_a_refused_question_is_the_methods_error(odd: ModuleType) -> None:
    async def refuse(context: Any, params: types.ElicitRequestParams) -> Any:
        return types.ErrorData(code=-32050, message="not now")

    async def act(client: TaskClient) -> Any:
        return await client.result((await client.call("make"))["taskId"])

    with raises_mcp() as result:
        run(odd.server, "legacy", act, elicitation_callback=refuse)
    assert (result.code, result.message) == (-32050, "not now")


def test_a_model_with_tools_is_asked_by_a_task(odd: ModuleType) -> None:
    use = {"type": "tool_use", "id": "u", "name": "add", "input": {"a": 2, "b": 3}}
    result = {"role": "assistant", "model": "m"}

    async def model(context: Any, params: types.CreateMessageRequestParams) -> Any:
        is_first = len(params.messages) == 1
        content: Any = [use] if is_first else params.messages[-1].content_as_list[0].content[0]  # type: ignore[union-attr]
        return types.CreateMessageResultWithTools.model_validate({**result, "content": content})

    async def act(client: TaskClient) -> Any:
        task = (await client.call("model"))["taskId"]
        for key in ("q", "q:2") if client.is_modern else ():
            state = await client.until(task, "input_required")
            messages = state["inputRequests"][key]["params"]["messages"]
            content = use if key == "q" else messages[-1]["content"][0]["content"][0]
            answers = {key: {**result, "content": content}}
            await client.ask("tasks/update", task, inputResponses=answers)
        return await client.result(task)

    able = types.SamplingCapability(tools=types.SamplingToolsCapability())
    options: Any = {"sampling_callback": model, "sampling_capabilities": able}
    for mode in MODES:
        assert text_of(run(odd.server, mode, act, **options)) == "5"


@pytest.mark.parametrize("mode", MODES)
def test_before_hook_asks_before_the_task_starts(odd: ModuleType, mode: str) -> None:
    async def before(tool: Any, arguments: Any, context: Any) -> None:
        assert not context.is_task
        await context.elicit("q", "First?", {"type": "object", "properties": {}})

    questions: list[str] = []

    async def answer(context: Any, params: types.ElicitRequestParams) -> types.ElicitResult:
        questions.append(params.message)
        return types.ElicitResult(action="cancel")

    async def act(client: TaskClient) -> Any:
        if not client.is_modern:
            return await client.result((await client.call("make"))["taskId"])
        first = await client.session.call_tool("make", {}, allow_input_required=True)
        assert isinstance(first, types.InputRequiredResult)
        package: Any = await client.session.call_tool(
            "make",
            {},
            input_responses={"q": types.ElicitResult(action="cancel")},
            request_state=first.request_state,
            allow_claimed=True,
        )
        assert "requestState" not in package.model_dump(by_alias=True)
        return await client.result(package.taskId)

    policy = odd.Policy(tasks=task_limits(odd, before=before))
    result = run(odd.create(odd.Tools(), policy), mode, act, elicitation_callback=answer)
    assert text_of(result) == "cancel True"
    assert questions == (["First?"] if mode == "legacy" else [])


def test_progress_and_messages_go_on_until_2025_11_25(odd: ModuleType) -> None:
    messages: list[Any] = []

    async def log(params: types.LoggingMessageNotificationParams) -> None:
        messages.append((params.data, params.meta))

    async def hear(message: Any) -> None:
        if isinstance(message, types.ProgressNotification):
            messages.append((message.params.progress, message.params.meta))

    async def act(client: TaskClient) -> None:
        params = types.CallToolRequestParams(
            name="make", task=types.TaskMetadata(), _meta={"progress_token": 7}
        )
        request = types.CallToolRequest(params=params)
        package = (await client.session.send_request(request, RawResult)).model_dump()["task"]
        related = {"io.modelcontextprotocol/related-task": {"taskId": package["taskId"]}}
        while len(messages) < 2:
            await anyio.sleep(0.01)
        assert messages == [(1, related), ("heard", related)]

    options: Any = {"message_handler": hear, "logging_callback": log}
    run(odd.server, "legacy", act, elicitation_callback=accept, **options)


@pytest.mark.parametrize("mode", MODES)
def test_a_cancelled_task_stops_its_method_and_stays_cancelled(odd: ModuleType, mode: str) -> None:
    async def act(client: TaskClient) -> None:
        task = (await client.call("wait"))["taskId"]
        await anyio.sleep(0.1)
        message = await client.ask("tasks/cancel", task)
        if client.is_modern:
            assert message.keys() == {"resultType", "_meta"}
        else:
            assert message["status"] == "cancelled"
        state = await client.until(task, "cancelled")
        assert state["statusMessage"] == "Cancelled by its caller"
        while odd.Tools.events != ["stopped"]:
            await anyio.sleep(0.01)
        if client.is_modern:
            await client.ask("tasks/cancel", task)  # cancelling again gives the same response
            return
        with pytest.raises(MCPError, match="it is cancelled") as raised:
            await client.ask("tasks/cancel", task)
        assert raised.value.code == types.INVALID_PARAMS
        with pytest.raises(MCPError, match="Cancelled by its caller"):
            await client.result(task)

    odd.Tools.events.clear()
    run(odd.server, mode, act)


@pytest.mark.slow
@pytest.mark.parametrize("mode", MODES)
def test_expired_task_is_cancelled_and_removed(odd: ModuleType, mode: str) -> None:
    async def act(client: TaskClient) -> None:
        ttl = {} if client.is_modern else {"ttl": 1}  # which is too short: it is a second
        task = (await client.call("wait", **ttl))["taskId"]
        await client.ask("tasks/get", task)
        while odd.Tools.events != ["stopped"]:
            await anyio.sleep(0.01)
        while True:
            await client.ask("tasks/get", task)
            await anyio.sleep(0.01)

    odd.Tools.events.clear()
    policy = odd.Policy(tasks=task_limits(odd, ttl=0.5))
    with raises_mcp() as result:
        run(odd.create(odd.Tools(), policy), mode, act)
    assert (result.code, result.message) == (types.INVALID_PARAMS, "Task not found")


def test_a_client_may_say_how_long_within_limits(odd: ModuleType) -> None:
    async def act(client: TaskClient) -> list[int]:
        ttls = (None, 1, 5_000, 10**9)
        return [(await client.call("maybe", ttl=ttl))["ttl"] for ttl in ttls]

    policy = odd.Policy(tasks=task_limits(odd, ttl=60, max_ttl=100))
    assert run(odd.create(odd.Tools(), policy), "legacy", act) == [60_000, 1000, 5000, 100_000]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    ("limits", "tool"),
    [({"working": 2}, "wait"), ({"kept": 2}, "maybe"), ({"max_kept_total": 2}, "maybe")],
)
def test_a_caller_has_so_many_tasks_and_no_more(
    odd: ModuleType, mode: str, limits: Any, tool: str
) -> None:
    async def act(client: TaskClient) -> None:
        for _ in range(2):
            await client.call(tool)
        with pytest.raises(MCPError, match="Too many tasks; try again later"):
            await client.call(tool)

    run(odd.create(odd.Tools(), odd.Policy(tasks=task_limits(odd, **limits))), mode, act)


@pytest.mark.parametrize("mode", MODES)
def test_failure_of_a_task_is_only_logged(
    tmp_path: Path, mode: str, caplog: pytest.LogCaptureFixture
) -> None:
    body = "async def give(self, arguments, context): raise KeyError('secret')"
    caplog.set_level(logging.INFO)
    with server(tmp_path, {"give": OPTIONAL}, body) as module:

        async def act(client: TaskClient) -> Any:
            return await client.result((await client.call("give"))["taskId"])

        result = run(module.server, mode, act)
    assert text_of(result) == "The tool give failed; its server's log has the reason."
    audit = [record.getMessage() for record in caplog.records if record.name == "odd.audit"]
    assert [line.rpartition("outcome=")[2] for line in audit] == ["failed"]


def test_tasks_end_with_the_server(odd: ModuleType) -> None:
    odd.Tools.events.clear()

    async def act(client: TaskClient) -> None:
        await client.call("wait")
        await anyio.sleep(0.1)

    for mode in MODES:
        run(odd.server, mode, act)
    assert odd.Tools.events == ["stopped"] * 2


@pytest.mark.slow
@pytest.mark.sampled(1)
@pytest.mark.parametrize("mode", MODES)
def test_it_is_the_same_over_stdio(tmp_path: Path, mode: str) -> None:
    folder = write_project(tmp_path, TOOLS, BODY)
    command = sdk_programs.stdio("-m", "odd", env={"PYTHONPATH": str(folder / "src")})

    async def act(client: TaskClient) -> Any:
        return await answer_all(client, (await client.call("make"))["taskId"])

    assert text_of(run(command, mode, act, elicitation_callback=accept)) == "accept True"


@pytest.mark.slow
@pytest.mark.sampled(1)
@pytest.mark.parametrize("mode", MODES)
def test_task_is_available_to_other_connections_of_its_caller(tmp_path: Path, mode: str) -> None:
    folder = write_project(tmp_path, TOOLS, BODY)
    result: list[str] = []

    async def make(client: TaskClient) -> None:
        result.append((await client.call("make"))["taskId"])

    async def finish(client: TaskClient) -> Any:
        return await answer_all(client, result[0])

    async def list_tasks(client: TaskClient) -> Any:
        return await client.ask("tasks/list")

    with http(folder) as url:
        run(url, mode, make, elicitation_callback=accept)
        assert text_of(run(url, mode, finish, elicitation_callback=accept)) == "accept True"
        with raises_mcp() as error:  # callers from one address are indistinguishable
            run(url, mode, list_tasks)
        assert error.code == types.METHOD_NOT_FOUND


@pytest.mark.slow
def test_a_task_goes_on_when_its_session_is_gone(tmp_path: Path) -> None:
    body = """\
    async def give(self, arguments, context):
        for step in range(20):
            await context.progress(step)
            await context.log("info", step)
            await anyio.sleep(0.1)
        return "given"
    """
    folder = write_project(tmp_path, {"give": OPTIONAL}, body, capabilities=DECLARED)
    result: list[str] = []

    async def make(client: TaskClient) -> None:
        params = types.CallToolRequestParams(
            name="give", task=types.TaskMetadata(), _meta={"progress_token": 7}
        )
        request = types.CallToolRequest(params=params)
        result.append(
            (await client.session.send_request(request, RawResult)).model_dump()["task"]["taskId"]
        )

    async def finish(client: TaskClient) -> Any:
        return await client.result(result[0])

    with http(folder) as url:
        run(url, "legacy", make)
        assert text_of(run(url, "legacy", finish)) == "given"


def test_many_tasks_are_cancelled_right_after_creation(odd: ModuleType) -> None:
    odd.Tools.events.clear()

    async def act(client: TaskClient) -> None:
        async with anyio.create_task_group() as group:
            for _ in range(50):
                group.start_soon(cancel_one, client)

    async def cancel_one(client: TaskClient) -> None:
        task = (await client.call("wait"))["taskId"]
        await client.ask("tasks/cancel", task)
        assert (await client.ask("tasks/get", task))["status"] == "cancelled"

    for mode in MODES:
        run(odd.server, mode, act)
    assert set(odd.Tools.events) <= {"stopped"}
