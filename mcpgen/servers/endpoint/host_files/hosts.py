"""Describes the configuration of each MCP host: files, property and form."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from mcpgen.jsontext import Json, is_array, is_object
from mcpgen.servers.endpoint.entries import Form
from mcpgen.servers.endpoint.host_files.reading import lists_tools
from mcpgen.servers.endpoint.variables import Syntax

PROJECT_FILES = (
    ".mcp.json",
    ".vscode/mcp.json",
    ".cursor/mcp.json",
    ".roo/mcp.json",
    ".github/mcp.json",
    ".codex/config.toml",
    ".gemini/settings.json",
    ".zed/settings.json",
    "opencode.json",
    "opencode.jsonc",
    ".opencode/opencode.json",
    ".goose/config.yaml",
)
"""The files of a project, in the order in which names are looked up."""

_CONTINUE = ".continue/mcpServers/*.yaml"
_FOLDERS = frozenset(file.split("/")[0] for file in (*PROJECT_FILES, _CONTINUE) if "/" in file)


@dataclass(frozen=True, slots=True)
class Host:
    """The conventions of a host: ``form`` of entries, ``syntax`` of variables."""

    form: Form = "general"
    syntax: Syntax = "braces"


@dataclass(frozen=True, slots=True)
class ServerList:
    """The entries of a file, the property that contains them, and an editor's inputs."""

    host: Host
    key: str
    entries: Mapping[str, Json]
    inputs: Mapping[str, str | None] = field(default_factory=dict[str, "str | None"])


def servers_in(document: Json, path: Path) -> ServerList | None:
    """Return the servers that a file lists, or None."""
    if not is_object(document) or lists_tools(document):
        return None
    if key := next((key for key in _KEYS if is_object(document.get(key))), ""):
        return ServerList(_KEYS[key], key, document[key])
    if is_object(document.get("servers")):
        return ServerList(Host("vscode"), "servers", document["servers"], _inputs(document))
    return _general(document, path) or _under_mcp(document) or _manifest(document)


def _general(document: Mapping[str, Any], path: Path) -> ServerList | None:
    """Read the property ``mcpServers``, which most hosts use."""
    servers = document.get("mcpServers")
    if is_array(servers):
        named = {e["name"]: e for e in servers if is_object(e) and isinstance(e.get("name"), str)}
        return ServerList(Host("continue", "secrets"), "mcpServers", named)
    if is_object(servers):
        return ServerList(_by_file(path), "mcpServers", {**servers, **_local(document)})
    if is_object(document.get("projects")) and path.name == ".claude.json":
        return ServerList(Host(), "mcpServers", _local(document))
    return None


_KEYS = {
    "context_servers": Host("zed", "none"),
    "mcp_servers": Host("codex", "none"),
    "extensions": Host("goose", "none"),
}


def _by_file(path: Path) -> Host:
    """Distinguish hosts with the same property by file name."""
    if path.name == "claude_desktop_config.json":
        return Host(syntax="none")
    if path.name == "settings.json" and path.absolute().parent.name == ".gemini":
        return Host("gemini", "shell")
    return Host()


def _local(document: Mapping[str, Any]) -> Mapping[str, Json]:
    """Return Claude Code's servers for the current folder from the user's file."""
    projects: Any = document.get("projects")
    for folder in (Path.cwd(), *Path.cwd().parents):
        project = projects.get(str(folder)) if is_object(projects) else None
        if is_object(project) and is_object(project.get("mcpServers")):
            servers: Mapping[str, Json] = project["mcpServers"]
            return servers
    return {}


def _under_mcp(document: Mapping[str, Any]) -> ServerList | None:
    """Read the property ``mcp`` of opencode or of VS Code's settings."""
    inner = document.get("mcp")
    if not is_object(inner):
        return None
    servers = inner.get("servers")
    if is_object(servers) and not {"type", "command", "url"} & servers.keys():
        if any(is_object(e) and is_array(e.get("command")) for e in servers.values()):
            return ServerList(Host("opencode", "curly"), "mcp/servers", servers)
        return ServerList(Host("vscode"), "mcp/servers", servers, _inputs(inner))
    return ServerList(Host("opencode", "curly"), "mcp", inner)


