"""Compares objects property by property: added, removed, required and additional ones."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass

from mcpgen.compare.schemas.difference import Aspect, Difference, Relation, relation
from mcpgen.compare.schemas.pair import Pair, Step
from mcpgen.compare.schemas.views.properties import PropertyViews
from mcpgen.compare.schemas.views.view import View
from mcpgen.findings.change import ABSENT, Value


@dataclass(frozen=True, slots=True)
class _Objects:
    """The properties of both schemas. ``strict`` also counts properties that are only possible."""

    pair: Pair
    old: PropertyViews
    new: PropertyViews
    strict: bool

    def path(self, name: str) -> str:
        """Return the path of a property, for readers."""
        is_simple = name.replace("_", "a").replace("-", "a").replace("$", "a").isalnum()
        step = name if is_simple else f'"{name}"'
        return f"{self.pair.path}.{step}" if self.pair.path else step

    def member(self, name: str) -> Pair:
        """Return both views of a property, listed or not."""
        return Pair(self.old.named(name), self.new.named(name), self.path(name))

    def place(self, member: Pair) -> Pair:
        """Return the views that locate a property. A schema without it is located by the object."""
        old = member.old if member.old.parts else self.old.view
        return Pair(old, member.new if member.new.parts else self.new.view, member.path)


def compare(pair: Pair, *, strict: bool) -> Iterator[Step]:
    """Compare the constraints of objects.

    Objects are assumed to have only the properties that they name. With ``strict`` they may have
    any that aren't forbidden, as in JSON Schema.
    """
    objects = _Objects(pair, PropertyViews(pair.old), PropertyViews(pair.new), strict)
    yield from _members(objects)
    yield from _patterns(objects)
    yield from _additional_properties(objects)


def _members(objects: _Objects) -> Iterator[Step]:
    old, new = objects.old, objects.new
    for name in sorted(old.names | new.names):
        # A required property counts as named even if it isn't listed.
        if name in new.names and (name in old.names or name in old.required_names):
            yield objects.member(name)
            yield from _requirement(objects, name)
        elif name in new.names:
            yield from _added_property(objects, name)
        else:
            yield from _removed_property(objects, name)
    for name in sorted((old.required_names ^ new.required_names) - old.names - new.names):
        yield from _requirement(objects, name)


def _requirement(objects: _Objects, name: str) -> Iterator[Difference]:
    was, now = name in objects.old.required_names, name in objects.new.required_names
    if was != now:
        pair = objects.pair.with_path(objects.path(name))
        stands = relation(tighter=now, looser=was)
        yield pair.differs("required", stands, keyword="required", values=(was, now))


def _added_property(objects: _Objects, name: str) -> Iterator[Step]:
    member = objects.member(name)
    pair = objects.place(member)
    values: tuple[Value, Value] = (ABSENT, member.new.as_schema())
    if name in objects.new.required_names:
        yield from _added_as_required(member, pair, values)
    elif member.old.impossible:
        yield pair.differs("member-added-to-closed", Relation.LOOSER, values=values)
    elif member.old.parts:
        yield pair.differs("member-added", Relation.SAME, values=values)
        yield member
    elif _may_have_any(objects):
        is_anything = not member.new.parts and not member.new.impossible
        stands = relation(tighter=not is_anything, looser=False)
        yield pair.differs("member-added-to-open", stands, values=values)
    else:
        yield pair.differs("member-added", Relation.LOOSER, values=values)


def _added_as_required(member: Pair, pair: Pair, values: tuple[Value, Value]) -> Iterator[Step]:
    detail = _default(member.new)
    if member.old.impossible:
        # No value is allowed by both sides.
        aspect: Aspect = "member-required-in-closed"
        yield pair.differs(aspect, Relation.OTHER, values=values, detail=detail)
        return
    yield pair.differs("member-required", Relation.TIGHTER, values=values, detail=detail)
    if member.old.parts:
        yield member


def _may_have_any(objects: _Objects) -> bool:
    """Return True if callers may have sent properties that the old object doesn't name."""
    is_inner_map = objects.old.is_map and bool(objects.pair.path)
    return objects.strict or objects.old.is_explicitly_open or is_inner_map


