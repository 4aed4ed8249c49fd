"""Several generated packages in one process share the runtime's classes, and nothing else."""

from __future__ import annotations

import importlib
import logging
import pickle
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import anyio
import mcpgen_runtime
import pytest
from checkers import typed, write
from mcp import Client
from mcpgen_runtime.package import package_of_module
from runtime.packages import import_client
from runtime.scripted import Scripted, structured_result
from skeletons import AUTHOR, demo, project

from mcpgen.codegen.pipeline import Options, generate
from mcpgen.contract.document import Contract

TOOL = {
    "name": "count",
    "description": "Count.",
    "inputSchema": {"type": "object", "properties": {"a": {"type": "integer"}}},
    "outputSchema": {"type": "object", "properties": {"n": {"type": "integer"}}},
}
OTHER = {**TOOL, "inputSchema": {"type": "object", "properties": {"a": {"type": "string"}}}}
FIRST: Any = import_client(
    Contract(tools={"count": TOOL}, server={"name": "first"}), "shares_first"
)
SECOND: Any = import_client(
    Contract(tools={"count": OTHER}, server={"name": "second"}), "shares_second"
)


def test_packages_share_every_class() -> None:
    for name in sorted(mcpgen_runtime.__all__):
        assert getattr(FIRST, name) is getattr(SECOND, name) is getattr(mcpgen_runtime, name)


def test_each_package_has_its_own_contract_tools_and_logger() -> None:
    first, second = (package_of_module(module.__name__) for module in (FIRST, SECOND))
    assert first.contract["server"]["name"] == "first"
    assert second.contract["server"]["name"] == "second"
    assert first.tool("count").owner is first
    assert second.tool("count").owner is second
    assert first.tool("count") != second.tool("count")
    assert (first.logger("audit").name, second.logger().name) == (
        "shares_first.audit",
        "shares_second",
    )
    assert FIRST.Client.tools["count"].definition != SECOND.Client.tools["count"].definition


async def call(package: Any, value: object, **options: Any) -> Any:
    contract = package_of_module(package.__name__).contract
    tools = {name: entry["definition"] for name, entry in contract["tools"].items()}
    server = Scripted(
        Contract(tools=tools, server=contract["server"]), count=structured_result({"n": 1})
    )
    async with package.Client.connect(server.server, verify="off", **options) as client:
        return await client.call("count", {"a": value})


def test_equally_named_tools_use_their_own_schemas() -> None:
    assert anyio.run(call, FIRST, 1).n == anyio.run(call, SECOND, "1").n == 1
    for package, value in ((FIRST, "1"), (SECOND, 1)):
        with pytest.raises(mcpgen_runtime.InvalidArguments):
            anyio.run(call, package, value)


def test_calls_are_logged_under_their_own_package(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO):
        anyio.run(call, FIRST, 1)
        anyio.run(call, SECOND, "1")
    audit = [record.name for record in caplog.records if record.name.endswith(".audit")]
    assert audit == ["shares_first.audit", "shares_second.audit"]


def test_one_option_serves_two_clients() -> None:
    retry, sampling = mcpgen_runtime.Retry(attempts=2), mcpgen_runtime.Sampling(lambda _: "hi")
    for package, value in ((FIRST, 1), (SECOND, "1")):
        options = {"retry": retry, "sampling": sampling, "confirm": lambda *_: True}
        assert anyio.run(lambda p=package, v=value, o=options: call(p, v, **o)).n == 1


def test_fakes_follow_their_own_rules() -> None:
    async def use() -> None:
        async with FIRST.Client.fake() as first, SECOND.Client.fake() as second:
            first.on(first.count).raises(SECOND.ToolError("closed"))
            second.on(second.count).returns({"n": 3})
            with pytest.raises(FIRST.ToolError, match="closed"):
                await first.count(a=1)
            assert (await second.count(a="1")).n == 3
            assert (len(first.calls()), len(second.calls())) == (1, 1)

    anyio.run(use)


