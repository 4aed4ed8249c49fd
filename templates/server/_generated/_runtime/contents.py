"""Prompts and resources: found by name or URI, and answered by the author's methods."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from mcp import InvalidUriTemplate, MCPError, UriTemplate, types
from mcp.server import ServerRequestContext

from . import PACKAGE, publish
from .context import MODERN, Context, context_of
from .contract import read_contract
from .dispatch import done, within
from .errors import NotFound, Refused, ToolError
from .policy import Buckets, Policy
from .results import contents_of, prompt_of

log = logging.getLogger(PACKAGE)

RESOURCE_NOT_FOUND = -32002
"""What it was called until 2025-11-25; since then it is an invalid parameter."""


@dataclass(frozen=True)
class Handler:
    """How a prompt or resource is answered: the author's method, and what its keyword
    parameters are called on the wire.
    """

    method: Callable[..., Awaitable[object]]
    names: Mapping[str, str] = field(default_factory=dict[str, str])


@dataclass(frozen=True)
class ContentRequest:
    """A prompt or resource that was asked for: ``key`` is what the contract calls it,
    ``name`` what the caller does, and ``given`` what stands for its variables.
    """

    part: str
    key: str
    name: str
    handler: Handler
    given: Mapping[str, object]

    @property
    def definition(self) -> dict[str, Any]:
        """What the contract says of it."""
        parts: dict[str, Any] = read_contract()[self.part]
        return cast("dict[str, Any]", parts[self.key])


@dataclass(frozen=True)
class ContentDispatcher:
    """The prompts by name, the resources by URI, the templates by URI template."""

    prompts: Mapping[str, Handler]
    resources: Mapping[str, Handler]
    templates: Mapping[str, Handler]
    policy: Policy
    logs: Callable[[ServerRequestContext[Any]], str | None]
    buckets: Buckets

    async def prompt(
        self, sdk: ServerRequestContext[Any], params: types.GetPromptRequestParams
    ) -> types.GetPromptResult | types.InputRequiredResult:
        """Answer ``prompts/get``."""
        handler = self.prompts.get(params.name)
        if handler is None:
            raise MCPError(types.INVALID_PARAMS, f"Unknown prompt: {params.name}")
        given = params.arguments or {}
        wanted = ContentRequest("prompts", params.name, params.name, handler, given)
        arguments: list[dict[str, Any]] = wanted.definition.get("arguments") or []
        needed = [a["name"] for a in arguments if a.get("required")]
        lacking = [name for name in needed if name not in given]
        if lacking:
            said = f"{params.name} needs the arguments: {', '.join(lacking)}"
            raise MCPError(types.INVALID_PARAMS, said)
        context = context_of(sdk, params, self.logs(sdk))
        value = await self._ask(wanted, context)
        if isinstance(value, types.InputRequiredResult):
            return value
        result = prompt_of(value, wanted.definition.get("description") or "")
        self._measure(wanted, result)
        return result

    async def read(
        self, sdk: ServerRequestContext[Any], params: types.ReadResourceRequestParams
    ) -> types.ReadResourceResult | types.InputRequiredResult:
        """Answer ``resources/read``."""
        uri = str(params.uri)
        wanted = self._found(sdk, uri)
        context = context_of(sdk, params, self.logs(sdk))
        try:
            value = await self._ask(wanted, context)
        except NotFound as error:
            said = str(error) or "Resource not found"
            raise _unknown(sdk, uri, said) from None
        if isinstance(value, types.InputRequiredResult):
            return value
        result = contents_of(value, uri, wanted.definition.get("mimeType") or "")
        self._measure(wanted, result)
        return result

    async def complete(
        self, sdk: ServerRequestContext[Any], params: types.CompleteRequestParams
    ) -> types.CompleteResult:
        """Answer ``completion/complete``, which takes no more than 100 values."""
        wanted = self._referred(params)
        context = Context(sdk, logs=self.logs(sdk))
        complete = self.policy.complete
        found: Sequence[str] = ()
        if complete is not None:
            answer = await self._guarded(
                "completion", wanted, context, lambda: done(complete(params, context))
            )
            found = cast("Sequence[str]", answer)
        completion = types.Completion(
            values=list(found[:100]), total=len(found), has_more=len(found) > 100
        )
        return types.CompleteResult(completion=completion)

    def _found(self, sdk: ServerRequestContext[Any], uri: str) -> ContentRequest:
        """Return the resource, or the template with its variables, that is meant."""
        if uri in self.resources:
            return ContentRequest("resources", uri, uri, self.resources[uri], {})
        for template, handler in self._templates():
            try:
                given = UriTemplate.parse(template).match(uri)
            except InvalidUriTemplate:
                continue
            if given is None:
                continue
            security = self.policy.security_of.get(template, self.policy.security)
            unsafe = security.validate(given)
            if unsafe is not None:
                # No later template, which may allow more, is tried.
                log.warning(
                    "%r of %r may lead out of a folder: refused", unsafe, template
                )
                raise _unknown(sdk, uri, "Unknown resource")
            return ContentRequest(publish.TEMPLATES, template, uri, handler, given)
        raise _unknown(sdk, uri, "Unknown resource")

    def _templates(self) -> Iterator[tuple[str, Handler]]:
        """Yield the templates as they are published; the first one that fits counts."""
        for definition in publish.listed(publish.TEMPLATES):
            template = definition["uriTemplate"]
            if template in self.templates:
                yield template, self.templates[template]

    def _referred(self, params: types.CompleteRequestParams) -> ContentRequest:
        """Return the prompt or template one of whose arguments is to be completed."""
        ref, given = params.ref, {params.argument.name: params.argument.value}
        if isinstance(ref, types.PromptReference):
            if ref.name not in self.prompts:
                raise MCPError(types.INVALID_PARAMS, f"Unknown prompt: {ref.name}")
            return ContentRequest(
                "prompts", ref.name, ref.name, self.prompts[ref.name], given
            )
        uri = str(ref.uri)
        for part, pages in (
            (publish.TEMPLATES, self.templates),
            ("resources", self.resources),
        ):
            if uri in pages:
                return ContentRequest(part, uri, uri, pages[uri], given)
        raise MCPError(types.INVALID_PARAMS, f"Unknown resource: {uri}")

    async def _ask(self, wanted: ContentRequest, context: Context) -> object:
        """Call the author's method."""
        handler, given = wanted.handler, wanted.given
        keywords = {
            handler.names[key]: given[key] for key in given if key in handler.names
        }
        return await self._guarded(
            wanted.part, wanted, context, lambda: handler.method(context, **keywords)
        )

    async def _guarded(
        self,
        kind: str,
        wanted: ContentRequest,
        context: Context,
        begin: Callable[[], Awaitable[object]],
    ) -> object:
        """Wait for what the author wrote; what goes wrong in it stays in the log."""
        name, limits = wanted.name, self.policy.limits_for(wanted.key)
        try:
            self.buckets.admit(kind, wanted.key, context.caller, limits, wanted.given)
            authorize = self.policy.authorize_reading
            if authorize is not None:
                allowed = await done(authorize(name, wanted.given, context))
                if allowed is not True:
                    raise Refused(f"You may not read {name}.")
            return await within(limits.timeout, context, name, begin)
        except (MCPError, NotFound):
            raise
        except ToolError as error:
            raise MCPError(types.INTERNAL_ERROR, str(error)) from None
        except NotImplementedError:
            said = f"{name} is not implemented yet"
            raise MCPError(types.INTERNAL_ERROR, said) from None
        except Exception:
            log.exception("%r failed", name)
            said = f"{name} failed; its server's log has the reason"
            raise MCPError(types.INTERNAL_ERROR, said) from None

    def _measure(
        self,
        wanted: ContentRequest,
        result: types.GetPromptResult | types.ReadResourceResult,
    ) -> None:
        """Refuse to send an answer that is larger than it may be."""
        most = self.policy.limits_for(wanted.key).result
        if most is None:
            return
        size = len(result.model_dump_json(by_alias=True).encode())
        if size > most:
            log.error("%r has %d bytes, and %d are allowed", wanted.name, size, most)
            said = f"{wanted.name} gave an answer it must not give"
            raise MCPError(types.INTERNAL_ERROR, said)


def _unknown(sdk: ServerRequestContext[Any], uri: str, said: str) -> MCPError:
    code = (
        types.INVALID_PARAMS if sdk.protocol_version >= MODERN else RESOURCE_NOT_FOUND
    )
    return MCPError(code, f"{said}: {uri}", cast("Any", {"uri": uri}))
