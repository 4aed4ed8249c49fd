"""Finds generated types that break code written against the old ones.

Such code passes arguments of the declared types, creates argument classes and reads properties of
results. Only Python types count, by their names in the package.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import TypeAlias, TypeGuard, cast

from mcpgen.codegen import naming
from mcpgen.codegen.plan.imports import Imports
from mcpgen.codegen.plan.tool_types import ToolType
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

Typed: TypeAlias = "tuple[Node, ToolType]"
"""A type, and the tool type with the definitions that it refers to."""


@dataclass(frozen=True, slots=True)
class Misfit:
    """A position at which old code no longer type-checks: its path, and the annotations."""

    path: str
    old: Value
    new: Value
    detail: str = ""
    is_gone: bool = False


def arguments(old: ToolType, new: ToolType) -> Iterator[Misfit]:
    """Find arguments of old calls, and classes that they create, that are no longer accepted."""
    for name, record, path in classes(old):
        now = _class(new, name)
        if now is None:
            yield Misfit(path, name, ABSENT, "the class no longer exists", is_gone=True)
        else:
            for misfit in _misfits_of_created(_TypePair(old, new), record, now, path):
                yield replace(misfit, detail=f"in {name}")
    yield from _aliases(old, new)


def result(old: ToolType, new: ToolType) -> Iterator[Misfit]:
    """Find properties that old code can no longer read."""
    both = _TypePair(old, new)
    fits = _fits((new.inferred.root, new), (old.inferred.root, old))
    if not fits:
        yield both.misfit("", old.inferred.root, new.inferred.root)
    for name, record, path in classes(old):
        now = _class(new, name)
        if now is None and (path or fits):
            yield Misfit(path, name, ABSENT, "the class no longer exists", is_gone=True)
        elif now is None:
            continue
        else:
            for misfit in _read(both, record, now, path):
                yield replace(misfit, detail=f"in {name}")
    yield from _aliases(old, new)


@dataclass(frozen=True, slots=True)
class _TypePair:
    """The old and the new tool type."""

    old: ToolType
    new: ToolType

    def misfit(self, path: str, was: Node, now: Node) -> Misfit:
        """Return a misfit of two types."""
        return Misfit(path, _expression(self.old, was), _expression(self.new, now))


def _expression(tool_type: ToolType, node: Node) -> str:
    expressions = TypeExpressions(
        tool_type.names,
        Imports("."),
        exact=False,
        definitions=tool_type.inferred.definitions,
        is_parameter=tool_type.arguments,
    )
    return expressions.annotation(node)


def _misfits_of_created(both: _TypePair, old: Record, new: Record, path: str) -> Iterator[Misfit]:
    """Compare two versions of a class that old code creates, or of a method's parameters."""
    before, after = _members(old), _members(new)
    for name, member in before.items():
        member_path = f"{path}.{member.wire}"
        now = after.get(name)
        if now is None:
            yield Misfit(member_path, _expression(both.old, _documented_type(member)), ABSENT)
        elif not _fits((_documented_type(member), both.old), (_documented_type(now), both.new)):
            yield both.misfit(member_path, _documented_type(member), _documented_type(now))
    for name, member in after.items():
        if member.required and not (name in before and before[name].required):
            yield Misfit(
                f"{path}.{member.wire}", ABSENT, _expression(both.new, _documented_type(member))
            )


def _documented_type(member: Member) -> Node:
    return member.documented or member.node


def _read(both: _TypePair, old: Record, new: Record, path: str) -> Iterator[Misfit]:
    """Compare two versions of a class whose fields old code reads."""
    after = _members(new)
    for name, member in _members(old).items():
        member_path, was, now = f"{path}.{member.wire}", _received_type(member), after.get(name)
        if now is None:
            yield Misfit(member_path, _expression(both.old, was), ABSENT)
        elif not _fits((_received_type(now), both.new), (was, both.old)):
            yield both.misfit(member_path, was, _received_type(now))


def _received_type(member: Member) -> Node:
    return member.node if member.required else union([member.node, NULL])


def _members(record: Record) -> dict[str, Member]:
    names = naming.members(member.wire for member in record.members)
    return {names[member.wire]: member for member in record.members}


def _aliases(old: ToolType, new: ToolType) -> Iterator[Misfit]:
    """Find removed aliases."""
    new_names = set(new.names.values())
    for pointer, definition in old.inferred.definitions.items():
        name = old.names[pointer]
        if not isinstance(definition.body, Record) and name not in new_names:
            yield Misfit("", name, ABSENT, "the type no longer has a name", is_gone=True)


def _class(tool_type: ToolType, name: str) -> Record | None:
    for pointer, definition in tool_type.inferred.definitions.items():
        if tool_type.names[pointer] == name and isinstance(definition.body, Record):
            return definition.body
    return None