def test_results_and_errors_can_be_pickled() -> None:
    result = anyio.run(call, FIRST, 1)
    assert pickle.loads(pickle.dumps(result)) == result
    error = mcpgen_runtime.ToolError("no")
    assert str(pickle.loads(pickle.dumps(error))) == str(error)


def test_regenerated_package_uses_its_new_contract(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    for version in ("1", "2"):
        contract = Contract(tools={"count": TOOL}, server={"name": "again", "version": version})
        write(generate(contract, Options(name="made_again")).files, tmp_path / "made_again")
        importlib.invalidate_caches()
        for name in [name for name in sys.modules if name.split(".")[0] == "made_again"]:
            del sys.modules[name]
        module: Any = importlib.import_module("made_again")
        assert module.Client._package.contract["server"]["version"] == version


@typed()
def shared_options(folder: Path) -> None:
    for name, tool in (("one", TOOL), ("two", OTHER)):
        contract = Contract(tools={"count": tool}, server={"name": name})
        write(generate(contract, Options(name=name)).files, folder / name)
    (folder / "use.py").write_text(
        "from collections.abc import Mapping\n"
        "from typing import Any\n\n"
        "from mcpgen_runtime import ClientError, Retry, Sampling, ToolInfo, connect_all\n"
        "from mcpgen_runtime.client import McpClient\n\n"
        "from one import OneClient\n"
        "from two import InvalidArguments, TwoClient\n\n"
        "retry = Retry(attempts=2)\n"
        "sampling = Sampling(lambda request: 'hi')\n\n\n"
        "def confirm(tool: ToolInfo, arguments: Mapping[str, Any]) -> bool:\n"
        "    return tool.is_harmless\n\n\n"
        "async def use() -> None:\n"
        "    options = OneClient.connect(retry=retry, sampling=sampling, confirm=confirm)\n"
        "    async with options as one, TwoClient.connect(retry=retry, confirm=confirm) as two:\n"
        "        clients: list[McpClient] = [one, two]\n"
        "        try:\n"
        "            await one.count(a=1)\n"
        "        except InvalidArguments as error:\n"
        "            print(error.problems, clients)\n"
        "        except ClientError:\n"
        "            raise\n"
        "    async with connect_all(OneClient, TwoClient) as (one, two):\n"
        "        await two.count(a='1')\n"
    )


@pytest.mark.slow
def test_type_checkers_accept_options_shared_by_two_clients() -> None:
    assert shared_options.pyright() == []


@pytest.fixture
def servers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Any]]:
    """Two servers with the same tools. One has another name and fewer tools."""
    names = ("shares_books", "shares_films")
    for name in names:
        contract = replace(demo(), server={**demo().server, "name": name})
        folder = project(contract, tmp_path, name=name, author=AUTHOR)
        for file in (folder / "src" / name).glob("*.py"):
            prefix = name.title().replace("_", "")
            file.write_text(file.read_text("utf-8").replace("Bookshelf", prefix), "utf-8")
        monkeypatch.syspath_prepend(folder / "src")
    importlib.invalidate_caches()
    yield [importlib.import_module(f"{name}.server").server for name in names]
    for name in [name for name in sys.modules if name.split(".")[0] in names]:
        del sys.modules[name]


def test_two_servers_publish_their_own_contracts(servers: list[Any]) -> None:
    async def names() -> list[str | None]:
        results: list[str | None] = []
        for server in servers:
            async with Client(server) as client:
                assert len((await client.list_tools()).tools) == len(demo().tools)
                results.append(client.server_info.name if client.server_info else None)
        return results

    assert anyio.run(names) == ["shares_books", "shares_films"]


@pytest.mark.slow
def test_two_servers_log_under_their_own_names(
    servers: list[Any], caplog: pytest.LogCaptureFixture
) -> None:
    async def use() -> None:
        for server in servers:
            async with Client(server) as client:
                await client.call_tool("get_item", {"id": "B-1"})

    with caplog.at_level(logging.INFO):
        anyio.run(use)
    audit = [record.name for record in caplog.records if record.name.endswith(".audit")]
    assert audit == ["shares_books.audit", "shares_films.audit"]
