"""Reads the registry's `server.json`: the commands of its packages, and its remotes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from mcpgen.errors import UsageError
from mcpgen.jsontext import Json, is_array, is_object
from mcpgen.servers.endpoint.entries import Entry
from mcpgen.servers.endpoint.variables import variable

_AFTER = "give the command that starts it after --, or its URL"


def read_entry(raw: Json, at: str, variables: Mapping[str, str]) -> Entry:
    """Read a package or remote. Values that the user must supply become variables ``${NAME}``."""
    entry: Mapping[str, Any] = raw if is_object(raw) else {}
    reader = _Reader(at, variables)
    if isinstance(entry.get("url"), str):
        return reader.remote(entry)
    return reader.package(entry)


@dataclass(frozen=True, slots=True)
class _Reader:
    at: str
    variables: Mapping[str, str]

    def remote(self, entry: Mapping[str, Any]) -> Entry:
        return Entry(
            url=self._fill(entry["url"], entry),
            transport="sse" if entry.get("type") == "sse" else "http",
            headers=dict(self._inputs(entry.get("headers"))),
        )

    def package(self, entry: Mapping[str, Any]) -> Entry:
        transport = entry.get("transport")
        kind = transport.get("type") if is_object(transport) else "stdio"
        if kind not in ("stdio", None):
            problem = "the package is a server over HTTP, which has to be started first"
            raise UsageError(problem, self.at, "start it, and give its URL")
        env = dict(self._inputs(entry.get("environmentVariables"), are_variables=True))
        return Entry(argv=tuple(self._argv(entry, env)), env=env)

    def _argv(self, entry: Mapping[str, Any], env: Mapping[str, str]) -> Iterator[str]:
        kind, identifier = entry.get("registryType"), entry.get("identifier")
        if kind not in _RUNTIMES or not isinstance(identifier, str):
            raise UsageError(f"mcpgen can't start a package of the kind {kind!r}", self.at, _AFTER)
        hint = entry.get("runtimeHint")
        runtime = hint if isinstance(hint, str) and hint else _RUNTIMES[kind]
        own = list(self._arguments(entry.get("runtimeArguments")))
        yield runtime
        if kind == "oci":
            yield from (token for token in ("run", "-i", "--rm") if token not in own)
            for name in env:
                yield from ("-e", name)
        elif runtime == "npx" and not {"-y", "--yes"} & {*own}:
            yield "-y"
        yield from own
        yield _with_version(identifier, entry.get("version"), kind)
        if kind == "nuget" and "--yes" not in own:
            yield from ("--yes", "--")
        yield from self._arguments(entry.get("packageArguments"))

    def _arguments(self, entries: Json) -> Iterator[str]:
        for entry in entries if is_array(entries) else ():
            if not is_object(entry):
                continue
            name = entry.get("name")
            is_named = entry.get("type") == "named" and isinstance(name, str)
            hint = name if is_named else entry.get("valueHint")
            value = self._value(entry, hint if isinstance(hint, str) else "argument")
            if value is not None:
                yield from (str(name), value) if is_named else (value,)

    def _inputs(self, entries: Json, *, are_variables: bool = False) -> Iterator[tuple[str, str]]:
        """Yield variables or headers with their values, except optional ones without a value."""
        for entry in entries if is_array(entries) else ():
            name = entry.get("name") if is_object(entry) else None
            if isinstance(name, str) and is_object(entry):
                value = self._value(entry, name, name if are_variables else "")
                if value is not None:
                    yield name, value

    def _value(self, entry: Mapping[str, Any], name: str, own: str = "") -> str | None:
        """Return a value, or its variable, or None if it is optional and missing.

        ``own`` is the variable's name, if the value is one.
        """
        fixed = entry.get("value")
        if isinstance(fixed, str):
            return self._fill(fixed, entry)
        value, default = own or variable("INPUT", name), entry.get("default")
        if isinstance(default, str | int | float):
            return _with_default(value, str(default))
        is_needed = entry.get("isRequired") is True
        return f"${{{value}}}" if is_needed or value in self.variables else None

    def _fill(self, text: str, entry: Mapping[str, Any]) -> str:
        """Replace ``{name}`` by variables."""
        variables: Any = entry.get("variables")

        def value(match: re.Match[str]) -> str:
            name = match[1]
            inner = variables.get(name) if is_object(variables) else None
            if not is_object(inner):
                return match[0] if variables is None else f"${{{variable('INPUT', name)}}}"
            filled = self._value({"isRequired": True, **inner}, name)
            return filled if filled is not None else f"${{{variable('INPUT', name)}}}"

        return re.sub(r"\{([A-Za-z_][\w-]*)\}", value, text)


_RUNTIMES = {"npm": "npx", "pypi": "uvx", "oci": "docker", "nuget": "dnx"}


def _with_default(name: str, default: str) -> str:
    return default if re.search(r"[}$]", default) else f"${{{name}:-{default}}}"


def _with_version(identifier: str, version: Json, kind: str) -> str:
    is_there = re.search(r":[^/]+$" if kind == "oci" else r"(?<!^)@[^/]+$", identifier)
    if not isinstance(version, str) or not version or is_there:
        return identifier
    return f"{identifier}{':' if kind == 'oci' else '@'}{version}"
