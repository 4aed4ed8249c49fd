"""Rules for constraints of arguments: bounds, patterns, conditions and alternatives."""

from __future__ import annotations

from mcpgen.findings.rule import BREAKING, COMPATIBLE, COSMETIC, DANGEROUS, ChangeRule

_CALLS = "Change the calls whose values are now rejected."

RULES = (
    ChangeRule(
        "I12",
        "input-bound-tightened",
        BREAKING.for_audiences("wire"),
        "a bound is tighter or new",
        "Values outside it are rejected.",
        ('{"maximum": 100}', '{"maximum": 50}'),
        "Respect the new bound, which generated clients check.",
    ),
    ChangeRule(
        "I12b",
        "input-bound-formal",
        COSMETIC.for_audiences("wire"),
        "a bound at the limits of JavaScript's integers was added or removed",
        "Frameworks add 9007199254740991 to every integer, which no call reaches.",
        ('{"type": "integer"}', '{"type": "integer", "maximum": 9007199254740991}'),
    ),
    ChangeRule(
        "I13",
        "input-bound-loosened",
        COMPATIBLE.for_audiences("wire"),
        "a bound was relaxed or removed",
        "All previously valid values are still valid.",
        ('{"maximum": 50}', '{"maximum": 100}'),
    ),
    ChangeRule(
        "I14",
        "input-pattern-changed",
        BREAKING.for_audiences("wire"),
        "a pattern was added or changed",
        "It is undecidable in general whether one pattern allows all matches of another.",
        ('{"pattern": "^[a-z]+$"}', '{"pattern": "^[a-z]{2}$"}'),
        "Check that your values match it.",
    ),
    ChangeRule(
        "I15",
        "input-pattern-removed",
        COMPATIBLE.for_audiences("wire"),
        "a pattern was removed",
        "All previously valid values are still valid.",
        ('{"pattern": "^[a-z]+$"}', "{}"),
    ),
    ChangeRule(
        "I16",
        "input-format-changed",
        DANGEROUS.for_audiences("wire"),
        "a format was added or changed",
        "A server may reject values in another format; the generated type is the same.",
        ('{"type": "string"}', '{"type": "string", "format": "email"}'),
        "Check that your values have this format.",
    ),
    ChangeRule(
        "I16b",
        "input-format-retyped",
        {**DANGEROUS.for_audiences("wire"), **BREAKING.for_audiences("source")},
        "a format was added, removed or changed, and the generated type with it",
        "Dates, times, UUIDs and URIs have types of their own.",
        ('{"type": "string"}', '{"type": "string", "format": "date"}'),
        "Pass a value of the new type.",
    ),
    ChangeRule(
        "I16c",
        "input-format-removed",
        COMPATIBLE.for_audiences("wire"),
        "a format was removed",
        "All previously valid values are still valid, and the generated type is the same.",
        ('{"type": "string", "format": "email"}', '{"type": "string"}'),
    ),
    ChangeRule(
        "I17",
        "input-closed",
        DANGEROUS.for_audiences("wire"),
        "properties that the schema doesn't name are rejected or restricted now",
        "This affects only callers who pass such properties.",
        ('"properties": {"a": {}}', '"properties": {"a": {}}, "additionalProperties": false'),
        "Pass only properties that the schema names.",
    ),
    ChangeRule(
        "I17b",
        "input-opened",
        COMPATIBLE.for_audiences("wire"),
        "properties that the schema doesn't name are accepted, or less restricted",
        "All previously valid values are still valid.",
        ('"additionalProperties": false', '"additionalProperties": true'),
    ),
    ChangeRule(
        "I18",
        "input-condition-tightened",
        BREAKING.for_audiences("wire"),
        "a condition is new or stricter",
        (
            "This covers not, if, dependentRequired, propertyNames, contains and others. More "
            "values are rejected."
        ),
        ("{}", '{"dependentRequired": {"lat": ["lon"]}}'),
        _CALLS,
    ),
    ChangeRule(
        "I18b",
        "input-condition-loosened",
        COMPATIBLE.for_audiences("wire"),
        "a condition was removed or relaxed",
        "All previously valid values are still valid.",
        ('{"dependentRequired": {"lat": ["lon"]}}', "{}"),
    ),
    ChangeRule(
        "I19",
        "input-alternative-removed",
        BREAKING.for_audiences("wire", "source"),
        "an alternative was removed, or may no longer overlap with others",
        (
            "Values that only this alternative allowed are rejected; oneOf rejects "
            "values that two branches allow."
        ),
        ('{"anyOf": [{"title": "A"}, {"title": "B"}]}', '{"anyOf": [{"title": "A"}]}'),
        _CALLS,
    ),
    ChangeRule(
        "I20",
        "input-alternative-added",
        COMPATIBLE.for_audiences("wire", "source"),
        "there is a new alternative",
        "All previously valid values are still valid.",
        ('{"anyOf": [{"title": "A"}]}', '{"anyOf": [{"title": "A"}, {"title": "B"}]}'),
    ),
    ChangeRule(
        "I20b",
        "input-alternatives-overlap",
        DANGEROUS.for_audiences("wire"),
        "mutually exclusive alternatives changed, and may overlap",
        (
            "A value that was valid for one branch of oneOf may now be valid for two, which makes "
            "it invalid."
        ),
        ('{"oneOf": [{"title": "A"}]}', '{"oneOf": [{"title": "A"}, {"title": "B"}]}'),
        "Test the values that you pass.",
    ),
    ChangeRule(
        "I21",
        "input-tuple-changed",
        BREAKING.for_audiences("source"),
        "the number of array positions with their own type changed",
        "The generated type changed.",
        ('{"prefixItems": [{}, {}]}', '{"items": {}}'),
        "Pass a list of the new shape.",
    ),
)
