"""A generated client and server ask each other, over both protocols."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import anyio
import pytest
import sdk_programs
from authored import ANY, write_project
from guards import PATIENCE
from mcpgen_runtime import Callbacks
from runtime.packages import import_client as client_of
from skeletons import http

from mcpgen.contract.document import read

REVISIONS = ["2025-11-25", "2026-07-28"]
BODY = """\
async def talk(self, arguments, context):
    days = {"type": "integer", "maximum": 30}
    form = {"type": "object", "properties": {"days": days}, "required": ["days"]}
    answer = await context.elicit("form", "How long?", form)
    number = {"type": "integer"}
    schema = {"type": "object", "properties": {"a": number, "b": number}, "required": ["a", "b"]}
    add = SamplingTool("add", "Add.", schema, lambda given: str(given["a"] + given["b"]))
    said = await context.sample("model", "Add.", max_tokens=50, tools=[add])
    roots = await context.roots("roots")
    await context.log("info", {"days": answer.content["days"]}, "desk")
    return json.dumps([answer.content, said.text, [str(root.uri) for root in roots]])

async def make(self, arguments, context):
    await context.progress(1, 2, "half")
    form = {"type": "object", "properties": {"size": {"type": "string"}}, "required": ["size"]}
    answer = await context.elicit("size", "How big?", form)
    return {"made": answer.content["size"], "is_task": context.is_task}

async def wait(self, arguments, context):
    await anyio.sleep(60)
"""
MADE = {
    "type": "object",
    "properties": {"made": {"type": "string"}, "is_task": {"type": "boolean"}},
    "required": ["made", "is_task"],
}
AS_TASK = {"execution": {"taskSupport": "required"}}
TOOLS: dict[str, Any] = {
    "talk": {"annotations": {"readOnlyHint": True}},
    "make": {**AS_TASK, "outputSchema": MADE},
    "wait": AS_TASK,
}
MORE: dict[str, Any] = {"capabilities": {"tools": {}, "logging": {}}}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_project(tmp_path_factory.mktemp("odd"), TOOLS, BODY, **MORE)


@pytest.fixture(scope="module", params=REVISIONS)
def package(request: pytest.FixtureRequest) -> Any:
    """The client of a contract recorded over one protocol."""
    definitions = [{"name": name, "inputSchema": ANY, **raw} for name, raw in TOOLS.items()]
    contract = read({"tools": definitions, "revision": request.param, **MORE})
    return client_of(contract, f"talks_{request.param[:4]}")


@contextmanager
def over(way: str, folder: Path) -> Iterator[Any]:
    """Start the server and yield a target for clients."""
    if way == "http":
        with http(folder) as url:
            yield url
    else:
        path = {"PYTHONPATH": str(folder / "src")}
        yield sdk_programs.stdio("-m", "odd", env=path)


class Answers:
    """The client's answers and the notifications it received."""

    def __init__(self) -> None:
        self.logged: list[Any] = []
        self.told: list[Any] = []

    def elicit(self, question: Any) -> Any:
        (field,) = question.fields
        return question.accept({field.name: 14 if field.name == "days" else "small"})

    def sample(self, request: Any) -> Any:
        if request.rounds == 0:
            (tool,) = request.tools
            return request.answer([request.use_tool(tool.name, {"a": 2, "b": 3})])
        (result,) = request.messages[-1].content_as_list
        return f"It is {result.content[0].text}."

    def log(self, level: str, data: Any, logger: str | None) -> None:
        self.logged.append((level, data, logger))

    def options(self, root: Path) -> dict[str, Any]:
        return {
            "elicit": self.elicit,
            "sampling": self.sample,
            "roots": root,
            "callbacks": Callbacks(on_log=self.log),
            "verify": "error",
        }


@pytest.mark.sampled(1)
@pytest.mark.parametrize("way", ["stdio", "http"])
def test_a_server_is_answered_by_its_client(
    package: Any, folder: Path, way: str, tmp_path: Path
) -> None:
    answers = Answers()

    async def act(target: Any) -> Any:
        with anyio.fail_after(PATIENCE):
            async with package.Client.connect(target, **answers.options(tmp_path)) as client:
                return (await client.talk()).text

    with over(way, folder) as target:
        document = json.loads(anyio.run(act, target))
    assert document == [{"days": 14}, "It is 5.", [tmp_path.as_uri()]]
    assert ("info", {"days": 14}, "desk") in answers.logged


@pytest.mark.slow
@pytest.mark.parametrize("way", ["stdio", "http"])
def test_sync_client_answers_questions(
    package: Any, folder: Path, way: str, tmp_path: Path
) -> None:
    options = Answers().options(tmp_path)
    with over(way, folder) as target, package.Client.sync.connect(target, **options) as client:
        assert json.loads(client.talk().text)[1] == "It is 5."
        assert client.make().made == "small"
        task = client.start(client.wait)
        assert task.status().state == "working"
        assert task.cancel().state == "cancelled"


@pytest.mark.slow
@pytest.mark.parametrize("way", ["stdio", "http"])
def test_client_follows_a_task_of_the_server(
    package: Any, folder: Path, way: str, tmp_path: Path
) -> None:
    answers = Answers()

    async def act(target: Any) -> None:
        with anyio.fail_after(PATIENCE):
            async with package.Client.connect(target, **answers.options(tmp_path)) as client:
                telling = client.with_options(
                    on_progress=lambda *messages: answers.told.append(messages)
                )
                result = await telling.make()
                assert (result.made, result.is_task) == ("small", True)
                task = await client.start(client.make)
                assert (await task.result()).made == "small"
                results = await client.resume(client.make, task.to_text())
                assert (await results.result()).made == "small"
                stopped = await client.start(client.wait)
                assert (await stopped.cancel()).state == "cancelled"
                with pytest.raises(package.TaskCancelled):
                    await stopped.result()

    with over(way, folder) as target:
        anyio.run(act, target)
    # Since 2026-07-28 the progress of a task is in the message of its status.
    assert any(str(message).startswith("half") for _, _, message in answers.told)


@pytest.mark.slow
@pytest.mark.sampled(1)
def test_missing_capability_is_named_to_the_client(package: Any, folder: Path) -> None:
    async def act(target: Any) -> str:
        async with package.Client.connect(target) as client:
            with pytest.raises(package.ClientError) as caught:
                await client.talk()
            return str(caught.value)

    with over("stdio", folder) as target:
        assert "elicitation" in anyio.run(act, target)
