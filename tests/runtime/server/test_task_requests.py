"""Requests about tasks: lists, unknown tasks, and whose they are."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType
from typing import Any

import anyio
import httpx2
import pytest
from authored import write_project
from guards import PATIENCE
from mcp import MCPError, types
from skeletons import MODES, http, raises_mcp
from task_client import TASKS, Params, RawResult, TaskClient, Unnamed, tasks_of, text_of
from task_servers import BODY, TOOLS, run, task_limits


@pytest.mark.parametrize("mode", MODES)
def test_unknown_task_is_an_error(odd: ModuleType, mode: str) -> None:
    methods = ["tasks/get", "tasks/cancel", "tasks/update" if mode == "auto" else "tasks/result"]

    async def act(client: TaskClient) -> None:
        for method in methods:
            with pytest.raises(MCPError, match="Task not found") as raised:
                await client.ask(method, "none", inputResponses={})
            assert raised.value.code == types.INVALID_PARAMS
        gone = ["tasks/result", "tasks/list"] if client.is_modern else ["tasks/update"]
        for method in gone:
            with pytest.raises(MCPError, match="Method not found") as raised:
                await client.ask(method, "none", inputResponses={})
            assert raised.value.code == types.METHOD_NOT_FOUND

    run(odd.server, mode, act)


def test_client_without_tasks_capability_learns_nothing(odd: ModuleType) -> None:
    async def act(client: TaskClient) -> None:
        listen: Any = {"notifications": {"taskIds": ["a"]}}
        requests: list[Any] = [("tasks/get", "a", {}), ("tasks/cancel", "a", {})]
        requests += [("tasks/update", "a", {"inputResponses": {}})]
        requests += [("subscriptions/listen", None, listen)]
        for method, task, more in requests:
            with pytest.raises(MCPError) as raised:
                await client.ask(method, task, **more)
            assert raised.value.code == types.MISSING_REQUIRED_CLIENT_CAPABILITY
            assert raised.value.data == {"requiredCapabilities": {"extensions": {TASKS: {}}}}

    run(odd.server, "auto", act, declares=False)


def test_tasks_are_listed_page_by_page(odd: ModuleType) -> None:
    async def act(client: TaskClient) -> None:
        result = [(await client.call("maybe"))["taskId"] for _ in range(103)]
        first = await client.ask("tasks/list")
        second = await client.ask("tasks/list", cursor=first["nextCursor"])
        assert [task["taskId"] for page in (first, second) for task in page["tasks"]] == result
        assert "nextCursor" not in second
        with pytest.raises(MCPError, match="Unknown cursor"):
            await client.ask("tasks/list", cursor="none")

    policy = odd.Policy(tasks=task_limits(odd, working=200))
    run(odd.create(odd.Tools(), policy), "legacy", act)


@pytest.mark.slow
def test_task_belongs_to_the_protocol_of_its_call(tmp_path: Path) -> None:
    folder = write_project(tmp_path, TOOLS, BODY)
    result: list[str] = []

    async def make(client: TaskClient) -> None:
        result.append((await client.call("maybe"))["taskId"])

    async def look(client: TaskClient) -> Any:
        return await client.ask("tasks/get", result[0])

    with http(folder) as url:
        run(url, "auto", make)
        with raises_mcp() as error:
            run(url, "legacy", look)
        assert error.message == "Task not found"


@pytest.mark.slow
def test_header_naming_another_task_is_rejected(tmp_path: Path) -> None:
    folder = write_project(tmp_path, TOOLS, BODY)

    async def act(client: TaskClient) -> None:
        package = (await client.call("maybe"))["taskId"]
        params = Params.model_validate({"taskId": package})
        request = Unnamed(method="tasks/get", params=params)
        await client.session.send_request(request, RawResult)

    with http(folder) as url, raises_mcp() as result:
        run(url, "auto", act)
    assert result.code == types.HEADER_MISMATCH


VERIFIER = """
from mcp.server.auth.provider import AccessToken
from mcp.server.auth.settings import AuthSettings
from ._generated import run
from .server import server


class Verifier:
    async def verify_token(self, token: str) -> AccessToken | None:
        return AccessToken(token=token, client_id="app", scopes=["use"], subject=token)


auth = AuthSettings(
    issuer_url="https://auth.example.org",
    resource_server_url="http://127.0.0.1/mcp",
    required_scopes=["use"],
    validate_token_resource=False,
)
run(server, auth=auth, token_verifier=Verifier())
"""


@pytest.mark.slow
@pytest.mark.parametrize("mode", MODES)
def test_a_task_is_its_callers_alone(tmp_path: Path, mode: str) -> None:
    folder = write_project(tmp_path, TOOLS, BODY)
    (folder / "src" / "odd" / "__main__.py").write_text(VERIFIER)
    result: dict[str, str] = {}

    async def visit(url: str, name: str) -> None:
        headers = {"Authorization": f"Bearer {name}"}
        async with (
            httpx2.AsyncClient(headers=headers, timeout=PATIENCE) as own,
            tasks_of(url, mode, http_client=own) as client,
        ):
            result[name] = (await client.call("maybe"))["taskId"]
            assert text_of(await client.result(result[name])) == "True"
            for other in result.keys() - {name}:
                for method in ("tasks/get", "tasks/cancel"):
                    with pytest.raises(MCPError, match="Task not found"):
                        await client.ask(method, result[other])
            if mode == "legacy":
                listed = (await client.ask("tasks/list"))["tasks"]
                assert [item["taskId"] for item in listed] == [result[name]]

    with http(folder) as url:
        for name in ("ada", "eve"):
            anyio.run(visit, url, name)
