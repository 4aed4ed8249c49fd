"""Rules for annotations of results, and for the generated code that returns them."""

from __future__ import annotations

from mcpgen.findings.rule import BREAKING, COMPATIBLE, COSMETIC, DANGEROUS, ChangeRule

RULES = (
    ChangeRule(
        "O22",
        "output-default-changed",
        COSMETIC.for_audiences("agent"),
        "a default in the result's schema was added, removed or changed",
        "It isn't filled in: results stay as the server sends them.",
        ('{"default": 10}', '{"default": 100}'),
    ),
    ChangeRule(
        "O24",
        "output-dialect-changed",
        DANGEROUS.for_audiences("wire"),
        "the schema is written in another dialect",
        "The same keywords may mean something else, such as items and $ref.",
        ('"$schema": "http://json-schema.org/draft-07/schema"', "no $schema"),
        "Regenerate the client and test it.",
    ),
    ChangeRule(
        "O24b",
        "output-content-changed",
        BREAKING.for_audiences("wire", "source"),
        "a string has another encoding or media type",
        "Existing code decodes the string wrongly.",
        ('{"contentEncoding": "base64"}', '{"contentEncoding": "base32"}'),
        "Decode the value from the new encoding.",
    ),
    ChangeRule(
        "O25",
        "output-class-renamed",
        BREAKING.for_audiences("source"),
        "a generated class of the result has another name",
        "The schema has the same object at another pointer.",
        ('"$defs": {"Issue": {}}', '"$defs": {"Ticket": {}}'),
        "Import the class by its new name.",
    ),
    ChangeRule(
        "O26",
        "output-deprecated",
        COMPATIBLE.for_audiences("agent"),
        "a property of the result is now deprecated, or no longer",
        "It still arrives, but a later version may remove it.",
        ("{}", '{"deprecated": true}'),
        "Look for its replacement.",
    ),
    ChangeRule(
        "O27",
        "output-impossible",
        DANGEROUS.for_audiences("wire", "source"),
        "no value is valid",
        "The declared values can't occur.",
        ('{"type": "string"}', "false"),
        "Do not read it. If it is required, every result is invalid.",
    ),
    ChangeRule(
        "O28",
        "field-attribute-renamed",
        BREAKING.for_audiences("source"),
        "a property of the result has another name in Python",
        "The JSON name is the same, but a new property took its Python name.",
        ('"properties": {"page-size": {}}', '"properties": {"page-size": {}, "page_size": {}}'),
        "Read it by its new name.",
    ),
    ChangeRule(
        "O29",
        "output-keyword-changed",
        DANGEROUS.for_audiences("agent"),
        "a keyword unknown to JSON Schema was changed",
        "A host or an agent may act on it.",
        ("{}", '{"x-order": 1}'),
        "Find out which programs read it.",
    ),
    ChangeRule(
        "O30",
        "output-type-changed",
        BREAKING.for_audiences("source"),
        "the generated type changed, and old code doesn't fit it",
        (
            "A class was replaced by another with its name, for example when unnamed "
            "branches are reordered, or a list's items have a narrower type, although "
            "all results were allowed before."
        ),
        (
            '{"anyOf": [{"title": "A"}, {"title": "B"}]}',
            '{"anyOf": [{"title": "B"}, {"title": "A"}]}',
        ),
        "Change the code that reads it until it type-checks.",
    ),
)
