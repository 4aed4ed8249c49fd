"""The tools of several servers in one collection, with prefixes.

The clients may belong to different packages.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from .definitions.names import spell_names
from .tool import BETWEEN, AgentTool, Entry
from .toolset import AgentTools, SyncAgentTools


class Selecting(Protocol):
    """Either the ``tools`` of a client or a selection of them."""

    def select(self) -> Any:
        """Return the tools."""
        ...


class OffersTools(Protocol):
    """A client of any package."""

    @property
    def tools(self) -> object:
        """The tools."""
        ...


def agent_tools(*clients: OffersTools | Selecting, **named: OffersTools | Selecting) -> AgentTools:
    """Combine the tools of several servers, with one ``run`` for all.

    Args:
        *clients: Async clients of any packages, or the results of ``tools.select()``.
            The names of their tools don't change.
        **named: The same, but the names of their tools get the keyword and ``__`` as a
            prefix.

    Raises:
        ValueError: Two tools have the same name. Pass their servers by keyword.
    """
    return AgentTools(_entries(clients, named, waits=False))


def agent_tools_sync(
    *clients: OffersTools | Selecting, **named: OffersTools | Selecting
) -> SyncAgentTools:
    """Combine the tools of several synchronous clients, like :func:`agent_tools`.

    Args:
        *clients: Synchronous clients of any packages, or the results of
            ``tools.select()``. The names of their tools don't change.
        **named: The same, but the names of their tools get the keyword and ``__`` as a
            prefix.

    Raises:
        ValueError: Two tools have the same name. Pass their servers by keyword.
    """
    return SyncAgentTools(_entries(clients, named, waits=True))


def _entries(
    clients: Sequence[object], named: Mapping[str, object], *, waits: bool
) -> list[Entry[Any]]:
    named_clients = [("", client) for client in clients] + list(named.items())
    entries = [
        (server, entry)
        for server, client in named_clients
        for entry in _select_entries(client, waits=waits)
    ]
    spelled_names = [_name(server, entry.tool) for server, entry in entries]
    twice = [name for name, count in Counter(spelled_names).items() if count > 1]
    if twice:
        raise ValueError(f"two servers have a tool {twice[0]!r}: give them names")
    names = spell_names(spelled_names)
    return [
        Entry(_adopt(entry.tool, names[name], server), entry.is_live)
        for (server, entry), name in zip(entries, spelled_names, strict=True)
    ]


def _select_entries(client: Any, *, waits: bool) -> Sequence[Entry[Any]]:
    offered: Any = client if hasattr(client, "select") else getattr(client, "tools", 0)
    chosen: Any = offered.select() if hasattr(offered, "select") else None
    if not all(hasattr(chosen, item) for item in ("waits", "is_limited", "entries")):
        raise TypeError(
            f"{client!r} offers no tools that can be combined: pass connected clients,"
            " and generate their packages with the same version of mcpgen"
        )
    if chosen.waits is not waits:
        other = "agent_tools_sync" if chosen.waits else "agent_tools"
        raise TypeError(f"{client!r} is for {other}")
    if chosen.is_limited:
        raise TypeError("max_chars is for the tools of all servers: select it of those")
    entries: Sequence[Entry[Any]] = chosen.entries
    return entries


def _name(server: str, tool: AgentTool[Any]) -> str:
    return f"{server}{BETWEEN}{tool.name}" if server else tool.name


def _adopt(tool: Any, name: str, server: str) -> AgentTool[Any]:
    """Return a tool, maybe of another package, as one of this package."""
    within = f"{server}{BETWEEN}{tool.server}" if server and tool.server else server
    return AgentTool(
        tool.wire,
        name,
        tool.description,
        tool.schema,
        tool.output_schema,
        tool.call,
        tool.definition,
        within or tool.server,
        tool.is_read_only,
        getattr(tool, "is_destructive", not tool.is_read_only),
        getattr(tool, "needs_approval", True),
    )
