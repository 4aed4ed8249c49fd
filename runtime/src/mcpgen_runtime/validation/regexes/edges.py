"""Splits a pattern with look-around at its edges into conditions.

A text matches ``^(?=.*[A-Z])(?!x).{8,}$`` if it contains ``^.{8,}$`` and ``^.*[A-Z]``, and not
``^x``. Such conditions need no look-around, and so run in linear time.
"""

from __future__ import annotations

from dataclasses import replace

from .syntax_tree import (
    Boundary,
    CharacterMatch,
    Lookaround,
    Node,
    Sequence,
    flat_parts,
    fold,
)


def conditions(tree: Node) -> list[tuple[Node, bool]] | None:
    """Return expressions, each with True if a string must match it, and False if it must not.

    Returns None if there is no look-around at an edge.
    """
    parts = flat_parts(tree)
    if not parts or not _is_edge(parts[0], "start"):
        return None
    head, tail = 1, len(parts)
    while head < tail and _is_look(parts[head], behind=False):
        head += 1
    if _is_edge(parts[-1], "end"):
        tail -= 1
        while tail > head and _is_look(parts[tail - 1], behind=True):
            tail -= 1
    ahead, behind = parts[1:head], parts[tail:-1]
    start, end = parts[0], parts[-1]
    rest = parts[head:tail] + ([end] if tail < len(parts) else [])
    expressions: list[tuple[Node, bool]] = [
        (Sequence((start, *rest)), True),
        *((Sequence((start, *look.parts)), not look.negated) for look in _looks(ahead)),
        *(
            (Sequence((*map(_forward, look.parts), end)), not look.negated)
            for look in _looks(behind)
        ),
    ]
    return expressions


def _is_edge(node: Node, kind: str) -> bool:
    return isinstance(node, Boundary) and node.kind == kind


def _is_look(node: Node, *, behind: bool) -> bool:
    return isinstance(node, Lookaround) and node.behind == behind


def _looks(parts: list[Node]) -> list[Lookaround]:
    return [part for part in parts if isinstance(part, Lookaround)]


def _forward(node: Node) -> Node:
    """Return the content of a look-behind from left to right."""
    return fold(node, _forward_node)


def _forward_node(node: Node, parts: list[Node]) -> Node:
    if isinstance(node, CharacterMatch):
        return replace(node, behind=False)
    is_sequence = isinstance(node, Sequence)
    return replace(node, parts=tuple(reversed(parts) if is_sequence else parts))
