"""Builds the server: everything in the contract, on the SDK's low-level server."""

from __future__ import annotations

import json
from collections import OrderedDict
from collections.abc import Mapping
from functools import cache
from typing import Any

from mcp import MCPError, types
from mcp.server import CacheHint, Server, ServerRequestContext
from mcp.server.request_state import RequestStateBoundary, RequestStateSecurity
from mcp.server.subscriptions import ListenHandler

from . import publish
from .contents import ContentDispatcher, Handler
from .context import MODERN
from .contract import read_contract
from .dispatch import ToolDispatcher, ToolHandler
from .policy import Buckets, Policy
from .subscriptions import Subscriptions, session_of
from .task_support import task_support

_FRESH = CacheHint(ttl_ms=60_000, scope="public")


def build(
    *,
    tools: Mapping[str, ToolHandler],
    prompts: Mapping[str, Handler],
    resources: Mapping[str, Handler],
    templates: Mapping[str, Handler],
    policy: Policy,
) -> Server[Any]:
    """Return a server that publishes the contract, and answers by these methods."""
    contract = read_contract()
    server_info: dict[str, Any] = contract["server"]
    declared: dict[str, Any] = contract["capabilities"]
    unknown = policy.limits_of.keys() - {*tools, *prompts, *resources, *templates}
    if unknown:
        raise ValueError(f"limits of what is not there: {sorted(unknown)}")
    unknown = policy.security_of.keys() - templates.keys()
    if unknown:
        raise ValueError(f"security of templates that are not there: {sorted(unknown)}")
    levels = Levels("logging" in declared)
    buckets = Buckets()
    tool_dispatcher = ToolDispatcher(
        tools,
        policy,
        levels.wanted,
        buckets,
        is_alone=lambda: server.middleware[-1] is publish.exact,
    )
    content_dispatcher = ContentDispatcher(
        prompts, resources, templates, policy, levels.wanted, buckets
    )
    with_tools, with_prompts, with_resources = (
        name in declared for name in ("tools", "prompts", "resources")
    )
    server: Server[Any] = Server(
        server_info["name"],
        version=server_info["version"],
        instructions=contract.get("instructions"),
        cache_hints={"tools/list": _FRESH},
        get_tool_input_schema=_input_schema,
        on_list_tools=_list_tools if with_tools else None,
        on_call_tool=tool_dispatcher.call if with_tools else None,
        on_list_prompts=_list_prompts if with_prompts else None,
        on_get_prompt=content_dispatcher.prompt if with_prompts else None,
        on_list_resources=_list_resources if with_resources else None,
        on_list_resource_templates=_list_templates if with_resources else None,
        on_read_resource=content_dispatcher.read if with_resources else None,
    )
    if levels.declared:
        server.add_request_handler(
            "logging/setLevel", types.SetLevelRequestParams, levels.set
        )
    if "completions" in declared:
        server.add_request_handler(
            "completion/complete",
            types.CompleteRequestParams,
            content_dispatcher.complete,
        )
    _serve_subscriptions(server, policy.subscriptions, declared)
    if task_support():
        from .tasks import add_tasks

        add_tasks(server)
    server.middleware += [_state_boundary(server.name, policy), publish.exact]
    return server


def _serve_subscriptions(
    server: Server[Any],
    subscriptions: Subscriptions,
    declared: Mapping[str, Mapping[str, Any]],
) -> None:
    if declared.get("resources", {}).get("subscribe"):
        server.add_request_handler(
            "resources/subscribe", types.SubscribeRequestParams, subscriptions.subscribe
        )
        server.add_request_handler(
            "resources/unsubscribe",
            types.UnsubscribeRequestParams,
            subscriptions.unsubscribe,
        )
    capabilities = [
        declared.get(name, {}) for name in ("tools", "prompts", "resources")
    ]
    if any(each.get("subscribe") or each.get("listChanged") for each in capabilities):
        server.add_request_handler(
            "subscriptions/listen",
            types.SubscriptionsListenRequestParams,
            ListenHandler(subscriptions.bus),
        )


def _state_boundary(name: str, policy: Policy) -> RequestStateBoundary:
    """Return what keeps clients from changing the state that they give back."""
    keys = policy.state_keys
    security = (
        RequestStateSecurity(keys=keys) if keys else RequestStateSecurity.ephemeral()
    )
    return RequestStateBoundary(security, default_audience=name)


def _input_schema(tool: str) -> Mapping[str, Any] | None:
    """Return the schema that headers of a call are compared with, if it names any."""
    return _input_schemas().get(tool)


@cache
def _input_schemas() -> dict[str, Any]:
    schemas = {tool["name"]: tool["inputSchema"] for tool in publish.tools(MODERN)}
    return {
        name: schema
        for name, schema in schemas.items()
        if "x-mcp-header" in json.dumps(schema)
    }


# What is listed here is little: ``publish.Exact`` puts the contract's own JSON in its
# place, so that one odd definition does not cost the whole list.


def _refuse_cursor(params: types.PaginatedRequestParams | None) -> None:
    """Refuse what no page gave: each list is one page, and gives no cursor."""
    if params is not None and params.cursor:
        raise MCPError(types.INVALID_PARAMS, "Unknown cursor")


async def _list_tools(
    ctx: ServerRequestContext[Any], params: types.PaginatedRequestParams | None
) -> types.ListToolsResult:
    _refuse_cursor(params)
    tools = publish.tools(ctx.protocol_version)
    return types.ListToolsResult(
        tools=[
            types.Tool(name=tool["name"], input_schema={"type": "object"})
            for tool in tools
        ]
    )


async def _list_prompts(
    ctx: ServerRequestContext[Any], params: types.PaginatedRequestParams | None
) -> types.ListPromptsResult:
    del ctx
    _refuse_cursor(params)
    names = [prompt["name"] for prompt in publish.listed("prompts")]
    return types.ListPromptsResult(prompts=[types.Prompt(name=name) for name in names])


async def _list_resources(
    ctx: ServerRequestContext[Any], params: types.PaginatedRequestParams | None
) -> types.ListResourcesResult:
    del ctx
    _refuse_cursor(params)
    uris = [resource["uri"] for resource in publish.listed("resources")]
    return types.ListResourcesResult(
        resources=[types.Resource(uri=uri, name=uri) for uri in uris]
    )


async def _list_templates(
    ctx: ServerRequestContext[Any], params: types.PaginatedRequestParams | None
) -> types.ListResourceTemplatesResult:
    del ctx
    _refuse_cursor(params)
    uris = [template["uriTemplate"] for template in publish.listed(publish.TEMPLATES)]
    return types.ListResourceTemplatesResult(
        resource_templates=[
            types.ResourceTemplate(uri_template=uri, name=uri) for uri in uris
        ]
    )


class Levels:
    """The level of the messages that each client before 2026-07-28 has asked for."""

    def __init__(self, declared: bool) -> None:
        self.declared = declared
        self._levels: OrderedDict[str, str] = OrderedDict()

    async def set(
        self, ctx: ServerRequestContext[Any], params: types.SetLevelRequestParams
    ) -> types.EmptyResult:
        """Answer ``logging/setLevel``."""
        self._levels[session_of(ctx)] = params.level
        if len(self._levels) > _MOST_SESSIONS:
            self._levels.popitem(last=False)
        return types.EmptyResult()

    def wanted(self, ctx: ServerRequestContext[Any]) -> str | None:
        """Return the least level of messages, ``None`` where none may be sent."""
        return self._levels.get(session_of(ctx), "debug") if self.declared else None


_MOST_SESSIONS = 10_000
