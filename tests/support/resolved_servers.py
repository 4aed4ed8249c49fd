"""Names of servers, resolved for a test."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from mcpgen.servers.endpoint import Overrides, Stdio, resolve
from mcpgen.servers.endpoint.target import Target


def word(server: str, **values: Any) -> Target:
    return resolve(server, (), Overrides(**values))


def command(*argv: str, **values: Any) -> Stdio:
    target = resolve(None, argv, Overrides(**values))
    assert isinstance(target, Stdio)
    return target


def write_config(entry: Any, pointer: str = ".mcp.json", key: str = "mcpServers") -> None:
    Path(pointer).parent.mkdir(exist_ok=True)
    Path(pointer).write_text(json.dumps({key: {"it": entry}}))
