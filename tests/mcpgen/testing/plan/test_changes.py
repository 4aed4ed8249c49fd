"""Changed calls: each change of a place once, forbidden ones first."""

from __future__ import annotations

from typing import Any

from mcpgen.jsontext import Json
from mcpgen.testing.arguments.mutations import UNKNOWN
from mcpgen.testing.arguments.values import Change, Schema
from mcpgen.testing.plan import changes
from mcpgen.testing.plan.subjects import Subject


def test_changes_once_per_place() -> None:
    listed_changes = [
        Change({"a": [0, 1]}, ("a", 0), "beyond minimum"),
        Change({"a": [1, 0]}, ("a", 1), "beyond minimum"),
        Change({"a": [9, 1]}, ("a", 0), "beyond maximum"),
        Change({"b": 1, "a": [0, 1]}, ("a", 0), "beyond minimum"),
    ]
    assert [*changes._once_each(listed_changes)] == [listed_changes[0], listed_changes[2]]


class Subjects:
    """The part of the subjects that changes are made from."""

    seed = 0

    def __init__(self, schema: Schema) -> None:
        self._schema = schema

    def schema(self, subject: Subject) -> Schema:
        del subject
        return self._schema

    def base(self, subject: Subject) -> Any:
        return subject.good[0]

    def valid(self, subject: Subject) -> Any:
        del subject
        return self._schema.examples(0)

    def is_safe(self, subject: Subject, change: Change) -> bool:
        del subject, change
        return True


def planned(cases: Any, schema: Json, good: dict[str, Json]) -> list[str]:
    subjects: Any = Subjects(Schema(schema))
    return [case.data["how"] for case in cases(subjects, Subject("pack", good=[good]))]


def test_violations_of_keywords() -> None:
    schema: Json = {
        "type": "object",
        "properties": {"count": {"type": "integer", "minimum": 1, "maximum": 9}},
        "additionalProperties": False,
    }
    assert planned(changes.violations, schema, {"count": 3}) == [
        "/count a text",
        "more: an unknown property",
        "/count beyond minimum",
        "/count beyond maximum",
        "/count a fraction",
        "/count true for a number",
    ]


def test_violations_in_other_alternatives() -> None:
    image: Json = {"properties": {"alt": {"type": "string", "maxLength": 5}}, "required": ["alt"]}
    video: Json = {"properties": {"sec": {"type": "integer", "maximum": 9}}, "required": ["sec"]}
    schema: Json = {
        "type": "object",
        "properties": {
            "medium": {"anyOf": [{"type": "object", **part} for part in (image, video)]}
        },
        "required": ["medium"],
    }
    how = planned(changes.violations, schema, {"medium": {"alt": "a"}})
    assert {"/medium/alt longer than maxLength", "/medium/sec beyond maximum"} <= {*how}


def test_conversions_with_other_changes() -> None:
    schema: Json = {"type": "object", "properties": {"count": {"type": "integer"}}}
    assert "/count its text" not in planned(changes.violations, schema, {"count": 3})
    assert "/count its text" in planned(changes.other_changes, schema, {"count": 3})


def test_violation_allowed_in_shorter_call() -> None:
    schema: Json = {
        "type": "object",
        "properties": {"first": {"type": "integer"}, "last": {"type": "integer"}},
        "dependentRequired": {"last": ["first"]},
    }
    assert "without first" in planned(changes.violations, schema, {"first": 1, "last": 2})


def test_one_violation_per_keyword() -> None:
    schema: Json = {"type": "object", "properties": {"name": {"type": "string", "maxLength": 3}}}
    assert planned(changes.violations, schema, {"name": "abc"}) == [
        "/name an object",
        "/name longer than maxLength",
    ]


def test_unknown_property_in_each_alternative() -> None:
    def alternative(name: str, part: Json) -> Json:
        schema: Json = {"type": "object", "properties": {name: part}, "required": [name]}
        return {**schema, "additionalProperties": False}

    rule: Json = {"oneOf": [alternative("to", {"type": "string"}), alternative("not", REF)]}
    schema: Json = {"type": "object", "properties": {"rule": REF}, "$defs": {"rule": rule}}
    subjects: Any = Subjects(Schema(schema))
    good: dict[str, Json] = {"rule": {"to": "Porto"}}
    subjects.valid = lambda _: iter([{"rule": {"not": {"to": "Nice"}}}])
    cases = changes.violations(subjects, Subject("check", good=[good]))
    rules = [case.data["arguments"].get("rule") for case in cases]
    unknown = [{*rule} - {UNKNOWN} for rule in rules if isinstance(rule, dict) and UNKNOWN in rule]
    assert {"to"} in unknown
    assert {"not"} in unknown


REF: Json = {"$ref": "#/$defs/rule"}


def test_violations_of_one_alternative() -> None:
    kind: Json = {"type": "object", "properties": {"kind": {"enum": ["a", "b"]}}}
    size: Json = {"type": "object", "properties": {"size": {"type": "integer"}}}
    schema: Json = {"type": "object", "properties": {"rule": {"oneOf": [kind, size]}}}
    for node in (kind, size):
        node |= {"required": [*node["properties"]], "additionalProperties": False}
    hows = planned(changes.violations, schema, {"rule": {"kind": "a"}})
    assert "/rule/kind not of the enum" in hows
    assert "/rule/kind beyond ASCII" not in hows  # the enum again


def test_true_for_a_number() -> None:
    schema: Json = {"type": "object", "properties": {"count": {"type": "integer"}}}
    assert "/count true for a number" in planned(changes.violations, schema, {"count": 1})


def test_no_violation_is_dropped() -> None:
    number: Json = {"type": "integer", "minimum": 1, "maximum": 9}
    names = [f"n{at}" for at in range(20)]
    schema: Json = {"type": "object", "properties": dict.fromkeys(names, number)}
    good: dict[str, Json] = dict.fromkeys(names, 3)
    first = planned(changes.violations, schema, good)
    rest = planned(changes.more_violations, schema, good)
    assert rest
    assert len({*first, *rest}) == len(first) + len(rest)
    assert {f"/{name} beyond maximum" for name in names} <= {*first, *rest}
