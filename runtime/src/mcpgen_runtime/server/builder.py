"""Builds the server: everything in the contract, on the SDK's low-level server."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias

from mcp import MCPError, types
from mcp.server import Server, ServerRequestContext
from mcp.server.request_state import RequestStateBoundary, RequestStateSecurity
from mcp.server.subscriptions import ListenHandler

from ..package import package_of_module
from .auth.scopes import Scopes, scopes_of
from .availability import ToolAvailability
from .contents import ContentDispatcher, Handler
from .dispatch import ToolDispatcher, ToolHandler
from .policy import Admission, OnStart, Policy
from .publish import TEMPLATES, Publication
from .serving.telemetry import Operations, Sessions
from .subscriptions import Subscriptions, session_of

if TYPE_CHECKING:
    from mcp.server.transport_security import TransportSecuritySettings

    from .replicas.shared import Shared
    from .replicas.shared_tasks import SharedTasks


def build(
    *,
    package: str,
    tools: Mapping[str, ToolHandler],
    prompts: Mapping[str, Handler],
    resources: Mapping[str, Handler],
    templates: Mapping[str, Handler],
    policy: Policy,
) -> ContractServer:
    """Return a server that publishes a contract and calls these handlers.

    Args:
        package: The ``__name__`` of a module in the generated package.
        tools: Handlers by tool name.
        prompts: Handlers by prompt name.
        resources: Handlers by URI.
        templates: Handlers by URI template.
        policy: Limits, hooks and security settings.

    Raises:
        ValueError: The policy names a tool, prompt or resource that the contract lacks.
    """
    publication = Publication(package_of_module(package))
    contract = publication.package.contract
    server_info: dict[str, Any] = contract["server"]
    declared: dict[str, Any] = contract["capabilities"]
    unknown = policy.limits_of.keys() - {*tools, *prompts, *resources, *templates}
    if unknown:
        raise ValueError(f"limits for names that the contract lacks: {sorted(unknown)}")
    unknown = policy.scopes_of.keys() - {*tools, *prompts, *resources, *templates}
    if unknown:
        raise ValueError(f"scopes for names that the contract lacks: {sorted(unknown)}")
    unknown = policy.security_of.keys() - templates.keys()
    if unknown:
        raise ValueError(f"security of templates that the contract lacks: {sorted(unknown)}")
    published = [entry["uriTemplate"] for entry in publication.list_entries(TEMPLATES)]
    scopes = publication.scopes = Scopes(
        tools=_needed(policy, tools),
        prompts=_needed(policy, _methods(prompts)),
        resources=_needed(policy, _methods(resources)),
        templates=_needed(
            policy, _methods({uri: templates[uri] for uri in published if uri in templates})
        ),
    )
    publication.availability = ToolAvailability(
        tools,
        may_change=bool(declared.get("tools", {}).get("listChanged")),
        notify=policy.subscriptions.notify_tools_changed,
    )
    levels = Levels("logging" in declared)
    admission = Admission()
    lists = Lists(publication)
    tool_dispatcher = ToolDispatcher(
        publication,
        tools,
        policy,
        levels.min_level,
        admission,
        is_alone=lambda: server.middleware[-1] == publication.exact,
    )
    content_dispatcher = ContentDispatcher(
        publication, prompts, resources, templates, policy, levels.min_level, admission
    )
    with_tools, with_prompts, with_resources = (
        name in declared for name in ("tools", "prompts", "resources")
    )
    server = ContractServer(
        server_info["name"],
        version=server_info["version"],
        instructions=contract.get("instructions"),
        cache_hints=policy.cache,
        get_tool_input_schema=publication.header_schema,
        on_list_tools=lists.tools if with_tools else None,
        on_call_tool=tool_dispatcher.call if with_tools else None,
        on_list_prompts=lists.prompts if with_prompts else None,
        on_get_prompt=content_dispatcher.prompt if with_prompts else None,
        on_list_resources=lists.resources if with_resources else None,
        on_list_resource_templates=lists.templates if with_resources else None,
        on_read_resource=content_dispatcher.read if with_resources else None,
    )
    server.tools = publication.availability
    server.scopes = scopes
    server.policy = policy
    server.levels = levels
    server.admission = admission
    if levels.declared:
        server.add_request_handler("logging/setLevel", types.SetLevelRequestParams, levels.set)
    if "completions" in declared:
        server.add_request_handler(
            "completion/complete",
            types.CompleteRequestParams,
            content_dispatcher.complete,
        )
    _serve_subscriptions(server, policy.subscriptions, declared)
    if publication.task_support:
        from .tasks import add_tasks

        add_tasks(server, policy.subscriptions.bus)
    if policy.on_start is not None:
        server.lifespan = _opening(policy.on_start, server.lifespan)
    operations = server.operations = Operations(
        publication.package.name,
        lambda method: server.get_request_handler(method) is not None,
        tools,
        prompts,
    )
    server.sessions = Sessions(publication.package.name)
    # After the SDK's own, which opens the span.
    server.middleware.insert(1, operations)
    if server.tools.may_change:
        server.middleware.append(policy.subscriptions.note_session)
    server.middleware += [_state_boundary(server.name, policy), publication.exact]
    return server


class ContractServer(Server[Any]):
    """A generated server. ``tools`` enables and disables tools while it runs."""

    tools: ToolAvailability
    scopes: Scopes
    policy: Policy
    levels: Levels
    admission: Admission
    operations: Operations
    sessions: Sessions
    shared_tasks: SharedTasks | None = None

    def share(self, security: TransportSecuritySettings) -> Shared | None:
        """Share the state of the server with other replicas, if its policy has a store.

        Raises:
            ValueError: The store lacks a setting, or a rate isn't in whole calls and seconds.
        """
        store = self.policy.store
        if store is None:
            return None
        store.check()
        self._check_rates()
        from .replicas.shared import Shared, report_unavailable

        self.middleware.insert(0, report_unavailable)
        subscriptions = self.policy.subscriptions
        shared = Shared(store, self, subscriptions.bus, security, self.levels.put)
        shared.hub.on_gap(partial(close_listening, self))
        self.levels.share(shared.sessions.set_level)
        subscriptions.share(shared.publish, shared.sessions.subscribe)
        self.admission.rates = shared.connection
        self.shared_tasks = shared.tasks
        if self.tools.may_change:
            shared.share_tools(self.tools)
        return shared

    def _check_rates(self) -> None:
        policy = self.policy
        rates = [limits.rate for limits in (policy.limits, *policy.limits_of.values())]
        for rate in rates:
            if rate is not None and (rate.calls % 1 or rate.per % 1):
                raise ValueError(f"a shared store needs whole calls and seconds: {rate}")


def close_listening(server: Server[Any]) -> None:
    """End the streams of clients that listen for changes. Clients then listen again."""
    listening = server.get_request_handler("subscriptions/listen")
    if listening is not None and isinstance(listening.handler, ListenHandler):
        listening.handler.close()


def _needed(policy: Policy, methods: Mapping[str, object]) -> dict[str, frozenset[str]]:
    """Return the scopes that the author's methods and the policy require, by name or URI."""
    return {
        name: scopes_of(method) | frozenset(policy.scopes_of.get(name, ()))
        for name, method in methods.items()
    }


