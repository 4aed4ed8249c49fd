"""Reads the entry of a server in the configuration file of any host."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from mcpgen.errors import UsageError
from mcpgen.jsontext import Json, is_array, is_object

Form = Literal[
    "general",
    "codex",
    "continue",
    "fastmcp",
    "gemini",
    "goose",
    "opencode",
    "registry",
    "vscode",
    "zed",
]
"""The format of a host's entry. Most hosts use the general one."""

HttpTransport = Literal["http", "sse"]


@dataclass(frozen=True, slots=True)
class Entry:
    """A host's configuration entry in a common form. Strings still contain variables.

    ``inherited`` are variables that the server gets from the environment, if set.
    ``variable_headers`` always use ``${VAR}`` syntax. ``unused`` maps ignored properties to
    reasons.
    """

    argv: tuple[str, ...] = ()
    url: str = ""
    transport: HttpTransport | None = None
    env: Mapping[str, str] = field(default_factory=dict[str, str])
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    variable_headers: Mapping[str, str] = field(default_factory=dict[str, str])
    inherited: tuple[str, ...] = ()
    env_file: str = ""
    cwd: str = ""
    is_disabled: bool = False
    unused: Mapping[str, str] = field(default_factory=dict[str, str])


# Settings of the host that affect neither how a server is started nor its definitions.
_OF_THE_HOST = frozenset(
    """
    alwaysAllow autoApprove description name dev gallery icon iconUrl trust type transport version
    timeout timeoutMs timeout_ms initTimeout startup_timeout_sec startup_timeout_ms
    tool_timeout_sec required scopes watchPaths disabledTools includeTools excludeTools
    enabled_tools disabled_tools available_tools allowTools bundled display_name
    default_tools_approval_mode
    sandboxEnabled sandbox supports_parallel_tool_calls tools includeToolsFrom alwaysLoad
    connectionTimeout keep_alive metadata displayName source settings remote tool_approval tags
    faviconUrl networkTimeout registry toolCallTimeout
    """.split()
)
_SIGNS_IN = "the host's way of signing in is unknown; pass credentials with --header"
_UNKNOWN = "unknown, so it is ignored"
_REASONS = {
    **dict.fromkeys(
        ("auth", "oauth", "headersHelper", "oauth_resource", "bearer_token", "authProvider"),
        _SIGNS_IN,
    ),
    "extensions": _UNKNOWN,
}


def read_entry(raw: Json, form: Form, at: str) -> Entry:
    """Parse an entry in the format of its host. Errors have the position ``at``."""
    entry: Mapping[str, Any] = raw if is_object(raw) else {}
    if form == "zed" and entry.get("source") == "extension":
        raise UsageError(
            "the server belongs to a Zed extension, which can't be read",
            at,
            "give the command that starts it after --",
        )
    reader = _Reader(form, entry, at)
    return reader.read()


@dataclass(slots=True)
class _Reader:
    form: Form
    entry: Mapping[str, Any]
    at: str
    used: set[str] = field(default_factory=set[str])

    def read(self) -> Entry:
        argv = self._argv()
        url, transport = self._url()
        if not argv and not url:
            raise UsageError("the entry has neither a command nor a url", self.at)
        variable_headers = self._variable_headers()
        return Entry(
            argv=argv,
            url="" if argv else url,
            transport=transport,
            env=self._texts("env", "environment", "envs"),
            headers=self._headers(),
            variable_headers=variable_headers,
            inherited=self._inherited_variables(),
            env_file=self._text("envFile", "env_file"),
            cwd=self._text("cwd"),
            is_disabled=self._is_disabled(),
            unused=self._unused_members(),
        )

    def _take(self, *names: str) -> tuple[str, Any]:
        """Return the first existing property of these, and mark all of them as used."""
        self.used |= {*names}
        present = [name for name in names if self.entry.get(name) is not None]
        return (present[0], self.entry[present[0]]) if present else (names[0], None)

    def _text(self, *names: str) -> str:
        _, value = self._take(*names)
        return value if isinstance(value, str) else ""

    def _argv(self) -> tuple[str, ...]:
        name, command = self._take("command", "cmd")
        if is_object(command):  # as Zed wrote it first
            inner = _Reader("general", {**command, "command": command.get("path")}, self.at)
            self.entry = {**self.entry, "env": command.get("env")}
            return inner._argv()
        arguments = self._list("args")
        if is_array(command):
            return (*self._strings(command, name), *arguments)
        return (command, *arguments) if isinstance(command, str) and command else ()

    def _url(self) -> tuple[str, HttpTransport | None]:
        name, url = self._take("httpUrl", "serverUrl", "url", "uri", "baseUrl")
        self.used |= {"type", "transport"}
        kind = self.entry.get("type") or self.entry.get("transport")
        transport: HttpTransport | None = None
        if isinstance(kind, str) and kind not in ("local", "stdio", "remote"):
            transport = "sse" if kind == "sse" else "http"
        if self.form == "gemini" and kind is None:
            transport = "http" if name == "httpUrl" else "sse"
        elif name == "httpUrl":
            transport = "http"
        return url if isinstance(url, str) else "", transport

    def _headers(self) -> Mapping[str, str]:
        headers = self._texts("headers", "http_headers")
        options = self.entry.get("requestOptions")
        if is_object(options):
            self.used.add("requestOptions")
            inner = _Reader(self.form, options, f"{self.at}/requestOptions")
            headers = {**headers, **inner._texts("headers")}
        return headers

    def _variable_headers(self) -> dict[str, str]:
        """Return the headers whose values are names of variables, as in Codex."""
        headers = {k: f"${{{v}}}" for k, v in self._texts("env_http_headers").items()}
        token = self._text("bearer_token_env_var", "bearerTokenEnv", "bearerTokenEnvVar")
        return {**headers, "Authorization": f"Bearer ${{{token}}}"} if token else headers

    def _inherited_variables(self) -> tuple[str, ...]:
        _, names = self._take("env_vars", "env_keys")
        entries: list[Json] = names if is_array(names) else []
        variables = [entry.get("name") if is_object(entry) else entry for entry in entries]
        return tuple(name for name in variables if isinstance(name, str))

    def _is_disabled(self) -> bool:
        self.used |= {"disabled", "enabled", "isActive"}
        on = [self.entry.get(name) for name in ("enabled", "isActive")]
        return self.entry.get("disabled") is True or False in on

    def _unused_members(self) -> dict[str, str]:
        rest = self.entry.keys() - self.used - _OF_THE_HOST
        return {name: _REASONS.get(name, _UNKNOWN) for name in sorted(rest)}

    def _list(self, member: str) -> tuple[str, ...]:
        name, value = self._take(member)
        return self._strings([] if value is None else value, name)

    def _strings(self, value: Json, member: str) -> tuple[str, ...]:
        if not is_array(value):
            raise UsageError("expected a list of strings", f"{self.at}/{member}")
        return tuple(_string(item) for item in value)

    def _texts(self, *members: str) -> dict[str, str]:
        name, value = self._take(*members)
        if not is_object({} if value is None else value):
            raise UsageError("expected an object of strings", f"{self.at}/{name}")
        pairs: Iterable[tuple[str, Json]] = value.items() if value else ()
        return {k: _string(v) for k, v in pairs if v is not None}


def _string(value: Json) -> str:
    return value if isinstance(value, str) else json.dumps(value)
