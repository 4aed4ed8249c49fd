"""Rules for differences whose effect can't be proved."""

from __future__ import annotations

from mcpgen.findings.rule import BREAKING, COSMETIC, DANGEROUS, ChangeRule

RULES = (
    ChangeRule(
        "U01",
        "unproved",
        DANGEROUS.for_audiences("wire"),
        "it can't be proved that all valid values are still valid",
        "The schema changed in a part that can be tested, but not compared.",
        ('{"if": {"minimum": 1}, "then": {}}', '{"if": {"minimum": 2}, "then": {}}'),
        "Read both schemas, and test the values that you use.",
    ),
    ChangeRule(
        "U02",
        "same-meaning",
        COSMETIC.for_audiences("wire"),
        "the schema is written differently, with the same meaning",
        "A definition was moved or inlined, or a redundant keyword changed.",
        ('{"$ref": "#/$defs/Id"}', '{"type": "string"}'),
    ),
    ChangeRule(
        "U03",
        "not-compared",
        BREAKING.for_audiences("wire", "source", "agent"),
        "the definition changed, and mcpgen failed to compare it",
        "This is a defect of mcpgen, so the effect of the change is unknown.",
        ("a definition", "another definition for which mcpgen fails"),
        "Read both definitions, and report them.",
    ),
)
"""``U02`` reports a changed schema in which no other rule finds a change."""
