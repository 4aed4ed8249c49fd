"""Rules for differences that can't be proved to be a change, or to be none."""

from __future__ import annotations

from mcpgen.findings.rule import BREAKING, COSMETIC, DANGEROUS, ChangeRule

RULES = (
    ChangeRule(
        "U01",
        "unproved",
        DANGEROUS.for_audiences("wire"),
        "it cannot be proved that what was valid still is",
        "The schema changed in a part that can only be tried, not compared.",
        ('{"if": {"minimum": 1}, "then": {}}', '{"if": {"minimum": 2}, "then": {}}'),
        "Read the two schemas, and try the values that you use.",
    ),
    ChangeRule(
        "U02",
        "same-meaning",
        COSMETIC.for_audiences("wire"),
        "the schema is written in another way and means the same",
        "A definition was moved or inlined, or a keyword said what holds anyway.",
        ('{"$ref": "#/$defs/Id"}', '{"type": "string"}'),
    ),
    ChangeRule(
        "U03",
        "not-compared",
        BREAKING.for_audiences("wire", "source", "agent"),
        "it changed, and mcpgen failed to compare it",
        "The fault is in mcpgen, so nothing can be said of what the change means.",
        ("a definition", "another one that mcpgen fails with"),
        "Read the two definitions, and report them.",
    ),
)
"""``U02`` stands for a schema whose text changed and in which no other rule found anything."""
