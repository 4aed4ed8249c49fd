"""Configuration files of MCP hosts: their entries, in any form, become what can be asked."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from mcpgen.endpoint import expand, fastmcp, forms, hosts, registry
from mcpgen.endpoint.config_files import document_of, variables_of
from mcpgen.endpoint.entries import Said
from mcpgen.endpoint.overrides import Given
from mcpgen.endpoint.hosts import PLACES, Host
from mcpgen.endpoint.redaction import Secrets
from mcpgen.endpoint.target import Http, InProcess, Stdio
from mcpgen.errors import Notice, UsageError
from mcpgen.jsontext import Json, is_object

__all__ = ["PLACES", "Config", "document_of", "entry", "is_config", "is_off", "read"]


@dataclass(frozen=True, slots=True)
class Config:
    """A configuration file and its entries; ``key`` is the member that holds them."""

    path: Path
    key: str
    entries: Mapping[str, Json]
    host: Host = field(default_factory=Host)
    inputs: Mapping[str, str | None] = field(default_factory=dict[str, "str | None"])

    @property
    def folder(self) -> Path:
        """The project's folder, which relative paths in the file start from."""
        return hosts.folder_of(self.path)


def is_config(document: Json, path: Path = Path()) -> bool:
    """Say whether a document lists servers, not tools."""
    return hosts.listed(document, path) is not None


def read(path: Path) -> Config:
    """Read a configuration file of any host."""
    found = hosts.listed(document_of(path), path)
    if found is None:
        hint = 'expected a member such as "mcpServers", "servers", "context_servers" or "mcp"'
        raise UsageError("this file lists no MCP servers", str(path), hint)
    return Config(path, found.key, found.entries, found.host, found.inputs)


def is_off(config: Config, name: str) -> bool:
    """Say whether an entry is switched off."""
    raw = config.entries[name]
    if config.host.form in ("registry", "fastmcp") or not is_object(raw):
        return False
    return raw.get("disabled") is True or False in (raw.get("enabled"), raw.get("isActive"))


def entry(config: Config, name: str, given: Given) -> Stdio | Http | InProcess:
    """Turn one entry into what it points at, its variables expanded."""
    return _Entry(config, name, config.entries[name], given).target()


@dataclass(slots=True)
class _Entry:
    config: Config
    name: str
    raw: Any
    given: Given

    def target(self) -> Stdio | Http | InProcess:
        said = self._said()
        if said is None:
            return self._in_process()
        if said.is_off:
            hint = "switch it on, or give its command after -- or its URL"
            raise UsageError("the entry is switched off", self._at(), hint)
        return self._stdio(said) if said.argv else self._http(said)

    def _said(self) -> Said | None:
        form = self.config.host.form
        if form == "registry":
            return registry.said(self.raw, self._at(), self.given.variables())
        if form == "fastmcp":
            return fastmcp.said(self.raw, self._at())
        return forms.said(self.raw, form, self._at())

    def _in_process(self) -> InProcess:
        file, name = fastmcp.place(self.raw, self._at())
        env = self._expanded(fastmcp.environment(self.raw), "deployment/env")
        values = {**{k: v.value for k, v in env.items()}, **self.given.env}
        place = os.path.relpath(self.config.folder / file)
        return InProcess(place, name, values, _secrets(*env.values()))

    def _stdio(self, said: Said) -> Stdio:
        argv = [
            self._expand(word, "args" if at else "command") for at, word in enumerate(said.argv)
        ]
        env = {
            **self._of_file(said.env_file),
            **self._passed(said),
            **self._expanded(said.env, "env"),
        }
        cwd = self._expand(said.cwd, "cwd").value if said.cwd else "."
        return Stdio(
            argv=tuple(word.value for word in argv),
            written=tuple(word.written for word in argv),
            env={**{k: v.value for k, v in env.items()}, **self.given.env},
            cwd=self.given.cwd or str(self.config.folder / Path(cwd).expanduser()),
            expanded=_secrets(*argv, *env.values()),
            notices=self._notices(said),
        )

    def _http(self, said: Said) -> Http:
        url = self._expand(said.url, "url")
        headers = self._expanded(said.headers, "headers")
        headers |= {k: self._expand(v, f"headers/{k}", "braces") for k, v in said.owned.items()}
        kind = self.given.transport or said.kind
        is_sse = kind == "sse" or (kind is None and re.search(r"/sse/?(?:\?|$)", url.value))
        return Http(
            url=url.value,
            written=url.written,
            headers={**{k: v.value for k, v in headers.items()}, **self.given.headers},
            kind="sse" if is_sse else "http",
            expanded=_secrets(url, *headers.values()) | self.given.expanded,
            notices=self._notices(said),
            written_headers={
                **{k: v.written for k, v in headers.items()},
                **self.given.written_headers,
            },
        )

    def _of_file(self, written: str) -> dict[str, expand.Expanded]:
        """Read the variables of a file; each is known by its name, and not repeated."""
        if not written:
            return {}
        path = self.config.folder / Path(self._expand(written, "envFile").value).expanduser()
        return {k: _named(k, v) for k, v in variables_of(path).items()}

    def _passed(self, said: Said) -> dict[str, expand.Expanded]:
        known = self.given.variables()
        return {name: _named(name, known[name]) for name in said.passed if name in known}

    def _expanded(self, texts: Mapping[str, str], member: str) -> dict[str, expand.Expanded]:
        return {name: self._expand(text, f"{member}/{name}") for name, text in texts.items()}

    def _expand(self, written: str, member: str, syntax: str = "") -> expand.Expanded:
        syntax = syntax or self.config.host.syntax
        folder = self.config.folder
        folders = {
            "workspaceFolder": str(folder),
            "workspaceFolderBasename": folder.name,
            "userHome": str(Path.home()),
            "pathSeparator": os.sep,
        }
        if syntax == "braces":
            written = re.sub(r"\$\{workspaceFolder:[^}]*\}", "${workspaceFolder}", written)
            written = written.replace("${/}", os.sep)
        variables = {**folders, **self.given.variables()}
        read = expand.text(written, variables, self._at(member), syntax, self.config.inputs)
        # The editor's own variables are host paths, and nobody else sets them.
        if any(f"${{{name}}}" in read.written for name in folders):
            return expand.Expanded(read.value, read.value, read.values)
        return read

    def _notices(self, said: Said) -> tuple[Notice, ...]:
        return tuple(
            Notice(self._at(member), reason, "configuration") for member, reason in said.odd.items()
        )

    def _at(self, member: str = "") -> str:
        pointer = "/".join(filter(None, (self.config.key, self.name, member)))
        return f"{self.config.path}#/{pointer}"


def _named(name: str, value: str) -> expand.Expanded:
    return expand.Expanded(value, f"${{{name}}}", {value: f"${{{name}}}"} if value else {})


def _secrets(*parts: expand.Expanded) -> Secrets:
    return Secrets({value: name for part in parts for value, name in part.values.items()})
