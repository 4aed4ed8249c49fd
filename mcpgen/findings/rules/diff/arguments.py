"""Rules for the types and values of arguments: a valid call must stay valid."""

from __future__ import annotations

from mcpgen.findings.rule import BREAKING, COMPATIBLE, DANGEROUS, SECURITY, ChangeRule

_CALLS = "Change the calls whose values are now rejected."

RULES = (
    ChangeRule(
        "I01",
        "argument-required-added",
        BREAKING.for_audiences("wire", "source"),
        "there is a new required argument",
        "Every call without it is rejected. A default in the schema doesn't fill it in.",
        ('"properties": {}', '"properties": {"unit": {}}, "required": ["unit"]'),
        "Pass it in every call.",
    ),
    ChangeRule(
        "I02",
        "argument-added",
        COMPATIBLE.for_audiences("agent"),
        "there is a new optional argument",
        "Calls that omit it still work.",
        ('"properties": {}', '"properties": {"unit": {}}'),
    ),
    ChangeRule(
        "I02b",
        "argument-side-channel",
        SECURITY.for_audiences("agent"),
        "the name of a new free-text argument invites an agent to disclose its context",
        "An argument called context, notes or reasoning can carry a conversation to the server. "
        "Found only with --side-channels.",
        ('"properties": {}', '"properties": {"reasoning": {"type": "string"}}'),
        "Find out how the server uses it, and omit it from calls.",
    ),
    ChangeRule(
        "I02c",
        "argument-named",
        DANGEROUS.for_audiences("wire"),
        "a property that could have any value now has a schema",
        (
            "The object allows additional properties, so callers may have sent this one with "
            "other values."
        ),
        ('"additionalProperties": true', '"additionalProperties": true, "properties": {"n": {}}'),
        "Check the values that you send under this name.",
    ),
    ChangeRule(
        "I03",
        "argument-became-required",
        BREAKING.for_audiences("wire", "source"),
        "an optional argument is required now",
        "Calls without it are rejected.",
        ('"required": []', '"required": ["unit"]'),
        "Pass it in every call.",
    ),
    ChangeRule(
        "I04",
        "argument-became-optional",
        COMPATIBLE.for_audiences("wire", "source"),
        "a required argument is optional now",
        "Calls that pass it still work.",
        ('"required": ["unit"]', '"required": []'),
    ),
    ChangeRule(
        "I05",
        "argument-removed",
        BREAKING.for_audiences("wire", "source"),
        "an argument was removed, and unknown ones are rejected",
        "Calls that pass it are rejected, and its keyword is no longer generated.",
        ('"properties": {"unit": {}}', '"properties": {}, "additionalProperties": false'),
        "Stop passing it.",
    ),
    ChangeRule(
        "I06",
        "argument-ignored",
        {**DANGEROUS.for_audiences("wire"), **BREAKING.for_audiences("source")},
        "an argument was removed, and unknown ones are ignored",
        "Calls that pass it work, but it has no effect; its keyword is no longer generated.",
        ('"properties": {"unit": {}}', '"properties": {}'),
        "Stop passing it, and check the effect of the call without it.",
    ),
    ChangeRule(
        "I08",
        "input-narrowed",
        BREAKING.for_audiences("wire", "source"),
        "values of some type are now rejected",
        "The type was replaced or narrowed, or null or unlisted properties are rejected.",
        ('{"type": ["string", "null"]}', '{"type": "string"}'),
        _CALLS,
    ),
    ChangeRule(
        "I09",
        "input-widened",
        COMPATIBLE.for_audiences("wire", "source"),
        "values of more types are accepted",
        "All previously valid values are still valid.",
        ('{"type": "integer"}', '{"type": "number"}'),
    ),
    ChangeRule(
        "I10",
        "input-choice-removed",
        BREAKING.for_audiences("wire", "source"),
        "a value is no longer allowed",
        "Calls that pass it are rejected.",
        ('{"enum": ["asc", "desc"]}', '{"enum": ["asc"]}'),
        _CALLS,
    ),
    ChangeRule(
        "I11",
        "input-choice-added",
        COMPATIBLE.for_audiences("wire", "source"),
        "more values are allowed",
        "All previously valid values are still valid.",
        ('{"enum": ["asc"]}', '{"enum": ["asc", "desc"]}'),
    ),
)
