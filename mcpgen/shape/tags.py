"""The member that tells the records of a union apart: required in each, constant, different."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from collections.abc import Sequence as Listed

from mcpgen.shape.tree import NULL, Choice, Definition, Node, Record, Reference


def tag(nodes: Listed[Node], definitions: Mapping[str, Definition]) -> str:
    """Return the wire name of the member by which a union of records is read, or ``""``."""
    found = [_texts(node, definitions) for node in nodes if node != NULL]
    if len(found) < 2 or nodes.count(NULL) > 1:
        return ""
    for name in found[0]:
        values = [value for texts in found for value in texts.get(name, ())]
        is_everywhere = all(name in texts for texts in found)
        if is_everywhere and len(set(values)) == len(values):
            return name
    return ""


def _texts(node: Node, definitions: Mapping[str, Definition]) -> dict[str, tuple[str, ...]]:
    """Return the texts that each required member of a record may be, where those are fixed."""
    known = definitions.get(node.pointer) if isinstance(node, Reference) else None
    body = known.body if known else None  # an alias that is still being read has none
    return dict(_fixed(body)) if isinstance(body, Record) else {}


def _fixed(record: Record) -> Iterator[tuple[str, tuple[str, ...]]]:
    for member in record.members:
        if member.required and isinstance(member.node, Choice):
            texts = tuple(value for value in member.node.values if isinstance(value, str))
            if len(texts) == len(member.node.values):
                yield member.wire, texts
