"""The tools of one client: their annotations, and their definitions for models."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Mapping
from functools import cache, partial
from typing import TYPE_CHECKING, Any, TypeVar

from ..calls.caller import Caller, connection_of, package_of
from ..contract import ToolInfo, ToolInfos
from ..package import Package
from .calling import call
from .definitions.names import spell_names
from .definitions.schemas import is_object, members
from .result import AgentResult
from .tool import AgentTool, Entry, Only
from .toolset import AgentTools, AsyncOffer, SyncAgentTools, SyncOffer

if TYPE_CHECKING:
    from ..connection.portal import Portal
    from .functions import Functions

R = TypeVar("R")


class ClientTools(ToolInfos, AsyncOffer):
    """The annotations of the server's tools by JSON name, and tools for models."""

    def __init__(self, client: Caller) -> None:
        super().__init__(package_of(client).contract)
        self._client = client

    def select(
        self,
        *,
        only: Only | None = None,
        exclude: Collection[str] = (),
        read_only: bool = False,
        destructive: bool = True,
        max_chars: int | None = None,
    ) -> AgentTools:
        """Select tools for one agent.

        Args:
            only: The tools to include: their JSON names, their names for models, or a
                function that returns True for them. By default all.
            exclude: The tools to leave out.
            read_only: Include only tools annotated as read-only.
            destructive: Include tools that aren't annotated as non-destructive.
            max_chars: How many characters of a result a model gets. For longer results
                there is a tool ``read_more``. By default there is no limit.

        Raises:
            UnknownTool: No tool has this name.
        """
        offered = AgentTools(_entries(self._client, self._calls))
        return offered.select(
            only=only,
            exclude=exclude,
            read_only=read_only,
            destructive=destructive,
            max_chars=max_chars,
        )

    def find(self, name: str) -> AgentTool[Awaitable[AgentResult]] | None:
        """Return a tool by its JSON name or its name for models, or None."""
        return _make_tool(self._client, self._calls, name)

    def _calls(self, info: ToolInfo) -> Callable[[Mapping[str, Any]], Awaitable[AgentResult]]:
        return partial(call, self._client, info)

    def functions(self) -> Functions:
        """Return the methods as plain functions, for frameworks that read signatures.

        Signatures contain less than schemas, so prefer the other forms.
        """
        from .functions import Functions

        return Functions(self._client, waits=False)


class SyncClientTools(ToolInfos, SyncOffer):
    """The annotations of the server's tools by JSON name, and tools for models."""

    def __init__(self, waiting: object, client: Caller, portal: Portal) -> None:
        super().__init__(package_of(client).contract)
        self._waiting = waiting
        self._client = client
        self._portal = portal

    def select(
        self,
        *,
        only: Only | None = None,
        exclude: Collection[str] = (),
        read_only: bool = False,
        destructive: bool = True,
        max_chars: int | None = None,
    ) -> SyncAgentTools:
        """Select tools for one agent.

        Args:
            only: The tools to include: their JSON names, their names for models, or a
                function that returns True for them. By default all.
            exclude: The tools to leave out.
            read_only: Include only tools annotated as read-only.
            destructive: Include tools that aren't annotated as non-destructive.
            max_chars: How many characters of a result a model gets. For longer results
                there is a tool ``read_more``. By default there is no limit.

        Raises:
            UnknownTool: No tool has this name.
        """
        offered = SyncAgentTools(_entries(self._client, self._calls))
        return offered.select(
            only=only,
            exclude=exclude,
            read_only=read_only,
            destructive=destructive,
            max_chars=max_chars,
        )

    def find(self, name: str) -> AgentTool[AgentResult] | None:
        """Return a tool by its JSON name or its name for models, or None."""
        return _make_tool(self._client, self._calls, name)

    def _calls(self, info: ToolInfo) -> Callable[[Mapping[str, Any]], AgentResult]:
        client, portal = self._client, self._portal
        return lambda arguments: portal.call(partial(call, client, info, arguments))

    def functions(self) -> Functions:
        """Return the methods as plain functions, for frameworks that read signatures.

        Signatures contain less than schemas, so prefer the other forms.
        """
        from .functions import Functions

        return Functions(self._waiting, waits=True)


def _entries(
    client: Caller, calls: Callable[[ToolInfo], Callable[[Mapping[str, Any]], R]]
) -> list[Entry[R]]:
    return [
        Entry(_tool(client, info, name, calls(info)), partial(_is_live, client, info.name))
        for name, info in _infos(package_of(client)).items()
    ]


def _make_tool(
    client: Caller,
    calls: Callable[[ToolInfo], Callable[[Mapping[str, Any]], R]],
    name: str,
) -> AgentTool[R] | None:
    """Create only the requested tool, because a client may have hundreds."""
    package = package_of(client)
    infos = _infos(package)
    spelling = name if name in infos else _names(package).get(name)
    if spelling is None or not _is_live(client, infos[spelling].name):
        return None
    return _tool(client, infos[spelling], spelling, calls(infos[spelling]))


@cache
def _names(package: Package) -> dict[str, str]:
    """Return the name that models see for each tool, by tool name."""
    return spell_names(package.tools)


@cache
def _infos(package: Package) -> dict[str, ToolInfo]:
    """Return the recorded tools by the name that models see."""
    return {_names(package)[name]: info for name, info in package.tools.items()}


def _tool(
    client: Caller, info: ToolInfo, name: str, act: Callable[[Mapping[str, Any]], R]
) -> AgentTool[R]:
    schema = info.definition.get("inputSchema")
    output = info.definition.get("outputSchema")
    claims = info.annotations
    return AgentTool(
        info.name,
        name,
        info.description or info.title or f"The tool {info.name}.",
        members(schema) if is_object(schema) else {"type": "object"},
        members(output) if is_object(output) else None,
        act,
        info.definition,
        is_read_only=claims.get("readOnlyHint") is True
        and claims.get("destructiveHint") is not True,
        is_destructive=not info.is_harmless,
        needs_approval=connection_of(client).asks_about(info),
        logger=package_of(client).logger(),
    )


def _is_live(client: Caller, name: str) -> bool:
    """Return False if the live server is known to lack a tool."""
    session = connection_of(client).session
    drift = session.drift
    return drift is None or drift.offers(name)