def classes(tool_type: ToolType) -> Iterator[tuple[str, Record, str]]:
    """Yield the classes of a tool type, each with its name and the path of its first use."""
    waiting: list[tuple[Node, str]] = [(tool_type.inferred.root, "")]
    if "" in tool_type.inferred.definitions:
        waiting.append((Reference(""), ""))
    visited: set[str] = set()
    while waiting:
        node, path = waiting.pop(0)
        if not isinstance(node, Reference):
            waiting += _inside(node, path)
        elif node.pointer not in visited:
            visited.add(node.pointer)
            body = tool_type.inferred.definitions[node.pointer].body
            if isinstance(body, Record):
                yield tool_type.names[node.pointer], body, path
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


# Assignability of types.


@dataclass(slots=True)
class _ActivePairs:
    """The pairs of types being compared. They are assumed to fit, so recursion ends."""

    pairs: set[tuple[str, int, str, int]] = field(default_factory=set["tuple[str, int, str, int]"])


def _fits(source: Typed, target: Typed, active: _ActivePairs | None = None) -> bool:
    """Return True if a value of one type can be assigned to a variable of another."""
    active = active or _ActivePairs()
    key = (repr(source[0]), id(source[1]), repr(target[0]), id(target[1]))
    if key in active.pairs:
        return True
    active.pairs.add(key)
    (node, mine), (other, yours) = _resolve_aliases(source), _resolve_aliases(target)
    if isinstance(node, Anything | Never) or isinstance(other, Anything):
        return True
    if len(kinds := _kinds(node)) > 1:
        return all(_fits((kind, mine), (other, yours), active) for kind in kinds)
    if isinstance(other, Union):
        return any(_fits((node, mine), (member, yours), active) for member in other.members)
    return _is_one((node, mine), (other, yours), active)


def _kinds(node: Node) -> tuple[Node, ...]:
    """Return the members of a union, or the type itself."""
    if isinstance(node, Union):
        return node.members
    if isinstance(node, Choice):
        return tuple(Choice((value,)) for value in node.values)
    if node == _BOOLEAN:
        return Choice((True,)), Choice((False,))
    if _has_own_type(node):
        # A formatted string is compared as a type named after its format.
        return Scalar("string"), Scalar(cast("Kind", node.format))
    return (node,)


def _has_own_type(node: Node) -> TypeGuard[Scalar]:
    """Return True for a format with its own type. With bounds it stays a string."""
    return isinstance(node, Scalar) and bool(node.format) and not node.bounds


_BOOLEAN = Scalar("boolean")


def _is_one(source: Typed, target: Typed, active: _ActivePairs) -> bool:
    """Compare two types that are neither unions nor names of other types."""
    (node, mine), (other, yours) = source, target
    if isinstance(node, Reference) and isinstance(other, Reference):
        return mine.names[node.pointer] == yours.names[other.pointer]
    if isinstance(node, Sequence) and isinstance(other, Sequence):
        items = (node.item, mine), (other.item, yours)
        # An untyped argument is annotated as ``object``, which is only assignable to ``object``.
        if mine.arguments and isinstance(_resolve_aliases(items[0])[0], Anything):
            return isinstance(_resolve_aliases(items[1])[0], Anything)
        return _is_item(*items, active)
    if isinstance(node, Mapping) and isinstance(other, Mapping):
        return _is_item((node.value, mine), (other.value, yours), active)
    if isinstance(node, Fixed) and isinstance(other, Fixed):
        pairs = list(zip(node.items, other.items, strict=False))
        is_long = len(node.items) == len(other.items)
        return is_long and all(_fits((a, mine), (b, yours), active) for a, b in pairs)
    return _is_scalar(node, other)


def _is_item(source: Typed, other: Typed, active: _ActivePairs) -> bool:
    """Return True if an item type fits. In a list or dict it must fit both ways."""
    return _fits(source, other, active) and (source[1].arguments or _fits(other, source, active))


_KINDS = {str: "string", bool: "boolean", int: "integer"}
# Types that Python's type checkers accept for another: int for float, and subclasses.
_WIDER = {
    "boolean": ("boolean", "integer", "number"),
    "integer": ("integer", "number"),
    "date-time": ("date-time", "date"),
}


def _is_scalar(node: Node, other: Node) -> bool:
    if isinstance(other, Choice):
        values = {(type(value), value) for value in other.values}
        had = node.values if isinstance(node, Choice) else ()
        return bool(had) and all((type(value), value) in values for value in had)
    kind = _KINDS[type(node.values[0])] if isinstance(node, Choice) else getattr(node, "kind", "")
    if not isinstance(other, Scalar) or not kind:
        return False
    allowed = {"string", other.format} if _has_own_type(other) else {other.kind}
    return not allowed.isdisjoint(_WIDER.get(kind, (kind,)))


def _resolve_aliases(typed: Typed) -> Typed:
    """Follow aliases to their types."""
    node, tool_type = typed
    visited: set[str] = set()
    while isinstance(node, Reference) and node.pointer not in visited:
        visited.add(node.pointer)
        body = tool_type.inferred.definitions[node.pointer].body
        if isinstance(body, Record):
            break
        node = body
    return node, tool_type
