"""Rules for output schemas."""

from __future__ import annotations

from mcpgen.findings.rule import Rule
from mcpgen.findings.severity import Level

RULES = (
    Rule(
        "L401",
        "output-schema-missing",
        Level.NOTE,
        "the tool has no outputSchema",
        "Neither models nor programs know the result before the first call.",
        ("no outputSchema", '"outputSchema": {"type": "object", "properties": {"id": {}}}'),
        "Return structured content, and declare its schema; in Python a typed return value does.",
    ),
    Rule(
        "L402",
        "output-text",
        Level.WARNING,
        "the outputSchema describes a single string",
        "The text is sent twice, as content and as structured content, and has no structure.",
        ('"properties": {"result": {"type": "string"}}', '"properties": {"books": {...}}'),
        "Return an object with named properties, or remove the outputSchema for plain text.",
    ),
    Rule(
        "L403",
        "output-open",
        Level.WARNING,
        "the outputSchema declares no property of the result",
        "It allows any object: the same as no schema, with the cost of one.",
        ('{"type": "object", "additionalProperties": true}', '"properties": {"id": ...}'),
        "Return a typed value instead of a dict.",
    ),
    Rule(
        "L404",
        "output-members-open",
        Level.NOTE,
        "properties of the result are undescribed",
        "Programs that read them are untyped, and models have to guess.",
        ('"items": {"type": "array", "items": {}}', '"items": {"properties": {"id": ...}}'),
        "Declare their properties, or describe all values.",
    ),
    Rule(
        "L405",
        "output-root-type",
        Level.ERROR,
        'the outputSchema has no "type": "object" at its root',
        (
            "Revisions before 2026-07-28 allow no other type, so clients may drop the tool or the "
            "list."
        ),
        ('"outputSchema": {"type": "array"}', '"properties": {"items": {"type": "array"}}'),
        "Put the value into a property of an object.",
    ),
    Rule(
        "L406",
        "output-nothing-required",
        Level.NOTE,
        "no property of the result is required",
        "An empty object is a valid result, so readers must expect every property to be missing.",
        ('"properties": {"id": {}}', '"properties": {"id": {}}, "required": ["id"]'),
        "Require the properties that are always present.",
    ),
    Rule(
        "L407",
        "output-sometimes-text",
        Level.NOTE,
        "the result is either structured or plain text",
        "Readers have to distinguish the cases each time; often the string is an error message.",
        ('"anyOf": [{"type": "object"}, {"type": "string"}]', "an object; errors with isError"),
        "Return one type, and report errors as errors.",
    ),
)
