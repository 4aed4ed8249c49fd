"""Rules for constraints of results: bounds, patterns, conditions and alternatives."""

from __future__ import annotations

from mcpgen.findings.rule import BREAKING, COMPATIBLE, COSMETIC, DANGEROUS, ChangeRule

_READ = "Change the code that reads it, and regenerate the client."
_AGAIN = "Regenerate the client. The old one rejects such results."

RULES = (
    ChangeRule(
        "O11",
        "output-bound-loosened",
        BREAKING.for_audiences("wire"),
        "values outside the old bound or pattern can occur",
        (
            "Clients that validate results against the old schema, such as generated ones, reject "
            "them."
        ),
        ('{"maximum": 50}', '{"maximum": 100}'),
        _AGAIN,
    ),
    ChangeRule(
        "O11b",
        "output-format-retyped",
        {**DANGEROUS.for_audiences("wire"), **BREAKING.for_audiences("source")},
        "a format was added, removed or changed, and the generated type with it",
        "Dates, times, UUIDs and URIs have types of their own.",
        ('{"type": "string", "format": "date"}', '{"type": "string"}'),
        _READ,
    ),
    ChangeRule(
        "O11c",
        "output-format-loosened",
        DANGEROUS.for_audiences("wire"),
        "strings in other formats can occur",
        "Code that relies on the format may fail. Validation doesn't reject them, because this "
        "format is only an annotation.",
        ('{"type": "string", "format": "email"}', '{"type": "string"}'),
        "Check values before you rely on their format.",
    ),
    ChangeRule(
        "O12",
        "output-bound-tightened",
        COMPATIBLE.for_audiences("wire"),
        "a bound, pattern or format is tighter or new",
        "All results were allowed before.",
        ('{"maximum": 100}', '{"maximum": 50}'),
    ),
    ChangeRule(
        "O12b",
        "output-bound-formal",
        COSMETIC.for_audiences("wire"),
        "a bound at the limits of JavaScript's integers was added or removed",
        "Frameworks add 9007199254740991 to every integer, which no result reaches.",
        ('{"type": "integer"}', '{"type": "integer", "maximum": 9007199254740991}'),
    ),
    ChangeRule(
        "O13",
        "output-opened",
        BREAKING.for_audiences("wire"),
        "the result may have properties that the schema doesn't name",
        "The old schema excluded them, so clients that validate against it reject the result.",
        ('"additionalProperties": false', "no additionalProperties"),
        _AGAIN,
    ),
    ChangeRule(
        "O13b",
        "output-closed",
        COMPATIBLE.for_audiences("wire"),
        "the result has only the properties that the schema names",
        "All results were allowed before.",
        ("no additionalProperties", '"additionalProperties": false'),
    ),
    ChangeRule(
        "O14",
        "output-root-changed",
        BREAKING.for_audiences("wire", "source"),
        "the result is no longer an object, or became one",
        "The method returns another type of value. Before 2026-07-28, only objects are allowed.",
        ('"outputSchema": {"type": "object"}', '"outputSchema": {"type": "array"}'),
        _READ,
    ),
    ChangeRule(
        "O15",
        "output-wrapped",
        BREAKING.for_audiences("source"),
        "the result is now wrapped in a property named result, or no longer",
        "The method returns the wrapped value, or without a wrapper the complete result.",
        ('{"x-fastmcp-wrap-result": true}', "{}"),
        _READ,
    ),
    ChangeRule(
        "O16",
        "output-condition-loosened",
        BREAKING.for_audiences("wire"),
        "a condition on the result was removed or relaxed",
        (
            "This covers not, if, dependentRequired, propertyNames, contains and others. More "
            "values can occur."
        ),
        ('{"dependentRequired": {"lat": ["lon"]}}', "{}"),
        _AGAIN,
    ),
    ChangeRule(
        "O16b",
        "output-condition-tightened",
        COMPATIBLE.for_audiences("wire"),
        "a condition on the result is new or stricter",
        "All results were allowed before.",
        ("{}", '{"dependentRequired": {"lat": ["lon"]}}'),
    ),
    ChangeRule(
        "O21",
        "output-tuple-changed",
        BREAKING.for_audiences("source"),
        "the number of array positions with their own type changed",
        "The generated type changed.",
        ('{"prefixItems": [{}, {}]}', '{"items": {}}'),
        _READ,
    ),
)
