"""Base of the views of a client: its prompts and its resources."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, cast

from pydantic import MISSING

from ..calls.caller import Caller
from ..errors import InvalidArguments
from ..models.results import ResourceResult
from ..problem import Problem

if TYPE_CHECKING:
    from mcp.types import GetPromptResult, ReadResourceResult

    from .completion import Completion


class PromptsView(Caller):
    """The prompts of a client."""

    async def _get(self, name: str, arguments: Mapping[str, object]) -> GetPromptResult:
        from ..calls.call_pipeline import ContentRequest

        # Strings, in every revision (MCP, prompts, "Getting a Prompt").
        query: ContentRequest[GetPromptResult] = ContentRequest(
            "prompt",
            name,
            lambda sdk, wire, meta: sdk.get_prompt(name, dict(wire), meta=meta),
            arguments,
            partial(_present, name, is_valid=_is_string, reason="not a string"),
        )
        return await self._connection.ask(query, self._options)

    async def _complete(
        self, name: str, argument: str, value: str, known_arguments: Mapping[str, str] | None
    ) -> Completion:
        """Complete an argument of a prompt."""
        from mcp.types import PromptReference

        from .completion import complete

        reference = PromptReference(name=name)
        return await complete(self, reference, (argument, value), known_arguments)


class ResourcesView(Caller):
    """The resources of a client."""

    async def read(self, uri: str) -> ResourceResult:
        """Read a resource by its URI, for example from a resource link."""
        return await self._read(uri)

    async def subscribe(self, uri: str) -> None:
        """Subscribe to changes of a resource, which call ``on_resource_updated``.

        A new session subscribes again, and then reports the resource once, because it may
        have changed in the meantime.

        Raises:
            TypeError: The client was connected without ``on_resource_updated``.
        """
        from ..connection.subscriptions import subscribe

        await self._ask_for(subscribe, uri)

    async def unsubscribe(self, uri: str) -> None:
        """Cancel the subscription to a resource."""
        from ..connection.subscriptions import unsubscribe

        await self._ask_for(unsubscribe, uri)

    async def _ask_for(self, ask: Callable[..., Awaitable[object]], uri: str) -> None:
        connection = self._connection
        events = connection.connector.events
        if events is None or events.callbacks.on_resource_updated is None:
            raise TypeError("the client was connected without on_resource_updated")
        from ..calls.call_pipeline import ContentRequest

        asking = partial(ask, lambda: connection.session, events, uri)
        query: ContentRequest[object] = ContentRequest(
            None, uri, lambda sdk, _, meta: asking(sdk, meta)
        )
        await connection.ask(query, self._options)

    async def _read(self, uri: str) -> ResourceResult:
        from ..calls.call_pipeline import ContentRequest

        query: ContentRequest[ReadResourceResult] = ContentRequest(
            "resource",
            uri,
            lambda sdk, _, meta: sdk.read_resource(uri, meta=meta),
            check=partial(_no_arguments, uri),
        )
        result = await self._connection.ask(query, self._options)
        return ResourceResult(result, uri)

    async def _expand(self, template: str, arguments: Mapping[str, object]) -> ResourceResult:
        """Fill in a URI template (RFC 6570) and read the resource."""
        from mcp import UriTemplate

        values: Any = _present(template, arguments, _is_text, "not a string or a list of strings")
        uri = UriTemplate.parse(template).expand(values)
        return await self._read(uri)

    async def _complete(
        self, template: str, argument: str, value: str, known_arguments: Mapping[str, str] | None
    ) -> Completion:
        """Complete a variable of a URI template."""
        from mcp.types import ResourceTemplateReference

        from .completion import complete

        reference = ResourceTemplateReference(uri=template)
        return await complete(self, reference, (argument, value), known_arguments)


def _present(
    name: str,
    arguments: Mapping[str, object],
    is_valid: Callable[[object], bool],
    reason: str,
) -> dict[str, object]:
    """Return the present arguments, or raise ``InvalidArguments``."""
    present = {key: value for key, value in arguments.items() if value is not MISSING}
    invalid = [key for key, value in present.items() if not is_valid(value)]
    if invalid:
        problems = [Problem(f"/{key}", reason) for key in invalid]
        raise InvalidArguments(name, problems)
    return present


def _no_arguments(uri: str, arguments: Mapping[str, object]) -> dict[str, object]:
    return _present(uri, arguments, lambda _: False, "resources have no arguments")


def _is_string(value: object) -> bool:
    return isinstance(value, str)


def _is_text(value: object) -> bool:
    """Return True for a valid template variable: a string or a list of strings."""
    if isinstance(value, Sequence) and not isinstance(value, bytes):
        return all(map(_is_string, cast("Sequence[object]", value)))
    return False
