"""Lists the recorded definitions page by page."""

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
"""The property of the result with the list, by method."""

_PAGE = 100
"""Number of definitions per page of a list."""


@dataclass(frozen=True, slots=True)
class Page:
    """Entries of a list, and the cursor of the next page."""

    entries: Definitions
    more: str | None


def page(contract: Contract, ctx: Context, cursor: Json) -> Page:
    """Return the requested page of a list, as visible to this client."""
    entries = _visible_definitions(contract, LISTS[ctx.method], ctx)
    start = int(cursor) if isinstance(cursor, str) and cursor.isdecimal() else 0
    if (cursor is not None and not start) or start > len(entries):
        raise MCPError(types.INVALID_PARAMS, "Unknown cursor")
    end = start + _PAGE
    return Page(entries[start:end], str(end) if end < len(entries) else None)


def _visible_definitions(contract: Contract, member: str, ctx: Context) -> Definitions:
    recorded = contract.definitions_in_order(member)
    if member != "tools":
        return recorded
    needs = contract.tool_capabilities
    listed = [raw for raw in recorded if _is_able(ctx, needs.get(str(raw.get("name")), ()))]
    return [published_tool(raw, ctx.protocol_version) for raw in listed]


def _is_able(ctx: Context, needed: Sequence[str]) -> bool:
    """Return True if a client has the capabilities without which a tool isn't listed."""
    declared = ctx.session.client_capabilities
    return all(getattr(declared, name, None) is not None for name in needed)


def published_tool(raw: Mapping[str, Json], revision: str) -> Mapping[str, Json]:
    """Return a recorded tool, without values that make the SDK reject the whole list."""
    arguments, output = raw.get("inputSchema"), raw.get("outputSchema")
    tool = dict(raw)
    if not is_object(arguments) or arguments.get("type") != "object":
        tool["inputSchema"] = {**(arguments if is_object(arguments) else {}), "type": "object"}
    if not is_object(output) or (revision < MODERN and output.get("type") != "object"):
        tool.pop("outputSchema", None)
    return tool