def _methods(handlers: Mapping[str, Handler]) -> dict[str, object]:
    return {name: handler.method for name, handler in handlers.items()}


_Lifespan: TypeAlias = Callable[[Server[Any]], AbstractAsyncContextManager[Any]]


def _opening(on_start: OnStart, inner: _Lifespan) -> _Lifespan:
    """Return a lifespan that enters the author's context manager before an existing one."""

    @asynccontextmanager
    async def lifespan(server: Server[Any]) -> AsyncGenerator[Any, None]:
        async with on_start(), inner(server) as state:
            yield state

    return lifespan


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
    capabilities = [declared.get(name, {}) for name in ("tools", "prompts", "resources")]
    if any(
        capability.get("subscribe") or capability.get("listChanged") for capability in capabilities
    ):
        server.add_request_handler(
            "subscriptions/listen",
            types.SubscriptionsListenRequestParams,
            ListenHandler(subscriptions.bus),
        )


def _state_boundary(name: str, policy: Policy) -> RequestStateBoundary:
    """Return the boundary that protects the state which clients send back."""
    keys = policy.state_keys or (policy.store.usable_keys if policy.store else ())
    security = RequestStateSecurity(keys=keys) if keys else RequestStateSecurity.ephemeral()
    return RequestStateBoundary(security, default_audience=name)


