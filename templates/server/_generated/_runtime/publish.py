"""What is listed: the contract's own JSON, as each revision of the protocol allows it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, cast

from mcp.server.context import CallNext, HandlerResult, ServerRequestContext

from . import law
from .context import MODERN

_LISTS = {
    "prompts/list": "prompts",
    "resources/list": "resources",
    "resources/templates/list": "resourceTemplates",
}


def tools(revision: str) -> list[dict[str, Any]]:
    """Return the definitions of the tools, in the contract's order."""
    return _tools(revision >= MODERN)


@cache
def _tools(modern: bool) -> list[dict[str, Any]]:
    entries: dict[str, Any] = law.contract()["tools"]
    return [_published(entry["definition"], modern) for entry in entries.values()]


def _published(raw: Mapping[str, Any], modern: bool) -> dict[str, Any]:
    """Return a definition; before 2026-07-28 output schemas may only describe objects.

    The protocol wants an input schema of the type ``object``, whatever was recorded.
    """
    given, output = raw.get("inputSchema"), raw.get("outputSchema")
    tool = dict(raw)
    if not isinstance(given, dict):
        tool["inputSchema"] = {"type": "object"}
    elif cast("dict[str, Any]", given).get("type") != "object":
        tool["inputSchema"] = {**cast("dict[str, Any]", given), "type": "object"}
    if not isinstance(output, dict) or (
        not modern and cast("dict[str, Any]", output).get("type") != "object"
    ):
        tool.pop("outputSchema", None)
    return tool


def listed(member: str) -> list[dict[str, Any]]:
    """Return the prompts, resources or resource templates of the contract."""
    entries: dict[str, dict[str, Any]] = law.contract().get(member, {})
    return list(entries.values())


@dataclass(frozen=True)
class Exact:
    """Undoes what the SDK does to results: it drops nulls, and what it does not know.

    ``is_typed`` says whether the results of a tool were checked by an output schema.
    """

    is_typed: Callable[[str], bool]

    async def __call__(
        self, ctx: ServerRequestContext[Any, Any], call_next: CallNext
    ) -> HandlerResult:
        """Put the contract's own JSON in the place of the SDK's."""
        result = await call_next(ctx)
        if not isinstance(result, dict):
            return result
        if ctx.method == "tools/list":
            return {**result, "tools": tools(ctx.protocol_version)}
        if ctx.method in _LISTS:
            member = _LISTS[ctx.method]
            return {**result, member: listed(member)}
        if ctx.method == "tools/call" and self._was_null(ctx, result):
            return {**result, "structuredContent": None}
        return result

    def _was_null(
        self, ctx: ServerRequestContext[Any, Any], result: Mapping[str, Any]
    ) -> bool:
        """Say whether a result has lost its structured content, which was null."""
        if ctx.protocol_version < MODERN or "structuredContent" in result:
            return False
        if result.get("isError") or result.get("resultType") != "complete":
            return False
        return self.is_typed((ctx.params or {}).get("name", ""))
