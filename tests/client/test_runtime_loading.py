"""What only some packages and some calls need is loaded only by them."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace

import pytest
from paths import ROOT
from runtime.packages import folder, written

from mcpgen.contract.document import read
from mcpgen.jsontext import loads

USE = """
import asyncio, json, sys
sys.path.insert(0, sys.argv[1])
from {package} import Client
imported = list(sys.modules)
from mcp import StdioServerParameters

async def use():
    command = StdioServerParameters(command=sys.executable, args=["-m", "mcpgen.demo"])
    async with Client.connect(command, {options}) as client:
        await client.get_item(id="B-1")

asyncio.run(use())
print(json.dumps([imported, list(sys.modules)]))
"""

HTTP = {"wire.http", "wire.events", "wire.pending", "http_errors", "http_status"}
HOOKS = {"confirm", "progress"}
OTHERS = {"display", "recorded"}
"""What shows results in a notebook, and what knows how to start the recorded server."""


def loaded(package: str, options: str = "") -> tuple[set[str], set[str]]:
    """Return what of the runtime is loaded by the import, and what after a call over stdio."""
    run = subprocess.run(
        [sys.executable, "-c", USE.format(package=package, options=options), str(folder())],
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    prefix = f"{package}._runtime."
    by_import, in_the_end = (
        {name.removeprefix(prefix) for name in names if name.startswith(prefix)}
        for names in json.loads(run.stdout)
    )
    return by_import, in_the_end


def demo(package: str, *, with_views: bool = True) -> str:
    contract = read(loads((ROOT / "golden/demo/contract.json").read_bytes()))
    if not with_views:
        contract = replace(contract, prompts={}, resources={}, resource_templates={})
    written(contract, package)
    return package


def test_a_call_over_stdio_loads_neither_http_nor_hooks_nor_displays() -> None:
    by_import, in_the_end = loaded(demo("loads_stdio"))
    assert not in_the_end & (HTTP | HOOKS | OTHERS)
    assert {"connect", "transports", "wire.process", "values"} <= in_the_end - by_import
    assert "client" in by_import


def test_each_module_that_is_not_loaded_exists() -> None:
    runtime = folder() / demo("loads_files") / "_runtime"
    for name in HTTP | HOOKS | OTHERS | {"views"}:
        assert runtime.joinpath(*name.split(".")).with_suffix(".py").is_file()


def test_a_hook_is_loaded_where_one_is_given() -> None:
    _, in_the_end = loaded(demo("loads_hook"), "confirm=lambda tool, arguments: True")
    assert "confirm" in in_the_end


@pytest.mark.parametrize("with_views", [True, False])
def test_views_are_loaded_by_packages_that_have_some(*, with_views: bool) -> None:
    package = demo(f"loads_views_{with_views}".lower(), with_views=with_views)
    by_import, in_the_end = loaded(package)
    assert ("views" in by_import) is with_views
    assert ("views" in in_the_end) is with_views
