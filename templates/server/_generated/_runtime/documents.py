"""Prompts and resources: found by name or URI, and answered by the author's methods."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NoReturn, cast

from mcp import InvalidUriTemplate, MCPError, UriTemplate, types
from mcp.server import ServerRequestContext

from . import PACKAGE, law
from .calls import done, within
from .context import MODERN, Context, context_of
from .errors import NotFound, ToolError
from .policy import Policy
from .results import contents_of, prompt_of

log = logging.getLogger(PACKAGE)

RESOURCE_NOT_FOUND = -32002
"""What it was called until 2025-11-25; since then it is an invalid parameter."""


@dataclass(frozen=True)
class Page:
    """How a prompt or resource is answered: the author's method, and what its keyword
    parameters are called on the wire.
    """

    method: Callable[..., Awaitable[object]]
    names: Mapping[str, str] = field(default_factory=dict[str, str])


@dataclass(frozen=True)
class Shelf:
    """The prompts by name, the resources by URI, the templates by URI template."""

    prompts: Mapping[str, Page]
    resources: Mapping[str, Page]
    templates: Mapping[str, Page]
    policy: Policy
    logs: Callable[[ServerRequestContext[Any]], str | None]

    async def prompt(
        self, sdk: ServerRequestContext[Any], params: types.GetPromptRequestParams
    ) -> types.GetPromptResult | types.InputRequiredResult:
        """Answer ``prompts/get``."""
        page = self.prompts.get(params.name)
        if page is None:
            raise MCPError(types.INVALID_PARAMS, f"Unknown prompt: {params.name}")
        definition: dict[str, Any] = law.contract()["prompts"][params.name]
        given = params.arguments or {}
        wanted = [
            a["name"] for a in definition.get("arguments") or () if a.get("required")
        ]
        lacking = [name for name in wanted if name not in given]
        if lacking:
            said = f"{params.name} needs the arguments: {', '.join(lacking)}"
            raise MCPError(types.INVALID_PARAMS, said)
        context = context_of(sdk, params, self.logs(sdk))
        value = await self._ask(page, given, context, params.name)
        if isinstance(value, types.InputRequiredResult):
            return value
        return prompt_of(value, definition.get("description") or "")

    async def read(
        self, sdk: ServerRequestContext[Any], params: types.ReadResourceRequestParams
    ) -> types.ReadResourceResult | types.InputRequiredResult:
        """Answer ``resources/read``."""
        uri = str(params.uri)
        found = self._found(uri)
        if found is None:
            _unknown(sdk, uri, "Unknown resource")
        page, given, definition = found
        context = context_of(sdk, params, self.logs(sdk))
        try:
            value = await self._ask(page, given, context, uri)
        except NotFound as error:
            _unknown(sdk, uri, str(error) or "Resource not found")
        if isinstance(value, types.InputRequiredResult):
            return value
        return contents_of(value, uri, definition.get("mimeType") or "")

    async def complete(
        self, sdk: ServerRequestContext[Any], params: types.CompleteRequestParams
    ) -> types.CompleteResult:
        """Answer ``completion/complete``, which takes no more than 100 values."""
        found: Sequence[str] = ()
        if self.policy.complete is not None:
            context = Context(sdk, logs=self.logs(sdk))
            found = await done(self.policy.complete(params, context))
        completion = types.Completion(
            values=list(found[:100]), total=len(found), has_more=len(found) > 100
        )
        return types.CompleteResult(completion=completion)

    def _found(
        self, uri: str
    ) -> tuple[Page, Mapping[str, object], dict[str, Any]] | None:
        if uri in self.resources:
            return self.resources[uri], {}, law.contract()["resources"][uri]
        for template, page in self.templates.items():
            try:
                given = UriTemplate.parse(template).match(uri)
            except InvalidUriTemplate:
                continue
            if given is not None:
                return page, given, law.contract()["resourceTemplates"][template]
        return None

    async def _ask(
        self, page: Page, given: Mapping[str, object], context: Context, name: str
    ) -> object:
        """Call the author's method; what goes wrong in it stays in the log."""
        keywords = {page.names[key]: given[key] for key in given if key in page.names}
        limit = self.policy.limits.timeout
        try:
            return await within(
                limit, context, name, lambda: page.method(context, **keywords)
            )
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


def _unknown(sdk: ServerRequestContext[Any], uri: str, said: str) -> NoReturn:
    code = (
        types.INVALID_PARAMS if sdk.protocol_version >= MODERN else RESOURCE_NOT_FOUND
    )
    raise MCPError(code, f"{said}: {uri}", cast("Any", {"uri": uri}))