def _default(member: View) -> str:
    """Report the default of a required property, which is never filled in."""
    for default, _ in member.occurrences("default"):
        return f"its default is {json.dumps(default)}, which must be passed anyway"
    return ""


def _removed_property(objects: _Objects, name: str) -> Iterator[Step]:
    member = objects.member(name)
    pair = objects.place(member)
    was_required = name in objects.old.required_names
    values: tuple[Value, Value] = (member.old.as_schema(), ABSENT)
    if member.new.impossible:
        stands = relation(tighter=True, looser=was_required)
        yield pair.differs("member-removed", stands, values=values)
    elif member.new.parts:
        yield pair.differs("member-ignored", Relation.SAME, values=values)
        yield member
    else:
        yield pair.differs("member-ignored", Relation.LOOSER, values=values)
    if not was_required:
        yield from _requirement(objects, name)


def _patterns(objects: _Objects) -> Iterator[Step]:
    old, new = objects.old.patterns, objects.new.patterns
    for pattern in sorted(old.keys() | new.keys()):
        path = f"{objects.pair.path}{{/{pattern}/}}"
        if pattern in old and pattern in new:
            yield Pair(old[pattern], new[pattern], path)
        elif pattern in new:
            yield from _lone_pattern(objects, new[pattern], path, is_added=True)
        else:
            yield from _lone_pattern(objects, old[pattern], path, is_added=False)


def _lone_pattern(objects: _Objects, schema: View, path: str, *, is_added: bool) -> Iterator[Step]:
    """Compare the schema for a pattern with the other side's schema for additional properties."""
    other = objects.old if is_added else objects.new
    pair, keyword = objects.pair.with_path(path), "patternProperties"
    inlined = schema.as_schema()
    values: tuple[Value, Value] = (ABSENT, inlined) if is_added else (inlined, ABSENT)
    if other.is_open:
        if not schema.is_trivial:
            stands = relation(tighter=is_added, looser=not is_added)
            yield pair.differs("condition", stands, keyword=keyword, values=values)
    elif other.patterns:  # overlaps between patterns are undecidable
        yield pair.differs("unproved", Relation.OTHER, keyword=keyword, values=values)
    elif other.is_closed:
        stands = relation(tighter=not is_added, looser=is_added)
        yield pair.differs("condition", stands, keyword=keyword, values=values)
    elif is_added:
        yield Pair(other.others, schema, path)
    else:
        yield Pair(schema, other.others, path)


def _additional_properties(objects: _Objects) -> Iterator[Step]:
    """Compare the additional properties."""
    old, new = objects.old, objects.new
    if old.is_closed and new.is_closed:
        return
    keyword, values = "additionalProperties", (_additional(old), _additional(new))
    is_map = old.is_map and (bool(objects.pair.path) or objects.strict)
    if new.is_closed:
        aspect: Aspect = "map" if is_map or not old.is_open else "openness"
        yield objects.pair.differs(aspect, Relation.TIGHTER, keyword=keyword, values=values)
    elif old.is_closed:
        yield objects.pair.differs("openness", Relation.LOOSER, keyword=keyword, values=values)
    elif old.is_open and not new.is_open and not (is_map or old.is_explicitly_open):
        yield objects.pair.differs("openness", Relation.TIGHTER, keyword=keyword, values=values)
    else:
        yield Pair(old.others, new.others, f"{objects.pair.path}{{}}")


def _additional(members: PropertyViews) -> Value:
    """Return the equivalent value of ``additionalProperties``."""
    if members.is_closed:
        return False
    if members.is_open:
        return True if members.is_explicitly_open else ABSENT
    return members.others.as_schema()
