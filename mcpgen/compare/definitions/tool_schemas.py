"""The schemas of one tool: what a walk over both finds becomes changes under their rules."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from mcpgen.compare.change import ABSENT, Change, Value, is_same
from mcpgen.compare.definitions import descriptions as texts
from mcpgen.compare.rules import rule_map as aspects
from mcpgen.compare.schemas.difference import Event
from mcpgen.compare.schemas.view import root
from mcpgen.compare.schemas.walk import Walk
from mcpgen.contract.definitions import Schema
from mcpgen.jsontext import Json, is_object
from mcpgen.validation.schemas import dialect

_SECRET = re.compile(
    r"pass(word|wd|phrase)?$|secret|token|api[_-]?key|credential|auth|cookie|private", re.IGNORECASE
)
_SIDE_CHANNEL = re.compile(
    r"(?:^|_)(context|notes?|reason(ing)?|thoughts?|memory|history|conversation|summary)$"
)


@dataclass(frozen=True, slots=True)
class Side:
    """One schema of a tool: ``input`` or ``output``, and its pointers in both contracts."""

    name: str
    subject: str
    old_pointer: str
    new_pointer: str


def compare(side: Side, old: Schema, new: Schema, *, channels: bool = False) -> Iterator[Change]:
    """Compare two valid schemas; ``channels`` also looks for arguments that draw secrets out."""
    if is_same(old.raw, new.raw):
        return
    events = _walked(side, old, new)
    changes = [_change(side, event) for event in _without_doubles(events)]
    changes += _dialects(side, old.raw, new.raw)
    changes += _dangers(side, events, channels=channels)
    yield from _renamed(changes)
    if not changes:
        yield Change("U02", side.subject, side.name, side.old_pointer, side.new_pointer)


def _walked(side: Side, old: Schema, new: Schema) -> list[Event]:
    walk = Walk()
    is_input = side.name == "input"
    walk.node(root(old.raw, is_input=is_input), root(new.raw, is_input=is_input), "")
    return walk.events


def _without_doubles(events: Sequence[Event]) -> list[Event]:
    seen: dict[str, Event] = {}
    for event in events:
        said = event.old, event.new, event.keyword, event.detail
        key = repr((event.aspect, event.relation, event.path, said))
        seen.setdefault(key, event)
    return list(seen.values())


def _change(side: Side, event: Event) -> Change:
    rule = aspects.rule_of(side.name, event.aspect, event.relation)
    if side.name == "output" and event.aspect == "type" and not event.path:
        rule = "O14"
    if event.aspect in ("text", "title"):
        rule = texts.rule_of(rule, event.old, event.new, _names(side, event))
    keyword = event.keyword if event.aspect in _WITH_KEYWORD else ""
    return Change(
        rule,
        side.subject,
        _path(side, event),
        f"{side.old_pointer}{event.old_pointer}",
        f"{side.new_pointer}{event.new_pointer}",
        event.old,
        event.new,
        event.detail or keyword,
        keyword,
    )


def _names(side: Side, event: Event) -> Iterator[str]:
    """Yield the names that frameworks make the title of a place of."""
    yield event.path.rpartition(".")[2].rstrip("[]")
    for pointer in (event.old_pointer, event.new_pointer):
        yield from pointer.split("/")[-2:-1]
    if not event.path:
        yield side.subject.partition(" ")[2]


def _path(side: Side, event: Event) -> str:
    joint = "." if event.path and event.path[0] not in "[{<" else ""
    return f"{side.name}{joint}{event.path}"


_WITH_KEYWORD = frozenset("bound bound-formal condition unproved text keyword content".split())


def _dialects(side: Side, old: Json, new: Json) -> Iterator[Change]:
    was, now = _named(old), _named(new)
    # The dialect that is meant where none is named may be named without changing anything.
    if was == now or (dialect(old) == dialect(new) is not None):
        return
    rule = "I24" if side.name == "input" else "O24"
    at = f"{side.old_pointer}/$schema", f"{side.new_pointer}/$schema"
    yield Change(rule, side.subject, side.name, *at, was, now)


def _named(schema: Json) -> Value:
    value: Any = schema.get("$schema", ABSENT) if is_object(schema) else ABSENT
    return value.rstrip("#") if isinstance(value, str) else value


def _dangers(side: Side, events: Sequence[Event], *, channels: bool) -> Iterator[Change]:
    """Find what makes a change of an argument worse than it is by itself."""
    if side.name != "input":
        return
    for event in events:
        name = event.path.rpartition(".")[2]
        at = f"{side.new_pointer}{event.new_pointer}"
        if event.aspect == "header" and event.old is ABSENT and _SECRET.search(name):
            yield Change("I23b", side.subject, _path(side, event), "", at, ABSENT, event.new)
        added = event.aspect.startswith("member-") and event.old is ABSENT
        if not added:
            continue
        if _SECRET.search(name) and any("x-mcp-header" in part for part in _parts(event.new)):
            yield Change("I23b", side.subject, _path(side, event), "", at, ABSENT, event.new)
        is_text = any(part.get("type") == "string" for part in _parts(event.new))
        if channels and _SIDE_CHANNEL.search(name) and is_text:
            yield Change("I02b", side.subject, _path(side, event), "", at, ABSENT, event.new)


def _parts(schema: Value) -> Iterator[dict[str, Json]]:
    """Yield a schema, and those that hold with it."""
    if is_object(schema):
        yield schema
        for part in schema.get("allOf", ()):
            yield from _parts(part)


_GONE = frozenset({"I05", "I06", "O03"})
_COME = frozenset({"I01", "I02", "I02c", "O06", "O06b"})


def _renamed(changes: Sequence[Change]) -> Iterator[Change]:
    """Say of a member that is gone, and of the only new one with its schema, that it moved."""
    gone, come = (_by_schema(changes, rules) for rules in (_GONE, _COME))
    moved: dict[str, str] = {}
    for key, lost in gone.items():
        found = come.get(key, [])
        if len(lost) == 1 and len(found) == 1 and _are_alike(lost[0], found[0]):
            moved[lost[0].path] = f"it looks renamed to {found[0].path}"
            moved[found[0].path] = f"it looks renamed from {lost[0].path}"
    for change in changes:
        is_moved = change.path in moved and change.rule in _GONE | _COME
        yield change.saying(moved[change.path]) if is_moved else change


def _by_schema(
    changes: Sequence[Change], rules: frozenset[str]
) -> dict[tuple[str, str], list[Change]]:
    """Return the members that came or went, by the object they are in and their schema."""
    found: dict[tuple[str, str], list[Change]] = {}
    for change in changes:
        schema = change.new if change.old is ABSENT else change.old
        if change.rule in rules and is_object(schema):
            said = {k: v for k, v in schema.items() if k not in ("title", "description")}
            key = change.path.rpartition(".")[0], repr(said)
            found.setdefault(key, []).append(change)
    return found


def _are_alike(gone: Change, come: Change) -> bool:
    """Say whether two members of one schema are called alike or described alike.

    That both are booleans, say, is chance.
    """
    mine, yours = (change.path.rpartition(".")[2].lower() for change in (gone, come))
    if mine in yours or yours in mine or _likeness(mine, yours) > 0.6:
        return True
    old, new = (schema.get("description") for schema in (gone.old, come.new) if is_object(schema))
    if isinstance(old, str) and isinstance(new, str):
        return _likeness(old[:500], new[:500]) > 0.6
    return False


def _likeness(one: str, other: str) -> float:
    return difflib.SequenceMatcher(None, one, other, autojunk=False).ratio()
