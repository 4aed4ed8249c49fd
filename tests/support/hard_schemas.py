"""Handwritten schemas that are hard to type. Each is small and named after its difficulty."""

from __future__ import annotations

from typing import Any

from mcpgen.jsontext import Json

DRAFT_7 = "http://json-schema.org/draft-07/schema#"
DRAFT_3 = "http://json-schema.org/draft-03/schema#"
DRAFT_4 = "http://json-schema.org/draft-04/schema#"
DRAFT_2019 = "https://json-schema.org/draft/2019-09/schema"

TEXT: Json = {"type": "string"}
WHOLE: Json = {"type": "integer"}


def record(*required: str, **members: Json) -> dict[str, Any]:
    return {"type": "object", "properties": members, "required": [*required]}


def tagged_record(tag: str, **members: Json) -> dict[str, Any]:
    return record("kind", kind={"const": tag}, **members)


def items(schema: Json, **more: Json) -> dict[str, Any]:
    return {"type": "array", "items": schema, **more}


SCALARS: dict[str, Json] = {
    f"{kind} alone": {"type": kind}
    for kind in ("string", "integer", "number", "boolean", "null", "array", "object")
}
NUMBERS: dict[str, Json] = {
    "a whole number in bounds": {"type": "integer", "minimum": 1, "maximum": 3},
    "a whole number between halves": {
        "type": "integer",
        "minimum": 0.5,
        "maximum": 2.5,
    },
    "a whole number strictly between": {"type": "integer", "exclusiveMinimum": 0.5}
    | {"exclusiveMaximum": 3},
    "a number in bounds": {"type": "number", "minimum": 0.1, "maximum": 2},
    "a number strictly between": {"type": "number", "exclusiveMinimum": 0}
    | {"exclusiveMaximum": 1},
    "a number between whole numbers": {"type": "number", "exclusiveMinimum": 0.5}
    | {"exclusiveMaximum": 2.5},
    "a step": {"type": "integer", "multipleOf": 3},
    "a step and bounds": {
        "type": "integer",
        "multipleOf": 5,
        "minimum": -10,
        "maximum": 10,
    },
    "a step that is a pointed number": {"type": "integer", "multipleOf": 2.0},
    "half a step": {"type": "integer", "multipleOf": 0.5},
    "a step of any number": {"type": "number", "multipleOf": 0.1},
    "a step of one": {"type": "number", "multipleOf": 1},
    "a bound beyond doubles": {"type": "integer", "maximum": 2**53 + 1},
    "the largest exact bound": {
        "type": "integer",
        "maximum": 2**53 - 1,
        "minimum": -(2**53) + 1,
    },
    "a bound beyond 64 bits": {"type": "integer", "minimum": 2**64},
    "a bound as large as doubles": {"type": "number", "maximum": 1e308},
    "two bounds of one kind": {
        "allOf": [{"minimum": 2}, {"minimum": 1}],
        "type": "integer",
    },
    "two kinds of one bound": {"type": "integer", "minimum": 2, "exclusiveMinimum": 2},
    "two kinds of one bound, halved": {
        "type": "integer",
        "minimum": 2.5,
        "exclusiveMinimum": 2.5,
    },
    "bounds that leave nothing": {"type": "integer", "minimum": 3, "maximum": 2},
    "bounds of a text on a number": {"type": "integer", "minLength": 3},
    "bounds of a number on a text": {"type": "string", "minimum": 3},
    "an old exclusive bound": {"$schema": DRAFT_4, "type": "number", "minimum": 1}
    | {"exclusiveMinimum": True},
    "a whole number of the old kind": {"$schema": DRAFT_4, "type": "integer"},
    "a number or a text": {"type": ["number", "string"], "minimum": 2, "minLength": 2},
    "a whole number or a number": {"type": ["integer", "number"]},
    "a whole number in one case, any in another": {"anyOf": [WHOLE, {"type": "number"}]},
    "a number of either sign": {
        "anyOf": [
            {"type": "integer", "maximum": -5},
            {"type": "number", "minimum": 5.5},
        ]
    },
    "a boolean or a number": {"type": ["boolean", "number"]},
    "a boolean or a whole number": {"anyOf": [{"type": "boolean"}, WHOLE]},
}
TEXTS: dict[str, Json] = {
    "a text of some length": {"type": "string", "minLength": 2, "maxLength": 3},
    "a text of a pointed length": {"type": "string", "minLength": 2.0},
    "a text of no least length": {"type": "string", "minLength": 0, "maxLength": 0},
    "a pattern": {"type": "string", "pattern": "^a"},
    "a pattern of no text": {"type": ["integer", "null"], "pattern": "^a"},
    "a date": {"type": "string", "format": "date"},
    "a moment": {"type": "string", "format": "date-time"},
    "a UUID": {"type": "string", "format": "uuid"},
    "an address": {"type": "string", "format": "uri"},
    "a time of day": {"type": "string", "format": "time"},
    "a format without a type": {"format": "date"},
    "a format of no text": {"type": "integer", "format": "date-time"},
    "a date of some length": {"type": "string", "format": "date", "minLength": 8},
    "a date or nothing": {"anyOf": [{"type": "string", "format": "date"}, {"type": "null"}]},
    "a date or a moment": {
        "anyOf": [
            {"type": "string", "format": "date"},
            {"type": "string", "format": "date-time"},
        ]
    },
    "a UUID or a number": {
        "anyOf": [
            {"type": "string", "format": "uuid"},
            {"type": "number"},
            {"type": "boolean"},
        ]
    },
    "dates": items({"type": "string", "format": "date"}),
    "moments by name": {
        "type": "object",
        "additionalProperties": {"type": "string", "format": "date-time"},
    },
    "an address or a short text": {
        "oneOf": [
            {"type": "string", "format": "uri"},
            {"type": "string", "maxLength": 4},
        ]
    },
    "members of every format": record(
        "day",
        day={"type": "string", "format": "date"},
        at={"type": "string", "format": "date-time"},
        id={"type": "string", "format": "uuid"},
        link={"type": ["string", "null"], "format": "uri"},
    ),
}
CHOICES: dict[str, Json] = {
    "string enum": {"enum": ["a", "b", ""]},
    "string enum with a type": {"type": "string", "enum": ["a", "b", 1]},
    "non-string enum": {"type": "integer", "enum": ["a", 1, 2.0, 2.5, True]},
    "a choice of numbers": {"enum": [1, 2, 3]},
    "a choice of pointed numbers": {"enum": [1.0, 2.5]},
    "a choice of large numbers": {"enum": [2**63, 2**64, -(2**63) - 1]},
    "a choice of one and true": {"enum": [1, True]},
    "a choice of nought and false": {"enum": [0, False, ""]},
    "enum of null and strings": {"enum": ["a", None]},
    "enum of null only": {"enum": [None]},
    "a choice without values": {"enum": []},
    "a choice of lists": {"enum": [[1], [1.0, "a"], {"a": 1}]},
    "a choice among kinds": {"enum": ["a", 1, True, None, 1.5, [], {}]},
    "true alone": {"const": True},
    "false, typed": {"type": "boolean", "const": False},
    "one alone": {"const": 1},
    "one alone, pointed": {"const": 1.0},
    "null alone": {"const": None},
    "a text alone": {"const": "a"},
    "a list alone": {"const": [1, {"a": None}]},
    "an object alone": {"const": {"a": 1}},
    "choices that share some": {"allOf": [{"enum": ["a", "b", 1]}, {"enum": ["b", True, "c"]}]},
    "a choice with a bound": {"enum": [1, 5, 9], "minimum": 4},
    "a choice of some length": {"enum": ["a", "abc"], "minLength": 2},
    "a choice by a pattern": {"enum": ["a", "b"], "pattern": "a"},
    "a choice or a number": {"anyOf": [{"enum": ["auto"]}, {"type": "number"}]},
    "a choice or any text": {"anyOf": [{"enum": ["auto"]}, TEXT]},
    "one of two choices": {"oneOf": [{"enum": ["a", "b"]}, {"enum": ["b", "c"]}]},
    "one of two choices apart": {"oneOf": [{"enum": ["a", "b"]}, {"enum": ["c"]}]},
    "true or a whole number": {"anyOf": [{"const": True}, {"type": "integer"}]},
    "one or a boolean": {"anyOf": [{"const": 1}, {"type": "boolean"}]},
    "a choice of whole numbers or a boolean": {"anyOf": [{"enum": [0, 1]}, {"type": "boolean"}]},
    "a choice of quotes": {"enum": ['"', "'", "\\", "\n", "\u2028", "{x}", "\u202e", "é"]},
    "a long choice": {"enum": [f"the value of number {n}" for n in range(40)]},
    "lists of choices": items({"enum": [1, "1", True]}),
}
ARRAYS: dict[str, Json] = {
    "a list of some length": items(WHOLE, minItems=1, maxItems=2),
    "a list of different items": items(WHOLE, uniqueItems=True),
    "a list that holds": {"type": "array", "contains": {"const": 1}},
    "a list of lists": items(items(items({"type": "number"}))),
    "a list of nothing": items(False),
    "a list of nulls": items({"type": "null"}),
    "a list of nothing or numbers": items({"type": ["number", "null"]}),
    "a tuple": {"type": "array", "prefixItems": [TEXT, WHOLE]},
    "a closed tuple": {"type": "array", "prefixItems": [TEXT, WHOLE], "items": False},
    "a whole tuple": {"type": "array", "prefixItems": [TEXT, WHOLE], "items": False}
    | {"minItems": 2},
    "a tuple of a length": {
        "type": "array",
        "prefixItems": [TEXT, WHOLE],
        "minItems": 2,
    }
    | {"maxItems": 2},
    "a tuple of a greater length": {
        "type": "array",
        "prefixItems": [TEXT],
        "minItems": 2,
    }
    | {"maxItems": 2},
    "a tuple with more numbers": {
        "type": "array",
        "prefixItems": [TEXT],
        "items": WHOLE,
    }
    | {"minItems": 1},
    "a tuple of nothing": {"type": "array", "prefixItems": [], "items": False},
    "a tuple of dates": {
        "type": "array",
        "prefixItems": [{"type": "string", "format": "date"}, record(a=WHOLE)],
        "items": False,
        "minItems": 2,
    },
    "an old tuple": {"$schema": DRAFT_7, "type": "array", "items": [TEXT, WHOLE]}
    | {"additionalItems": False, "minItems": 2},
    "an old tuple with more": {"$schema": DRAFT_7, "type": "array", "items": [TEXT]}
    | {"additionalItems": WHOLE},
    "an old list": {
        "$schema": DRAFT_7,
        "type": "array",
        "items": TEXT,
        "additionalItems": False,
    },
    "a tuple of 2019": {"$schema": DRAFT_2019, "type": "array", "items": [TEXT, WHOLE]}
    | {"additionalItems": False, "minItems": 2, "maxItems": 2},
    "an array without a type": {"items": WHOLE},
    "a tuple with a place for nothing": {"type": "array", "prefixItems": [TEXT, False]}
    | {"items": False, "minItems": 1},
    "a list or its item": {"anyOf": [TEXT, items(TEXT)]},
    "two kinds of lists": {"anyOf": [items(TEXT), items(WHOLE)]},
    "two kinds of lists, one only": {"oneOf": [items(TEXT), items(WHOLE)]},
    "lists with a whole and with any numbers": {"anyOf": [items(WHOLE), items({"type": "number"})]},
    "a list with two rules": {
        "type": "array",
        "allOf": [{"items": TEXT}, {"items": {"minLength": 2}}],
    },
    "a pointed length": {"type": "array", "minItems": 1.0},
}
OBJECTS: dict[str, Json] = {
    "an open object": record("a", a=WHOLE, b=TEXT),
    "a closed object": {**record("a", a=WHOLE, b=TEXT), "additionalProperties": False},
    "explicitly open object": {**record(a=WHOLE), "additionalProperties": True},
    "an object with more numbers": {
        **record("a", a=TEXT),
        "additionalProperties": WHOLE,
    },
    "an object with more of anything": {
        **record("a", a=TEXT),
        "additionalProperties": {},
    },
    "a closed object without members": {
        "type": "object",
        "additionalProperties": False,
    },
    "numbers by name": {"type": "object", "additionalProperties": WHOLE},
    "numbers or nothing by name": {
        "type": "object",
        "additionalProperties": {"anyOf": [WHOLE, {"type": "null"}]},
    },
    "objects by name": {"type": "object", "additionalProperties": record("a", a=WHOLE)},
    "nothing by name": {
        "type": "object",
        "additionalProperties": False,
        "properties": {},
    },
    "a few by name": {
        "type": "object",
        "additionalProperties": WHOLE,
        "minProperties": 1,
    }
    | {"maxProperties": 2},
    "a few members": {
        **record(a=WHOLE, b=WHOLE),
        "minProperties": 1,
        "maxProperties": 2,
    },
    "a required member without a schema": {"type": "object", "required": ["a"]},
    "a required member of anything": record("a", a={}),
    "a required member of nothing": record("a", a=False),
    "a member of nothing": record(a=False, b=WHOLE),
    "a member that may be null": record(a={"type": ["integer", "null"]}, b={"type": "null"}),
    "a required member that may be null": record("a", a={"type": ["integer", "null"]}),
    "members of anything": record(a={}, b=True, c={"description": "anything"}),
    "members without a type": {"properties": {"a": WHOLE}, "required": ["a"]},
    "an object or nothing": {"type": ["object", "null"], "properties": {"a": WHOLE}},
    "objects or nothing, in objects": record(
        a={"type": ["object", "null"], "properties": {"b": WHOLE}, "required": ["b"]},
        b={"type": ["object", "null"], "additionalProperties": False},
        c=items(
            {
                "type": ["object", "null", "array"],
                "properties": {"d": WHOLE},
                "items": WHOLE,
            }
        ),
    ),
    "an object or nothing, which holds itself": {
        "type": ["object", "null"],
        "properties": {"next": {"$ref": "#"}},
        "required": ["next"],
    },
    "a part or nothing, which holds itself": {
        "$ref": "#/$defs/n",
        "$defs": {
            "n": {
                "type": ["object", "null"],
                "properties": {"n": {"$ref": "#/$defs/n"}, "m": TEXT},
            }
        },
    },
    "an object or a text": {"type": ["object", "string"], "properties": {"a": WHOLE}}
    | {"additionalProperties": False},
    "names by a pattern": {"type": "object", "patternProperties": {"^x": WHOLE}},
    "names by a pattern only": {"type": "object", "patternProperties": {"^x": WHOLE}}
    | {"additionalProperties": False},
    "members and names by a pattern": {
        **record(a=TEXT),
        "patternProperties": {"^x": WHOLE},
    },
    "properties and patterns, closed": {
        **record(a=TEXT, x1=WHOLE),
        "patternProperties": {"^x": WHOLE},
        "additionalProperties": False,
    },
    "pattern properties, strings otherwise": {
        "type": "object",
        "patternProperties": {"^x": WHOLE},
        "additionalProperties": TEXT,
    },
    "names by a rule": {"type": "object", "propertyNames": {"maxLength": 2}},
    "what depends": {**record(a=WHOLE, b=WHOLE), "dependentRequired": {"a": ["b"]}},
    "what depended once": {
        "$schema": DRAFT_7,
        **record(a=WHOLE),
        "dependencies": {"a": ["b"]},
    },
    "closed object": {**record(a=WHOLE), "unevaluatedProperties": False},
    "names that Python has": record(
        "class",
        **{
            "class": WHOLE,
            "def": TEXT,
            "None": TEXT,
            "self": TEXT,
            "_raw": TEXT,
            "__init__": TEXT,
        },
    ),
    "names that models have": record(
        **dict.fromkeys(
            (
                "model_dump",
                "json",
                "copy",
                "schema",
                "extras",
                "_extras",
                "model_fields",
            ),
            WHOLE,
        )
    ),
    "similar names": record(
        **{
            "a-b": WHOLE,
            "a_b": TEXT,
            "aB": {"type": "boolean"},
            "a.b": {"type": "null"},
            "A_B": {},
        }
    ),
    "a name that in Python is another's": record(
        createdAt={"type": ["string", "null"]},
        a=record(**{"foo-bar": TEXT, "class": WHOLE}),
    ),
    "unpronounceable names": record("", **{"": WHOLE, " ": TEXT, "\n": TEXT, "é": TEXT, "1": {}}),
    "odd names, closed": {
        **record("a-b", **{"a-b": WHOLE, "$ref": TEXT}),
        "additionalProperties": False,
    },
    "an empty name, closed": {
        **record("", **{"": WHOLE}),
        "additionalProperties": False,
    },
    "names that shadow": record(
        str=TEXT, list=items(TEXT), date={"type": "string", "format": "date"}
    ),
    "an object in an object": record(
        "a", a=record("b", b={**record("c", c=WHOLE), "additionalProperties": False})
    ),
    "objects in a list": items(record("a", a=WHOLE, b={"type": ["string", "null"]})),
    "two parts": {"allOf": [record("a", a=WHOLE), record("b", b=TEXT)]},
    "two parts that share a member": {
        "allOf": [record("a", a={"type": "number"}), record(a={"minimum": 3})]
    },
    "two parts, one closed": {
        "allOf": [
            record("a", a=WHOLE),
            {**record(a=WHOLE, b=TEXT), "additionalProperties": False},
        ]
    },
    "two parts, the first closed": {
        "allOf": [
            {**record("a", a=WHOLE), "additionalProperties": False},
            record(b=TEXT),
        ]
    },
    "two parts, both closed": {
        "allOf": [
            {**record("a", a=WHOLE), "additionalProperties": False},
            {**record(a=WHOLE), "additionalProperties": False},
        ]
    },
    "two parts, one closed without members": {
        "allOf": [{"type": "object", "additionalProperties": False}, record(a=WHOLE)]
    },
    "two parts, the closed one last and without members": {
        "allOf": [record(a=WHOLE), {"type": "object", "additionalProperties": False}]
    },
    "two parts, one with more": {
        "allOf": [
            record("a", a=WHOLE),
            {"type": "object", "additionalProperties": WHOLE},
        ]
    },
    "two parts, the first with more": {
        "allOf": [
            {"type": "object", "additionalProperties": WHOLE},
            record("a", a=WHOLE),
        ]
    },
    "odd names, open in a closed object": {
        **record("b", a=record(**{"a-b": WHOLE}), b=TEXT),
        "additionalProperties": False,
    },
    "two parts, both with more": {
        "allOf": [
            {"type": "object", "additionalProperties": WHOLE},
            {"type": "object", "additionalProperties": {"minimum": 2}},
        ]
    },
    "a part that requires": {
        **record(a=WHOLE, b=WHOLE),
        "allOf": [{"required": ["b"]}],
    },
    "parts without types": {"allOf": [{"properties": {"a": WHOLE}}, {"required": ["a"]}]},
    "impossible object": {"type": "object", "allOf": [False]},
    "an object that is a text": {"type": "object", "allOf": [TEXT]},
    "a required name that no text holds": {"type": "object", "required": ["\ud800"]},
    "closed object with allOf": {
        "type": "object",
        "properties": {"a": WHOLE},
        "additionalProperties": False,
        "allOf": [{"properties": {"b": TEXT}}],
    },
}
IMPOSSIBLE: Json = {**record("a", b=TEXT), "additionalProperties": False}
"""Closed, and yet it requires what it does not name: no value is valid."""

