"""Where a contract comes from: a command, a URL, an object in this process, or a file."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from mcpgen_runtime.display import visible

from mcpgen.errors import Notice
from mcpgen.jsontext import Json
from mcpgen.servers.endpoint import origin
from mcpgen.servers.endpoint.entries import HttpTransport
from mcpgen.servers.endpoint.origin import Origin
from mcpgen.servers.endpoint.redaction import Secrets


@dataclass(frozen=True, slots=True)
class Stdio:
    """A command to start; ``written`` is what a person sees, variables unexpanded."""

    argv: tuple[str, ...]
    written: tuple[str, ...]
    env: Mapping[str, str] = field(default_factory=dict[str, str])
    cwd: str | None = None
    expanded: Secrets = field(default_factory=Secrets)
    notices: tuple[Notice, ...] = field(default=(), compare=False)
    optional: frozenset[str] = frozenset()
    """Variables that are passed on only if they are set."""

    def origin(self) -> Origin:
        """Say how to start this server again."""
        command = origin.command(self.written, self.argv, self.env, self.cwd, self.optional)
        return _with_secrets(command, self.expanded, self.env)

    def redacted(self) -> str:
        """Return the command for a message: nothing that was given in confidence is repeated."""
        own = self.origin()
        return own.secrets.hide(" ".join([own.document["command"], *own.document["args"]]))

    def __str__(self) -> str:
        # A configuration file may hold anything, also what would hide itself on a terminal.
        return visible(shlex.join(self.written)).replace("\n", "\\n")


@dataclass(frozen=True, slots=True)
class Http:
    """A URL to connect to, by Streamable HTTP or the older SSE transport.

    ``written`` and ``written_headers`` are what a person wrote, variables unexpanded; ``account``
    is the one of several logins to use.
    """

    url: str
    written: str
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    kind: HttpTransport = "http"
    expanded: Secrets = field(default_factory=Secrets)
    written_headers: Mapping[str, str] = field(default_factory=dict[str, str])
    notices: tuple[Notice, ...] = field(default=(), compare=False)
    account: str | None = None

    def origin(self) -> Origin:
        """Say how to connect to this server again."""
        headers = {**self.headers, **self.written_headers}
        address = origin.http(self.kind, self.written, self.url, headers)
        return _with_secrets(address, self.expanded, self.headers)

    def redacted(self) -> str:
        """Return the address for a message."""
        return str(self)

    def __str__(self) -> str:
        return visible(str(self.origin().document["url"]))


@dataclass(frozen=True, slots=True)
class InProcess:
    """An object in a Python file or module; without a name the usual ones are tried."""

    module: str
    name: str = ""
    env: Mapping[str, str] = field(default_factory=dict[str, str])
    expanded: Secrets = field(default_factory=Secrets)
    notices: tuple[Notice, ...] = field(default=(), compare=False)

    @property
    def names(self) -> tuple[str, ...]:
        """The names to try, in order."""
        return (self.name,) if self.name else ("mcp", "server", "app")

    def origin(self) -> Origin:
        """Say where this server lives."""
        return _with_secrets(origin.in_process(self.module, self.name), self.expanded, self.env)

    def redacted(self) -> str:
        """Return the module and the name for a message."""
        return str(self)

    def __str__(self) -> str:
        return visible(f"{self.module}:{self.name}" if self.name else self.module)


@dataclass(frozen=True, slots=True)
class Offline:
    """A file that holds a contract or a ``tools/list`` answer; no server is asked.

    ``document`` is what was read of it to know that, so that it is parsed once.
    """

    path: str
    document: Json = field(default=None, compare=False, repr=False)


Live: TypeAlias = Stdio | Http | InProcess
Target: TypeAlias = Live | Offline


def _with_secrets(bare: Origin, expanded: Secrets, confidential: Mapping[str, str]) -> Origin:
    named = Secrets(dict(_named(confidential.items())))
    return replace(bare, secrets=bare.secrets | named | expanded)


def _named(values: Iterable[tuple[str, str]]) -> Iterable[tuple[str, str]]:
    for name, value in values:
        placeholder = f"${{{name}}}"
        yield value, placeholder
        # The credentials of `Authorization: Bearer …` are as secret without the scheme.
        scheme, _, credentials = value.partition(" ")
        if credentials and scheme.isalpha():
            yield credentials.strip(), placeholder
