"""Definitions without those that nothing uses, and without aliases that lead only to themselves."""

from __future__ import annotations

from collections.abc import Mapping

from mcpgen.schemas.types.nodes import (
    Anything,
    Definition,
    InferredType,
    Node,
    Record,
    Reference,
    Union,
    references,
)


def pruned(root: Node, inferred: Mapping[str, Definition], *, exact: bool) -> InferredType:
    """Return the type of a schema from its root and all definitions that were inferred."""
    definitions = dict(inferred)
    for pointer, definition in inferred.items():
        is_alias = not isinstance(definition.body, Record)
        if is_alias and _returns(definitions, pointer, pointer, set()):
            definitions[pointer] = Definition(pointer, Anything(), "", "", exact=False)
    used = {pointer: definitions[pointer] for pointer in sorted(_used(definitions, root))}
    return InferredType(root, used, exact and all(definition.exact for definition in used.values()))


def _returns(
    definitions: Mapping[str, Definition], target: str, pointer: str, visited: set[str]
) -> bool:
    """Say whether a type is defined as itself, with no value in between."""
    body = definitions[pointer].body
    if isinstance(body, Record) or pointer in visited:
        return False
    visited.add(pointer)
    nodes = body.members if isinstance(body, Union) else (body,)
    direct = [node.pointer for node in nodes if isinstance(node, Reference)]
    return target in direct or any(_returns(definitions, target, at, visited) for at in direct)


def _used(definitions: Mapping[str, Definition], root: Node) -> set[str]:
    used: set[str] = set()
    waiting = list(references(root))
    while waiting:
        pointer = waiting.pop()
        if pointer not in used:
            used.add(pointer)
            waiting += references(definitions[pointer].body)
    return used
