"""Rules for the server itself: its name, version and capabilities."""

from __future__ import annotations

from mcpgen.findings.rule import BREAKING, COMPATIBLE, COSMETIC, DANGEROUS, SECURITY, ChangeRule

RULES = (
    ChangeRule(
        "S01",
        "server-renamed",
        SECURITY.for_audiences("agent"),
        "the server reports another name",
        "It may be another server.",
        ('"name": "github"', '"name": "githob"'),
        "Check that you are connected to the right server.",
    ),
    ChangeRule(
        "S02",
        "server-version-changed",
        COSMETIC.for_audiences("agent"),
        "the server has another version",
        "The other rules report the changes themselves.",
        ('"version": "1.0.0"', '"version": "1.1.0"'),
    ),
    ChangeRule(
        "S03",
        "capability-removed",
        BREAKING.for_audiences("wire"),
        "the server no longer offers a capability",
        "Requests of this kind fail.",
        ('"capabilities": {"prompts": {}}', '"capabilities": {}'),
        "Stop asking for it.",
    ),
    ChangeRule(
        "S03b",
        "capability-added",
        COMPATIBLE.for_audiences("wire"),
        "the server has a new capability",
        "Everything that worked still works.",
        ('"capabilities": {}', '"capabilities": {"prompts": {}}'),
    ),
    ChangeRule(
        "S03c",
        "capability-changed",
        DANGEROUS.for_audiences("wire"),
        "a capability of the server changed",
        "The server may send other notifications now.",
        ('"tools": {"listChanged": true}', '"tools": {}'),
        "Don't wait for messages that it no longer sends.",
    ),
    ChangeRule(
        "S03d",
        "capability-empty",
        COSMETIC.for_audiences("wire"),
        "a capability without definitions was added or removed",
        "No tool, prompt or resource was listed under it, or it is an empty experimental.",
        ('"capabilities": {"experimental": {}}', '"capabilities": {}'),
    ),
    ChangeRule(
        "S04",
        "revision-changed",
        DANGEROUS.for_audiences("wire"),
        "another protocol revision was negotiated",
        "The same message may mean something else, most of all across 2026-07-28.",
        ('"revision": "2025-11-25"', '"revision": "2026-07-28"'),
        "Test everything that you use in addition to calling tools.",
    ),
    ChangeRule(
        "S05",
        "order-changed",
        COSMETIC.for_audiences("agent"),
        "the server lists the same definitions in another order",
        "Calls use the name, and generated code is the same.",
        ('tools: ["search", "fetch"]', 'tools: ["fetch", "search"]'),
    ),
)
