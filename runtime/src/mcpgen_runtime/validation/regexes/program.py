"""Compiles an expression to instructions with relative jumps, for a counted search."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, TypeAlias

from .syntax_tree import (
    Boundary,
    CharacterMatch,
    Choice,
    Group,
    Lookaround,
    Node,
    Reference,
    Repeat,
    Sequence,
    fold,
    nodes,
)

MOST_INSTRUCTIONS = 20_000

Instruction: TypeAlias = "tuple[Any, ...]"
_Code: TypeAlias = "list[Instruction]"


def is_small(tree: Node, length: int) -> bool:
    """Return True if a program's size is proportional to the length of its expression."""
    most = max(MOST_INSTRUCTIONS, 4 * length)
    return fold(tree, lambda node, sizes: min(most + 1, _size(node, sizes))) <= most


def _size(node: Node, sizes: list[int]) -> int:
    if not isinstance(node, Repeat):
        return 2 * len(sizes) + 1 + sum(sizes)
    if isinstance(node.parts[0], CharacterMatch) and node.most is not None:
        return 1
    copies = node.least + 1 if node.most is None else node.most
    return 1 if not copies else (sizes[0] + 4) * copies


def compile_tree(tree: Node) -> tuple[tuple[Instruction, ...], int]:
    """Return the instructions of an expression, and how many registers they use."""
    all_nodes = nodes(tree)
    remembers = any(isinstance(node, Reference) for node in all_nodes)
    first = 2 + 2 * sum(isinstance(node, Group) for node in all_nodes)
    repeats = [node for node in all_nodes if isinstance(node, Repeat)]
    loops = {id(node): first + at for at, node in enumerate(repeats)}
    code = fold(tree, _Writer(remembers, loops).compile_node)
    return (*code, ("found",)), first + len(repeats) if remembers else 0


class _Writer:
    """Writes a syntax tree as instructions with relative jumps.

    Groups and the starts of loop iterations are only kept for back-references. Group ``n``
    has the registers ``2n`` and ``2n + 1``.
    """

    def __init__(self, remembers: bool, loops: dict[int, int]) -> None:
        self.remembers, self.loops = remembers, loops
        self.groups: dict[int, list[int]] = {}

    def compile_node(self, node: Node, parts: list[_Code]) -> _Code:
        if self.remembers:
            inner = [number for part in node.parts for number in self.groups[id(part)]]
            inner += [node.number] if isinstance(node, Group) else []
            # The groups of a subtree have consecutive numbers.
            self.groups[id(node)] = [min(inner), max(inner)] if inner else []
        return self.KINDS[type(node)](self, node, parts)

    def _compile_one(self, node: CharacterMatch, _: list[_Code]) -> _Code:
        return [("one", node.among.holds, node.behind)]

    def _edge(self, node: Boundary, _: list[_Code]) -> _Code:
        return [("edge", node.kind)]

    def _compile_same(self, node: Reference, _: list[_Code]) -> _Code:
        return [("same", 2 * node.number, node.behind)]

    def _look(self, node: Lookaround, parts: list[_Code]) -> _Code:
        return [("look", len(parts[0]) + 2, node.negated), *parts[0], ("found",)]

    def _sequence(self, _: Node, parts: list[_Code]) -> _Code:
        return [item for part in parts for item in part]

    def _choice(self, _: Node, parts: list[_Code]) -> _Code:
        code: _Code = []
        length_left = sum(len(part) + 2 for part in parts) - 2
        for part in parts[:-1]:
            length_left -= len(part) + 2
            code += [("split", 1, len(part) + 2), *part, ("jump", length_left + 1)]
        return code + parts[-1]

    def _group(self, node: Group, parts: list[_Code]) -> _Code:
        inner = parts[0]
        if not self.remembers:
            return inner
        start = 2 * node.number
        return [("save", start), *inner, ("save", start + 1)]

    def _repeat(self, node: Repeat, parts: list[_Code]) -> _Code:
        single, inner = node.parts[0], parts[0]
        if isinstance(single, CharacterMatch) and node.most is not None:
            return [("many", node)]
        groups = self.groups.get(id(single), ())
        forget = [("forget", 2 * groups[0], 2 * groups[-1] + 2)] if groups else []
        code = [*forget, *inner] * node.least
        mark = [("mark", self.loops[id(node)])] if self.remembers else []
        moved = [("moved", self.loops[id(node)])] if self.remembers else []
        turn = [*mark, *forget, *inner, *moved]
        if node.most is None:
            ways = _ways(node, 1, len(turn) + 2)
            return [*code, ("split", *ways), *turn, ("jump", -len(turn) - 1)]
        optional = node.most - node.least
        for turns in range(optional, 0, -1):
            code += [("split", *_ways(node, 1, (len(turn) + 1) * turns)), *turn]
        return code

    KINDS: ClassVar[dict[type[Node], Callable[..., _Code]]] = {
        **{
            CharacterMatch: _compile_one,
            Boundary: _edge,
            Reference: _compile_same,
            Lookaround: _look,
            Repeat: _repeat,
        },
        **{Sequence: _sequence, Choice: _choice, Group: _group},
    }


def _ways(node: Repeat, turn: int, leave: int) -> tuple[int, int]:
    return (leave, turn) if node.lazy else (turn, leave)
