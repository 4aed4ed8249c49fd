"""The four lists of a server, with their names in the protocol and in :class:`Contract`."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Listing:
    """A list of a server, such as its tools.

    ``method`` requests it, and each page has the definitions in ``member``. ``key`` is the
    identifying property of a definition, ``attribute`` the field of a contract. ``definition`` and
    ``result`` are names of types in the official schema.
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
