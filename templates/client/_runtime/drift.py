"""Compares the tools of the live server with the contract, by the server's own JSON."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from . import PACKAGE
from .contract import ToolInfo, ToolInfos
from .errors import Change, ContractDrift
from .placeholders import is_same
from .routes import Route
from .wire.faults import Refused

if TYPE_CHECKING:
    from mcp import Client

    from .observer import TransportObserver

Verify: TypeAlias = Literal["warn", "error", "off"]

MOST_PAGES = 1000


async def compare_tools(sdk: Client, route: Route, verify: Verify) -> None:
    """Walk all pages of the tools; the SDK needs it to send arguments in headers."""
    if not ToolInfos():
        return
    changes = await _differences(sdk, route)
    if route.observer:
        route.observer.is_open = False
    if changes and verify == "error":
        raise ContractDrift(changes)
    if changes:
        logging.getLogger(PACKAGE).warning("%s", ContractDrift(changes))


async def _differences(sdk: Client, route: Route) -> list[Change]:
    from mcp import MCPError
    from mcp.types import CONNECTION_CLOSED
    from pydantic import ValidationError

    from .observer import MOST_TOOLS

    try:
        live = await _list_tools(sdk, route.observer)
    except ValidationError:
        return [Change("*", "the tools cannot be listed: that breaks the protocol")]
    except MCPError as error:
        if error.code == CONNECTION_CLOSED or _is_refusal(error.data):
            raise
        return [Change("*", f"the tools cannot be listed: {error.message}")]
    unread = route.observer.unread if route.observer else {}
    infos = ToolInfos().values()
    changes = [change for info in infos for change in _changes(info, live, unread)]
    if route.observer and route.observer.is_full:
        too_many = (
            f"it lists more than {MOST_TOOLS:,} tools; the others are not looked at"
        )
        changes.insert(0, Change("*", too_many))
    return changes


def _is_refusal(data: object) -> bool:
    return isinstance(data, Refused) and data.status in (401, 403)


async def _list_tools(
    sdk: Client, observer: TransportObserver | None
) -> dict[str, dict[str, Any]]:
    cursor: str | None = None
    tools: dict[str, dict[str, Any]] = {}
    for _ in range(MOST_PAGES):
        page = await sdk.list_tools(cursor=cursor)
        tools |= {
            tool.name: tool.model_dump(by_alias=True, mode="json", exclude_none=True)
            for tool in page.tools
        }
        cursor = page.next_cursor
        is_full = observer is not None and observer.is_full
        if cursor is None or is_full:  # an empty cursor is a cursor
            break
    return observer.tools if observer else tools


def _changes(
    info: ToolInfo, live: Mapping[str, dict[str, Any]], unread: Mapping[str, str]
) -> list[Change]:
    if info.name in unread:
        return [Change(info.name, f"it cannot be read: {unread[info.name]}")]
    if info.name not in live:
        return [Change(info.name, "the server does not list it")]
    now = live[info.name]
    return [
        Change(info.name, f"{member} differs")
        for member in ("inputSchema", "outputSchema", "annotations")
        if not is_same(info.definition.get(member), now.get(member))
    ]
