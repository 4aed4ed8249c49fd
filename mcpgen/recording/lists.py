"""The four lists a server may answer, and the official names of what is in them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Listing:
    """One list method; ``key`` is the member that tells its entries apart."""

    method: str
    capability: str
    member: str
    key: str
    entry: str
    result: str


LISTS = (
    Listing("tools/list", "tools", "tools", "name", "Tool", "ListToolsResult"),
    Listing("prompts/list", "prompts", "prompts", "name", "Prompt", "ListPromptsResult"),
    Listing("resources/list", "resources", "resources", "uri", "Resource", "ListResourcesResult"),
    Listing(
        "resources/templates/list",
        "resources",
        "resourceTemplates",
        "uriTemplate",
        "ResourceTemplate",
        "ListResourceTemplatesResult",
    ),
)
