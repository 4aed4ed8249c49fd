"""Converts the differences between two schemas of a tool to changes with rules."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, TypeAlias

from mcpgen.compare.definitions import descriptions
from mcpgen.compare.definitions.moved_text import without_moved_texts
from mcpgen.compare.schemas.difference import Aspect, Difference, Relation
from mcpgen.compare.schemas.views.view import root
from mcpgen.compare.schemas.walk import differences
from mcpgen.contract.definitions import Schema
from mcpgen.findings.change import ABSENT, Change, Value, is_same
from mcpgen.jsontext import Json, is_array, is_object
from mcpgen.schemas.validation.schemas import dialect

Side: TypeAlias = Literal["input", "output"]
SIDES: tuple[Side, ...] = ("input", "output")


class _Rules(NamedTuple):
    """The rules of a new schema that is tighter, looser, and neither or both."""

    tighter: str
    looser: str
    other: str


_Row: TypeAlias = "Mapping[Side, _Rules]"


def _row(input: str, output: str) -> _Row:
    return {"input": _Rules(*input.split()), "output": _Rules(*output.split())}


def _one_rule(rule: str) -> _Row:
    return _row(f"{rule} {rule} {rule}", f"{rule} {rule} {rule}")


RULES_OF: Mapping[Aspect, _Row] = {
    # The rules for inputs and outputs: new schema narrower, wider, or neither.
    "type": _row("I08 I09 I08", "O08 O07 O07"),
    "null": _row("I08 I09 I08", "O05 O04 O04"),
    "map": _row("I08 I09 I08", "O13b O13 O13"),
    "enum": _row("I10 I11 I10", "O10 O09 O09"),
    "bound": _row("I12 I13 I12", "O12 O11 O11"),
    "bound-formal": _row("I12b I12b I12b", "O12b O12b O12b"),
    "pattern": _row("I14 I15 I14", "O12 O11 O11"),
    "format": _row("I16 I16c I16", "O12 O11c O11c"),
    "format-typed": _row("I16b I16b I16b", "O11b O11b O11b"),
    "member-required": _row("I01 I01 I01", "O06 O06 O06"),
    "member-required-in-closed": _row("I01 I01 I01", "O06b O06b O06b"),
    "member-added": _row("I02 I02 I02", "O06 O06 O06"),
    "member-added-to-closed": _row("I02 I02 I02", "O06b O06b O06b"),
    "member-added-to-open": _row("I02c I02 I02", "O06 O06 O06"),
    "member-removed": _row("I05 I05 I05", "O03 O03 O03"),
    "member-ignored": _row("I06 I06 I06", "O03 O03 O03"),
    "required": _row("I03 I04 I03", "O05 O04 O04"),
    "openness": _row("I17 I17b I17", "O13b O13 O13"),
    "condition": _row("I18 I18b I18", "O16b O16 O16"),
    "alternative": _row("I19 I20 I19", "O08 O07 O07"),
    "overlap": _row("I19 I20 I20b", "O08 O07 U01"),
    "tuple": _row("I21 I21 I21", "O21 O21 O21"),
    "impossible": _row("I27 I09 I27", "O27 O07 O27"),
    "unproved": _one_rule("U01"),
    "default": _row("I22 I22 I22", "O22 O22 O22"),
    "header": _row("I23 I23 I23", "O29 O29 O29"),
    "content": _row("I24b I24b I24b", "O24b O24b O24b"),
    "deprecated": _row("I26 I26 I26", "O26 O26 O26"),
    "keyword": _row("I29 I29 I29", "O29 O29 O29"),
    "text": _one_rule("D02"),
    "title": _one_rule("D04"),
}


def rule_of(tool_type: Side, aspect: Aspect, relation: Relation) -> str:
    """Return the id of the rule."""
    rules = RULES_OF[aspect][tool_type]
    if relation is Relation.TIGHTER:
        return rules.tighter
    return rules.looser if relation is Relation.LOOSER else rules.other


_REMOVED = frozenset({"I05", "I06", "O03"})
_ADDED = frozenset({"I01", "I02", "I02c", "O06", "O06b"})
_LIKE = 0.6
_MAX_COMPARED = 500


def with_moves(changes: Sequence[Change]) -> Iterator[Change]:
    """Annotate a removed property, and the only new one with its schema, as moved."""
    removed, added = (_by_schema(changes, rules) for rules in (_REMOVED, _ADDED))
    details: dict[str, str] = {}
    for key, old in removed.items():
        new = added.get(key, [])
        if len(old) == 1 and len(new) == 1 and _are_alike(old[0], new[0]):
            details[old[0].path] = f"apparently renamed to {new[0].path}"
            details[new[0].path] = f"apparently renamed from {old[0].path}"
    for change in changes:
        is_moved = change.path in details and change.rule in _REMOVED | _ADDED
        yield change.with_detail(details[change.path]) if is_moved else change


def _by_schema(
    changes: Sequence[Change], rules: frozenset[str]
) -> dict[tuple[str, str], list[Change]]:
    """Group added or removed properties by their object and schema."""
    by_schema: dict[tuple[str, str], list[Change]] = {}
    for change in changes:
        schema = change.new if change.old is ABSENT else change.old
        if change.rule in rules and is_object(schema):
            rest = {k: v for k, v in schema.items() if k not in ("title", "description")}
            key = change.path.rpartition(".")[0], repr(rest)
            by_schema.setdefault(key, []).append(change)
    return by_schema


def _are_alike(removed: Change, added: Change) -> bool:
    """Return True if two properties of the same schema have similar names or descriptions.

    An equal type, such as boolean, is not enough.
    """
    was, now = (change.path.rpartition(".")[2].lower() for change in (removed, added))
    if was in now or now in was or _likeness(was, now) > _LIKE:
        return True
    schemas = removed.old, added.new
    old, new = (schema.get("description") for schema in schemas if is_object(schema))
    if isinstance(old, str) and isinstance(new, str):
        return _likeness(old[:_MAX_COMPARED], new[:_MAX_COMPARED]) > _LIKE
    return False


def _likeness(first: str, other: str) -> float:
    return difflib.SequenceMatcher(None, first, other, autojunk=False).ratio()


_SECRET = re.compile(
    r"pass(word|wd|phrase)?$|secret|token|api[_-]?key|credential|auth|cookie|private", re.IGNORECASE
)
_SIDE_CHANNEL = re.compile(
    r"(?:^|_)(context|notes?|reason(ing)?|thoughts?|memory|history|conversation|summary)$"
)


def danger_rules(
    points: Sequence[Difference], *, channels: bool
) -> Iterator[tuple[str, Difference]]:
    """Yield further rules for differences of an input schema.

    ``channels`` also looks for new arguments that could draw secrets from an agent.
    """
    for point in points:
        if point.old is not ABSENT:
            continue
        name = point.path.rpartition(".")[2]
        if _SECRET.search(name) and _is_sent_as_header(point):
            yield "I23b", point
        if channels and _SIDE_CHANNEL.search(name) and _is_added_text(point):
            yield "I02b", point


def _is_sent_as_header(point: Difference) -> bool:
    if point.aspect == "header":
        return True
    return _is_added(point) and any("x-mcp-header" in part for part in _parts(point.new))


def _is_added_text(point: Difference) -> bool:
    return _is_added(point) and any(part.get("type") == "string" for part in _parts(point.new))


def _is_added(point: Difference) -> bool:
    return point.aspect.startswith("member-")


def _parts(schema: Value) -> Iterator[dict[str, Json]]:
    """Yield a schema and the schemas of its ``allOf``."""
    if is_object(schema):
        yield schema
        for part in schema.get("allOf", ()):
            yield from _parts(part)


_WITH_KEYWORD: frozenset[Aspect] = frozenset(
    {"bound", "bound-formal", "condition", "unproved", "text", "keyword", "content"}
)
"""Aspects whose rule covers several keywords, so changes of two keywords stay separate."""


@dataclass(frozen=True, slots=True)
class ToolSchema:
    """A schema of a tool, with its pointers in both contracts."""

    tool_type: Side
    subject: str
    old_pointer: str
    new_pointer: str

    def path(self, difference: Difference) -> str:
        """Return the path of a difference within the tool."""
        inner = difference.path
        joint = "." if inner and inner[0] not in "[{<" else ""
        return f"{self.tool_type}{joint}{inner}"

    def change(self, rule: str, difference: Difference) -> Change:
        """Return the change for a position of the new schema."""
        pointer = f"{self.new_pointer}{difference.new_pointer}"
        path = self.path(difference)
        return Change(rule, self.subject, path, "", pointer, ABSENT, difference.new)


def compare(
    schema: ToolSchema, old: Schema, new: Schema, *, channels: bool = False
) -> Iterator[Change]:
    """Compare two valid schemas. See ``compare.contracts`` for ``channels``."""
    if is_same(old.raw, new.raw):
        return
    is_input = schema.tool_type == "input"
    points = differences(root(old.raw, is_input=is_input), root(new.raw, is_input=is_input))
    found_changes = (_change(schema, difference) for difference in _distinct(points))
    changes = [*without_moved_texts(_once(list(found_changes)), old.raw, new.raw)]
    changes += _dialects(schema, old.raw, new.raw)
    if is_input:
        dangers = danger_rules(points, channels=channels)
        changes += [schema.change(rule, difference) for rule, difference in dangers]
    yield from with_moves(changes)
    if not changes:
        yield Change(
            "U02", schema.subject, schema.tool_type, schema.old_pointer, schema.new_pointer
        )


def _once(changes: Sequence[Change]) -> Iterator[Change]:
    """Drop changes of one type that a change of several types includes."""
    for change in changes:
        rest = (
            other
            for other in changes
            if (other.rule, other.path, other.new) == (change.rule, change.path, change.new)
        )
        if not any(is_array(other.old) and change.old in other.old for other in rest):
            yield change


def _distinct(points: Sequence[Difference]) -> list[Difference]:
    """Return each difference once, as seen by a reader."""
    distinct: dict[str, Difference] = {}
    for point in points:
        shown_values = point.old, point.new, point.keyword, point.detail
        distinct.setdefault(repr((point.aspect, point.relation, point.path, shown_values)), point)
    return list(distinct.values())


def _change(schema: ToolSchema, difference: Difference) -> Change:
    keyword = difference.keyword if difference.aspect in _WITH_KEYWORD else ""
    return Change(
        _rule(schema, difference),
        schema.subject,
        schema.path(difference),
        f"{schema.old_pointer}{difference.old_pointer}",
        f"{schema.new_pointer}{difference.new_pointer}",
        difference.old,
        difference.new,
        difference.detail or keyword,
        keyword,
    )


def _rule(schema: ToolSchema, difference: Difference) -> str:
    if schema.tool_type == "output" and difference.aspect == "type" and not difference.path:
        return "O14"
    rule = rule_of(schema.tool_type, difference.aspect, difference.relation)
    if difference.aspect in ("text", "title"):
        names = _names(schema, difference)
        return descriptions.rule_of(rule, difference.old, difference.new, names)
    return rule


def _names(schema: ToolSchema, difference: Difference) -> Iterator[str]:
    """Yield the names from which frameworks derive the title of a subschema."""
    yield difference.path.rpartition(".")[2].rstrip("[]")
    for pointer in (difference.old_pointer, difference.new_pointer):
        yield from pointer.split("/")[-2:-1]
    if not difference.path:
        yield schema.subject.partition(" ")[2]


def _dialects(schema: ToolSchema, old: Json, new: Json) -> Iterator[Change]:
    was, now = _declared_dialect(old), _declared_dialect(new)
    # Naming the default dialect changes nothing.
    if was == now or (dialect(old) == dialect(new) is not None):
        return
    rule = "I24" if schema.tool_type == "input" else "O24"
    pointers = f"{schema.old_pointer}/$schema", f"{schema.new_pointer}/$schema"
    yield Change(rule, schema.subject, schema.tool_type, *pointers, was, now)


def _declared_dialect(schema: Json) -> Value:
    uri: Any = schema.get("$schema", ABSENT) if is_object(schema) else ABSENT
    return uri.rstrip("#") if isinstance(uri, str) else uri
