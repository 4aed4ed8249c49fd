"""Generated types: where code that was written against the old ones does not check any more.

Such code passes arguments of the declared types, makes the classes of arguments and reads the
members of results. Only Python's types count here, by the names that a package gives them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import TypeAlias, TypeGuard, cast

from mcpgen.codegen import naming
from mcpgen.codegen.plan.imports import Imports
from mcpgen.codegen.plan.sides import Side
from mcpgen.codegen.plan.type_expressions import TypeExpressions
from mcpgen.findings.change import ABSENT, Value
from mcpgen.schemas.types import Member, Record
from mcpgen.schemas.types.nodes import (
    NULL,
    Anything,
    Choice,
    Fixed,
    Kind,
    Mapping,
    Never,
    Node,
    Reference,
    Scalar,
    Sequence,
    Union,
    union,
)

Typed: TypeAlias = "tuple[Node, Side]"
"""A type, and the side whose definitions it refers to."""


@dataclass(frozen=True, slots=True)
class Misfit:
    """A place where old code does not check: its path, and the types as they are written."""

    path: str
    old: Value
    new: Value
    detail: str = ""
    is_gone: bool = False


def arguments(old: Side, new: Side) -> Iterator[Misfit]:
    """Find what old calls, and classes that they make, cannot be given any more."""
    for name, record, path in classes(old):
        now = _class(new, name)
        if now is None:
            yield Misfit(path, name, ABSENT, "the class is gone", is_gone=True)
        else:
            for misfit in _made(_Two(old, new), record, now, path):
                yield replace(misfit, detail=f"in {name}")
    yield from _aliases(old, new)


def result(old: Side, new: Side) -> Iterator[Misfit]:
    """Find what old code cannot read any more."""
    both = _Two(old, new)
    fits = _fits((new.inferred.root, new), (old.inferred.root, old))
    if not fits:
        yield both.misfit("", old.inferred.root, new.inferred.root)
    for name, record, path in classes(old):
        now = _class(new, name)
        if now is None and (path or fits):
            yield Misfit(path, name, ABSENT, "the class is gone", is_gone=True)
        elif now is None:
            continue
        else:
            for misfit in _read(both, record, now, path):
                yield replace(misfit, detail=f"in {name}")
    yield from _aliases(old, new)


@dataclass(frozen=True, slots=True)
class _Two:
    """The old and the new side, to write types of both."""

    old: Side
    new: Side

    def misfit(self, path: str, was: Node, now: Node) -> Misfit:
        """Return a misfit of two types."""
        return Misfit(path, _expression(self.old, was), _expression(self.new, now))


def _expression(side: Side, node: Node) -> str:
    expressions = TypeExpressions(
        side.names,
        Imports("."),
        exact=False,
        definitions=side.inferred.definitions,
        is_parameter=side.arguments,
    )
    return expressions.annotation(node)


def _made(both: _Two, old: Record, new: Record, path: str) -> Iterator[Misfit]:
    """Compare two versions of a class that old code makes, or the parameters of a method."""
    before, after = _members(old), _members(new)
    for name, member in before.items():
        place = f"{path}.{member.wire}"
        now = after.get(name)
        if now is None:
            yield Misfit(place, _expression(both.old, _told(member)), ABSENT)
        elif not _fits((_told(member), both.old), (_told(now), both.new)):
            yield both.misfit(place, _told(member), _told(now))
    for name, member in after.items():
        if member.required and not (name in before and before[name].required):
            yield Misfit(f"{path}.{member.wire}", ABSENT, _expression(both.new, _told(member)))


def _told(member: Member) -> Node:
    return member.documented or member.node


def _read(both: _Two, old: Record, new: Record, path: str) -> Iterator[Misfit]:
    """Compare two versions of a class whose members old code reads."""
    after = _members(new)
    for name, member in _members(old).items():
        place, was, now = f"{path}.{member.wire}", _received(member), after.get(name)
        if now is None:
            yield Misfit(place, _expression(both.old, was), ABSENT)
        elif not _fits((_received(now), both.new), (was, both.old)):
            yield both.misfit(place, was, _received(now))


def _received(member: Member) -> Node:
    return member.node if member.required else union([member.node, NULL])


def _members(record: Record) -> dict[str, Member]:
    names = naming.members(member.wire for member in record.members)
    return {names[member.wire]: member for member in record.members}


def _aliases(old: Side, new: Side) -> Iterator[Misfit]:
    """Find the names of types that are no classes, and are gone."""
    known = set(new.names.values())
    for pointer, definition in old.inferred.definitions.items():
        name = old.names[pointer]
        if not isinstance(definition.body, Record) and name not in known:
            yield Misfit("", name, ABSENT, "the name of the type is gone", is_gone=True)


def _class(side: Side, name: str) -> Record | None:
    for pointer, definition in side.inferred.definitions.items():
        if side.names[pointer] == name and isinstance(definition.body, Record):
            return definition.body
    return None


def classes(side: Side) -> Iterator[tuple[str, Record, str]]:
    """Yield the classes of a side, each with its name and the path of its first use."""
    waiting: list[tuple[Node, str]] = [(side.inferred.root, "")]
    if "" in side.inferred.definitions:
        waiting.append((Reference(""), ""))
    seen: set[str] = set()
    while waiting:
        node, path = waiting.pop(0)
        if not isinstance(node, Reference):
            waiting += _inside(node, path)
        elif node.pointer not in seen:
            seen.add(node.pointer)
            body = side.inferred.definitions[node.pointer].body
            if isinstance(body, Record):
                yield side.names[node.pointer], body, path
                waiting += [
                    (child, f"{path}.{member.wire}")
                    for member in body.members
                    for child in (member.node, *([member.documented] if member.documented else []))
                ]
            else:
                waiting.append((body, path))


def _inside(node: Node, path: str) -> list[tuple[Node, str]]:
    if isinstance(node, Sequence):
        return [(node.item, f"{path}[]")]
    if isinstance(node, Mapping):
        return [(node.value, f"{path}{{}}")]
    if isinstance(node, Fixed):
        return [(item, f"{path}[{index}]") for index, item in enumerate(node.items)]
    return [(member, path) for member in node.members] if isinstance(node, Union) else []


# -- whether a value of one type is one of another ------------------------------------------------


@dataclass(slots=True)
class _Seen:
    """The pairs of types that are being compared; a recursive type fits if all the rest does."""

    pairs: set[tuple[str, int, str, int]] = field(default_factory=set["tuple[str, int, str, int]"])


def _fits(given: Typed, wanted: Typed, seen: _Seen | None = None) -> bool:
    """Say whether a value of one type can be assigned to a variable of another."""
    seen = seen or _Seen()
    key = (repr(given[0]), id(given[1]), repr(wanted[0]), id(wanted[1]))
    if key in seen.pairs:
        return True
    seen.pairs.add(key)
    (one, mine), (other, yours) = _opened(given), _opened(wanted)
    if isinstance(one, Anything | Never) or isinstance(other, Anything):
        return True
    if len(kinds := _kinds(one)) > 1:
        return all(_fits((kind, mine), (other, yours), seen) for kind in kinds)
    if isinstance(other, Union):
        return any(_fits((one, mine), (member, yours), seen) for member in other.members)
    return _is_one((one, mine), (other, yours), seen)


def _kinds(node: Node) -> tuple[Node, ...]:
    """Return what a type is a union of, if it is one."""
    if isinstance(node, Union):
        return node.members
    if isinstance(node, Choice):
        return tuple(Choice((value,)) for value in node.values)
    if node == _BOOLEAN:
        return Choice((True,)), Choice((False,))
    if _has_own_type(node):
        # What has a format is read as a type of its own, by the name of the format.
        return Scalar("string"), Scalar(cast("Kind", node.format))
    return (node,)


def _has_own_type(node: Node) -> TypeGuard[Scalar]:
    """Return True for a format that is read as another type. With bounds it stays a string."""
    return isinstance(node, Scalar) and bool(node.format) and not node.bounds


_BOOLEAN = Scalar("boolean")


def _is_one(given: Typed, wanted: Typed, seen: _Seen) -> bool:
    """Compare two types that are neither unions nor names of other types."""
    (one, mine), (other, yours) = given, wanted
    if isinstance(one, Reference) and isinstance(other, Reference):
        return mine.names[one.pointer] == yours.names[other.pointer]
    if isinstance(one, Sequence) and isinstance(other, Sequence):
        items = (one.item, mine), (other.item, yours)
        # What an argument has of anything is written as ``object``, which fits nothing else.
        if mine.arguments and isinstance(_opened(items[0])[0], Anything):
            return isinstance(_opened(items[1])[0], Anything)
        return _is_item(*items, seen)
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        return _is_item((one.value, mine), (other.value, yours), seen)
    if isinstance(one, Fixed) and isinstance(other, Fixed):
        pairs = list(zip(one.items, other.items, strict=False))
        is_long = len(one.items) == len(other.items)
        return is_long and all(_fits((a, mine), (b, yours), seen) for a, b in pairs)
    return _is_scalar(one, other)


def _is_item(one: Typed, other: Typed, seen: _Seen) -> bool:
    """Say whether what is in a sequence or mapping fits; in a list or dict it must both ways."""
    return _fits(one, other, seen) and (one[1].arguments or _fits(other, one, seen))


_KINDS = {str: "string", bool: "boolean", int: "integer"}
# What Python's checkers take for another kind: int for float, and by inheritance.
_WIDER = {
    "boolean": ("boolean", "integer", "number"),
    "integer": ("integer", "number"),
    "date-time": ("date-time", "date"),
}


def _is_scalar(one: Node, other: Node) -> bool:
    if isinstance(other, Choice):
        values = {(type(value), value) for value in other.values}
        had = one.values if isinstance(one, Choice) else ()
        return bool(had) and all((type(value), value) in values for value in had)
    kind = _KINDS[type(one.values[0])] if isinstance(one, Choice) else getattr(one, "kind", "")
    if not isinstance(other, Scalar) or not kind:
        return False
    wanted = {"string", other.format} if _has_own_type(other) else {other.kind}
    return not wanted.isdisjoint(_WIDER.get(kind, (kind,)))


def _opened(typed: Typed) -> Typed:
    """Follow the names of types that are no classes."""
    node, side = typed
    seen: set[str] = set()
    while isinstance(node, Reference) and node.pointer not in seen:
        seen.add(node.pointer)
        body = side.inferred.definitions[node.pointer].body
        if isinstance(body, Record):
            break
        node = body
    return node, side
