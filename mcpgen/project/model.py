"""The values that `[tool.mcpgen]` is read into; nothing in them is checked here."""

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
FORMATS = ("assertion", "annotation")
LAYOUTS = ("package", "agent")
EXAMPLE_SOURCE = "demo"
"""The source of the server that ships with mcpgen."""
AGENT_STYLE = "typeddict"
"""The style of a package for models: what they read of its types is plain JSON."""


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """``[tool.mcpgen.servers.NAME]``: one server, its contract, and what is made of it.

    Paths are as they were written: relative to the folder of pyproject.toml. ``source`` is one
    text as on the command line, or the words of a command; empty for a contract written by hand.
    ``observed`` is the observed file if it is not beside the contract, ``False`` if none is used.
    ``standalone`` is that of ``[tool.mcpgen]``, None if it isn't set.
    With ``outside`` what is written may lie outside of that folder, with ``trust`` the server's
    annotations of its tools are believed.
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
        """The package that variables of a new contract are named after."""
        made = self.client or self.server
        return made.name if made is not None and made.name else self.name

    @property
    def is_trusted(self) -> bool:
        """Whether the server is trusted, as the example server of mcpgen always is."""
        return self.trust or self.source == EXAMPLE_SOURCE

    @property
    def at(self) -> str:
        """The place of the table, for messages."""
        return f"tool.mcpgen.servers.{self.name}"

    @property
    def observed_file(self) -> str:
        """The observed file, which may not be there; ``""`` where none is used."""
        if self.observed is False:
            return ""
        return self.observed or observed_path(Path(self.contract)).as_posix()


@dataclass(frozen=True, slots=True, kw_only=True)
class Ignore:
    """``[[tool.mcpgen.ignore]]``: a change of a server that was looked at and is wanted."""

    fingerprint: str
    reason: str
    until: date | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """All of ``[tool.mcpgen]``; ``broken`` are the tables of servers that cannot be used."""

    servers: Mapping[str, Entry]
    broken: Mapping[str, McpgenError] = field(default_factory=dict[str, McpgenError])
    ignore: tuple[Ignore, ...] = ()
