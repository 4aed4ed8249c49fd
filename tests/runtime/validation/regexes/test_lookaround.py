"""Look-around of one character is rewritten, and finds the same."""

from __future__ import annotations

import random

import pytest
from found_patterns import expression
from mcpgen_runtime.validation.regexes import matcher, patterns


@pytest.mark.slow
def test_rewritten_lookaround_finds_the_same() -> None:
    chance = random.Random(2)
    looks = ["(?={})", "(?!{})", "(?<={})", "(?<!{})"]
    characters = [*"ab", r"\d", "[ab]", "[^a]", "ab", r"b\W"]
    rewritten = 0
    for _ in range(1_500):
        parts = [
            chance.choice(looks).format(chance.choice(characters))
            if chance.random() < 0.4
            else expression(chance, 1)
            for _ in range(chance.randint(1, 5))
        ]
        pattern = "".join(parts)
        if patterns.weight(pattern) or not patterns.conditions(pattern):
            continue
        rewritten += 1
        counting = matcher.program(patterns.tree(pattern))
        for _ in range(12):
            text = "".join(chance.choices("aabb1 \u00e9_", k=chance.randint(0, 6)))
            result = patterns.matches(pattern, text)
            assert counting.matches(text, patterns.Budget()) is result, (pattern, text)
    assert rewritten > 700
