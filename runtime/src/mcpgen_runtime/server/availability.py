"""Enables and disables tools while a server runs."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Iterable
from typing import TypeAlias

Store: TypeAlias = Callable[[Collection[str], bool], Awaitable[None]]
"""Stores for all replicas that tools are enabled (True) or disabled."""


class ToolAvailability:
    """The tools that a server offers now. At first all tools of the contract are enabled.

    Args:
        names: The tools in the contract.
        may_change: Whether the contract declares ``tools.listChanged``.
        notify: Notifies all clients that the list of tools has changed.
    """

    def __init__(
        self, names: Iterable[str], *, may_change: bool, notify: Callable[[], Awaitable[None]]
    ) -> None:
        self.may_change = may_change
        self._names = frozenset(names)
        self._disabled: frozenset[str] = frozenset()
        self._notify = notify
        self._store: Store | None = None

    @property
    def disabled(self) -> frozenset[str]:
        """The tools that aren't listed and can't be called."""
        return self._disabled

    async def disable(self, *names: str) -> None:
        """Stop offering tools: they aren't listed, and new calls get "Unknown tool".

        Calls that have begun continue.

        Raises:
            RuntimeError: The contract doesn't declare ``tools.listChanged``.
            ValueError: The contract has no tool of that name.
        """
        await self._change(names, is_enabled=False)

    async def enable(self, *names: str) -> None:
        """Offer disabled tools again.

        Raises:
            RuntimeError: The contract doesn't declare ``tools.listChanged``.
            ValueError: The contract has no tool of that name.
        """
        await self._change(names, is_enabled=True)

    def replace(self, disabled: Iterable[str]) -> None:
        """Take over the disabled tools of the other replicas. Unknown names are ignored."""
        self._disabled = self._names.intersection(disabled)

    def share(self, store: Store) -> None:
        """Store changes for all replicas from now on."""
        self._store = store

    async def _change(self, names: Collection[str], *, is_enabled: bool) -> None:
        if not self.may_change:
            raise RuntimeError("the contract doesn't declare tools.listChanged")
        unknown = sorted({*names} - self._names)
        if unknown:
            raise ValueError(f"the contract has no tools {unknown}")
        changed = self._disabled.intersection(names) if is_enabled else {*names} - self._disabled
        if not changed:
            return
        if self._store is not None:
            await self._store(changed, is_enabled)
        self._disabled = self._disabled - changed if is_enabled else self._disabled | changed
        await self._notify()
