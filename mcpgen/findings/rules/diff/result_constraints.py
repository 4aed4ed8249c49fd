"""Rules for constraints of results: bounds, patterns, conditions and alternatives."""

from __future__ import annotations

from mcpgen.findings.rule import BREAKING, COMPATIBLE, COSMETIC, DANGEROUS, ChangeRule

_READ = "Change the code that reads it, and generate the client again."
_AGAIN = "Generate the client again: the old one refuses such results."

RULES = (
    ChangeRule(
        "O11",
        "output-bound-loosened",
        BREAKING.for_audiences("wire"),
        "values outside the old bound or pattern can arrive",
        "A client that checks results by the old schema, as generated ones do, refuses them.",
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
        "strings in another than the old format can occur",
        "Code that counts on the format is surprised; no check refuses them, for this format is "
        "only a note.",
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
        "It had promised not to: a client that checks results by the old schema refuses them.",
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
        "The method gives a value of another sort; before 2026-07-28 only objects are allowed.",
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
        "Of not, if, dependentRequired, propertyNames, contains and the like: more can arrive.",
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
        "another number of array positions have their own type",
        "The generated type changed.",
        ('{"prefixItems": [{}, {}]}', '{"items": {}}'),
        _READ,
    ),
)
