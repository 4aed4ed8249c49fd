"""Rewrites look-around of single characters, which then needs no search.

``[a-z]+(?!9)\\d`` is ``[a-z]+[0-8]``, because a look-ahead of one character limits the set of the
character that follows. At the end of a pattern, ``(?=bc)`` is ``bc``, because only the verdict
counts, not the matched text. Look-behind is the mirror image.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TypeAlias

from .characters import Characters, complement
from .syntax_tree import (
    Boundary,
    CharacterMatch,
    Choice,
    Edges,
    Lookaround,
    Node,
    Repeat,
    Sequence,
    flat_parts,
    nodes,
)

_MOST_PARTS = 2_000

_Parts: TypeAlias = "list[Node]"


class _UnlikeError(Exception):
    """The look-around can't be rewritten."""


@dataclass(frozen=True)
class _Step:
    """The characters that may come next. With ``may_end`` the text may also end here."""

    among: Characters
    may_end: bool = False


def without_lookaround(tree: Node) -> Node | None:
    """Return an equivalent expression, or None if none was found."""
    if not any(isinstance(node, Lookaround) for node in nodes(tree)):
        return tree
    try:
        parts = _Rewriter("end").rewrite(flat_parts(tree))
        parts = _Rewriter("start").rewrite(parts[::-1])[::-1]
    except (_UnlikeError, RecursionError):
        return None
    return Sequence(tuple(parts))


class _Rewriter:
    """Rewrites look-around in one direction: towards the end, or towards the start."""

    def __init__(self, edge: Edges) -> None:
        """Start with the edge of the text in this direction."""
        self._edge: Edges = edge
        self._remaining = _MOST_PARTS

    def rewrite(self, parts: _Parts) -> _Parts:
        """Rewrite parts, which are in the order of the direction."""
        written: _Parts = []
        for part in reversed(parts):
            if isinstance(part, Lookaround) and part.behind == (self._edge == "start"):
                written = self._look(part, written)
            else:
                written = [part, *written]
        return written

    def _look(self, look: Lookaround, rest: _Parts) -> _Parts:
        """Return the parts behind a look-around that satisfy it."""
        content = [part for node in look.parts for part in flat_parts(node)]
        sets = [part.among for part in content if isinstance(part, CharacterMatch)]
        if len(sets) < len(content):
            raise _UnlikeError
        if not look.negated:
            return self._limit(rest, [_Step(among) for among in sets])
        # Some character is the first that differs, or the text ends before it.
        ways = [
            [*map(_Step, sets[:index]), _Step(_without(among), may_end=True)]
            for index, among in enumerate(sets)
        ]
        return [self._choice([self._limit(rest, steps) for steps in ways])]

    def _limit(self, rest: _Parts, steps: list[_Step]) -> _Parts:
        """Return parts that match like the rest if the next characters follow the steps."""
        self._remaining -= 1 + len(rest)
        if self._remaining < 0:
            raise _UnlikeError
        if not steps:
            return rest
        if rest:
            return self._limit_head(rest[0], rest[1:], steps)
        character = CharacterMatch((), steps[0].among)
        if steps[0].may_end:
            return [self._choice([[Boundary((), self._edge)], [character]])]
        return [character, *self._limit([], steps[1:])]

    def _limit_head(self, head: Node, tail: _Parts, steps: list[_Step]) -> _Parts:
        if isinstance(head, CharacterMatch):
            character = CharacterMatch((), _common(head.among, steps[0].among))
            return [character, *self._limit(tail, steps[1:])]
        if isinstance(head, Repeat):
            return self._limit_repeat(head, tail, steps)
        if isinstance(head, Choice):
            ways = [self._in_order(flat_parts(part)) for part in head.parts]
            return [self._choice([self._limit([*way, *tail], steps) for way in ways])]
        if isinstance(head, Boundary) and head.kind == self._edge:
            return [head, *tail] if steps[0].may_end else [CharacterMatch((), Characters())]
        if isinstance(head, Boundary | Lookaround):  # zero width, so the order doesn't matter
            return [head, *self._limit(tail, steps)]
        raise _UnlikeError

    def _limit_repeat(self, head: Repeat, tail: _Parts, steps: list[_Step]) -> _Parts:
        if head.most == 0:
            return self._limit(tail, steps)
        repeated = flat_parts(head.parts[0])
        if len(repeated) != 1 or not isinstance(repeated[0], CharacterMatch):
            raise _UnlikeError
        most = None if head.most is None else head.most - 1
        again = replace(head, least=max(head.least - 1, 0), most=most)
        first = CharacterMatch((), _common(repeated[0].among, steps[0].among))
        some = [first, *self._limit([again, *tail], steps[1:])]
        return some if head.least else [self._choice([some, self._limit(tail, steps)])]

    def _choice(self, ways: list[_Parts]) -> Node:
        return Choice(tuple(Sequence(tuple(self._in_order(way))) for way in ways))

    def _in_order(self, parts: _Parts) -> _Parts:
        """Convert parts between the order of the direction and the order of the pattern."""
        return parts if self._edge == "end" else parts[::-1]


def _without(among: Characters) -> Characters:
    return replace(among, negated=not among.negated)


def _common(left: Characters, right: Characters) -> Characters:
    """Return the characters that two sets have in common."""
    if left.properties or right.properties:
        raise _UnlikeError
    first, second = (
        item.ranges if item.negated else complement(item.ranges) for item in (left, right)
    )
    return Characters(complement((*first, *second)))
