"""Compares the tools of the live server with the contract, by the server's own JSON."""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from . import PACKAGE, law
from .errors import Change, ContractDrift
from .faults import Refused
from .target import Route

if TYPE_CHECKING:
    from mcp import Client

    from .tap import Tap

Verify: TypeAlias = Literal["warn", "error", "off"]

MOST_PAGES = 1000
_KEPT_BACK = re.compile(r"\$\{[A-Za-z_]\w*\}")


async def compare(sdk: Client, way: Route, verify: Verify) -> None:
    """Walk all pages of the tools; the SDK needs it to send arguments in headers."""
    if not law.ToolInfos():
        return
    changes = await _found(sdk, way)
    if way.tap:
        way.tap.is_open = False
    if changes and verify == "error":
        raise ContractDrift(changes)
    if changes:
        logging.getLogger(PACKAGE).warning("%s", ContractDrift(changes))


async def _found(sdk: Client, way: Route) -> list[Change]:
    from mcp import MCPError
    from mcp.types import CONNECTION_CLOSED
    from pydantic import ValidationError

    from .tap import MOST_TOOLS

    try:
        live = await _listed(sdk, way.tap)
    except ValidationError:
        return [Change("*", "the tools cannot be listed: that breaks the protocol")]
    except MCPError as error:
        if error.code == CONNECTION_CLOSED or _is_refusal(error.data):
            raise
        return [Change("*", f"the tools cannot be listed: {error.message}")]
    unread = way.tap.unread if way.tap else {}
    infos = law.ToolInfos().values()
    found = [change for info in infos for change in _changes(info, live, unread)]
    if way.tap and way.tap.is_full:
        said = f"it lists more than {MOST_TOOLS:,} tools; the others are not looked at"
        found.insert(0, Change("*", said))
    return found


def _is_refusal(data: object) -> bool:
    return isinstance(data, Refused) and data.status in (401, 403)


async def _listed(sdk: Client, tap: Tap | None) -> dict[str, dict[str, Any]]:
    cursor: str | None = None
    found: dict[str, dict[str, Any]] = {}
    for _ in range(MOST_PAGES):
        page = await sdk.list_tools(cursor=cursor)
        found |= {
            tool.name: tool.model_dump(by_alias=True, mode="json", exclude_none=True)
            for tool in page.tools
        }
        cursor = page.next_cursor
        is_full = tap is not None and tap.is_full
        if cursor is None or is_full:  # an empty cursor is a cursor
            break
    return tap.tools if tap else found


def _changes(
    info: law.ToolInfo, live: Mapping[str, dict[str, Any]], unread: Mapping[str, str]
) -> list[Change]:
    if info.name in unread:
        return [Change(info.name, f"it cannot be read: {unread[info.name]}")]
    if info.name not in live:
        return [Change(info.name, "the server does not list it")]
    now = live[info.name]
    return [
        Change(info.name, f"{member} differs")
        for member in ("inputSchema", "outputSchema", "annotations")
        if not _is_same(info.definition.get(member), now.get(member))
    ]


def _is_same(recorded: object, live: object) -> bool:
    """Compare JSON; ``${NAME}`` stands for text that was kept back, and may be any."""
    said, now = (json.dumps(value, sort_keys=True) for value in (recorded, live))
    *parts, last = _KEPT_BACK.split(said)
    if not parts:
        return said == now
    if not now.startswith(parts[0]):
        return False
    end = len(parts[0])
    for part in (*parts[1:], last):
        start = now.find(part, end)
        if start < 0 or '"' in now[end:start]:
            return False
        end = start + len(part)
    return end == len(now)
