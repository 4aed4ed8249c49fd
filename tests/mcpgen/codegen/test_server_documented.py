"""The server examples of docs/server-tasks.md work over the legacy and the modern protocol."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

import anyio
import pytest
from documented import blocks
from mcp import Client, types
from paths import ROOT
from skeletons import AUTHOR, DEMO, MODES, import_server, project, text
from task_client import tasks_of, text_of

from mcpgen.contract.document import read
from mcpgen.contract.handwritten import parse


@contextmanager
def documented_server(tmp_path: Path, arg: str) -> Iterator[tuple[ModuleType, Any]]:
    """A server whose user code contains a documented block and all other methods."""
    page = [item for item in blocks("python", "yaml") if item.page == "docs/server-tasks.md"]
    (contract,) = [item for item in page if item.language == "yaml"]
    described = parse(contract.text.encode(), "contract.yaml")["tools"]
    document = json.loads(DEMO.read_text("utf-8"))
    for name, raw in described.items():
        document["tools"][name]["definition"]["execution"] = raw["execution"]
    (block,) = [item for item in page if f"def {arg}" in item.text]
    with import_server(project(read(document), tmp_path, author=AUTHOR)) as module:
        names: dict[str, Any] = {"__name__": "shown"}
        exec(compile(block.text, str(ROOT / block.page), "exec"), names)
        tools = type("Tools", (names["Tools"], module.Tools), {})()
        yield module, module.create(tools, module.Prompts(), module.Resources())


@pytest.mark.parametrize("mode", MODES)
def test_a_method_asks_a_model_with_a_tool(tmp_path: Path, mode: str) -> None:
    requests: list[types.CreateMessageRequestParams] = []

    async def model(context: Any, params: types.CreateMessageRequestParams) -> Any:
        requests.append(params)
        use = {"type": "tool_use", "id": "u", "name": "look_up", "input": {"id": "B-1"}}
        response = {"type": "text", "text": "A green cover."}
        content: Any = use if len(requests) == 1 else response
        answer = {"role": "assistant", "model": "m", "content": content}
        return types.CreateMessageResultWithTools.model_validate(answer)

    async def call(server: Any) -> Any:
        able = types.SamplingCapability(tools=types.SamplingToolsCapability())
        options: Any = {"sampling_callback": model, "sampling_capabilities": able}
        async with Client(server, mode=mode, **options) as client:  # type: ignore[arg-type]
            return await client.call_tool("show_cover", {"id": "B-1"})

    with documented_server(tmp_path, "show_cover") as (_, server):
        assert text(anyio.run(call, server)) == "A green cover."
    (result,) = requests[1].messages[-1].content_as_list
    assert isinstance(result, types.ToolResultContent)
    assert text(result) == "green"


@pytest.mark.parametrize("mode", MODES)
def test_method_runs_as_task_and_as_call(tmp_path: Path, mode: str) -> None:
    async def yes(context: Any, params: types.ElicitRequestParams) -> types.ElicitResult:
        return types.ElicitResult(action="accept", content={"films": True})

    async def call(server: Any) -> Any:
        async with Client(server, mode=mode, elicitation_callback=yes) as client:  # type: ignore[arg-type]
            return (await client.call_tool("take_inventory", {})).structured_content

    async def run(server: Any) -> Any:
        async with tasks_of(server, mode, elicitation_callback=yes) as client:
            task = (await client.call("take_inventory"))["taskId"]
            if client.is_modern:
                await client.until(task, "input_required")
                answer = {"action": "accept", "content": {"films": True}}
                await client.ask("tasks/update", task, inputResponses={"films": answer})
            result = await client.result(task)
            assert json.loads(text_of(result)) == result["structuredContent"]
            return result["structuredContent"]

    with documented_server(tmp_path, "take_inventory") as (_, server):
        expected = {"counted": 260, "by_genre": {"crime": 260}}
        assert anyio.run(call, server) == expected
        assert anyio.run(run, server) == expected
