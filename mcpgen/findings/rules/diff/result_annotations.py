"""Rules for annotations of results, and for the generated code that returns them."""

from __future__ import annotations

from mcpgen.findings.rule import BREAKING, COMPATIBLE, COSMETIC, DANGEROUS, ChangeRule

RULES = (
    ChangeRule(
        "O22",
        "output-default-changed",
        COSMETIC.for_audiences("agent"),
        "a default in the result's schema is new, gone or another one",
        "Nothing fills it in: what arrives is what the server sends.",
        ('{"default": 10}', '{"default": 100}'),
    ),
    ChangeRule(
        "O24",
        "output-dialect-changed",
        DANGEROUS.for_audiences("wire"),
        "the schema is written in another dialect",
        "The same keywords may mean something else, such as items and $ref.",
        ('"$schema": "http://json-schema.org/draft-07/schema"', "no $schema"),
        "Generate the client again and test it.",
    ),
    ChangeRule(
        "O24b",
        "output-content-changed",
        BREAKING.for_audiences("wire", "source"),
        "a string is encoded in another way, or holds another media type",
        "The same code reads something else in the text.",
        ('{"contentEncoding": "base64"}', '{"contentEncoding": "base32"}'),
        "Decode the value as it says now.",
    ),
    ChangeRule(
        "O25",
        "output-class-renamed",
        BREAKING.for_audiences("source"),
        "a generated class of the result has another name",
        "The schema keeps the same object in another place.",
        ('"$defs": {"Issue": {}}', '"$defs": {"Ticket": {}}'),
        "Import the class by its new name.",
    ),
    ChangeRule(
        "O26",
        "output-deprecated",
        COMPATIBLE.for_audiences("agent"),
        "a member of the result is deprecated, or is not any more",
        "It arrives as before, and may be gone in a later version.",
        ("{}", '{"deprecated": true}'),
        "Look for what replaces it.",
    ),
    ChangeRule(
        "O27",
        "output-impossible",
        DANGEROUS.for_audiences("wire", "source"),
        "no value is valid any more",
        "What was promised cannot arrive.",
        ('{"type": "string"}', "false"),
        "Do not read it; if it is required, every result is refused.",
    ),
    ChangeRule(
        "O28",
        "field-attribute-renamed",
        BREAKING.for_audiences("source"),
        "a member of the result has another name in Python",
        "On the wire it is the same; a new member took its Python name.",
        ('"properties": {"page-size": {}}', '"properties": {"page-size": {}, "page_size": {}}'),
        "Read it by its new name.",
    ),
    ChangeRule(
        "O29",
        "output-keyword-changed",
        DANGEROUS.for_audiences("agent"),
        "a keyword that JSON Schema does not know was changed",
        "A host or an agent may act on it.",
        ("{}", '{"x-order": 1}'),
        "Find out what reads it.",
    ),
    ChangeRule(
        "O30",
        "output-type-changed",
        BREAKING.for_audiences("source"),
        "the generated type is another one, which old code does not fit",
        "A class became another one of its name, as when unnamed branches change places, or a "
        "list's items are of a narrower type, although what arrives was allowed before.",
        (
            '{"anyOf": [{"title": "A"}, {"title": "B"}]}',
            '{"anyOf": [{"title": "B"}, {"title": "A"}]}',
        ),
        "Change the code that reads it until it type-checks.",
    ),
)
