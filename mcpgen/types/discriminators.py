"""The member that tells the records of a union apart: required in each, constant, different."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from collections.abc import Sequence as Listed
from typing import TypeAlias

from mcpgen.types.nodes import NULL, Choice, Definition, Node, Record, Reference

Value: TypeAlias = "str | int | bool"


def discriminator(nodes: Listed[Node], definitions: Mapping[str, Definition]) -> str:
    """Return the wire name of the member by which a union of records is read, or ``""``.

    Pydantic reads unions by texts alone.
    """
    return next((name for name, values in _telling(nodes, definitions) if _are_texts(values)), "")


def have_discriminator(nodes: Listed[Node], definitions: Mapping[str, Definition]) -> bool:
    """Say whether some member tells the records of a union apart, be it by numbers."""
    return any(_telling(nodes, definitions))


def _telling(
    nodes: Listed[Node], definitions: Mapping[str, Definition]
) -> Iterator[tuple[str, list[Value]]]:
    found = [_values(node, definitions) for node in nodes if node != NULL]
    if len(found) < 2 or list(nodes).count(NULL) > 1:
        return
    for name in found[0]:
        values = [value for fixed in found for value in fixed.get(name, ())]
        is_everywhere = all(name in fixed for fixed in found)
        # 1 is no boolean, though Python says that it is true.
        if is_everywhere and len({(type(value), value) for value in values}) == len(values):
            yield name, values


def _are_texts(values: Listed[Value]) -> bool:
    return all(isinstance(value, str) for value in values)


def _values(node: Node, definitions: Mapping[str, Definition]) -> dict[str, tuple[Value, ...]]:
    """Return what each required member of a record may be, where that is fixed."""
    known = definitions.get(node.pointer) if isinstance(node, Reference) else None
    body = known.body if known else None  # an alias that is still being read has none
    members = body.members if isinstance(body, Record) else ()
    return {
        member.wire: member.node.values
        for member in members
        if member.required and isinstance(member.node, Choice)
    }
