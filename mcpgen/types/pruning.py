"""What was read of a schema, summed up: no alias leads only to itself, nothing unused is kept."""

from __future__ import annotations

from collections.abc import Mapping

from mcpgen.types.nodes import (
    Anything,
    Definition,
    InferredType,
    Node,
    Record,
    Reference,
    Union,
    references,
)


def pruned(root: Node, found: Mapping[str, Definition], *, exact: bool) -> InferredType:
    """Return the shape of a schema, of its root and of the definitions that were found."""
    definitions = dict(found)
    for pointer, definition in found.items():
        is_alias = not isinstance(definition.body, Record)
        if is_alias and _returns(definitions, pointer, pointer, set()):
            definitions[pointer] = Definition(pointer, Anything(), "", "", exact=False)
    kept = {pointer: definitions[pointer] for pointer in sorted(_used(definitions, root))}
    return InferredType(root, kept, exact and all(definition.exact for definition in kept.values()))


def _returns(
    definitions: Mapping[str, Definition], goal: str, pointer: str, seen: set[str]
) -> bool:
    """Say whether a type is defined as itself, with no value in between."""
    body = definitions[pointer].body
    if isinstance(body, Record) or pointer in seen:
        return False
    seen.add(pointer)
    nodes = body.members if isinstance(body, Union) else (body,)
    near = [node.pointer for node in nodes if isinstance(node, Reference)]
    return goal in near or any(_returns(definitions, goal, other, seen) for other in near)


def _used(definitions: Mapping[str, Definition], root: Node) -> set[str]:
    used: set[str] = set()
    waiting = list(references(root))
    while waiting:
        pointer = waiting.pop()
        if pointer not in used:
            used.add(pointer)
            waiting += references(definitions[pointer].body)
    return used
