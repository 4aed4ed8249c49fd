"""Configuration files of hosts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from mcpgen.errors import UsageError
from mcpgen.servers.endpoint import Http, InProcess, Overrides, Stdio, resolve
from mcpgen.servers.endpoint.target import Live


def write(location: str | Path, text: str) -> None:
    path = Path(location)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def resolve_live(server: str, **values: Any) -> Live:
    target = resolve(server, (), Overrides(**values))
    assert isinstance(target, Stdio | Http | InProcess)
    assert "canary" not in json.dumps(target.origin().document)
    return target


def stdio(server: str, **values: Any) -> Stdio:
    target = resolve_live(server, **values)
    assert isinstance(target, Stdio)
    return target


def http(server: str) -> Http:
    target = resolve_live(server)
    assert isinstance(target, Http)
    return target


def rejection(server: str, **values: Any) -> UsageError:
    with pytest.raises(UsageError) as refusal:
        resolve(server, (), Overrides(**values))
    return refusal.value
