"""The server and its options as given on the command line. Nothing is resolved here."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from mcpgen.servers.endpoint import Overrides

_CONTRACTS = (".json", ".yaml", ".yml")


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerArguments:
    """The requested server and its options, as given on the command line."""

    server: str | None = None
    command: tuple[str, ...] = ()
    env: tuple[str, ...] = ()
    header: tuple[str, ...] = ()
    account: str | None = None
    cwd: str | None = None
    timeout: float = 30.0
    transport: Literal["stdio", "http", "sse"] | None = None
    era: Literal["auto", "legacy", "modern"] = "auto"
    capability: tuple[str, ...] = ()
    accept_origin: str = ""
    strict: bool = False
    verbose: bool = False
    quiet: bool = False

    def overrides(self) -> Overrides:
        """Parse the options: variables, headers, folder."""
        # Not needed if the result for the file is cached.
        from mcpgen.servers.endpoint import Overrides
        from mcpgen.servers.endpoint.overrides import parse_env, parse_headers
        from mcpgen.servers.endpoint.redaction import Secrets

        expanded: dict[str, str] = {}
        optional: set[str] = set()
        env = parse_env(self.env, expanded, optional)
        headers = parse_headers(self.header, {**os.environ, **env})
        secrets = Secrets({**expanded, **headers.expanded})
        return Overrides(
            env,
            headers.sent_headers,
            self.cwd,
            self.transport,
            secrets,
            headers.written,
            frozenset(optional),
        )

    @property
    def display_name(self) -> str:
        """The server for reports, without secrets of a URL or command."""
        if self.server is None:
            return self.command[0] if self.command else ""
        if not re.match(r"https?://", self.server, re.IGNORECASE):
            return "stdin" if self.server == "-" else self.server
        from mcpgen.servers.endpoint import Http

        return str(Http(self.server, self.server))

    def file(self) -> Path | None:
        """Return the file that fully determines the server, or None.

        Such a file has a contract or lists servers.
        """
        alone = ServerArguments(server=self.server)
        manner = replace(self, strict=False, verbose=False, quiet=False)
        if not self.server or manner != alone or "://" in self.server:
            return None
        path = Path(self.server)
        return path if path.suffix in _CONTRACTS and path.is_file() else None
