"""Configuration files of MCP hosts: `.mcp.json`, VS Code's and Cursor's `mcp.json`."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mcpgen.errors import UsageError
from mcpgen.jsontext import Json, is_array, is_object
from mcpgen.source import expand
from mcpgen.source.given import Given
from mcpgen.source.shown import Secrets
from mcpgen.source.target import Http, Stdio

PLACES = (".mcp.json", ".vscode/mcp.json", ".cursor/mcp.json")
_TOP_KEYS = ("mcpServers", "servers")


@dataclass(frozen=True, slots=True)
class Config:
    """A configuration file and its entries; ``key`` is the member that holds them."""

    path: Path
    key: str
    entries: Mapping[str, Json]

    @property
    def folder(self) -> Path:
        """The project's folder, which relative paths in the file start from."""
        parent = self.path.absolute().parent
        return parent.parent if parent.name in (".vscode", ".cursor") else parent


def is_config(document: Json) -> bool:
    """Say whether a JSON document lists servers, not tools."""
    if not is_object(document) or "tools" in document:
        return False
    return any(isinstance(document.get(key), dict) for key in _TOP_KEYS)


def read(path: Path) -> Config:
    """Read a configuration file, with the comments that VS Code allows in it."""
    document = document_of(path)
    for key in _TOP_KEYS:
        if is_config(document) and isinstance(document.get(key), dict):
            return Config(path, key, document[key])
    raise UsageError(
        "this file lists no MCP servers", str(path), 'expected "mcpServers" or "servers" in it'
    )


def document_of(path: Path) -> Json:
    """Parse a JSON file that may hold comments."""
    try:
        content = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is not UTF-8 text"
        raise UsageError(f"the file cannot be read: {reason}", str(path)) from None
    try:
        return json.loads(content)
    except (ValueError, RecursionError) as strict:
        try:
            return json.loads(_without_comments(content))
        except (ValueError, RecursionError):
            raise UsageError(f"this is not JSON: {strict}", str(path)) from None


_COMMENT = re.compile(r'("(?:\\.|[^"\\])*")|//[^\n]*|/\*.*?\*/|,(?=\s*[}\]])', re.DOTALL)


def _without_comments(content: str) -> str:
    # Twice: a comma is only seen to be the last one when the comment after it is gone.
    once = _COMMENT.sub(lambda match: match[1] or "", content)
    return _COMMENT.sub(lambda match: match[1] or "", once)


def entry(config: Config, name: str, given: Given) -> Stdio | Http:
    """Turn one entry into what it points at, its variables expanded."""
    raw: Any = config.entries[name]
    return _Entry(config, name, raw if is_object(raw) else {}, given).target()


@dataclass(slots=True)
class _Entry:
    config: Config
    name: str
    raw: Mapping[str, Any]
    given: Given

    def target(self) -> Stdio | Http:
        if isinstance(self.raw.get("command"), str):
            return self._stdio()
        if isinstance(self.raw.get("url"), str):
            return self._http()
        raise UsageError("the entry has neither a command nor a url", self._at())

    def _stdio(self) -> Stdio:
        words = [self.raw["command"], *self._list("args")]
        argv = [self._expand(word, "args" if n else "command") for n, word in enumerate(words)]
        env = {k: self._expand(v, f"env/{k}") for k, v in self._members("env").items()}
        folder = self.raw.get("cwd")
        cwd = self._expand(folder, "cwd").value if isinstance(folder, str) else "."
        return Stdio(
            argv=tuple(word.value for word in argv),
            written=tuple(word.written for word in argv),
            env={**{k: v.value for k, v in env.items()}, **self.given.env},
            cwd=self.given.cwd or str(self.config.folder / cwd),
            expanded=_secrets(*argv, *env.values()),
        )

    def _http(self) -> Http:
        url = self._expand(self.raw["url"], "url")
        headers = {k: self._expand(v, f"headers/{k}") for k, v in self._members("headers").items()}
        kind = self.given.transport or self.raw.get("type") or self.raw.get("transport")
        is_sse = kind == "sse" or (kind is None and re.search(r"/sse/?(?:\?|$)", url.value))
        return Http(
            url=url.value,
            written=url.written,
            headers={**{k: v.value for k, v in headers.items()}, **self.given.headers},
            kind="sse" if is_sse else "http",
            expanded=_secrets(url, *headers.values()) | self.given.expanded,
            written_headers={
                **{k: v.written for k, v in headers.items()},
                **self.given.written_headers,
            },
        )

    def _expand(self, written: str, member: str) -> expand.Expanded:
        folders = {"workspaceFolder": str(self.config.folder), "userHome": str(Path.home())}
        read = expand.text(written, {**folders, **self.given.variables()}, self._at(member))
        # The editor's own variables are host paths, and nobody else sets them.
        if any(f"${{{name}}}" in read.written for name in folders):
            return expand.Expanded(read.value, read.value, read.values)
        return read

    def _list(self, member: str) -> list[str]:
        value: Any = self.raw.get(member, [])
        if not is_array(value):
            raise UsageError("this must be a list of strings", self._at(member))
        return [_text(item) for item in value]

    def _members(self, member: str) -> dict[str, str]:
        value: Any = self.raw.get(member) or {}
        if not is_object(value):
            raise UsageError("this must be an object of strings", self._at(member))
        return {k: _text(v) for k, v in value.items() if v is not None}

    def _at(self, member: str = "") -> str:
        pointer = "/".join(filter(None, (self.config.key, self.name, member)))
        return f"{self.config.path}#/{pointer}"


def _text(value: Json) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def _secrets(*parts: expand.Expanded) -> Secrets:
    return Secrets({value: name for part in parts for value, name in part.values.items()})
