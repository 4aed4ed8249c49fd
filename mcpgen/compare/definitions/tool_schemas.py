"""The schemas of one tool: the points in which they differ become changes under their rules."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from mcpgen.compare.definitions import argument_dangers, descriptions
from mcpgen.compare.definitions.moved_members import with_moves
from mcpgen.compare.definitions.moved_texts import without_moved_texts
from mcpgen.compare.rule_map import Side, rule_of
from mcpgen.compare.schemas.difference import Aspect, Difference
from mcpgen.compare.schemas.view import root
from mcpgen.compare.schemas.walk import differences
from mcpgen.contract.definitions import Schema
from mcpgen.findings.change import ABSENT, Change, Value, is_same
from mcpgen.jsontext import Json, is_array, is_object
from mcpgen.schemas.validation.schemas import dialect

_WITH_KEYWORD: frozenset[Aspect] = frozenset(
    {"bound", "bound-formal", "condition", "unproved", "text", "keyword", "content"}
)
"""Where one rule is for several keywords, so that two of them are two changes."""


@dataclass(frozen=True, slots=True)
class ToolSchema:
    """One schema of a tool, and its pointers in both contracts."""

    side: Side
    subject: str
    old_pointer: str
    new_pointer: str

    def path(self, difference: Difference) -> str:
        """Return where in the tool a point is."""
        inner = difference.path
        joint = "." if inner and inner[0] not in "[{<" else ""
        return f"{self.side}{joint}{inner}"

    def change(self, rule: str, difference: Difference) -> Change:
        """Return a change of what the new schema has at a point."""
        pointer = f"{self.new_pointer}{difference.new_pointer}"
        path = self.path(difference)
        return Change(rule, self.subject, path, "", pointer, ABSENT, difference.new)


def compare(
    schema: ToolSchema, old: Schema, new: Schema, *, channels: bool = False
) -> Iterator[Change]:
    """Compare two valid schemas; ``channels`` also looks for arguments that draw secrets out."""
    if is_same(old.raw, new.raw):
        return
    is_input = schema.side == "input"
    points = differences(root(old.raw, is_input=is_input), root(new.raw, is_input=is_input))
    found = (_change(schema, difference) for difference in _distinct(points))
    changes = [*without_moved_texts(_once(list(found)), old.raw, new.raw)]
    changes += _dialects(schema, old.raw, new.raw)
    if is_input:
        dangers = argument_dangers.of(points, channels=channels)
        changes += [schema.change(rule, difference) for rule, difference in dangers]
    yield from with_moves(changes)
    if not changes:
        yield Change("U02", schema.subject, schema.side, schema.old_pointer, schema.new_pointer)


def _once(changes: Sequence[Change]) -> Iterator[Change]:
    """Yield the changes without those of one type, where another one is of several types."""
    for change in changes:
        others = (
            other
            for other in changes
            if (other.rule, other.path, other.new) == (change.rule, change.path, change.new)
        )
        if not any(is_array(other.old) and change.old in other.old for other in others):
            yield change


def _distinct(points: Sequence[Difference]) -> list[Difference]:
    """Return each point once, by what a reader sees of it."""
    distinct: dict[str, Difference] = {}
    for point in points:
        shown = point.old, point.new, point.keyword, point.detail
        distinct.setdefault(repr((point.aspect, point.relation, point.path, shown)), point)
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
    if schema.side == "output" and difference.aspect == "type" and not difference.path:
        return "O14"
    rule = rule_of(schema.side, difference.aspect, difference.relation)
    if difference.aspect in ("text", "title"):
        names = _names(schema, difference)
        return descriptions.rule_of(rule, difference.old, difference.new, names)
    return rule


def _names(schema: ToolSchema, difference: Difference) -> Iterator[str]:
    """Yield the names that frameworks make the title of a place of."""
    yield difference.path.rpartition(".")[2].rstrip("[]")
    for pointer in (difference.old_pointer, difference.new_pointer):
        yield from pointer.split("/")[-2:-1]
    if not difference.path:
        yield schema.subject.partition(" ")[2]


def _dialects(schema: ToolSchema, old: Json, new: Json) -> Iterator[Change]:
    was, now = _declared(old), _declared(new)
    # The dialect that is meant where none is named may be named without changing anything.
    if was == now or (dialect(old) == dialect(new) is not None):
        return
    rule = "I24" if schema.side == "input" else "O24"
    pointers = f"{schema.old_pointer}/$schema", f"{schema.new_pointer}/$schema"
    yield Change(rule, schema.subject, schema.side, *pointers, was, now)


def _declared(schema: Json) -> Value:
    uri: Any = schema.get("$schema", ABSENT) if is_object(schema) else ABSENT
    return uri.rstrip("#") if isinstance(uri, str) else uri
