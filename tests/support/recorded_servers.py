"""The recorded servers of the corpus, and the packages generated for them."""

from __future__ import annotations

import pickle
from functools import cache
from pathlib import Path

from checkers import slug, write
from paths import CORPUS
from shared_texts import locked, shared_folder

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


def client_of(server: str) -> tuple[Path, Generated]:
    """Return the client of a server, and the folder that its package is in.

    It is generated once in a run, for all workers. Its bytecode stays, too.
    """
    folder = shared_folder() / "clients"
    path = folder / f"{slug(server)}.pickle"
    with locked(path):
        if not path.exists():
            generated_package = generate_client(server)
            write(generated_package.files, folder / generated_package.package)
            path.write_bytes(pickle.dumps(generated_package))
    return folder, pickle.loads(path.read_bytes())
