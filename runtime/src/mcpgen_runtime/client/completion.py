"""Completes arguments of prompts and resource templates (MCP, "Completion")."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mcp import Client
    from mcp.types import PromptReference, ResourceTemplateReference

    from ..calls.caller import Caller


@dataclass(frozen=True)
class Completion:
    """Values that a server suggests for an argument.

    values: The suggestions, at most 100.
    total: Number of all suggestions, or None if the server omits it.
    has_more: Whether there are more than these.
    """

    values: tuple[str, ...]
    total: int | None = None
    has_more: bool = False


async def complete(
    view: Caller,
    reference: PromptReference | ResourceTemplateReference,
    typed: tuple[str, str],
    known_arguments: Mapping[str, str] | None,
) -> Completion:
    """Request suggestions. ``typed`` maps the name of an argument to its beginning.

    Raises: ClientError: The server rejects the request, or can't be reached.
    """
    from ..calls.call_pipeline import ContentRequest
    from ..calls.caller import connection_of, options_of

    name, value = typed
    arguments = {"name": name, "value": value}

    async def ask(sdk: Client, _: Mapping[str, Any], __: Any) -> Completion:
        context = None if known_arguments is None else dict(known_arguments)
        result = await sdk.complete(reference, arguments, context)
        completion = result.completion
        return Completion(tuple(completion.values), completion.total, completion.has_more is True)

    query: ContentRequest[Completion] = ContentRequest(None, f"completion of {name}", ask)
    return await connection_of(view).ask(query, options_of(view))
