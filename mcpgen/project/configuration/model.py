"""The values of `[tool.mcpgen]`, without validation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Literal

from mcpgen.contract.observation.document import observed_path
from mcpgen.errors import McpgenError

CAPABILITIES = ("elicitation", "roots", "sampling")
STYLES = ("dataclass", "basemodel", "typeddict")
AUTH_KINDS = ("jwt", "introspection")
FORMATS = ("assertion", "annotation")
LAYOUTS = ("package", "agent")
EXAMPLE_SOURCE = "demo"
"""The source of the server that ships with mcpgen."""
AGENT_STYLE = "typeddict"
"""The style of packages for models: plain JSON types."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Client:
    """``client = {…}``: the options of `mcpgen client`."""

    output: str = "."
    name: str = ""
    style: str = "dataclass"
    formats: str = "assertion"
    layout: str = "package"


@dataclass(frozen=True, slots=True, kw_only=True)
class Server:
    """``server = {…}``: the options of `mcpgen server`."""

    output: str = "."
    name: str = ""
    docker: bool = False
    auth: str = ""
    redis: bool = False
    telemetry: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """``[tool.mcpgen.servers.NAME]``: a server, its contract, and its output.

    Paths are relative to the folder of pyproject.toml. ``source`` is a string as on the command
    line, or the words of a command. It is empty for a handwritten contract. ``observed`` is the
    observed file if it isn't next to the contract, or False for none. ``standalone`` is the setting
    of ``[tool.mcpgen]``, or None if unset. With ``outside``, output may be outside of the folder.
    With ``trust``, the server's tool annotations are trusted.
    """

    name: str
    contract: str
    observed: str | Literal[False] = ""
    source: str | tuple[str, ...] = ""
    client: Client | None = None
    server: Server | None = None
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    rename: Mapping[str, str] = field(default_factory=dict[str, str])
    outside: bool = False
    trust: bool = False
    env: tuple[str, ...] = ()
    header: tuple[str, ...] = ()
    account: str = ""
    cwd: str = ""
    timeout: float = 30.0
    transport: Literal["stdio", "http", "sse"] | None = None
    era: Literal["auto", "legacy", "modern"] = "auto"
    capability: tuple[str, ...] = ()
    standalone: bool | None = None

    @property
    def package(self) -> str:
        """The package that prefixes the variables of a new contract."""
        client = self.client or self.server
        return client.name if client is not None and client.name else self.name

    @property
    def is_trusted(self) -> bool:
        """Whether the server is trusted, as the example server of mcpgen always is."""
        return self.trust or self.source == EXAMPLE_SOURCE

    @property
    def table_name(self) -> str:
        """The name of the table, for messages."""
        return f"tool.mcpgen.servers.{self.name}"

    @property
    def observed_file(self) -> str:
        """The observed file, which may not exist, or "" if none is used."""
        if self.observed is False:
            return ""
        return self.observed or observed_path(Path(self.contract)).as_posix()


@dataclass(frozen=True, slots=True, kw_only=True)
class Ignore:
    """``[[tool.mcpgen.ignore]]``: an accepted change of a server."""

    fingerprint: str
    reason: str
    until: date | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """The whole table ``[tool.mcpgen]``. ``broken`` has the errors of unusable server tables."""

    servers: Mapping[str, Entry]
    broken: Mapping[str, McpgenError] = field(default_factory=dict[str, McpgenError])
    ignore: tuple[Ignore, ...] = ()
