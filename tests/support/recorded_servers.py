"""The recorded servers of the corpus, and the packages generated for them."""

from __future__ import annotations

from functools import cache

from checkers import slug
from paths import CORPUS

from mcpgen.codegen.pipeline import Generated, Options, Style, generate
from mcpgen.contract.document import Contract, read
from mcpgen.jsontext import loads

SERVERS = sorted(path.stem for path in (CORPUS / "live").glob("*.json"))
ODD = {
    "cocal__google-calendar-mcp",
    "ivotoby__openapi-mcp-server",
    "mcp-server-time",
    "metabase-ai-assistant",
    "modelcontextprotocol__server-gitlab",
    "modelcontextprotocol__server-memory",
    "netlify__mcp",
    "pinecone-database__mcp",
}
"""Small servers with unusual schemas; the others are called in slow tests."""

UNCALLABLE = {"netlify-coding-rules": {"creation_type": "any"}}
"""Tools without valid arguments: here a required member is one of an empty ``enum``."""


@cache
def contract(server: str) -> Contract:
    return read(loads((CORPUS / "live" / f"{server}.json").read_bytes()))


def generate_client(server: str, style: Style = "dataclass") -> Generated:
    return generate(contract(server), Options(name=slug(server), style=style))
