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
    """A file that would be written in another way, or a whole folder that is not there, or is.

    ``reason`` says why `mcpgen generate` does not remove what is left over.
    """

    server: str
    path: str
    state: State
    diff: str = ""
    count: int = 1
    reason: str = ""

    def document(self) -> dict[str, Any]:
        """Return it for a JSON document."""
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
    """All to be reported: files, changes of servers, and servers that were not reached.

    ``unfinished`` are folders that a killed run was to write at once, and wrote in part.
    """

    stale: list[Stale] = field(default_factory=list[Stale])
    unfinished: list[str] = field(default_factory=list[str])
    drift: dict[str, DiffReport] = field(default_factory=dict[str, "DiffReport"])
    failed: dict[str, McpgenError] = field(default_factory=dict[str, McpgenError])

    @property
    def drifted(self) -> list[str]:
        """The servers that changed in a way that fails."""
        return [name for name, drift in self.drift.items() if drift.fails]