CLOSED_AND_REQUIRED: dict[str, Json] = {
    "closed object with an undeclared required property": IMPOSSIBLE,
    "nullable closed object with an undeclared required property": {
        **IMPOSSIBLE,
        "type": ["object", "null"],
    },
    "the impossible as a member": record("x", x=IMPOSSIBLE, y=IMPOSSIBLE),
    "the impossible in a list": items(IMPOSSIBLE),
    "the impossible by name": {"type": "object", "additionalProperties": IMPOSSIBLE},
    "the impossible or a text": {"anyOf": [IMPOSSIBLE, TEXT]},
    "the impossible or nothing": {"anyOf": [IMPOSSIBLE, {"type": "null"}]},
    "the impossible by reference": {"$ref": "#/$defs/n", "$defs": {"n": IMPOSSIBLE}},
    "tagged, one impossible": {
        "oneOf": [
            {
                **tagged_record("a", x=WHOLE),
                "required": ["kind", "y"],
                "additionalProperties": False,
            },
            tagged_record("b", x=TEXT),
        ]
    },
    "closed part, requiring part": {
        "allOf": [
            {**record(b=TEXT), "additionalProperties": False},
            {"required": ["a"]},
        ]
    },
    "requiring part, closed part": {
        "allOf": [
            {"required": ["a"]},
            {**record(b=TEXT), "additionalProperties": False},
        ]
    },
    "closed without members, requiring": {
        "type": "object",
        "required": ["a"],
        "additionalProperties": False,
    },
    "nothing beyond no members, requiring": {
        "type": "object",
        "required": ["a"],
        "properties": {},
        "unevaluatedProperties": False,
    },
    "nothing beyond members, requiring another": {
        **record("a", b=TEXT),
        "unevaluatedProperties": False,
    },
    "a closed object that forbids a member": {
        **record("b", a=False, b=TEXT),
        "additionalProperties": False,
    },
    "closed object that requires a forbidden property": {
        **record("a", a=False, b=TEXT),
        "additionalProperties": False,
    },
    "more texts, one required": {
        "type": "object",
        "required": ["a"],
        "additionalProperties": TEXT,
    },
    "an old closed object, requiring another": {"$schema": DRAFT_7, **IMPOSSIBLE},
    "an older closed object, requiring another": {"$schema": DRAFT_4, **IMPOSSIBLE},
    "a closed object of 2019, requiring another": {"$schema": DRAFT_2019, **IMPOSSIBLE},
}
OF_OTHER_DIALECTS: dict[str, Json] = {
    "a constant before there were any": {
        "$schema": DRAFT_4,
        **record("a", a={"const": 1}),
    },
    "places before there were any": {
        "$schema": DRAFT_7,
        **record(
            "a",
            a={"type": "array", "prefixItems": [TEXT], "items": False, "minItems": 1},
        ),
    },
    "alternatives before there were any": {
        "$schema": DRAFT_3,
        **record(a={"anyOf": [TEXT, WHOLE]}, b={"allOf": [TEXT]}),
    },
    "properties with a required keyword": {
        "$schema": DRAFT_3,
        "type": "object",
        "properties": {
            "a": {"type": "string", "required": True},
            "b": {"type": "string"},
        },
    },
    "a type that an old reference hides": {
        "$schema": DRAFT_7,
        "type": "object",
        "$ref": "#/definitions/n",
        "definitions": {"n": {"type": "boolean"}},
    },
    "a whole number of the old kind, of a few": {
        "$schema": DRAFT_4,
        **record(a={"type": "integer", "enum": [1]}),
    },
    "schemas among types": {
        "$schema": DRAFT_3,
        "type": "object",
        "properties": {
            "a": {"type": ["string", {"type": "integer"}]},
            "b": {"type": "any"},
        },
    },
}
UNIONS: dict[str, Json] = {
    "tagged": {"oneOf": [tagged_record("a", x=WHOLE), tagged_record("b", x=TEXT)]},
    "tagged, any": {"anyOf": [tagged_record("a", x=WHOLE), tagged_record("b", x=TEXT)]},
    "tagged, the tag optional": {
        "oneOf": [
            record(kind={"const": "a"}, x=WHOLE),
            record(kind={"const": "b"}, x=TEXT),
        ]
    },
    "tagged by choices": {
        "oneOf": [
            record("kind", kind={"enum": ["a", "b"]}, x=WHOLE),
            record("kind", kind={"enum": ["c"]}, x=TEXT),
        ]
    },
    "tagged by choices that overlap": {
        "oneOf": [
            record("kind", kind={"enum": ["a", "b"]}, x=WHOLE),
            record("kind", kind={"enum": ["b", "c"]}, x=TEXT),
        ]
    },
    "tagged by numbers": {
        "oneOf": [
            record("v", v={"const": 1}, x=WHOLE),
            record("v", v={"const": 2}, x=TEXT),
        ]
    },
    "tagged by one and true": {
        "oneOf": [
            record("v", v={"const": 1}, x=WHOLE),
            record("v", v={"const": True}, x=TEXT),
        ]
    },
    "tagged by booleans": {
        "oneOf": [
            record("ok", ok={"const": True}, x=WHOLE),
            record("ok", ok={"const": False}, error=TEXT),
        ]
    },
    "tagged by booleans and null": {
        "oneOf": [
            record("v", v={"const": None}, x=WHOLE),
            record("v", v={"const": False}),
        ]
    },
    "tagged, typed": {
        "oneOf": [
            record("kind", kind={"type": "string", "const": "a"}),
            record("kind", kind={"type": "string", "const": "b"}),
        ]
    },
    "tagged, closed": {
        "oneOf": [
            {**tagged_record("a", x=WHOLE), "additionalProperties": False},
            {**tagged_record("b"), "additionalProperties": False},
        ]
    },
    "tagged under a name that Python has": {
        "oneOf": [
            record("class", **{"class": {"const": "a"}}, x=WHOLE),
            record("class", **{"class": {"const": "b"}}),
        ]
    },
    "tagged under a name with a dash": {
        "oneOf": [
            record("@type", **{"@type": {"const": "a"}}, x=WHOLE),
            record("@type", **{"@type": {"const": "b"}}),
        ]
    },
    "tagged or nothing": {
        "anyOf": [tagged_record("a", x=WHOLE), tagged_record("b"), {"type": "null"}]
    },
    "tagged or nothing, twice": {
        "oneOf": [
            tagged_record("a", x=WHOLE),
            tagged_record("b"),
            {"type": "null"},
            {"type": "null"},
        ]
    },
    "tagged or a text": {"oneOf": [tagged_record("a", x=WHOLE), tagged_record("b"), TEXT]},
    "tagged with a shared part": {
        "type": "object",
        "properties": {"id": WHOLE},
        "required": ["id"],
        "oneOf": [tagged_record("a", x=WHOLE), tagged_record("b", y=TEXT)],
    },
    "tagged with a shared part, closed": {
        "type": "object",
        "properties": {"id": WHOLE},
        "required": ["id"],
        "additionalProperties": False,
        "oneOf": [tagged_record("a"), tagged_record("b")],
    },
    "tagged without a type": {
        "oneOf": [
            {"properties": {"kind": {"const": "a"}, "x": WHOLE}, "required": ["kind"]},
            {"properties": {"kind": {"const": "b"}}, "required": ["kind"]},
        ]
    },
    "tagged with the type outside": {
        "type": "object",
        "oneOf": [
            {"properties": {"kind": {"const": "a"}, "x": WHOLE}, "required": ["kind"]},
            {"properties": {"kind": {"const": "b"}}, "required": ["kind"]},
        ],
    },
    "tagged by reference": {
        "oneOf": [{"$ref": "#/$defs/a"}, {"$ref": "#/$defs/b"}],
        "$defs": {"a": tagged_record("a", x=WHOLE), "b": tagged_record("b", x=TEXT)},
    },
    "tagged, twice the same": {"oneOf": [tagged_record("a"), tagged_record("a")]},
    "tagged, any, twice the same": {
        "anyOf": [tagged_record("a", x=WHOLE), tagged_record("a", y=WHOLE)]
    },
    "tagged by two members": {
        "oneOf": [
            record("p", "q", p={"const": "a"}, q={"const": "a"}, x=WHOLE),
            record("p", "q", p={"const": "a"}, q={"const": "b"}),
            record("p", "q", p={"const": "b"}, q={"const": "a"}),
        ]
    },
    "tagged lists": {
        "type": "array",
        "items": {"oneOf": [tagged_record("a", x=WHOLE), tagged_record("b", x=TEXT)]},
    },
    "tagged in tags": {
        "oneOf": [
            tagged_record("a", x={"oneOf": [tagged_record("c", y=WHOLE), tagged_record("d")]}),
            tagged_record("b", x={"oneOf": [tagged_record("c"), tagged_record("d", y=WHOLE)]}),
        ]
    },
    "tags by a nested union": {
        "oneOf": [
            {"oneOf": [tagged_record("a", x=WHOLE), tagged_record("b")]},
            tagged_record("c", x=TEXT),
        ]
    },
    "tagged through parts": {
        "oneOf": [
            {"allOf": [tagged_record("a"), record("x", x=WHOLE)]},
            {"allOf": [tagged_record("b"), record(x=TEXT)]},
        ]
    },
    "objects told apart by their members": {"oneOf": [record("a", a=WHOLE), record("b", b=WHOLE)]},
    "closed objects told apart": {
        "oneOf": [
            {**record("a", a=WHOLE), "additionalProperties": False},
            {**record("b", b=WHOLE), "additionalProperties": False},
        ]
    },
    "objects that may be either": {"anyOf": [record("a", a=WHOLE), record("b", b=WHOLE)]},
    "objects, one wider": {"anyOf": [record(a=WHOLE), record("a", a=WHOLE, b=TEXT)]},
    "objects with a member of two kinds": {
        "anyOf": [
            record("a", a={"type": "number"}),
            record("a", a=WHOLE, b={"type": "string", "format": "date"}),
        ]
    },
    "an object or a map": {
        "anyOf": [
            record("a", a=WHOLE),
            {"type": "object", "additionalProperties": TEXT},
        ]
    },
    "a map or a map": {
        "oneOf": [
            {"type": "object", "additionalProperties": TEXT},
            {"type": "object", "additionalProperties": WHOLE},
        ]
    },
    "exactly one member": {
        **record(a=WHOLE, b=WHOLE),
        "oneOf": [{"required": ["a"]}, {"required": ["b"]}],
    },
    "at least one member": {
        **record(a=WHOLE, b=WHOLE),
        "anyOf": [{"required": ["a"]}, {"required": ["b"]}],
    },
    "one of overlapping numbers": {"oneOf": [{"type": "number"}, WHOLE]},
    "overlapping string alternatives": {
        "oneOf": [
            {"type": "string", "maxLength": 3},
            {"type": "string", "minLength": 2},
        ]
    },
    "one of kinds that are apart": {"oneOf": [TEXT, WHOLE, {"type": "boolean"}, {"type": "null"}]},
    "one of text and a choice": {"oneOf": [TEXT, {"enum": ["a"]}]},
    "one or none": {"oneOf": [{"type": "null"}, {"type": ["string", "null"]}]},
    "one alternative": {"oneOf": [TEXT]},
    "the same twice": {"oneOf": [TEXT, TEXT]},
    "no alternative is possible": {"anyOf": [False, False]},
    "one alternative is impossible": {"anyOf": [False, TEXT]},
    "one alternative is anything": {"anyOf": [True, TEXT]},
    "alternatives narrowed by a type": {
        "type": "string",
        "anyOf": [{"minLength": 3}, {"const": "a"}],
    },
    "alternatives narrowed by types": {
        "type": ["string", "integer"],
        "anyOf": [{"minLength": 3}, {"minimum": 2}],
    },
    "alternatives with a bound": {"anyOf": [{"type": "integer"}, TEXT], "minimum": 3},
    "alternatives against the type": {"type": "string", "anyOf": [WHOLE, TEXT]},
    "alternatives by reference, against the type": {
        "type": "object",
        "anyOf": [{"$ref": "#/$defs/a"}, {"$ref": "#/$defs/b"}],
        "$defs": {"a": TEXT, "b": record("a", a=WHOLE)},
    },
    "alternatives of both kinds": {
        "anyOf": [TEXT, WHOLE],
        "oneOf": [{"maxLength": 3}, {"type": "integer"}],
    },
    "alternatives in parts": {
        "allOf": [{"anyOf": [TEXT, WHOLE]}, {"anyOf": [WHOLE, {"type": "null"}]}]
    },
    "alternatives in alternatives": {
        "anyOf": [
            {"oneOf": [TEXT, {"type": "null"}]},
            {"anyOf": [WHOLE, {"type": "boolean"}]},
        ]
    },
    "one of alternatives": {
        "oneOf": [{"anyOf": [TEXT, WHOLE]}, {"anyOf": [WHOLE, {"type": "null"}]}]
    },
    "alternatives with an enum": {"enum": ["a", "bcd"], "anyOf": [{"minLength": 2}]},
    "if and then": {
        **record("kind", kind=TEXT, x={}),
        "if": {"properties": {"kind": {"const": "a"}}},
        "then": {"required": ["x"]},
    },
    "not": {"type": "integer", "not": {"const": 3}},
    "root alternatives of arguments": {
        "type": "object",
        "oneOf": [
            record("city", city=TEXT),
            record("lat", "lon", lat=WHOLE, lon=WHOLE),
        ],
    },
    "root alternatives of closed arguments": {
        "type": "object",
        "oneOf": [
            {**record("city", city=TEXT), "additionalProperties": False},
            {
                **record("lat", "lon", lat=WHOLE, lon=WHOLE),
                "additionalProperties": False,
            },
        ],
    },
    "root alternatives that give one member two types": {
        "type": "object",
        "anyOf": [record("id", id=WHOLE), record("id", "ns", id=TEXT, ns=TEXT)],
    },
    "root alternatives, tagged": {
        "type": "object",
        "properties": {"kind": TEXT, "all": WHOLE},
        "required": ["kind"],
        "oneOf": [tagged_record("a", x=WHOLE), tagged_record("b", x=TEXT)],
    },
    "root alternatives by reference": {
        "type": "object",
        "anyOf": [{"$ref": "#/$defs/a"}, {"$ref": "#/$defs/b"}],
        "$defs": {"a": record("a", a=WHOLE), "b": record("b", b=TEXT)},
    },
    "root alternatives in parts": {
        "type": "object",
        "allOf": [
            {"oneOf": [record("a", a=WHOLE), record("b", b=TEXT)]},
            record("c", c=WHOLE),
        ],
    },
    "an alternative that forbids members": {
        "anyOf": [record("a", a=WHOLE, b=False), record("b", b=WHOLE, a=False)]
    },
}
REFERENCES: dict[str, Json] = {
    "a tree": {
        "$ref": "#/$defs/node",
        "$defs": {
            "node": record("value", value=WHOLE, children=items({"$ref": "#/$defs/node"})),
        },
    },
    "a tree at the root": record("value", value=WHOLE, children=items({"$ref": "#"})),
    "a closed tree": {
        "$ref": "#/$defs/node",
        "$defs": {
            "node": {
                **record("value", value=WHOLE, next={"$ref": "#/$defs/node"}),
                "additionalProperties": False,
            }
        },
    },
    "nested lists": {
        "$ref": "#/$defs/list",
        "$defs": {"list": items({"anyOf": [WHOLE, {"$ref": "#/$defs/list"}]})},
    },
    "nested lists of one or another": {
        "$ref": "#/$defs/list",
        "$defs": {"list": items({"oneOf": [WHOLE, {"$ref": "#/$defs/list"}]})},
    },
    "any JSON": {
        "$ref": "#/$defs/json",
        "$defs": {
            "json": {
                "anyOf": [
                    {"type": ["string", "number", "boolean", "null"]},
                    items({"$ref": "#/$defs/json"}),
                    {
                        "type": "object",
                        "additionalProperties": {"$ref": "#/$defs/json"},
                    },
                ]
            }
        },
    },
    "any JSON in members": {
        **record(
            "b",
            a={"$ref": "#/$defs/json"},
            b={"$ref": "#/$defs/json"},
            c={"$ref": "#/$defs/some"},
            d={"$ref": "#/$defs/json", "description": "nullable value"},
        ),
        "$defs": {
            "json": {
                "anyOf": [TEXT, {"type": "null"}, {"$ref": "#/$defs/some"}],
            },
            "some": items({"$ref": "#/$defs/json"}),
        },
    },
    "an expression": {
        "$ref": "#/$defs/e",
        "$defs": {
            "e": {
                "oneOf": [
                    {"type": "number"},
                    record("op", "left", op={"const": "+"}, left={"$ref": "#/$defs/e"}),
                    record("op", "only", op={"const": "-"}, only={"$ref": "#/$defs/e"}),
                ]
            }
        },
    },
    "two that need each other": {
        "$ref": "#/$defs/a",
        "$defs": {
            "a": record(b={"$ref": "#/$defs/b"}, n=WHOLE),
            "b": record("a", a={"anyOf": [{"$ref": "#/$defs/a"}, {"type": "null"}]}),
        },
    },
    "reference with sibling keywords": {
        "$ref": "#/$defs/a",
        "required": ["b"],
        "$defs": {"a": record("a", a=WHOLE, b=TEXT)},
    },
    "draft-07 reference with sibling keywords": {
        "$schema": DRAFT_7,
        "type": "object",
        "properties": {"x": {"$ref": "#/definitions/a", "minimum": 3}},
        "definitions": {"a": WHOLE},
    },
    "a reference to a bounded part": {
        "type": "object",
        "properties": {
            "a": {"$ref": "#/$defs/n"},
            "b": {"$ref": "#/$defs/n", "minimum": 3},
        },
        "$defs": {"n": {"type": "integer", "maximum": 5}},
    },
    "a reference to a member": record("a", a=record(b=WHOLE), c={"$ref": "#/properties/a"}),
    "a reference into a list": {
        "type": "object",
        "properties": {
            "a": {"anyOf": [WHOLE, TEXT]},
            "b": {"$ref": "#/properties/a/anyOf/1"},
        },
    },
    "reference to itself only": {"$ref": "#"},
    "references in a circle": {
        "$ref": "#/$defs/a",
        "$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}},
    },
    "alternatives that are themselves": {
        "$ref": "#/$defs/a",
        "$defs": {"a": {"anyOf": [TEXT, {"$ref": "#/$defs/a"}]}},
    },
    "an anchor": {
        "type": "object",
        "properties": {"a": {"$ref": "#n"}},
        "$defs": {"x": {"$anchor": "n", "type": "integer"}},
    },
    "an inner address": {
        "type": "object",
        "properties": {"a": {"$ref": "inner#/$defs/n"}},
        "$defs": {"i": {"$id": "inner", "$defs": {"n": WHOLE}}},
    },
    "a dynamic reference": {
        "type": "object",
        "properties": {"a": {"$dynamicRef": "#n"}},
        "$defs": {"x": {"$dynamicAnchor": "n", "type": "integer"}},
    },
    "one part used in two ways": {
        "type": "object",
        "properties": {
            "a": {"$ref": "#/$defs/n"},
            "b": {"allOf": [{"$ref": "#/$defs/n"}]},
        }
        | {"c": items({"$ref": "#/$defs/n"})},
        "$defs": {"n": {**record("x", x=WHOLE), "additionalProperties": False}},
    },
    "a loose part of an exact whole": {
        "type": "object",
        "properties": {"a": {"$ref": "#/$defs/n"}, "b": {"$ref": "#/$defs/n"}},
        "$defs": {
            "n": {
                "type": "object",
                "properties": {"t": {"type": "string", "pattern": "^a"}},
            }
        },
    },
    "a loose part that is recursive": {
        "$ref": "#/$defs/n",
        "$defs": {
            "n": record(t={"type": "string", "pattern": "^a"}, n={"$ref": "#/$defs/n"}),
        },
    },
    "a recursive part that is loose later": {
        "$ref": "#/$defs/n",
        "$defs": {
            "n": record(n={"$ref": "#/$defs/n"}, t={"type": "string", "pattern": "^a"}),
        },
    },
}
WRAPPED: dict[str, Json] = {
    f"a wrapped result: {name}": {
        **record("result", result=inner),
        "x-fastmcp-wrap-result": True,
    }
    for name, inner in {
        "a text": TEXT,
        "numbers": items(WHOLE),
        "a map": {"type": "object", "additionalProperties": WHOLE},
        "an open object": record(a=WHOLE),
        "an object with a result": record(result=WHOLE),
        "anything": {},
        "a number or nothing": {"type": ["integer", "null"]},
    }.items()
} | {
    "a wrapped result without a type": {
        "properties": {"result": WHOLE},
        "required": ["result"],
        "x-fastmcp-wrap-result": True,
    },
    "a wrapped result that may be absent": {
        **record(result=WHOLE),
        "x-fastmcp-wrap-result": True,
    },
    "a wrapped result, closed": {
        **record("result", result=WHOLE),
        "additionalProperties": False,
        "x-fastmcp-wrap-result": True,
    },
    "a wrapped result or nothing": {
        "type": ["object", "null"],
        "properties": {"result": WHOLE},
        "required": ["result"],
        "x-fastmcp-wrap-result": True,
    },
    "a wrapped result that holds itself": {
        **record("result", result={"anyOf": [{"$ref": "#"}, {"type": "null"}]}),
        "x-fastmcp-wrap-result": True,
    },
    "a wrapped result with alternatives": {
        **record("result", result=WHOLE),
        "anyOf": [record(a=WHOLE), record(b=WHOLE)],
        "x-fastmcp-wrap-result": True,
    },
    "wrapped result with other properties": {
        **record("result", result=WHOLE, other=TEXT),
        "x-fastmcp-wrap-result": True,
    },
}
BARE: dict[str, Json] = {
    "anything": True,
    "anything, said": {},
    "nothing": False,
    "an unknown keyword": {"x-kind": "date", "nullable": True},
    "all kinds": {"type": ["string", "number", "boolean", "null", "array", "object"]},
    "nullable string, OpenAPI style": {"type": "string", "nullable": True},
    "no kind": {"type": []},
}

HARD: dict[str, Json] = {
    **BARE,
    **SCALARS,
    **NUMBERS,
    **TEXTS,
    **CHOICES,
    **ARRAYS,
    **OBJECTS,
    **CLOSED_AND_REQUIRED,
    **OF_OTHER_DIALECTS,
    **UNIONS,
    **REFERENCES,
    **WRAPPED,
}
