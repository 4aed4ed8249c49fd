"""Finds discriminators: required properties with a different constant in each record of a union."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from collections.abc import Sequence as Listed
from typing import TypeAlias

from mcpgen.schemas.types.nodes import (
    NULL,
    Choice,
    Definition,
    Node,
    Record,
    Reference,
    Union,
    children,
    references,
)

Value: TypeAlias = "str | int | bool"


def discriminator(nodes: Listed[Node], definitions: Mapping[str, Definition]) -> str:
    """Return the property that discriminates a union of records, or "".

    Pydantic supports only strings as discriminators.
    """
    return next(
        (name for name, values in _discriminators(nodes, definitions) if _are_texts(values)), ""
    )


def have_discriminator(nodes: Listed[Node], definitions: Mapping[str, Definition]) -> bool:
    """Return True if the records of a union have a discriminator, possibly a number."""
    return any(_discriminators(nodes, definitions))


def contains_itself(node: Union, definitions: Mapping[str, Definition]) -> bool:
    """Return True if a union of several records contains itself, through their properties."""
    records = [name for name in references(node) if isinstance(_body(name, definitions), Record)]
    if len(records) < 2:
        return False
    waiting, visited = [*references(node)], set[str]()
    while waiting:
        body = _body(waiting.pop(), definitions)
        if body == node or (body is not None and node in _descendants(body)):
            return True
        new = {*references(body)} - visited if body is not None else set[str]()
        visited |= new
        waiting += new
    return False


def _body(pointer: str, definitions: Mapping[str, Definition]) -> Record | Node | None:
    definition = definitions.get(pointer)
    return definition.body if definition else None


def _descendants(node: Record | Node) -> Iterator[Node]:
    for child in children(node):
        yield child
        yield from _descendants(child)


def _discriminators(
    nodes: Listed[Node], definitions: Mapping[str, Definition]
) -> Iterator[tuple[str, list[Value]]]:
    records = [_fixed_members(node, definitions) for node in nodes if node != NULL]
    if len(records) < 2 or list(nodes).count(NULL) > 1:
        return
    for name in records[0]:
        values = [value for members in records for value in members.get(name, ())]
        is_everywhere = all(name in members for members in records)
        # 1 isn't a boolean, although Python treats True and 1 as equal.
        if is_everywhere and len({(type(value), value) for value in values}) == len(values):
            yield name, values


def _are_texts(values: Listed[Value]) -> bool:
    return all(isinstance(value, str) for value in values)


def _fixed_members(
    node: Node, definitions: Mapping[str, Definition]
) -> dict[str, tuple[Value, ...]]:
    """Return the possible values of each required property with fixed values."""
    definition = definitions.get(node.pointer) if isinstance(node, Reference) else None
    # An alias that is still being inferred has no body.
    body = definition.body if definition else None
    members = body.members if isinstance(body, Record) else ()
    return {
        member.wire: member.node.values
        for member in members
        if member.required and isinstance(member.node, Choice)
    }
