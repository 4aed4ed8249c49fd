"""Publishes the contract's own JSON: tools, prompts and resources."""

from __future__ import annotations

import json
import logging
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, cast

from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.types import SERVER_INFO_META_KEY, CallToolResult

from ..package import Package, Tool
from .auth.scopes import NO_SCOPES, is_granted
from .availability import ToolAvailability
from .context import MODERN, user_of
from .task_protocol.eras import with_tasks
from .task_protocol.support import is_known, task_support

TEMPLATES = "resourceTemplates"

_LISTS = {
    "tools/list": "tools",
    "prompts/list": "prompts",
    "resources/list": "resources",
    "resources/templates/list": TEMPLATES,
}
_KEYS = {"tools": "name", "prompts": "name", "resources": "uri", TEMPLATES: "uriTemplate"}


class Publication:
    """The contract of one generated server, with everything derived from it."""

    def __init__(self, package: Package) -> None:
        self.package = package
        self.log = package.logger()
        """The logger for the server's operator."""
        self.audit = logging.getLogger(f"{package.name.partition('.')[0]}.audit")
        """Logs tool, caller, argument names, seconds and outcome of each call."""
        self.scopes = NO_SCOPES
        self.availability = ToolAvailability((), may_change=False, notify=_notify_nobody)
        self._tools: dict[str, Tool[Any]] = {}

    @cached_property
    def task_support(self) -> Mapping[str, str]:
        """The tools that may or must run as tasks: ``optional`` or ``required`` by name."""
        return task_support(self.package.contract)

    def tool(self, name: str) -> Tool[Any]:
        """Return a tool with its argument and result types, importing them once."""
        tool = self._tools.get(name)
        if tool is None:
            tool = self._tools[name] = self.package.tool(name)
        return tool

    def tools(self, revision: str) -> list[dict[str, Any]]:
        """Return the tool definitions for a protocol revision, in the contract's order."""
        return self._modern_tools if revision >= MODERN else self._legacy_tools

    @cached_property
    def _modern_tools(self) -> list[dict[str, Any]]:
        return self._definitions(modern=True)

    @cached_property
    def _legacy_tools(self) -> list[dict[str, Any]]:
        return self._definitions(modern=False)

    def _definitions(self, *, modern: bool) -> list[dict[str, Any]]:
        return [
            _published_definition(entry["definition"], modern)
            for entry in self.list_entries("tools")
        ]

    def header_schema(self, tool: str) -> Mapping[str, Any] | None:
        """Return a tool's input schema if it names HTTP headers, which the SDK compares."""
        return self._header_schemas.get(tool)

    @cached_property
    def _header_schemas(self) -> dict[str, Any]:
        schemas = {tool["name"]: tool["inputSchema"] for tool in self._modern_tools}
        return {
            name: schema for name, schema in schemas.items() if "x-mcp-header" in json.dumps(schema)
        }

    def list_entries(self, member: str) -> list[dict[str, Any]]:
        """Return the entries of one of the contract's lists, in the order to publish."""
        contract = self.package.contract
        entries: dict[str, dict[str, Any]] = contract.get(member, {})
        order: dict[str, list[str]] = contract.get("order", {})
        return [entries[key] for key in order.get(member, entries)]

    async def exact(
        self, ctx: ServerRequestContext[Any, Any], call_next: CallNext
    ) -> HandlerResult:
        """Restore nulls and unknown properties, which the SDK removes from results."""
        store = InsertedJson()
        token = _store.set(store)
        try:
            result = await call_next(ctx)
        finally:
            _store.reset(token)
        if not isinstance(result, dict):
            return result
        result = self._add_server_info(result, ctx)
        if store.whole is not None:
            return {**store.whole, **_meta_of(result)}
        result = store.insert_json(result)
        if "cacheScope" in result and self.scopes.all and user_of(ctx) is not None:
            # Another caller may see something else.
            result = {**result, "cacheScope": "private"}
        member = _LISTS.get(ctx.method)
        return result if member is None else self._list(result, member, ctx)

    def _list(
        self, result: dict[str, Any], member: str, ctx: ServerRequestContext[Any, Any]
    ) -> dict[str, Any]:
        """Put the definitions that the caller may see into the result of a list."""
        is_tools = member == "tools"
        entries = self.tools(ctx.protocol_version) if is_tools else self.list_entries(member)
        disabled = self.availability.disabled
        if is_tools and disabled:
            entries = [entry for entry in entries if entry["name"] not in disabled]
        user = user_of(ctx)
        if user is None or not self.scopes.all:
            return {**result, member: entries}
        needed, granted = self.scopes.of_list(member), user.scopes
        visible = [
            entry for entry in entries if is_granted(needed.get(entry[_KEYS[member]], ()), granted)
        ]
        return {**result, member: visible}

    def _add_server_info(
        self, result: dict[str, Any], ctx: ServerRequestContext[Any, Any]
    ) -> dict[str, Any]:
        """Put the contract's server information into handshakes and modern results."""
        contract = self.package.contract
        if ctx.method in ("initialize", "server/discover"):
            revision: str = result.get("protocolVersion", ctx.protocol_version)
            result = {**result, "capabilities": self._capabilities(ctx, revision)}
        if ctx.method == "initialize":
            result = {**result, "serverInfo": contract["server"]}
        meta: Any = result.get("_meta")
        if isinstance(meta, dict) and SERVER_INFO_META_KEY in meta:
            result = {**result, "_meta": {**meta, SERVER_INFO_META_KEY: contract["server"]}}
        return result

    def _capabilities(self, ctx: ServerRequestContext[Any, Any], revision: str) -> dict[str, Any]:
        capabilities: dict[str, Any] = self.package.contract["capabilities"]
        if not self.task_support:
            return dict(capabilities)
        return with_tasks(capabilities, revision, lists=is_known(ctx))


async def _notify_nobody() -> None:
    """Notify no client, because no tool can be disabled."""


def _published_definition(raw: Mapping[str, Any], modern: bool) -> dict[str, Any]:
    """Adapt a definition to a protocol revision.

    Before 2026-07-28 output schemas must describe objects. An input schema always has the
    type ``object``.
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


@dataclass
class InsertedJson:
    """JSON to be inserted unchanged into the result of a request."""

    contents: list[Any] = field(default_factory=list[Any])
    whole: dict[str, Any] | None = None

    def insert_json(self, result: dict[str, Any]) -> dict[str, Any]:
        """Return a result with the kept JSON inserted."""
        if self.contents:
            return {**result, "structuredContent": self.contents[-1]}
        return result


_store: ContextVar[InsertedJson | None] = ContextVar("kept")


def keep(content: Any) -> bool:
    """Keep structured content if :func:`exact` is active, and return whether it is."""
    store = _store.get(None)
    if store is not None:
        store.contents.append(content)
    return store is not None


def answer(whole: dict[str, Any]) -> None:
    """Respond with this JSON instead of the handler's result."""
    store = _store.get(None)
    if store is not None:
        store.whole = whole


@contextmanager
def keeping() -> Generator[InsertedJson, None, None]:
    """Keep JSON for the result of a task."""
    store = InsertedJson()
    token = _store.set(store)
    try:
        yield store
    finally:
        _store.reset(token)


def has_structured_content(result: CallToolResult) -> bool:
    """Return True if there is structured content, which may be null."""
    return "structured_content" in result.model_fields_set


def _meta_of(result: dict[str, Any]) -> dict[str, Any]:
    return {"_meta": result["_meta"]} if "_meta" in result else {}
