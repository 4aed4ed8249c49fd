"""Objects, walked member by member: added, removed, required, and what may stand beside them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from mcpgen.compare.change import ABSENT, Value
from mcpgen.compare.schemas.difference import Relation
from mcpgen.compare.schemas.view import Members, View

if TYPE_CHECKING:
    from mcpgen.compare.schemas.walk import Walk


def compare(walk: Walk, old: View, new: View, path: str) -> None:
    """Compare two views as far as they speak of objects."""
    before, after = Members(old), Members(new)
    both = before.names & after.names
    for name in sorted(before.names | after.names):
        place = member(path, name)
        # A member that is required is named, whether or not it is listed too.
        if name in both or name in before.required & after.names:
            walk.node(before.of(name), after.of(name), place)
            _required(walk, before, after, name, place)
        elif name in after.names:
            _added(walk, before, after, name, path)
        else:
            _removed(walk, before, after, name, place)
    for name in sorted((before.required ^ after.required) - before.names - after.names):
        _required(walk, before, after, name, member(path, name))
    _patterns(walk, before, after, path)
    _rest(walk, before, after, path)


def member(path: str, name: str) -> str:
    """Return the path of a member, as a person writes it."""
    is_simple = name.replace("_", "a").replace("-", "a").replace("$", "a").isalnum()
    step = name if is_simple else f'"{name}"'
    return f"{path}.{step}" if path else step


def _required(walk: Walk, old: Members, new: Members, name: str, path: str) -> None:
    had, has = name in old.required, name in new.required
    if had != has:
        relation = Relation.TIGHTER if has else Relation.LOOSER
        views = old.view, new.view
        walk.emit("required", relation, path, views, keyword="required", values=(had, has))


def _added(walk: Walk, old: Members, new: Members, name: str, parent: str) -> None:
    path = member(parent, name)
    before, after = old.of(name), new.of(name)
    views = before if before.parts else old.view, after if after.parts else new.view
    values: tuple[Value, Value] = (ABSENT, after.spelled())
    is_required = name in new.required
    if before.impossible:
        # Nothing that either side allows is allowed by the other, where it is required too.
        aspect = "member-required-in-closed" if is_required else "member-added-to-closed"
        relation = Relation.OTHER if is_required else Relation.LOOSER
        detail = _default(after) if is_required else ""
        walk.emit(aspect, relation, path, views, values=values, detail=detail)
    elif is_required:
        detail = _default(after)
        walk.emit("member-required", Relation.TIGHTER, path, views, values=values, detail=detail)
        if before.parts:
            walk.node(before, after, path)
    elif before.parts:
        walk.emit("member-added", Relation.SAME, path, views, values=values)
        walk.node(before, after, path)
    elif walk.strict or old.is_said_to_be_open or (old.is_free and parent):
        is_any = not after.parts and not after.impossible
        relation = Relation.SAME if is_any else Relation.TIGHTER
        walk.emit("member-added-to-open", relation, path, views, values=values)
    else:
        walk.emit("member-added", Relation.LOOSER, path, views, values=values)


def _default(member: View) -> str:
    """Say that a required member has a default, which no one fills in."""
    listed = [value for value, _ in member.said("default")]
    return (
        f"its default is {json.dumps(listed[0])}, which must be passed all the same"
        if listed
        else ""
    )


def _removed(walk: Walk, old: Members, new: Members, name: str, path: str) -> None:
    before, after = old.of(name), new.of(name)
    views = before if before.parts else old.view, after if after.parts else new.view
    values: tuple[Value, Value] = (before.spelled(), ABSENT)
    if after.impossible:
        relation = Relation.OTHER if name in old.required else Relation.TIGHTER
        walk.emit("member-removed", relation, path, views, values=values)
    elif after.parts:
        walk.emit("member-ignored", Relation.SAME, path, views, values=values)
        walk.node(before, after, path)
    else:
        walk.emit("member-ignored", Relation.LOOSER, path, views, values=values)
    if name in new.required and name not in old.required:
        _required(walk, old, new, name, path)


def _patterns(walk: Walk, old: Members, new: Members, path: str) -> None:
    before, after = old.patterns, new.patterns
    for pattern in sorted(before.keys() | after.keys()):
        place = f"{path}{{/{pattern}/}}"
        if pattern in before and pattern in after:
            walk.node(before[pattern], after[pattern], place)
        elif pattern in after:
            _pattern(walk, Relation.TIGHTER, (old, new), pattern, place)
        else:
            _pattern(walk, Relation.LOOSER, (old, new), pattern, place)


def _pattern(
    walk: Walk, relation: Relation, both: tuple[Members, Members], pattern: str, path: str
) -> None:
    """Compare what one side says of the names of a pattern with what the other says of the rest.

    ``relation`` is that of a pattern to members that may be anything: tighter where it came.
    """
    came = relation is Relation.TIGHTER
    there, other = (both[1], both[0]) if came else both
    said = there.patterns[pattern]
    views = both[0].view, both[1].view
    keyword, aspect = "patternProperties", "condition"
    values: tuple[Value, Value] = (ABSENT, said.spelled()) if came else (said.spelled(), ABSENT)
    if other.is_open:
        relation = relation if said.is_telling else Relation.SAME
    elif other.patterns:  # which of them a name of this one matches too cannot be said
        aspect, relation = "unproved", Relation.OTHER
    elif other.is_closed:
        relation = Relation.LOOSER if came else Relation.TIGHTER
    else:
        walk.node(*((other.rest, said) if came else (said, other.rest)), path)
        return
    if relation:
        walk.emit(aspect, relation, path, views, keyword=keyword, values=values)


def _rest(walk: Walk, old: Members, new: Members, path: str) -> None:
    """Compare what may stand beside the named members."""
    views = old.view, new.view
    values = _openness(old), _openness(new)
    place = f"{path}{{}}"
    is_free = old.is_free and (bool(path) or walk.strict)
    if old.is_closed and new.is_closed:
        return
    if new.is_closed or old.is_closed:
        relation = Relation.TIGHTER if new.is_closed else Relation.LOOSER
        aspect = "free" if is_free and new.is_closed else "openness"
        if aspect == "openness" and new.is_closed and not old.is_open:
            aspect = "free"
        keyword = "additionalProperties"
        walk.emit(aspect, relation, path, views, keyword=keyword, values=values)
    elif old.is_open and not new.is_open and not (is_free or old.is_said_to_be_open):
        keyword = "additionalProperties"
        walk.emit("openness", Relation.TIGHTER, path, views, keyword=keyword, values=values)
    else:
        walk.node(old.rest, new.rest, place)


def _openness(members: Members) -> Value:
    if members.is_closed:
        return False
    if members.is_open:
        return True if members.is_said_to_be_open else ABSENT
    return members.rest.spelled()
