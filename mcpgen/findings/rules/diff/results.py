"""Rules for the types and values of results, which must match the old schema."""

from __future__ import annotations

from mcpgen.findings.rule import BREAKING, COMPATIBLE, DANGEROUS, ChangeRule

_READ = "Change the code that reads it, and regenerate the client."
_AGAIN = "Regenerate the client. The old one rejects such results."

RULES = (
    ChangeRule(
        "O01",
        "output-removed",
        BREAKING.for_audiences("wire", "source"),
        "the tool no longer declares a structured result",
        "The method returns a ToolResult instead of a typed value.",
        ('"outputSchema": {"type": "object"}', "no outputSchema"),
        "Read the text of the result, or stay with the old version.",
    ),
    ChangeRule(
        "O02",
        "output-added",
        {**COMPATIBLE.for_audiences("wire"), **BREAKING.for_audiences("source")},
        "the tool promises a structured result",
        "The method returns a typed value instead of a ToolResult.",
        ("no outputSchema", '"outputSchema": {"type": "object"}'),
        "Use the typed value, or call raw.NAME() for the ToolResult.",
    ),
    ChangeRule(
        "O03",
        "field-removed",
        BREAKING.for_audiences("wire", "source", "agent"),
        "a property of the result was removed",
        "Code that reads it fails, also if it was optional.",
        ('"properties": {"id": {}, "url": {}}', '"properties": {"id": {}}'),
        _READ,
    ),
    ChangeRule(
        "O04",
        "field-became-optional",
        BREAKING.for_audiences("wire", "source"),
        "a property of the result can now be absent or null",
        "Code that relies on it fails.",
        ('"required": ["url"]', '"required": []'),
        _READ,
    ),
    ChangeRule(
        "O05",
        "field-became-required",
        COMPATIBLE.for_audiences("wire", "source"),
        "a property of the result is now always present, or never null",
        "Code that checks for it still works.",
        ('"required": []', '"required": ["url"]'),
    ),
    ChangeRule(
        "O06",
        "field-added",
        COMPATIBLE.for_audiences("wire"),
        "the result has a new property",
        "Additional properties were allowed, so readers ignored them.",
        ('"properties": {"id": {}}', '"properties": {"id": {}, "url": {}}'),
    ),
    ChangeRule(
        "O06b",
        "field-added-to-closed",
        BREAKING.for_audiences("wire"),
        "the result has a new property, which the old schema excluded",
        "Clients that validate results against the old schema reject them.",
        ('"additionalProperties": false', 'the same, with {"url": {}} among its properties'),
        _AGAIN,
    ),
    ChangeRule(
        "O07",
        "output-widened",
        BREAKING.for_audiences("wire", "source"),
        "values of other types can occur",
        "The type was replaced or widened: code that reads it fails.",
        ('{"type": "integer"}', '{"type": "string"}'),
        _READ,
    ),
    ChangeRule(
        "O08",
        "output-narrowed",
        {**COMPATIBLE.for_audiences("wire"), **DANGEROUS.for_audiences("source")},
        "values of fewer types can occur",
        (
            "All results were allowed before; code that distinguishes the types may "
            "contain an unreachable case."
        ),
        ('{"type": ["string", "integer"]}', '{"type": "string"}'),
    ),
    ChangeRule(
        "O09",
        "output-choice-added",
        BREAKING.for_audiences("wire", "source"),
        "values outside the old list can occur",
        "Code that only handles the listed values fails, and validating clients reject new ones.",
        ('{"enum": ["open"]}', '{"enum": ["open", "closed"]}'),
        _AGAIN,
    ),
    ChangeRule(
        "O10",
        "output-choice-removed",
        COMPATIBLE.for_audiences("wire"),
        "fewer values can occur",
        "All results were allowed before.",
        ('{"enum": ["open", "closed"]}', '{"enum": ["open"]}'),
    ),
)
