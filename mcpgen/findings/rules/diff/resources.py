"""Rules on resources and their templates."""

from __future__ import annotations

from mcpgen.findings.rule import BREAKING, COMPATIBLE, COSMETIC, DANGEROUS, ChangeRule

RULES = (
    ChangeRule(
        "R01",
        "resource-removed",
        BREAKING.for_audiences("wire", "source", "agent"),
        "a resource or template was removed",
        "Reading it fails, and its method is no longer generated.",
        ('resources: ["file:///a"]', "resources: []"),
        "Stop reading it.",
    ),
    ChangeRule(
        "R02",
        "resource-added",
        COMPATIBLE.for_audiences("agent"),
        "there is a new resource or template",
        "Everything that worked still works.",
        ("resources: []", 'resources: ["file:///a"]'),
    ),
    ChangeRule(
        "R03",
        "resource-moved",
        BREAKING.for_audiences("wire", "source"),
        "a resource or template has another address, or other variables",
        "The old address no longer works; the name is the same.",
        ('"uriTemplate": "repo://{owner}"', '"uriTemplate": "repo://{owner}/{name}"'),
        "Pass the variables that it has now.",
    ),
    ChangeRule(
        "R04",
        "resource-type-changed",
        DANGEROUS.for_audiences("wire"),
        "the media type of a resource was changed",
        "Existing code reads other data.",
        ('"mimeType": "text/plain"', '"mimeType": "application/json"'),
        "Read it as its new type.",
    ),
    ChangeRule(
        "R05",
        "resource-method-renamed",
        BREAKING.for_audiences("source"),
        "the generated method of a resource has another name",
        "The name changed, the address is the same.",
        ('"name": "readme"', '"name": "read-me-first"'),
        "Call the method by its new name.",
    ),
    ChangeRule(
        "R06",
        "resource-detail-changed",
        COSMETIC.for_audiences("agent"),
        "the size or the date of a resource was changed",
        "Only the content changed, not the definition.",
        ('"size": 10', '"size": 12'),
    ),
)
