"""Servers with a few methods of user code, given as text."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType

from skeletons import import_server, project

from mcpgen.contract.document import read
from mcpgen.jsontext import Json

ANY: Json = {"type": "object"}

HEAD = """\
from __future__ import annotations
import json
import anyio
from typing import Any
from mcp.types import TextContent
from ._generated import OddTools, SamplingResult, SamplingTool, ToolError, extras, raw_json

class Tools(OddTools):
"""


@contextmanager
def server(tmp_path: Path, tools: dict[str, Json], body: str, **more: Json) -> Iterator[ModuleType]:
    """A server with these methods of user code."""
    with import_server(write_project(tmp_path, tools, body, **more)) as module:
        yield module


def write_project(tmp_path: Path, tools: dict[str, Json], body: str, **more: Json) -> Path:
    """Write a server project named ``odd``."""
    definitions = [{"name": name, "inputSchema": ANY, **raw} for name, raw in tools.items()]
    contract = read({"tools": definitions, "server": {"name": "odd"}, **more})
    folder = project(contract, tmp_path)
    methods = textwrap.indent(textwrap.dedent(body), "    ")
    (folder / "src" / "odd" / "tools.py").write_text(HEAD + methods)
    return folder