def _inputs(document: Mapping[str, Any]) -> dict[str, str | None]:
    """Return the inputs that VS Code would ask for, with their defaults."""
    defaults: dict[str, str | None] = {}
    entries: Any = document.get("inputs")
    for entry in entries if is_array(entries) else ():
        if is_object(entry) and isinstance(entry.get("id"), str):
            default = entry.get("default")
            defaults[entry["id"]] = default if isinstance(default, str) else None
    return defaults


def _manifest(document: Mapping[str, Any]) -> ServerList | None:
    """Read a manifest: the registry's `server.json` or FastMCP's `fastmcp.json`."""
    inner = document.get("server")
    server = inner if is_object(inner) and "packages" not in document else document
    parts = [server.get("packages"), server.get("remotes")]
    if isinstance(server.get("name"), str) and any(map(is_array, parts)):
        entries: dict[str, Json] = {}
        for kind, value in zip(("registryType", "type"), parts, strict=True):
            for entry in value if is_array(value) else ():
                transport = entry.get(kind) if is_object(entry) else None
                name = "package" if not isinstance(transport, str) else transport
                number = sum(1 for other in entries if other.split("#")[0] == name)
                entries[f"{name}#{number + 1}" if number else name] = entry
        return ServerList(Host("registry"), "server.json", entries)
    source = document.get("source")
    if (is_object(source) and isinstance(source.get("path"), str)) or "fastmcp" in _schema(
        document
    ):
        return ServerList(Host("fastmcp"), "", {"server": document})
    return None


def _schema(document: Mapping[str, Any]) -> str:
    schema = document.get("$schema")
    return schema if isinstance(schema, str) else ""


def folder_of(path: Path) -> Path:
    """Return the project's folder of a file. Paths in the file are relative to it."""
    if path.absolute() in {file.absolute() for file in user_files()}:
        return Path.cwd()
    parent = path.absolute().parent
    for folder in (parent, parent.parent):
        if folder.name in _FOLDERS:
            return folder.parent
    return parent


def project_files(folder: Path) -> Iterator[Path]:
    """Yield the files of a project's folder that may list servers."""
    for file in PROJECT_FILES:
        yield folder / file
    yield from sorted(folder.glob(_CONTINUE))


def user_files() -> Iterator[Path]:
    """Yield the user's own files that may list servers, in the order in which they are read."""
    try:
        home = Path.home()
    except RuntimeError:
        return
    settings = _settings(home)
    config = Path(os.environ.get("XDG_CONFIG_HOME") or home / ".config")
    store = settings / "Code" / "User" / "globalStorage"
    yield home / ".claude.json"
    yield settings / "Claude" / "claude_desktop_config.json"
    yield settings / "Code" / "User" / "mcp.json"
    yield home / ".cursor" / "mcp.json"
    yield home / ".codeium" / "windsurf" / "mcp_config.json"
    yield Path(os.environ.get("CODEX_HOME") or home / ".codex") / "config.toml"
    yield home / ".gemini" / "settings.json"
    yield (settings if sys.platform == "darwin" else config) / "Zed" / "settings.json"
    yield config / "zed" / "settings.json"
    yield config / "opencode" / "opencode.json"
    yield config / "opencode" / "opencode.jsonc"
    yield Path(os.environ.get("COPILOT_HOME") or home / ".copilot") / "mcp-config.json"
    yield store / "saoudrizwan.claude-dev" / "settings" / "cline_mcp_settings.json"
    yield store / "rooveterinaryinc.roo-cline" / "settings" / "mcp_settings.json"
    yield home / ".continue" / "config.yaml"
    yield config / "goose" / "config.yaml"


def _settings(home: Path) -> Path:
    """Return the folder of application settings on this system."""
    if sys.platform == "win32":
        return Path(os.environ.get("APPDATA") or home / "AppData" / "Roaming")
    if sys.platform == "darwin":
        return home / "Library" / "Application Support"
    return Path(os.environ.get("XDG_CONFIG_HOME") or home / ".config")
