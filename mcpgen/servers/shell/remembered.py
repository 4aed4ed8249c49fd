"""What servers listed when they were last asked, for shells that complete: none is asked then."""

from __future__ import annotations

import contextlib
import hashlib
from pathlib import Path

from mcpgen.contract.document import Contract, read
from mcpgen.errors import McpgenError
from mcpgen.files import cache
from mcpgen.jsontext import Json

_KEPT = {
    "tools": ("name", "inputSchema", "description"),
    "prompts": ("name", "arguments", "description"),
    "resources": ("uri", "name"),
    "resourceTemplates": ("uriTemplate", "name"),
}


def remember(server: str, contract: Contract) -> None:
    """Keep what a server lists; what it was not asked for stays as it was."""
    name = _key(server)
    lists: dict[str, Json] = {}
    for member, keys in _KEPT.items():
        if definitions := contract.listed(member):
            lists[member] = [{k: raw[k] for k in keys if k in raw} for raw in definitions]
    before: dict[str, Json] = cache.load(name) or {}
    document: dict[str, Json] = {"tools": [], **before, **lists}
    if document != before:
        cache.save(name, document)


def remembered(server: str) -> Contract | None:
    """Return what a server listed, ``None`` where it was never asked."""
    with contextlib.suppress(McpgenError):
        return read(cache.load(_key(server)))
    return None


def _key(server: str) -> str:
    """Return the key of a word: a name may mean something else in another folder."""
    where = "" if "://" in server else str(Path.cwd())
    digest = hashlib.sha256(f"{where}\n{server}".encode("utf-8", "surrogatepass"))
    return f"listed-{digest.hexdigest()}"
