"""Patterns, and strings that they match."""

from __future__ import annotations

import random

ATOMS = [*"abc.", r"\d", r"\w", r"\W", "[ab]", "[^a]", r"\b", "^", "$", "\u00e9", r"\p{L}", "(?:)"]


def expression(chance: random.Random, depth: int) -> str:
    if depth == 0 or chance.random() < 0.3:
        return chance.choice(ATOMS)
    parts = [expression(chance, depth - 1) for _ in range(3)]
    ways = ["{0}{1}{2}", "(?:{0}|{1})", "({0}|{1}|{2})", "(?:{0})*", "(?:{0})+?", "({0}){{1,2}}"]
    return chance.choice(ways).format(*parts)
