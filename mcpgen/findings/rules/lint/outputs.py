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
        "Neither a model nor a program knows what comes back before it has called.",
        ("no outputSchema", '"outputSchema": {"type": "object", "properties": {"id": {}}}'),
        "Return structured content, and declare its schema; in Python a typed return value does.",
    ),
    Rule(
        "L402",
        "output-text",
        Level.WARNING,
        "the outputSchema promises one text and nothing more",
        "The text is sent twice, as content and as structured content, and has no structure.",
        ('"properties": {"result": {"type": "string"}}', '"properties": {"books": {...}}'),
        "Return an object with named members; of plain text leave the outputSchema out.",
    ),
    Rule(
        "L403",
        "output-open",
        Level.WARNING,
        "the outputSchema names no member of the result",
        "It allows any object: the same as no schema, with the cost of one.",
        ('{"type": "object", "additionalProperties": true}', '"properties": {"id": ...}'),
        "Return a typed value instead of a dict.",
    ),
    Rule(
        "L404",
        "output-members-open",
        Level.NOTE,
        "members of the result do not say what they hold",
        "A program that reads them is not typed, and a model has to try.",
        ('"items": {"type": "array", "items": {}}', '"items": {"properties": {"id": ...}}'),
        "Name their members, or say what all values are.",
    ),
    Rule(
        "L405",
        "output-root-type",
        Level.ERROR,
        'the outputSchema has no "type": "object" at its root',
        "Revisions before 2026-07-28 allow no other, so clients may drop the tool or the list.",
        ('"outputSchema": {"type": "array"}', '"properties": {"items": {"type": "array"}}'),
        "Put the value into a member of an object.",
    ),
    Rule(
        "L406",
        "output-nothing-required",
        Level.NOTE,
        "no member of the result is required",
        "An empty object is a valid result, so every member may be missing to whoever reads it.",
        ('"properties": {"id": {}}', '"properties": {"id": {}}, "required": ["id"]'),
        "Require what is always there.",
    ),
    Rule(
        "L407",
        "output-sometimes-text",
        Level.NOTE,
        "the result is structured or a mere text",
        "Whoever reads it has to find out each time; often the text is an error message.",
        ('"anyOf": [{"type": "object"}, {"type": "string"}]', "an object; errors with isError"),
        "Return one type, and report errors as errors.",
    ),
)
