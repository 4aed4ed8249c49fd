"""Handles completions, log messages and notifications of changes."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import anyio
from mcp import MCPError, types
from mcp.server import Server
from mcp.server.session import ServerSession
from mcp.server.subscriptions import InMemorySubscriptionBus, ListenHandler
from mcp.shared.exceptions import NoBackChannelError
from mcp.shared.subscriptions import (
    PromptsListChanged,
    ResourcesListChanged,
    ResourceUpdated,
    ServerEvent,
    ToolsListChanged,
)

from mcpgen.contract.definitions import Api, Argument
from mcpgen.jsontext import Json, is_object
from mcpgen.schemas.examples import vocabulary
from mcpgen.testing.mock.results import MODERN, Context

_VALUES = 8
"""Number of values for an argument."""

_LEVELS: tuple[types.LoggingLevel, ...] = (
    *("debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"),
)
_MOST_SESSIONS = 1_000


@dataclass(frozen=True)
class Conversation:
    """The conversation of a mock server. Changes are announced only on request."""

    api: Api
    seed: int
    levels: dict[str, types.LoggingLevel] = field(default_factory=dict[str, types.LoggingLevel])
    bus: InMemorySubscriptionBus = field(default_factory=InMemorySubscriptionBus)
    """Serves clients since 2026-07-28."""
    subscribed: dict[tuple[str, str], ServerSession] = field(
        default_factory=dict[tuple[str, str], ServerSession]
    )
    """Legacy clients, by session and resource URI."""

    def serve(self, server: Server[Any], declared: Mapping[str, Json]) -> None:
        """Add handlers for declared capabilities."""
        if "completions" in declared:
            params: type[Any] = types.CompleteRequestParams
            server.add_request_handler("completion/complete", params, self.complete)
        if "logging" in declared:
            params = types.SetLevelRequestParams
            server.add_request_handler("logging/setLevel", params, self.set_level)
        if declared.get("resources", {}).get("subscribe"):
            params = types.SubscribeRequestParams
            server.add_request_handler("resources/subscribe", params, self.subscribe)
            params = types.UnsubscribeRequestParams
            server.add_request_handler("resources/unsubscribe", params, self.unsubscribe)
        flags = [value for value in declared.values() if is_object(value)]
        if any(value.get("subscribe") or value.get("listChanged") for value in flags):
            params = types.SubscriptionsListenRequestParams
            listen = ListenHandler(self.bus)
            server.add_request_handler("subscriptions/listen", params, listen)

    async def complete(
        self, ctx: Context, params: types.CompleteRequestParams
    ) -> types.CompleteResult:
        """Complete with generated values that start with the typed text."""
        del ctx
        typed = params.argument.value
        names = {argument.name for argument in self._arguments(params.ref)}
        if params.argument.name not in names:
            raise MCPError(types.INVALID_PARAMS, f"Unknown argument: {params.argument.name}")
        options = [vocabulary.text(params.argument.name, self.seed + n) for n in range(_VALUES)]
        fit = [value for value in options if value.casefold().startswith(typed.casefold())]
        values = list(dict.fromkeys(fit or [typed]))
        completion = types.Completion(values=values, total=len(values), has_more=False)
        return types.CompleteResult(completion=completion)

    def _arguments(
        self, ref: types.PromptReference | types.ResourceTemplateReference
    ) -> tuple[Argument, ...]:
        if isinstance(ref, types.PromptReference):
            prompts = [prompt.arguments for prompt in self.api.prompts if prompt.name == ref.name]
            if not prompts:
                raise MCPError(types.INVALID_PARAMS, f"Unknown prompt: {ref.name}")
            return prompts[0]
        templates = [
            template.variables for template in self.api.templates if template.uri == str(ref.uri)
        ]
        if not templates:
            raise MCPError(types.INVALID_PARAMS, f"Unknown resource template: {ref.uri}")
        return templates[0]

    async def set_level(
        self, ctx: Context, params: types.SetLevelRequestParams
    ) -> types.EmptyResult:
        """Store the log level of a legacy client."""
        if len(self.levels) >= _MOST_SESSIONS:
            self.levels.pop(next(iter(self.levels)))
        self.levels[_session(ctx)] = params.level
        return types.EmptyResult()

    async def log(self, ctx: Context, text: str) -> None:
        """Send a message with the level ``info``, if the client requested that level."""
        level = self.levels.get(_session(ctx), (ctx.meta or {}).get(types.LOG_LEVEL_META_KEY))
        if level not in _LEVELS or _LEVELS.index("info") < _LEVELS.index(level):
            return
        params = types.LoggingMessageNotificationParams(level="info", data=text)
        message = types.LoggingMessageNotification(params=params)
        await ctx.session.send_notification(message, related_request_id=ctx.request_id)

    async def subscribe(
        self, ctx: Context, params: types.SubscribeRequestParams
    ) -> types.EmptyResult:
        """Add a subscription to a resource."""
        if len(self.subscribed) >= _MOST_SESSIONS:
            self.subscribed.pop(next(iter(self.subscribed)))
        self.subscribed[_session(ctx), str(params.uri)] = ctx.session
        return types.EmptyResult()

    async def unsubscribe(
        self, ctx: Context, params: types.UnsubscribeRequestParams
    ) -> types.EmptyResult:
        """Remove a subscription."""
        self.subscribed.pop((_session(ctx), str(params.uri)), None)
        return types.EmptyResult()

    async def tell(self, ctx: Context, changed: str) -> None:
        """Notify about a change of a list, or of a resource by its URI."""
        event, notify = _CHANGES.get(changed, (ResourceUpdated(changed), None))
        await self.bus.publish(event)
        if ctx.protocol_version >= MODERN:
            return
        if notify is not None:
            await notify(ctx.session)
            return
        for session, uri in list(self.subscribed):
            if uri == changed:
                with suppress(
                    anyio.BrokenResourceError, anyio.ClosedResourceError, NoBackChannelError
                ):
                    await self.subscribed[session, uri].send_resource_updated(uri)


_CHANGES: Mapping[str, tuple[ServerEvent, Callable[[ServerSession], Awaitable[None]] | None]] = {
    "tools": (ToolsListChanged(), ServerSession.send_tool_list_changed),
    "prompts": (PromptsListChanged(), ServerSession.send_prompt_list_changed),
    "resources": (ResourcesListChanged(), ServerSession.send_resource_list_changed),
}


def _session(ctx: Context) -> str:
    """Return the ID of a client's session, or "" if there is only one client."""
    headers: Mapping[str, str] = getattr(ctx.request, "headers", {})
    return headers.get("mcp-session-id", "")
