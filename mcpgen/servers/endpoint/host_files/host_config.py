"""Reads the configuration files of MCP hosts, and resolves their entries."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from mcpgen.errors import Notice, UsageError
from mcpgen.jsontext import Json, is_object
from mcpgen.servers.endpoint import entries
from mcpgen.servers.endpoint.entries import Entry
from mcpgen.servers.endpoint.host_files import fastmcp, hosts, registry
from mcpgen.servers.endpoint.host_files.hosts import Host
from mcpgen.servers.endpoint.host_files.reading import parse_env_file, parse_file
from mcpgen.servers.endpoint.overrides import Overrides, has_default
from mcpgen.servers.endpoint.redaction import Secrets
from mcpgen.servers.endpoint.target import Http, InProcess, Stdio
from mcpgen.servers.endpoint.variables import Expanded, Syntax, expand


@dataclass(frozen=True, slots=True)
class HostConfig:
    """A configuration file with its entries. ``key`` is the property that contains them."""

    path: Path
    key: str
    entries: Mapping[str, Json]
    host: Host = field(default_factory=Host)
    inputs: Mapping[str, str | None] = field(default_factory=dict[str, "str | None"])

    @property
    def folder(self) -> Path:
        """The project's folder. Paths in the file are relative to it."""
        return hosts.folder_of(self.path)


def is_host_config(document: Json, path: Path = Path()) -> bool:
    """Return True if a document lists servers, not tools."""
    return hosts.servers_in(document, path) is not None


def read(path: Path) -> HostConfig:
    """Read a configuration file of any host."""
    servers = hosts.servers_in(parse_file(path), path)
    if servers is None:
        hint = 'expected a member such as "mcpServers", "servers", "context_servers" or "mcp"'
        raise UsageError("the file lists no MCP servers", str(path), hint)
    return HostConfig(path, servers.key, servers.entries, servers.host, servers.inputs)


def is_disabled(config: HostConfig, name: str) -> bool:
    """Return True if an entry is disabled."""
    raw = config.entries[name]
    if config.host.form in ("registry", "fastmcp") or not is_object(raw):
        return False
    return raw.get("disabled") is True or False in (raw.get("enabled"), raw.get("isActive"))


def target_of(config: HostConfig, name: str, overrides: Overrides) -> Stdio | Http | InProcess:
    """Resolve an entry to its target, with variables expanded."""
    return _EntryReader(config, name, config.entries[name], overrides).target()


