"""Packages as earlier releases generated them, on the runtime of today."""

from __future__ import annotations

import importlib
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client, StdioServerParameters
from mcpgen_runtime import __version__

HERE = Path(__file__).resolve().parent
ALL_VERSIONS = sorted(path.name for path in HERE.iterdir() if path.name[:1].isdigit())
SUPPORTED = ".".join(__version__.split(".")[:2])
"""Before 1.0, a runtime supports packages of its own minor version."""
VERSIONS = [version for version in ALL_VERSIONS if version == SUPPORTED]
OLDER = [version for version in ALL_VERSIONS if version != SUPPORTED]
CLIENTS = ("compat_dataclass", "compat_basemodel", "compat_typeddict")
DEMO = StdioServerParameters(command=sys.executable, args=["-m", "mcpgen.demo"])


@pytest.fixture(params=VERSIONS)
def version(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The minor version that generated the packages, which can be imported."""
    monkeypatch.syspath_prepend(HERE / request.param)
    importlib.invalidate_caches()
    yield request.param
    for name in [name for name in sys.modules if name.startswith("compat_")]:
        del sys.modules[name]


def member(value: Any, name: str) -> Any:
    """Return a property of an object, which is a dict in the style typeddict."""
    return value[name] if isinstance(value, dict) else getattr(value, name)


def test_there_are_packages() -> None:
    assert VERSIONS
    assert OLDER


@pytest.mark.parametrize("name", [*CLIENTS, "compat_server"])
@pytest.mark.parametrize("old", OLDER)
def test_older_package_is_refused_with_a_remedy(
    old: str, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(HERE / old)
    importlib.invalidate_caches()
    with pytest.raises(
        ImportError, match=f"generate it again with mcpgen {__version__}"
    ) as refused:
        importlib.import_module(f"{name}._generated" if name == "compat_server" else name)
    assert f"{name}" in str(refused.value)
    for module in [module for module in sys.modules if module.startswith("compat_")]:
        del sys.modules[module]


@pytest.mark.sampled(1)
@pytest.mark.parametrize("name", CLIENTS)
def test_client_calls_every_kind_of_method(version: str, name: str) -> None:
    package: Any = importlib.import_module(name)

    async def use() -> None:
        async with package.Client.connect(DEMO) as client:
            result = await client.search_catalogue(query="night")
            assert member(result, "total") == 1
            assert "Be quiet" in (await client.resources.rules()).text
            assert (await client.prompts.welcome()).messages
            response = await client.response(client.show_cover, id="B-1")
            assert [image.mime_type for image in response.images] == ["image/png"]
            with pytest.raises(package.ToolError):
                await client.borrow_item(id="B-99", member="ada@example.org")
            with pytest.raises(package.InvalidArguments):
                await client.call("get_item", {"id": "nothing"})
            assert client.tools.definitions("openai")

    anyio.run(use)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("name", CLIENTS)
def test_synchronous_client_and_fake_work(version: str, name: str) -> None:
    package: Any = importlib.import_module(name)
    with package.Client.sync.connect(DEMO) as client:
        assert member(client.get_item(id="B-1"), "lent") is False
    with package.Client.sync.fake(unmatched="generate") as fake:
        fake.on(fake.get_item).raises(package.ToolError("closed"))
        with pytest.raises(package.ToolError, match="closed"):
            fake.get_item(id="B-1")
        fake.search_catalogue(query="night")
        assert len(fake.calls()) == 2


@pytest.mark.parametrize("name", CLIENTS)
def test_every_name_of_a_package_can_be_imported(version: str, name: str) -> None:
    package: Any = importlib.import_module(name)
    for public in package.__all__:
        getattr(package, public)


def test_server_publishes_its_contract(version: str) -> None:
    server: Any = importlib.import_module("compat_server.server").server
    file = HERE / version / "compat_server" / "_generated" / "contract.json"
    contract = json.loads(file.read_bytes())

    async def use() -> None:
        async with Client(server) as client:
            tools = (await client.list_tools()).tools
            assert {tool.name for tool in tools} == contract["tools"].keys()
            result = await client.call_tool("add-note", {"title": "a"})
            assert result.is_error
            assert "not implemented" in str(result.content[0])

    anyio.run(use)
