"""Tools of several servers as one set, tools that a live server removed, and functions."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace

import pytest
from runtime.packages import folder, import_client
from skeletons import demo


@pytest.mark.slow
def test_agent_modules_load_on_first_use() -> None:
    code = """
import sys, asyncio
sys.path.insert(0, sys.argv[1])
from several_bookshelf import Client as BookshelfClient
from mcpgen.demo import server
async def main():
    async with BookshelfClient.connect(server) as bookshelf:
        await bookshelf.get_item(id="B-1")
        assert len(BookshelfClient.tools) == 8
        print(repr(bookshelf), [name for name in sys.modules if ".agents" in name])
        bookshelf.tools.definitions("openai")
        print([name for name in sys.modules if name.endswith(("agents.functions", "several"))])
asyncio.run(main())
"""
    completed = subprocess.run(
        [sys.executable, "-c", code, str(folder())], capture_output=True, text=True, check=True
    )
    first, second = completed.stdout.splitlines()
    assert first.endswith("8 tools> []")
    assert second == "[]"


def test_server_type_is_renamed_if_it_conflicts_with_ours() -> None:
    schema = {"title": "AgentTool", "type": "object", "properties": {"x": {"type": "integer"}}}
    defined = {"type": "object", "properties": {"a": {"$ref": "#/$defs/AgentTool"}}}
    tool = {**demo().tools["get_item"], "outputSchema": {**defined, "$defs": {"AgentTool": schema}}}
    tools = {"one": {**tool, "name": "one"}, "two": {**tool, "name": "two"}}
    package = import_client(replace(demo(), tools=tools), "several_reserved")
    assert package.AgentTool.__module__.endswith("agents.tool")
