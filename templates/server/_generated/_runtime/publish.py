"""Lists the contract's own JSON: tools, prompts and resources."""

from __future__ import annotations

from collections.abc import Generator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import cache
from typing import Any, cast

from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.types import SERVER_INFO_META_KEY, CallToolResult

from .context import MODERN
from .contract import read_contract
from .task_support import declared

TEMPLATES = "resourceTemplates"

_LISTS = {
    "prompts/list": "prompts",
    "resources/list": "resources",
    "resources/templates/list": TEMPLATES,
}


def tools(revision: str) -> list[dict[str, Any]]:
    """Return the definitions of the tools, in the contract's order."""
    return _tools(revision >= MODERN)


@cache
def _tools(modern: bool) -> list[dict[str, Any]]:
    entries = listed("tools")
    return [_published(entry["definition"], modern) for entry in entries]


def _published(raw: Mapping[str, Any], modern: bool) -> dict[str, Any]:
    """Return a definition; before 2026-07-28 output schemas may only describe objects.

    The protocol wants an input schema of the type ``object``, whatever was recorded.
    """
    input_schema, output_schema = raw.get("inputSchema"), raw.get("outputSchema")
    tool = dict(raw)
    if not isinstance(input_schema, dict):
        tool["inputSchema"] = {"type": "object"}
    elif cast("dict[str, Any]", input_schema).get("type") != "object":
        tool["inputSchema"] = {**cast("dict[str, Any]", input_schema), "type": "object"}
    if not isinstance(output_schema, dict) or (
        not modern and cast("dict[str, Any]", output_schema).get("type") != "object"
    ):
        tool.pop("outputSchema", None)
    return tool


def listed(member: str) -> list[dict[str, Any]]:
    """Return the entries of one of the contract's lists, in the order to publish."""
    contract = read_contract()
    entries: dict[str, dict[str, Any]] = contract.get(member, {})
    order: dict[str, list[str]] = contract.get("order", {})
    return [entries[key] for key in order.get(member, entries)]


@dataclass
class Kept:
    """What is put into the result of a request as it is."""

    contents: list[Any] = field(default_factory=list[Any])
    whole: dict[str, Any] | None = None

    def into(self, result: dict[str, Any]) -> dict[str, Any]:
        """Return a result with what was kept of it."""
        if self.contents:
            return {**result, "structuredContent": self.contents[-1]}
        return result


_kept: ContextVar[Kept | None] = ContextVar("kept")


def keep(content: Any) -> bool:
    """Keep structured content as it is, and say whether :func:`exact` waits for it."""
    kept = _kept.get(None)
    if kept is not None:
        kept.contents.append(content)
    return kept is not None


def answer(whole: dict[str, Any]) -> None:
    """Answer the request with this JSON, whatever its handler returns."""
    kept = _kept.get(None)
    if kept is not None:
        kept.whole = whole


@contextmanager
def keeping() -> Generator[Kept, None, None]:
    """Keep what is to be put into the result of a task."""
    kept = Kept()
    token = _kept.set(kept)
    try:
        yield kept
    finally:
        _kept.reset(token)


def has_structured_content(result: CallToolResult) -> bool:
    """Tell structured content that is null from none."""
    return "structured_content" in result.model_fields_set


async def exact(
    ctx: ServerRequestContext[Any, Any], call_next: CallNext
) -> HandlerResult:
    """Undo what the SDK does to results: it drops nulls, and what it does not know."""
    kept = Kept()
    token = _kept.set(kept)
    try:
        result = await call_next(ctx)
    finally:
        _kept.reset(token)
    if not isinstance(result, dict):
        return result
    result = _introduced(result, ctx)
    if kept.whole is not None:
        return {**kept.whole, **_meta_of(result)}
    result = kept.into(result)
    if ctx.method == "tools/list":
        return {**result, "tools": tools(ctx.protocol_version)}
    if ctx.method in _LISTS:
        member = _LISTS[ctx.method]
        return {**result, member: listed(member)}
    return result


def _meta_of(result: dict[str, Any]) -> dict[str, Any]:
    return {"_meta": result["_meta"]} if "_meta" in result else {}


def _introduced(
    result: dict[str, Any], ctx: ServerRequestContext[Any, Any]
) -> dict[str, Any]:
    """Let the server say of itself what the contract says, in every modern result."""
    contract = read_contract()
    if ctx.method in ("initialize", "server/discover"):
        revision: str = result.get("protocolVersion", ctx.protocol_version)
        capabilities = declared(contract["capabilities"], ctx, revision)
        result = {**result, "capabilities": capabilities}
    if ctx.method == "initialize":
        result = {**result, "serverInfo": contract["server"]}
    meta: Any = result.get("_meta")
    if isinstance(meta, dict) and SERVER_INFO_META_KEY in meta:
        result = {**result, "_meta": {**meta, SERVER_INFO_META_KEY: contract["server"]}}
    return result
