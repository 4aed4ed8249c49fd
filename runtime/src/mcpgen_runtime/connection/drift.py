"""How the live server's tools differ from the contract, and which calls that forbids."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from ..errors import Change, ContractDrift, ContractUnknown, MissingCapability

Verify: TypeAlias = Literal["warn", "error", "compatible", "off"]


@dataclass
class Drift:
    """How the live tools differ from the contract, and which calls that forbids.

    ``opened`` are the live schemas of tools with arguments that the contract allows
    without naming them.
    """

    changes: list[Change] = field(default_factory=list[Change])
    opened: dict[str, Any] = field(default_factory=dict[str, Any])
    lacking: dict[str, list[str]] = field(default_factory=dict[str, "list[str]"])
    """The capabilities without which the server does not list a tool to this client."""
    missing: set[str] = field(default_factory=set[str])
    """The tools that the server does not list."""
    is_refusing: bool = False
    unknown: Change | None = None
    """Why the tools could not be listed, if they could not."""
    is_looking: bool = False
    looks_at: float = 0.0
    """When the tools are listed again, if they are unknown."""
    pause: float = 1.0
    """Seconds between two attempts to list them."""

    def offers(self, tool: str) -> bool:
        """Say whether a tool is there, and not refused whatever its arguments are."""
        if tool in self.lacking or tool in self.missing:
            return False
        return not (self.is_refusing and any(change.tool == tool for change in self.changes))

    def require(self, tool: str, arguments: Mapping[str, object]) -> None:
        """Raise ``ContractDrift`` where a call may not mean what it did."""
        if tool in self.lacking:
            raise MissingCapability(tool, self.lacking[tool])
        if not self.is_refusing:
            return
        if self.unknown is not None:
            raise ContractUnknown([self.unknown])
        changes = [change for change in self.changes if change.tool == tool]
        if changes:
            raise ContractDrift(changes)
        if tool in self.opened:
            from ..validation.schemas import allows

            if not allows(self.opened[tool], arguments):
                what = "an argument that the contract does not name is another one now"
                raise ContractDrift([Change(tool, what)])
