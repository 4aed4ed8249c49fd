"""What a mock lists: the definitions as they were recorded, page by page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from mcp import MCPError, types

from mcpgen.contract.document import Contract
from mcpgen.contract.lists import LISTINGS
from mcpgen.jsontext import Json, is_object
from mcpgen.testing.mock.results import MODERN, Context

Definitions: TypeAlias = Sequence[Mapping[str, Json]]

LISTS = {listing.method: listing.member for listing in LISTINGS}
"""The member of the answer that has the list, by methods."""

_PAGE = 100
"""How many entries of a list are sent at a time."""


@dataclass(frozen=True, slots=True)
class Page:
    """Some entries of a list, and the cursor of those that follow them."""

    entries: Definitions
    more: str | None


def page(contract: Contract, ctx: Context, cursor: Json) -> Page:
    """Return a page of the list that is asked for, as this client may see it."""
    entries = _listed(contract, LISTS[ctx.method], ctx)
    start = int(cursor) if isinstance(cursor, str) and cursor.isdecimal() else 0
    if (cursor is not None and not start) or start > len(entries):
        raise MCPError(types.INVALID_PARAMS, "Unknown cursor")
    end = start + _PAGE
    return Page(entries[start:end], str(end) if end < len(entries) else None)


def _listed(contract: Contract, member: str, ctx: Context) -> Definitions:
    recorded = contract.definitions_in_order(member)
    if member != "tools":
        return recorded
    needs = contract.tool_capabilities
    listed = [raw for raw in recorded if _is_able(ctx, needs.get(str(raw.get("name")), ()))]
    return [published(raw, ctx.protocol_version) for raw in listed]


def _is_able(ctx: Context, needed: Sequence[str]) -> bool:
    """Say whether a client has what a tool is listed for alone, as it was when recorded."""
    declared = ctx.session.client_capabilities
    return all(getattr(declared, name, None) is not None for name in needed)


def published(raw: Mapping[str, Json], revision: str) -> Mapping[str, Json]:
    """Return a tool as it is recorded, save what would make the SDK refuse the whole list."""
    arguments, output = raw.get("inputSchema"), raw.get("outputSchema")
    tool = dict(raw)
    if not is_object(arguments) or arguments.get("type") != "object":
        tool["inputSchema"] = {**(arguments if is_object(arguments) else {}), "type": "object"}
    if not is_object(output) or (revision < MODERN and output.get("type") != "object"):
        tool.pop("outputSchema", None)
    return tool
