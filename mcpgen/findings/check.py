"""The findings of `check`: stale files, and changes of live servers."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from mcpgen.errors import McpgenError

if TYPE_CHECKING:
    from mcpgen.findings.diff import DiffReport

State = Literal["changed", "missing", "left over", "edited"]


@dataclass(frozen=True, slots=True)
class Stale:
    """A file that differs from the generated one, or a complete missing or leftover folder.

    ``reason`` is why `mcpgen generate` doesn't remove a leftover folder.
    """

    server: str
    path: str
    state: State
    diff: str = ""
    count: int = 1
    reason: str = ""

    def document(self) -> dict[str, Any]:
        """Return the entry of a JSON document, without empty members."""
        members = {
            "server": self.server,
            "path": self.path,
            "state": self.state,
            "diff": self.diff,
            "reason": self.reason,
        }
        return {key: value for key, value in members.items() if value}


@dataclass(slots=True)
class CheckReport:
    """The results of `check`: stale files, drift, and servers that couldn't be reached.

    ``unfinished`` are folders that a killed run wrote only in part.
    """

    stale: list[Stale] = field(default_factory=list[Stale])
    unfinished: list[str] = field(default_factory=list[str])
    drift: dict[str, DiffReport] = field(default_factory=dict[str, "DiffReport"])
    failed: dict[str, McpgenError] = field(default_factory=dict[str, McpgenError])

    @property
    def drifted_servers(self) -> list[str]:
        """Servers with changes that fail the check."""
        return [name for name, drift in self.drift.items() if drift.fails]
