"""The syntax tree of an expression, built and used without recursion."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal, TypeAlias, TypeVar

from .characters import Characters

Edges: TypeAlias = Literal["start", "end", "word", "no word"]
T = TypeVar("T")


@dataclass(frozen=True)
class Node:
    """A part of an expression."""

    parts: tuple[Node, ...] = ()


@dataclass(frozen=True)
class CharacterMatch(Node):
    """A character of a set, which precedes the position if ``behind`` is true."""

    among: Characters = field(default_factory=Characters)
    behind: bool = False


@dataclass(frozen=True)
class Sequence(Node):
    """All parts, in the order in which they are matched: backwards in a look-behind."""


@dataclass(frozen=True)
class Choice(Node):
    """Alternatives."""


@dataclass(frozen=True)
class Repeat(Node):
    """A repetition. ``most`` is None if it is unbounded."""

    least: int = 0
    most: int | None = None
    lazy: bool = False


@dataclass(frozen=True)
class Group(Node):
    """A group that a reference can name."""

    number: int = 0


@dataclass(frozen=True)
class Lookaround(Node):
    """A look-ahead or look-behind, possibly negated."""

    behind: bool = False
    negated: bool = False


@dataclass(frozen=True)
class Reference(Node):
    """The text that a group matched."""

    number: int = 0
    behind: bool = False


@dataclass(frozen=True)
class Boundary(Node):
    """A position between two characters, such as a word boundary."""

    kind: Edges = "start"


def fold(tree: Node, make: Callable[[Node, list[T]], T]) -> T:
    """Fold a tree from the leaves up, at any depth."""
    waiting, order = [tree], list[Node]()
    while waiting:
        node = waiting.pop()
        order.append(node)
        waiting += node.parts
    results: list[T] = []
    for node in reversed(order):
        first = len(results) - len(node.parts)
        results[first:] = [make(node, results[first:])]
    return results[0]


def nodes(tree: Node) -> list[Node]:
    """List all parts of a tree, and itself."""
    waiting, listed = [tree], list[Node]()
    while waiting:
        listed.append(waiting.pop())
        waiting += listed[-1].parts
    return listed


def flat_parts(tree: Node) -> list[Node]:
    """List the parts of a sequence, with inner groups and sequences expanded."""
    waiting, flat = [tree], list[Node]()
    while waiting:
        node = waiting.pop()
        if isinstance(node, Group | Sequence):
            waiting += reversed(node.parts)
        else:
            flat.append(node)
    return flat
