"""Whether a schema tells what is in the values that it allows, or only that there is something."""

from __future__ import annotations

from mcpgen.jsontext import Json
from mcpgen.types.inference import infer
from mcpgen.types.nodes import (
    NULL,
    Anything,
    InferredType,
    Mapping,
    Node,
    Record,
    Reference,
    Scalar,
    Sequence,
    Union,
    children,
)

_WRAPPER = "result"
"""The member in which servers put what is no object."""


def tells(schema: Json, dialect: str) -> bool:
    """Say whether an output schema tells more than that there is an object, a list or anything.

    Frameworks write such a schema for functions that return ``dict``, ``list`` or ``str``. A text
    in the one member ``result`` tells nothing either: it may well be JSON.
    """
    inferred = infer(schema, dialect, arguments=False)
    inner = _wrapped(inferred)
    if inner is None:
        return _tells(inferred.root, inferred, frozenset())
    return inner != Scalar("string") and _tells(inner, inferred, frozenset())


def promises_text(schema: Json, dialect: str) -> bool:
    """Say whether an output schema promises a text in the one member ``result``."""
    return _wrapped(infer(schema, dialect, arguments=False)) == Scalar("string")


def _wrapped(inferred: InferredType) -> Node | None:
    root = inferred.root
    body = inferred.definitions[root.pointer].body if isinstance(root, Reference) else None
    if isinstance(body, Record) and [member.wire for member in body.members] == [_WRAPPER]:
        return body.members[0].node
    return None


def _tells(node: Node | Record, inferred: InferredType, above: frozenset[str]) -> bool:
    if isinstance(node, Reference):
        body = inferred.definitions[node.pointer].body
        is_within_itself = node.pointer in above
        return not is_within_itself and _tells(body, inferred, above | {node.pointer})
    if isinstance(node, Record):
        return node.closed or bool(node.members)
    if isinstance(node, Mapping | Sequence | Union):
        inner = (each for each in children(node) if each != NULL)
        return any(_tells(each, inferred, above) for each in inner)
    return not isinstance(node, Anything)
