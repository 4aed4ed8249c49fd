"""What an entry says, whatever host it is written for: a command or an address, and more."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from mcpgen.errors import UsageError
from mcpgen.jsontext import Json, is_array, is_object

Kind = Literal["http", "sse"]


@dataclass(frozen=True, slots=True)
class Said:
    """An entry in one form; its texts still hold variables, in the syntax of its host.

    ``passed`` are variables that the server gets as they are here, if they are set; ``headers`` by
    ``owned`` hold ``${VAR}`` whatever the host writes otherwise. ``odd`` are members that are not
    used, each with the reason.
    """

    argv: tuple[str, ...] = ()
    url: str = ""
    kind: Kind | None = None
    env: Mapping[str, str] = field(default_factory=dict[str, str])
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    owned: Mapping[str, str] = field(default_factory=dict[str, str])
    passed: tuple[str, ...] = ()
    env_file: str = ""
    cwd: str = ""
    is_off: bool = False
    odd: Mapping[str, str] = field(default_factory=dict[str, str])


# What is the host's own business: it changes neither how a server is started nor what it offers.
_ITS_OWN = frozenset(
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
_SIGNS_IN = "how the host signs in is not known here; pass credentials with --header"
_UNKNOWN = "not known here, and not used"
_REASONS = {
    **dict.fromkeys(
        ("auth", "oauth", "headersHelper", "oauth_resource", "bearer_token", "authProvider"),
        _SIGNS_IN,
    ),
    "extensions": _UNKNOWN,
}


def said(raw: Json, form: str, at: str) -> Said:
    """Read an entry in the words of its host; ``at`` is the place that a mistake is said with."""
    entry: Mapping[str, Any] = raw if is_object(raw) else {}
    if form == "zed" and entry.get("source") == "extension":
        raise UsageError(
            "the server comes with an extension of Zed, which is not looked into",
            at,
            "give the command that starts it after --",
        )
    reader = _Reader(form, entry, at)
    return reader.read()


@dataclass(slots=True)
class _Reader:
    form: str
    entry: Mapping[str, Any]
    at: str
    used: set[str] = field(default_factory=set[str])

    def read(self) -> Said:
        argv = self._argv()
        url, kind = self._url()
        if not argv and not url:
            raise UsageError("the entry has neither a command nor a url", self.at)
        owned = self._owned()
        return Said(
            argv=argv,
            url="" if argv else url,
            kind=kind,
            env=self._texts("env", "environment", "envs"),
            headers=self._headers(),
            owned=owned,
            passed=self._passed(),
            env_file=self._text("envFile", "env_file"),
            cwd=self._text("cwd"),
            is_off=self._is_off(),
            odd=self._odd(),
        )

    def _take(self, *names: str) -> tuple[str, Any]:
        """Return the first of these members that is there, and note that all of them are used."""
        self.used |= {*names}
        found = [name for name in names if self.entry.get(name) is not None]
        return (found[0], self.entry[found[0]]) if found else (names[0], None)

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

    def _url(self) -> tuple[str, Kind | None]:
        name, url = self._take("httpUrl", "serverUrl", "url", "uri", "baseUrl")
        self.used |= {"type", "transport"}
        said = self.entry.get("type") or self.entry.get("transport")
        kind: Kind | None = "sse" if said == "sse" else "http" if isinstance(said, str) else None
        if said in ("local", "stdio", "remote"):
            kind = None
        if self.form == "gemini" and said is None:
            kind = "http" if name == "httpUrl" else "sse"
        elif name == "httpUrl":
            kind = "http"
        return url if isinstance(url, str) else "", kind

    def _headers(self) -> Mapping[str, str]:
        found = self._texts("headers", "http_headers")
        options = self.entry.get("requestOptions")
        if is_object(options):
            self.used.add("requestOptions")
            inner = _Reader(self.form, options, f"{self.at}/requestOptions")
            found = {**found, **inner._texts("headers")}
        return found

    def _owned(self) -> dict[str, str]:
        """Return the headers whose values are named variables: Codex has no other way."""
        found = {k: f"${{{v}}}" for k, v in self._texts("env_http_headers").items()}
        token = self._text("bearer_token_env_var", "bearerTokenEnv", "bearerTokenEnvVar")
        return {**found, "Authorization": f"Bearer ${{{token}}}"} if token else found

    def _passed(self) -> tuple[str, ...]:
        _, names = self._take("env_vars", "env_keys")
        found: list[str] = []
        for each in names if is_array(names) else ():
            name = each.get("name") if is_object(each) else each
            if isinstance(name, str):
                found.append(name)
        return tuple(found)

    def _is_off(self) -> bool:
        self.used |= {"disabled", "enabled", "isActive"}
        on = [self.entry.get(name) for name in ("enabled", "isActive")]
        return self.entry.get("disabled") is True or False in on

    def _odd(self) -> dict[str, str]:
        rest = self.entry.keys() - self.used - _ITS_OWN
        return {name: _REASONS.get(name, _UNKNOWN) for name in sorted(rest)}

    def _list(self, member: str) -> tuple[str, ...]:
        name, value = self._take(member)
        return self._strings([] if value is None else value, name)

    def _strings(self, value: Json, member: str) -> tuple[str, ...]:
        if not is_array(value):
            raise UsageError("this must be a list of strings", f"{self.at}/{member}")
        return tuple(_string(item) for item in value)

    def _texts(self, *members: str) -> dict[str, str]:
        name, value = self._take(*members)
        if not is_object({} if value is None else value):
            raise UsageError("this must be an object of strings", f"{self.at}/{name}")
        pairs: Iterable[tuple[str, Json]] = value.items() if value else ()
        return {k: _string(v) for k, v in pairs if v is not None}


def _string(value: Json) -> str:
    return value if isinstance(value, str) else json.dumps(value)
