"""Files for agents, generated for a test."""

from __future__ import annotations

from typing import Any

from paths import ROOT

from mcpgen.codegen.agent_files import layout
from mcpgen.codegen.pipeline import Options, generate
from mcpgen.contract.document import Contract, read
from mcpgen.jsontext import loads

DEMO = read(loads((ROOT / "golden" / "demo" / "contract.json").read_bytes()))


def files(contract: Contract, name: str = "") -> dict[str, str]:
    return layout.files(contract, generate(contract, Options(name=name, style="typeddict")))


def tools(*item: dict[str, Any], **more: Any) -> Contract:
    result = [{"inputSchema": {"type": "object"}, **tool} for tool in item]
    return read({"tools": result, **more})


def lines(index: str) -> list[str]:
    return index.split("\n\n", 1)[1].splitlines()
