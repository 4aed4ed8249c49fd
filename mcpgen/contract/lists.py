"""The four lists that a server may have, and what the protocol and :class:`Contract` call them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Listing:
    """One list: ``method`` asks for it, and its page has the definitions in ``member``.

    ``key`` is the member that tells definitions apart, ``attribute`` that of a contract;
    ``definition`` and ``result`` are named in the official schema.
    """

    method: str
    capability: str
    member: str
    key: str
    definition: str
    result: str
    attribute: str


LISTINGS = (
    Listing("tools/list", "tools", "tools", "name", "Tool", "ListToolsResult", "tools"),
    Listing("prompts/list", "prompts", "prompts", "name", "Prompt", "ListPromptsResult", "prompts"),
    Listing(
        "resources/list",
        "resources",
        "resources",
        "uri",
        "Resource",
        "ListResourcesResult",
        "resources",
    ),
    Listing(
        "resources/templates/list",
        "resources",
        "resourceTemplates",
        "uriTemplate",
        "ResourceTemplate",
        "ListResourceTemplatesResult",
        "resource_templates",
    ),
)