def _refuse_cursor(params: types.PaginatedRequestParams | None) -> None:
    """Reject cursors, because every list fits on one page."""
    if params is not None and params.cursor:
        raise MCPError(types.INVALID_PARAMS, "Unknown cursor")


class Lists:
    """Handlers of the list requests.

    They return names only: ``Publication.exact`` replaces them with the contract's own
    JSON, so that the SDK's models can't reject a definition and with it the whole list.
    """

    def __init__(self, publication: Publication) -> None:
        self._publication = publication

    async def tools(
        self, ctx: ServerRequestContext[Any], params: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        """Handle ``tools/list``."""
        _refuse_cursor(params)
        names = [tool["name"] for tool in self._publication.tools(ctx.protocol_version)]
        schema = {"type": "object"}
        return types.ListToolsResult(
            tools=[types.Tool(name=name, input_schema=schema) for name in names]
        )

    async def prompts(
        self, ctx: ServerRequestContext[Any], params: types.PaginatedRequestParams | None
    ) -> types.ListPromptsResult:
        """Handle ``prompts/list``."""
        del ctx
        _refuse_cursor(params)
        names = [prompt["name"] for prompt in self._publication.list_entries("prompts")]
        return types.ListPromptsResult(prompts=[types.Prompt(name=name) for name in names])

    async def resources(
        self, ctx: ServerRequestContext[Any], params: types.PaginatedRequestParams | None
    ) -> types.ListResourcesResult:
        """Handle ``resources/list``."""
        del ctx
        _refuse_cursor(params)
        uris = [resource["uri"] for resource in self._publication.list_entries("resources")]
        return types.ListResourcesResult(
            resources=[types.Resource(uri=uri, name=uri) for uri in uris]
        )

    async def templates(
        self, ctx: ServerRequestContext[Any], params: types.PaginatedRequestParams | None
    ) -> types.ListResourceTemplatesResult:
        """Handle ``resources/templates/list``."""
        del ctx
        _refuse_cursor(params)
        uris = [template["uriTemplate"] for template in self._publication.list_entries(TEMPLATES)]
        return types.ListResourceTemplatesResult(
            resource_templates=[types.ResourceTemplate(uri_template=uri, name=uri) for uri in uris]
        )


class Levels:
    """The log level that each legacy client has requested."""

    def __init__(self, declared: bool) -> None:
        self.declared = declared
        self._levels: OrderedDict[str, str] = OrderedDict()
        self._tell: Callable[[str, str], Awaitable[None]] | None = None

    def share(self, tell: Callable[[str, str], Awaitable[None]]) -> None:
        """Send each new level to the other replicas."""
        self._tell = tell

    def put(self, session: str, level: str) -> None:
        """Keep the level of a session. The least recently changed are dropped."""
        self._levels.pop(session, None)
        self._levels[session] = level
        if len(self._levels) > _MOST_SESSIONS:
            self._levels.popitem(last=False)

    async def set(
        self, ctx: ServerRequestContext[Any], params: types.SetLevelRequestParams
    ) -> types.EmptyResult:
        """Handle ``logging/setLevel``."""
        session = session_of(ctx)
        if self._tell is not None:
            await self._tell(session, params.level)
        self.put(session, params.level)
        return types.EmptyResult()

    def min_level(self, ctx: ServerRequestContext[Any]) -> str | None:
        """Return the minimum level of log messages, or None if none may be sent."""
        return self._levels.get(session_of(ctx), "debug") if self.declared else None


_MOST_SESSIONS = 10_000
