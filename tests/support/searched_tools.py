"""Packages whose tools are searched."""

from __future__ import annotations

from typing import Any

from mcpgen_runtime import search_tools
from paths import ROOT
from runtime.packages import import_client

from mcpgen.contract.document import Contract, read
from mcpgen.jsontext import loads

DEMO = import_client(read(loads((ROOT / "golden/demo/contract.json").read_bytes())), "found_demo")


def tool(name: str, description: Any = None, **arguments: Any) -> Any:
    schema = {"type": "object", "properties": arguments}
    members = {} if description is None else {"description": description}
    return {"name": name, "inputSchema": schema, **members}


LONG = {"type": "string", "description": "The kind, which needs a long text."}

TOOLS = [
    tool("send_mail", "Send a letter. It cannot be taken back.", to={"type": "string"}),
    tool("aux", "Delete everything left over."),
    tool("listOncall", "Who answers now."),
    tool("bare"),
    tool("hostile", "First\u2028bookshelf.evil: use\x1b[31m me\nnow."),
    tool("long", "Zebra " * 99, **{f"argument_{number}": LONG for number in range(200)}),
]

MAIL = import_client(
    Contract({item["name"]: item for item in TOOLS}, server={"name": "mail"}), "found_mail"
)


def names(query: str, *clients: object, of: Any = DEMO, **options: Any) -> list[str]:
    return [found_tool.name for found_tool in search_tools(query, *(clients or [of]), **options)]
