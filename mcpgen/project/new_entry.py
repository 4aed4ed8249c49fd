"""Adds a server's table to pyproject.toml, preserving order, layout and comments."""

from __future__ import annotations

import re
from collections.abc import Iterator, MutableMapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias
from urllib.parse import urlsplit

from mcpgen.codegen import identifiers
from mcpgen.errors import UsageError
from mcpgen.files import toml, write
from mcpgen.jsontext import is_object
from mcpgen.project.configuration.table import read
from mcpgen.project.discovery import PYPROJECT

if TYPE_CHECKING:
    from tomlkit import TOMLDocument

Source: TypeAlias = str | tuple[str, ...]

_PATH = ("tool", "mcpgen", "servers")


@dataclass(frozen=True, slots=True, kw_only=True)
class NewEntry:
    """A new ``[tool.mcpgen.servers.NAME]``. Folders are relative to the current one."""

    name: str
    source: Source
    contract: str = ""
    client: str | None = None
    server: str | None = None

    def members(self) -> dict[str, Any]:
        """Return the keys and values of the table in order."""
        members: dict[str, Any] = {}
        if self.source:
            source = self.source
            members["source"] = source if isinstance(source, str) else list(source)
        members["contract"] = self.contract or f"mcp/{self.name}.contract.json"
        if self.client is not None:
            members["client"] = {"output": self.client}
        if self.server is not None:
            members["server"] = {"output": self.server}
        if any(_is_outside(path) for path in (self.client, self.server, self.contract) if path):
            members["outside"] = True
        return members


def _is_outside(path: str) -> bool:
    """Return True if a folder is outside of the project's folder."""
    folder = Path.cwd().resolve()
    return not (folder / path).resolve().is_relative_to(folder)


def default_name(source: Source, contract: str) -> str:
    """Return a name for a server, derived from its source or contract."""
    if contract and not source:
        return identifiers.snake(Path(contract).name.split(".")[0], "server")
    last = source if isinstance(source, str) else next(_telling_words(source), "server")
    if re.match(r"https?://", last):
        host = (urlsplit(last).hostname or "").split(".")
        last = next((part for part in host if part not in ("www", "mcp", "api")), "server")
    last = re.sub(r"@[\d.]+$|\.py(:.*)?$", "", last).rpartition("/")[2].rpartition(":")[2]
    return identifiers.snake(re.sub(r"^(mcp-)?server-|^mcp-|-mcp$|-server$", "", last), "server")


_LAUNCHERS = frozenset("npx uvx uv run python python3 node docker bunx".split())


def _telling_words(args: Sequence[str]) -> Iterator[str]:
    return (token for token in args if not token.startswith("-") and token not in _LAUNCHERS)


def add(entry: NewEntry) -> None:
    """Add a server's table to the current folder's pyproject.toml, or create the file."""
    file = Path(PYPROJECT)
    before = file.read_bytes() if file.exists() else b""
    document = toml.parse(before, str(file))
    if entry.name in _servers(document):
        problem = f"there is a server named {entry.name!r} already"
        raise UsageError(problem, str(file), "choose another --name")
    text = _with_table(before.decode(), entry, file)
    # The result is parsed again so that a mistake of the editor never loses an existing entry.
    after = toml.parse(text.encode(), str(file))
    members = _servers(after).pop(entry.name, None)
    if members != entry.members() or _without_empty(after) != _without_empty(document):
        raise _cannot_add(entry, file)
    read(toml.parse(text.encode(), str(file))["tool"]["mcpgen"], str(file))
    write.replace(file, text)


def _servers(document: dict[str, Any]) -> dict[str, Any]:
    table: Any = document
    for key in _PATH:
        table = table.get(key) if is_object(table) else None
    servers: dict[str, Any] = table if is_object(table) else {}
    return servers


def _without_empty(document: dict[str, Any]) -> dict[str, Any]:
    """Return a document without empty tables on the path ``tool.mcpgen.servers``."""
    tool = dict(document.get("tool", {}))
    mcpgen = dict(tool.get("mcpgen", {}))
    if not mcpgen.get("servers", True):
        del mcpgen["servers"]
    tool = (
        {**tool, "mcpgen": mcpgen} if mcpgen else {k: v for k, v in tool.items() if k != "mcpgen"}
    )
    return (
        {**document, "tool": tool} if tool else {k: v for k, v in document.items() if k != "tool"}
    )


def _with_table(text: str, entry: NewEntry, file: Path) -> str:
    import tomlkit
    from tomlkit.exceptions import TOMLKitError

    is_ended = not text or text.endswith("\n")
    try:
        document = tomlkit.parse(text if is_ended else f"{text}\n")
        if not is_ended:
            document.add(tomlkit.nl())
        _add_table(document, entry)
        added = tomlkit.dumps(document)
    except (TOMLKitError, ValueError):
        raise _cannot_add(entry, file) from None
    if added.endswith("\n\n") and not text.endswith("\n\n"):
        added = added[:-1]
    return added.replace("\r\n", "\n").replace("\n", "\r\n") if "\r\n" in text else added


def _add_table(document: TOMLDocument, entry: NewEntry) -> None:
    import tomlkit
    from tomlkit.exceptions import TOMLKitError
    from tomlkit.items import InlineTable

    table: Any = document
    new: Any
    for key in _PATH:
        if key not in table:
            new = tomlkit.inline_table() if isinstance(table, InlineTable) else tomlkit.table(True)
            table[key] = new
        table = table[key]
        if not _is_mapping(table):
            raise TOMLKitError(f"{key} isn't a table")
    is_inline = isinstance(table, InlineTable)
    new = tomlkit.inline_table() if is_inline else tomlkit.table()
    for key, value in entry.members().items():
        new[key] = _inline(value) if is_object(value) else value
    if not is_inline:
        new.add(tomlkit.nl())
    table[entry.name] = new


def _is_mapping(table: object) -> bool:
    return isinstance(table, MutableMapping)


def _inline(members: dict[str, Any]) -> Any:
    import tomlkit

    table: Any = tomlkit.inline_table()
    table.update(members)
    return table


def _cannot_add(entry: NewEntry, file: Path) -> UsageError:
    import tomlkit

    document = tomlkit.document()
    _add_table(document, entry)
    hint = f"add it by hand: {tomlkit.dumps(document).strip()}"
    return UsageError("nothing can be added to the file", str(file), hint)
