"""Reads `[tool.mcpgen]`. Its keys are the names of command-line options. Others are rejected.

``schema/config/config.schema.json`` describes the same keys for editors. A test compares the two.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

from mcpgen.codegen import naming
from mcpgen.codegen.agent_files import paths
from mcpgen.errors import McpgenError, UsageError
from mcpgen.project.configuration import kinds
from mcpgen.project.configuration.kinds import Kind
from mcpgen.project.configuration.model import (
    AGENT_STYLE,
    AUTH_KINDS,
    CAPABILITIES,
    FORMATS,
    LAYOUTS,
    STYLES,
    Client,
    Entry,
    Ignore,
    Server,
    Settings,
)


def read(table: Any, file: str) -> Settings:
    """Read the table ``tool.mcpgen`` of a parsed file. Errors name the key."""
    settings = read_each(table, file)
    for error in settings.broken.values():
        raise error
    return settings


def read_each(table: Any, file: str) -> Settings:
    """Read the table. An error in one server's table doesn't affect the others."""
    try:
        members = kinds.members(table, _TOP, "tool.mcpgen")
    except UsageError as error:
        raise _with_file(error, file) from None
    servers: dict[str, Any] = members.get("servers", {})
    entries: dict[str, Entry] = {}
    broken: dict[str, McpgenError] = {}
    for name, inner in servers.items():
        try:
            entry = _entry(name, inner)
            entries[name] = replace(entry, standalone=members.get("standalone"))
        except UsageError as error:
            broken[name] = _with_file(error, file)
    for name, clash in _sharing(entries.values()).items():
        broken[name] = _with_file(clash, file)
        del entries[name]
    return Settings(servers=entries, broken=broken, ignore=tuple(members.get("ignore", ())))


def _with_file(error: UsageError, file: str) -> UsageError:
    return UsageError(error.problem, f"{file}: {error.where}", error.hint)


def _entry(name: str, table: Any) -> Entry:
    at = f"tool.mcpgen.servers.{name}"
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9_.-]*", name):
        raise UsageError(f"{name!r} cannot name a server", at, "use letters, digits, - and _")
    members = kinds.members(table, ENTRY, at)
    if "contract" not in members and "source" not in members:
        hint = 'name the server: source = "https://example.org/mcp"'
        raise UsageError("the server has neither a source nor a contract", at, hint)
    members.setdefault("contract", f"mcp/{name}.contract.json")
    for role in ("client", "server"):
        if role in members and not members[role].name:
            members[role] = replace(members[role], name=naming.package(name, role))
    return Entry(name=name, **members)


def _client(value: Any, at: str) -> Client:
    members = kinds.members(value, _CLIENT, at)
    if members.get("layout") == "agent" and members.setdefault("style", AGENT_STYLE) != AGENT_STYLE:
        hint = f"leave the style out: it is {AGENT_STYLE}"
        raise UsageError("files for a model require the style with plain dicts", at, hint)
    return Client(**members)


def _server(value: Any, at: str) -> Server:
    return Server(**kinds.members(value, _SERVER, at))


def _ignore(value: Any, at: str) -> Ignore:
    members = kinds.members(value, _IGNORE, at)
    for key in ("fingerprint", "reason"):
        if key not in members:
            raise UsageError(
                f"{key!r} is missing", at, ("give the fingerprint of the change, and the reason")
            )
    return Ignore(**members)


_IGNORE: dict[str, Kind] = {
    "fingerprint": kinds.fingerprint,
    "reason": kinds.text,
    "until": kinds.day,
}
_TOP: dict[str, Kind] = {
    "servers": kinds.table,
    "ignore": kinds.list_of(_ignore),
    "standalone": kinds.flag,
}
_PLACE: dict[str, Kind] = {"output": kinds.text, "name": kinds.text}
_SERVER: dict[str, Kind] = {
    **_PLACE,
    "docker": kinds.flag,
    "auth": kinds.one_of(AUTH_KINDS),
    "redis": kinds.flag,
    "telemetry": kinds.flag,
}
_CLIENT: dict[str, Kind] = {
    **_PLACE,
    "style": kinds.one_of(STYLES),
    "formats": kinds.one_of(FORMATS),
    "layout": kinds.one_of(LAYOUTS),
}
ENTRY: dict[str, Kind] = {
    "source": kinds.source,
    "contract": kinds.text,
    "observed": kinds.text_or_false,
    "client": _client,
    "server": _server,
    "include": kinds.list_of(kinds.text),
    "exclude": kinds.list_of(kinds.text),
    "rename": kinds.texts_by_key,
    "outside": kinds.flag,
    "trust": kinds.flag,
    "env": kinds.list_of(kinds.text),
    "header": kinds.list_of(kinds.text),
    "account": kinds.text,
    "cwd": kinds.text,
    "timeout": kinds.seconds,
    "transport": kinds.one_of(("stdio", "http", "sse")),
    "era": kinds.one_of(("auto", "legacy", "modern")),
    "capability": kinds.list_of(kinds.one_of(CAPABILITIES)),
}


def _sharing(entries: Iterable[Entry]) -> dict[str, UsageError]:
    """Return errors for servers that would write to the same folder or file.

    None of them is written, because the order of tables doesn't show which one was meant.
    """
    clashes: dict[str, UsageError] = {}
    owners: dict[str, tuple[str, str]] = {}
    for entry in entries:
        for path, at in _places(entry):
            normalized = posixpath.normpath(path)
            for other, (name, owner) in owners.items():
                if _overlap(normalized, other):
                    clashes.setdefault(entry.name, _taken_error(path, at, owner))
                    clashes.setdefault(name, _taken_error(other, owner, at))
            owners.setdefault(normalized, (entry.name, at))
    return clashes


def _places(entry: Entry) -> Iterator[tuple[str, str]]:
    """Yield the output paths of a table, each with its key."""
    if entry.client is not None and entry.client.layout == "agent":
        yield paths.folder(entry.client.output, entry.client.name), f"{entry.table_name}.client"
    for kind, table in (("client", entry.client), ("server", entry.server)):
        if table is not None:
            yield posixpath.join(table.output, table.name), f"{entry.table_name}.{kind}"
    if entry.source:
        yield entry.contract, f"{entry.table_name}.contract"


def _overlap(name: str, other: str) -> bool:
    return name == other or name.startswith(f"{other}/") or other.startswith(f"{name}/")


def _taken_error(path: str, at: str, owner: str) -> UsageError:
    hint = f"{owner} is written there too; give one of them another output or name"
    return UsageError(f"{path!r} is taken", at, hint)
