"""Generation of strings that match a pattern."""

from __future__ import annotations

import random
import string
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import ClassVar

from .keywords import budgets as limits
from .regexes import patterns
from .regexes.characters import Characters
from .regexes.syntax_tree import (
    CharacterMatch,
    Choice,
    Group,
    Lookaround,
    Node,
    Reference,
    Repeat,
    Sequence,
)

_PREFERRED = (
    string.ascii_lowercase + string.digits + string.ascii_uppercase + "-_. /:@#+,;=!?%&*()[]{}<>\n"
)
_ATTEMPTS = 200


def matches(pattern: str, text: str) -> bool:
    """Return True if a text matches a pattern, or if the pattern can't be evaluated."""
    budget = limits.budget()
    try:
        return patterns.matches(pattern, text, budget)
    except patterns.UnrunnableError:
        return budget.steps_left >= 0


def matching(pattern: str, chance: random.Random, least: int = 0) -> Iterator[str]:
    """Yield matching strings, if possible at least ``least`` characters long."""
    budget = limits.budget()
    try:
        tree = patterns.tree(pattern)
        for attempt in range(_ATTEMPTS):
            count = least if attempt % 2 else 0
            writer = _Writer(chance, budget, count, generous=attempt // 2 % 5)
            text = writer.text(tree)
            ahead = "".join(writer.ahead)
            for candidate in (text, ahead + text[len(ahead) :], ahead + text):
                if patterns.matches(pattern, candidate, budget):
                    yield candidate
                    break
    except (patterns.UnrunnableError, RecursionError):
        return


class _Writer:
    """Writes one string. ``ahead`` holds the content of look-aheads."""

    def __init__(
        self, chance: random.Random, budget: patterns.Budget, least: int, generous: int
    ) -> None:
        self.chance, self.budget = chance, budget
        self.least, self.generous = least, generous
        self.ahead: list[str] = []
        self.groups: dict[int, str] = {}

    def text(self, node: Node) -> str:
        self.budget.spend(1)
        write = self._WRITERS.get(type(node))
        return write(self, node) if write else ""

    def _sequence(self, node: Node) -> str:
        return "".join(self.text(part) for part in node.parts)

    def _choice(self, node: Node) -> str:
        return self.text(self.chance.choice(node.parts))

    def _sample_group(self, node: Group) -> str:
        self.groups[node.number] = self.text(node.parts[0])
        return self.groups[node.number]

    def _repeated_group(self, node: Reference) -> str:
        return self.groups.get(node.number, "")

    def _sample_look(self, node: Lookaround) -> str:
        if not node.behind and not node.negated:
            self.ahead.append(self.text(node.parts[0]))
        return ""

    def _sample_repeat(self, node: Repeat) -> str:
        low, most = node.least, node.most
        count = low + self.chance.randint(0, 2 + 2 * self.generous)
        written: list[str] = []
        length = 0
        while most is None or len(written) < most:
            is_stuck = bool(written) and not written[-1]
            if len(written) >= count and (length >= self.least or is_stuck):
                break
            written.append(self.text(node.parts[0]))
            length += len(written[-1])
        return "".join(written)

    def _character(self, node: CharacterMatch) -> str:
        r"""Return a character of a set such as ``[^/\s]``."""
        allowed = _usual(node.among)
        if allowed:
            return self.chance.choice(allowed[: 26 + 8 * self.generous])
        return _rare(node.among)

    _WRITERS: ClassVar[dict[type[Node], Callable[..., str]]] = {
        **{
            CharacterMatch: _character,
            Choice: _choice,
            Sequence: _sequence,
            Repeat: _sample_repeat,
        },
        **{Group: _sample_group, Lookaround: _sample_look, Reference: _repeated_group},
    }


@lru_cache(maxsize=1_000)
def _usual(among: Characters) -> str:
    return "".join(item for item in _PREFERRED if among.holds(item))


def _rare(among: Characters) -> str:
    """Return a character of a set without common ones, or ``""``."""
    firsts = (chr(first) for first, _ in among.ranges)
    return next((item for item in (*firsts, *_RARE) if among.holds(item)), "")


_RARE = (
    "\u00e9\u00c9\u03b1\u03a9\u0436\u05d0\u0627\u0905"
    "\u4e2d\u3042\uac00\u09ea\u20ac\u2192\u00a0\U0001f600"
)