@dataclass(slots=True)
class _EntryReader:
    config: HostConfig
    name: str
    raw: Any
    overrides: Overrides

    def target(self) -> Stdio | Http | InProcess:
        entry = self._entry()
        if entry is None:
            return self._in_process()
        if entry.is_disabled:
            hint = "enable it, or give its command after -- or its URL"
            raise UsageError("the entry is disabled", self._position(), hint)
        return self._stdio(entry) if entry.argv else self._http(entry)

    def _entry(self) -> Entry | None:
        form = self.config.host.form
        if form == "registry":
            return registry.read_entry(self.raw, self._position(), self.overrides.variables())
        if form == "fastmcp":
            return fastmcp.read_entry(self.raw, self._position())
        return entries.read_entry(self.raw, form, self._position())

    def _in_process(self) -> InProcess:
        file, name = fastmcp.location(self.raw, self._position())
        env = self._expand_all(fastmcp.environment(self.raw), "deployment/env")
        values = {**{k: v.value for k, v in env.items()}, **self.overrides.env}
        path = os.path.relpath(self.config.folder / file)
        return InProcess(path, name, values, _secrets(*env.values()))

    def _stdio(self, entry: Entry) -> Stdio:
        argv = [
            self._expand(token, "args" if at else "command") for at, token in enumerate(entry.argv)
        ]
        env = {
            **self._of_env_file(entry.env_file),
            **self._inherited_values(entry),
            **self._expand_all(entry.env, "env"),
        }
        optional = {name for name, value in env.items() if has_default(value.written)}
        env = {k: v for k, v in env.items() if v.value or k not in optional}
        cwd = self._expand(entry.cwd, "cwd").value if entry.cwd else "."
        return Stdio(
            argv=tuple(expanded.value for expanded in argv),
            written=tuple(expanded.written for expanded in argv),
            env={**{k: v.value for k, v in env.items()}, **self.overrides.env},
            cwd=self.overrides.cwd or str(self.config.folder / Path(cwd).expanduser()),
            expanded=_secrets(*argv, *env.values()),
            notices=self._notices(entry),
            optional=frozenset(optional - self.overrides.env.keys()) | self.overrides.optional,
        )

    def _http(self, entry: Entry) -> Http:
        url = self._expand(entry.url, "url")
        headers = self._expand_all(entry.headers, "headers")
        for name, value in entry.variable_headers.items():
            headers[name] = self._expand(value, f"headers/{name}", "braces")
        transport = self.overrides.transport or entry.transport
        is_sse = transport == "sse"
        if transport is None:
            is_sse = re.search(r"/sse/?(?:\?|$)", url.value) is not None
        return Http(
            url=url.value,
            written=url.written,
            headers={**{k: v.value for k, v in headers.items()}, **self.overrides.headers},
            kind="sse" if is_sse else "http",
            expanded=_secrets(url, *headers.values()) | self.overrides.expanded,
            notices=self._notices(entry),
            written_headers={
                **{k: v.written for k, v in headers.items()},
                **self.overrides.written_headers,
            },
        )

    def _of_env_file(self, file: str) -> dict[str, Expanded]:
        """Read the variables of an env file. Each value is redacted by its name."""
        if not file:
            return {}
        path = self.config.folder / Path(self._expand(file, "envFile").value).expanduser()
        return {k: _variable(k, v) for k, v in parse_env_file(path).items()}

    def _inherited_values(self, entry: Entry) -> dict[str, Expanded]:
        variables = self.overrides.variables()
        return {
            name: _variable(name, variables[name]) for name in entry.inherited if name in variables
        }

    def _expand_all(self, texts: Mapping[str, str], member: str) -> dict[str, Expanded]:
        return {name: self._expand(text, f"{member}/{name}") for name, text in texts.items()}

    def _expand(self, text: str, member: str, syntax: Syntax | None = None) -> Expanded:
        syntax = syntax or self.config.host.syntax
        folders = self._folders()
        if syntax == "braces":
            text = re.sub(r"\$\{workspaceFolder:[^}]*\}", "${workspaceFolder}", text)
            text = text.replace("${/}", os.sep)
        variables = {**folders, **self.overrides.variables()}
        expanded = expand(text, variables, self._position(member), syntax, self.config.inputs)
        # The editor's own variables contain host paths, and only the editor sets them.
        if any(f"${{{name}}}" in expanded.written for name in folders):
            return Expanded(expanded.value, expanded.value, expanded.values)
        return expanded

    def _folders(self) -> dict[str, str]:
        """Return an editor's variables for folders, such as the workspace."""
        folder = self.config.folder
        return {
            "workspaceFolder": str(folder),
            "workspaceFolderBasename": folder.name,
            "userHome": str(Path.home()),
            "pathSeparator": os.sep,
        }

    def _notices(self, entry: Entry) -> tuple[Notice, ...]:
        return tuple(
            Notice(self._position(member), reason, "configuration")
            for member, reason in entry.unused.items()
        )

    def _position(self, member: str = "") -> str:
        pointer = "/".join(filter(None, (self.config.key, self.name, member)))
        return f"{self.config.path}#/{pointer}"


def _variable(name: str, value: str) -> Expanded:
    return Expanded(value, f"${{{name}}}", {value: f"${{{name}}}"} if value else {})


def _secrets(*texts: Expanded) -> Secrets:
    return Secrets({value: name for text in texts for value, name in text.values.items()})
