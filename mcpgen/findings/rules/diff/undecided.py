"""Rules for differences that can't be proved to be a change, or to be none."""

from __future__ import annotations

from mcpgen.findings.rule import BREAKING, COSMETIC, DANGEROUS, ChangeRule

RULES = (
    ChangeRule(
        "U01",
        "unproved",
        DANGEROUS.for_audiences("wire"),
        "it can't be proved that all valid values are still valid",
        "The schema changed in a part that can only be tried, not compared.",
        ('{"if": {"minimum": 1}, "then": {}}', '{"if": {"minimum": 2}, "then": {}}'),
        "Read the two schemas, and try the values that you use.",
    ),
    ChangeRule(
        "U02",
        "same-meaning",
        COSMETIC.for_audiences("wire"),
        "the schema is written in another way and means the same",
        "A definition was moved or inlined, or a redundant keyword changed.",
        ('{"$ref": "#/$defs/Id"}', '{"type": "string"}'),
    ),
    ChangeRule(
        "U03",
        "not-compared",
        BREAKING.for_audiences("wire", "source", "agent"),
        "it changed, and mcpgen failed to compare it",
        "This is a fault in mcpgen, so the effect of the change is unknown.",
        ("a definition", "another definition for which mcpgen fails"),
        "Read the two definitions, and report them.",
    ),
)
"""``U02`` stands for a schema whose text changed and in which no other rule found anything."""
