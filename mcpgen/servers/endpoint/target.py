"""The sources of a contract: a command, a URL, an object in this process, or a file."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, TypeAlias

from mcpgen_runtime.display import visible

from mcpgen.errors import Notice
from mcpgen.jsontext import Json
from mcpgen.servers.endpoint import origin
from mcpgen.servers.endpoint.origin import Origin
from mcpgen.servers.endpoint.redaction import Secrets

if TYPE_CHECKING:
    from mcpgen.servers.endpoint.entries import HttpTransport


@dataclass(frozen=True, slots=True)
class Stdio:
    """A command to start. ``written`` is its form for users, with variables."""

    argv: tuple[str, ...]
    written: tuple[str, ...]
    env: Mapping[str, str] = field(default_factory=dict[str, str])
    cwd: str | None = None
    expanded: Secrets = field(default_factory=Secrets)
    notices: tuple[Notice, ...] = field(default=(), compare=False)
    optional: frozenset[str] = frozenset()
    """Variables passed on only if they are set."""

    def origin(self) -> Origin:
        """Describe how to start this server again."""
        command = origin.command(self.written, self.argv, self.env, self.cwd, self.optional)
        return _with_secrets(command, self.expanded, self.env)

    def redacted_text(self) -> str:
        """Return the command for messages, without secrets."""
        own = self.origin()
        return own.secrets.hide(" ".join([own.document["command"], *own.document["args"]]))

    def __str__(self) -> str:
        # A configuration file may contain control characters that hide text on a terminal.
        return visible(shlex.join(self.written)).replace("\n", "\\n")


@dataclass(frozen=True, slots=True)
class Http:
    """A URL to connect to, by Streamable HTTP or the older SSE transport.

    ``written`` and ``written_headers`` have unexpanded variables. ``account`` selects one of
    several logins.
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
        """Describe how to connect to this server again."""
        headers = {**self.headers, **self.written_headers}
        address = origin.http(self.kind, self.written, self.url, headers)
        return _with_secrets(address, self.expanded, self.headers)

    def redacted_text(self) -> str:
        """Return the URL for messages, without secrets."""
        return str(self)

    def __str__(self) -> str:
        return visible(str(self.origin().document["url"]))


@dataclass(frozen=True, slots=True)
class InProcess:
    """An object in a Python file or module. Without a name, common ones are tried."""

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
        """Describe the location of this server."""
        return _with_secrets(origin.in_process(self.module, self.name), self.expanded, self.env)

    def redacted_text(self) -> str:
        """Return the module and name for messages."""
        return str(self)

    def __str__(self) -> str:
        return visible(f"{self.module}:{self.name}" if self.name else self.module)


@dataclass(frozen=True, slots=True)
class Offline:
    """A file with a contract or a ``tools/list`` result. No server is contacted.

    ``document`` is its content, if it has been parsed already.
    """

    path: str
    document: Json = field(default=None, compare=False, repr=False)


Live: TypeAlias = Stdio | Http | InProcess
Target: TypeAlias = Live | Offline


def _with_secrets(bare: Origin, expanded: Secrets, confidential: Mapping[str, str]) -> Origin:
    named = Secrets(dict(_placeholders(confidential.items())))
    return replace(bare, secrets=bare.secrets | named | expanded)


def _placeholders(values: Iterable[tuple[str, str]]) -> Iterable[tuple[str, str]]:
    for name, value in values:
        placeholder = f"${{{name}}}"
        yield value, placeholder
        # The credentials of `Authorization: Bearer …` are as secret without the scheme.
        scheme, _, credentials = value.partition(" ")
        if credentials and scheme.isalpha():
            yield credentials.strip(), placeholder
