"""Handles requests for prompts and resources with the author's methods."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, cast

from mcp import InvalidUriTemplate, MCPError, UriTemplate, types
from mcp.server import ServerRequestContext

from .context import MODERN, Context, context_of
from .dispatch import await_value, refuse_without_scopes, run_within
from .errors import NotFound, Refused, ToolError
from .policy import Admission, Policy
from .publish import TEMPLATES, Publication
from .replicas.errors import StoreUnavailable
from .results import contents_of, prompt_of

RESOURCE_NOT_FOUND = -32002
"""The error code up to 2025-11-25. Later revisions use "invalid params"."""


@dataclass(frozen=True)
class Handler:
    """The author's methods for a prompt or resource, and its parameters' JSON names.

    ``complete`` completes its arguments, if the contract declares ``completions``.
    """

    method: Callable[..., Awaitable[object]]
    names: Mapping[str, str] = field(default_factory=dict[str, str])
    complete: Callable[..., Awaitable[Sequence[str]]] | None = None


@dataclass(frozen=True)
class ContentRequest:
    """A request for a prompt or resource.

    Attributes:
        key: The name, URI or URI template in the contract.
        name: The name or URI in the request.
        arguments: The arguments of the prompt, or the variables of the template.
    """

    part: str
    key: str
    name: str
    handler: Handler
    arguments: Mapping[str, object]


@dataclass(frozen=True)
class ContentDispatcher:
    """The prompts by name, the resources by URI, the templates by URI template."""

    publication: Publication
    prompts: Mapping[str, Handler]
    resources: Mapping[str, Handler]
    templates: Mapping[str, Handler]
    policy: Policy
    logs: Callable[[ServerRequestContext[Any]], str | None]
    admission: Admission

    async def prompt(
        self, sdk: ServerRequestContext[Any], params: types.GetPromptRequestParams
    ) -> types.GetPromptResult | types.InputRequiredResult:
        """Handle ``prompts/get``."""
        handler = self.prompts.get(params.name)
        if handler is None:
            raise MCPError(types.INVALID_PARAMS, f"Unknown prompt: {params.name}")
        arguments = params.arguments or {}
        request = ContentRequest("prompts", params.name, params.name, handler, arguments)
        declared: list[dict[str, Any]] = self._definition(request).get("arguments") or []
        required = [item["name"] for item in declared if item.get("required")]
        missing = [name for name in required if name not in arguments]
        if missing:
            message = f"{params.name} needs the arguments: {', '.join(missing)}"
            raise MCPError(types.INVALID_PARAMS, message)
        context = context_of(sdk, params, self.logs(sdk), self.publication.log)
        value = await self._ask(request, context)
        if isinstance(value, types.InputRequiredResult):
            return value
        result = prompt_of(value, self._definition(request).get("description") or "")
        self._measure(request, result)
        return result

    async def read(
        self, sdk: ServerRequestContext[Any], params: types.ReadResourceRequestParams
    ) -> types.ReadResourceResult | types.InputRequiredResult:
        """Handle ``resources/read``."""
        uri = str(params.uri)
        request = self._resolve(sdk, uri)
        context = context_of(sdk, params, self.logs(sdk), self.publication.log)
        try:
            value = await self._ask(request, context)
        except NotFound as error:
            message = str(error) or "Resource not found"
            raise _unknown(sdk, uri, message) from None
        if isinstance(value, types.InputRequiredResult):
            return value
        result = contents_of(value, uri, self._definition(request).get("mimeType") or "")
        self._measure(request, result)
        return result

    async def complete(
        self, sdk: ServerRequestContext[Any], params: types.CompleteRequestParams
    ) -> types.CompleteResult:
        """Handle ``completion/complete``, which returns at most 100 values."""
        request = self._reference(params)
        context = Context(sdk, logs=self.logs(sdk), logger=self.publication.log)
        answer = await self._run_handler(
            "completion", request, context, lambda: self._complete(request, params, context)
        )
        values = cast("Sequence[str]", answer)
        completion = types.Completion(
            values=list(values[:100]), total=len(values), has_more=len(values) > 100
        )
        return types.CompleteResult(completion=completion)

    async def _complete(
        self, request: ContentRequest, params: types.CompleteRequestParams, context: Context
    ) -> Sequence[str]:
        """Call the author's method, or else the policy's function."""
        argument = params.argument
        known = (params.context and params.context.arguments) or {}
        if request.handler.complete is not None:
            with suppress(NotImplementedError):
                return await request.handler.complete(
                    context, argument=argument.name, value=argument.value, known=known
                )
        complete = self.policy.complete
        return () if complete is None else await await_value(complete(params, context))

    def _resolve(self, sdk: ServerRequestContext[Any], uri: str) -> ContentRequest:
        """Return the resource, or the template and its variables, for a URI."""
        if uri in self.resources:
            return ContentRequest("resources", uri, uri, self.resources[uri], {})
        for template, handler in self._templates():
            try:
                variables = UriTemplate.parse(template).match(uri)
            except InvalidUriTemplate:
                continue
            if variables is None:
                continue
            security = self.policy.security_of.get(template, self.policy.security)
            unsafe = security.validate(variables)
            if unsafe is not None:
                # No later template, which may allow more, is tried.
                self.publication.log.warning(
                    "%r of %r may lead out of a folder: rejected", unsafe, template
                )
                raise _unknown(sdk, uri, "Unknown resource")
            return ContentRequest(TEMPLATES, template, uri, handler, variables)
        raise _unknown(sdk, uri, "Unknown resource")

    def _definition(self, request: ContentRequest) -> dict[str, Any]:
        parts: dict[str, Any] = self.publication.package.contract[request.part]
        return cast("dict[str, Any]", parts[request.key])

    def _templates(self) -> Iterator[tuple[str, Handler]]:
        """Yield the templates in their published order. The first match is used."""
        for definition in self.publication.list_entries(TEMPLATES):
            template = definition["uriTemplate"]
            if template in self.templates:
                yield template, self.templates[template]

    def _reference(self, params: types.CompleteRequestParams) -> ContentRequest:
        """Return the prompt or template whose argument to complete."""
        ref, arguments = params.ref, {params.argument.name: params.argument.value}
        if isinstance(ref, types.PromptReference):
            if ref.name not in self.prompts:
                raise MCPError(types.INVALID_PARAMS, f"Unknown prompt: {ref.name}")
            request = ContentRequest(
                "prompts", ref.name, ref.name, self.prompts[ref.name], arguments
            )
            return _with_argument(request, params.argument.name)
        uri = str(ref.uri)
        for part, handlers in (
            (TEMPLATES, self.templates),
            ("resources", self.resources),
        ):
            if uri in handlers:
                request = ContentRequest(part, uri, uri, handlers[uri], arguments)
                return _with_argument(request, params.argument.name)
        raise MCPError(types.INVALID_PARAMS, f"Unknown resource: {uri}")

    async def _ask(self, request: ContentRequest, context: Context) -> object:
        """Call the author's method."""
        handler, arguments = request.handler, request.arguments
        keywords = {handler.names[key]: arguments[key] for key in arguments if key in handler.names}
        return await self._run_handler(
            request.part, request, context, lambda: handler.method(context, **keywords)
        )

    async def _run_handler(
        self,
        kind: str,
        request: ContentRequest,
        context: Context,
        call: Callable[[], Awaitable[object]],
    ) -> object:
        """Await the author's method. Details of its exceptions stay in the log."""
        name, limits = request.name, self.policy.limits_for(request.key)
        try:
            await self.admission.admit(kind, request.key, context.caller, limits, request.arguments)
            needed = self.publication.scopes.of_list(request.part).get(request.key)
            refuse_without_scopes(needed, request.key, context)
            authorize = self.policy.authorize_reading
            if authorize is not None:
                allowed = await await_value(authorize(name, request.arguments, context))
                if allowed is not True:
                    raise Refused(f"You may not read {name}.")
            return await run_within(limits.timeout, context, name, call)
        except (MCPError, NotFound, StoreUnavailable):
            raise
        except ToolError as error:
            raise MCPError(types.INTERNAL_ERROR, str(error)) from None
        except NotImplementedError:
            message = f"{name} is not implemented yet"
            raise MCPError(types.INTERNAL_ERROR, message) from None
        except Exception:
            self.publication.log.exception("%r failed", name)
            message = f"{name} failed; its server's log has the reason"
            raise MCPError(types.INTERNAL_ERROR, message) from None

    def _measure(
        self,
        request: ContentRequest,
        result: types.GetPromptResult | types.ReadResourceResult,
    ) -> None:
        """Reject a result that exceeds the size limit."""
        most = self.policy.limits_for(request.key).result
        if most is None:
            return
        size = len(result.model_dump_json(by_alias=True).encode())
        if size > most:
            self.publication.log.error(
                "%r has %d bytes, and %d are allowed", request.name, size, most
            )
            message = f"{request.name} returned an invalid result"
            raise MCPError(types.INTERNAL_ERROR, message)


def _with_argument(request: ContentRequest, argument: str) -> ContentRequest:
    """Return a request for a completion, if its prompt or template has the argument."""
    if argument not in request.handler.names:
        raise MCPError(types.INVALID_PARAMS, f"{request.name} has no argument {argument!r}")
    return request


def _unknown(sdk: ServerRequestContext[Any], uri: str, reason: str) -> MCPError:
    code = types.INVALID_PARAMS if sdk.protocol_version >= MODERN else RESOURCE_NOT_FOUND
    return MCPError(code, f"{reason}: {uri}", cast("Any", {"uri": uri}))
