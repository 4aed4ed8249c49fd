"""Differences between a live server's tools and the contract."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from ..errors import Change, ContractDrift, ContractUnknown, MissingCapability

Verify: TypeAlias = Literal["warn", "error", "compatible", "off"]


@dataclass
class Drift:
    """Differences between the live tools and the contract, and the calls that they forbid.

    Attributes:
        opened: The live schemas of tools that accept arguments without naming them.
    """

    changes: list[Change] = field(default_factory=list[Change])
    opened: dict[str, Any] = field(default_factory=dict[str, Any])
    lacking: dict[str, list[str]] = field(default_factory=dict[str, "list[str]"])
    """Missing client capabilities that make the server hide tools, by tool."""
    missing: set[str] = field(default_factory=set[str])
    """Tools that the server doesn't list."""
    is_refusing: bool = False
    unknown: Change | None = None
    """The reason why the tools couldn't be listed, or None."""
    is_looking: bool = False
    looks_at: float = 0.0
    """Time at which to list the tools again if they are unknown."""
    pause: float = 1.0
    """Seconds between two attempts to list them."""

    def offers(self, tool: str) -> bool:
        """Return False if the tool is missing, or if no call of it is allowed."""
        if tool in self.lacking or tool in self.missing:
            return False
        return not (self.is_refusing and any(change.tool == tool for change in self.changes))

    def require(self, tool: str, arguments: Mapping[str, object]) -> None:
        """Raise ``ContractDrift`` if the meaning of a call may have changed."""
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
                what = "the live schema now defines an argument that the contract doesn't name"
                raise ContractDrift([Change(tool, what)])
