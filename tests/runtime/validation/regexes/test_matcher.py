"""Each search for a pattern ends."""

from __future__ import annotations

import contextlib
import random

import pytest
from found_patterns import expression
from guards import ending
from mcpgen_runtime.validation.regexes import matcher, patterns


@pytest.mark.slow
def test_both_engines_find_the_same() -> None:
    chance = random.Random(1)
    for _ in range(600):
        pattern = expression(chance, 4)
        assert patterns.is_linear(pattern)
        counting = matcher.program(patterns.tree(pattern))
        for _ in range(4):
            text = "".join(chance.choices("aabbc1 \u00e9_-\n", k=chance.randint(0, 7)))
            result = patterns.matches(pattern, text)
            assert counting.matches(text, patterns.Budget()) is result, (pattern, text)


LONG = {
    **{
        item: item
        for item in (
            "^(a+)+$",
            "^(a|a)*$",
            "^(a|b|ab)*c$",
            "(x+x+)+y",
            "^([a-zA-Z0-9])(([.-]|[_]+)?([a-zA-Z0-9]+))*$",
            "^(?=a)(a+)+$",
            "^(?!b)(a*)*$",
            "^(?=a)((a+)|b)+$",
            r"(?<=a)(a*)*\1$",
            "^(?=.*x)(.*a){12}$",
            "^(?=a)(a|a)*$",
            "(?=a).*.*.*=",
            r"(\w{0,1000}){0,1000}$",
            "(?=a).*.*.*.*.*.*=.*",
            "(((((a*)*)*)*)*)*$",
            r"^(a+)+\1b$",
            r"((a*)(a*)(a*)(a*))*\1\2\3\4b",
            "(?=a)^(a|aa)+b(?<!b)$",
            r"(?:\p{L}{0,1000}){0,1000}!",
            r"(?=a)\p{L}{9999}",
            "(?=a)(((a{9}){9}){9}){9}b",
            ".{1,100000}",
            "(?=.{1,100000}x)",
            "(?=(?=(?=(?=(?=a.*b).*c).*d).*e).*f)",
            r"(\w+\s?)+\1$",
        )
    },
    "twenty that may be there": "^(?=a)" + "a?" * 20 + "b",
    "thirty alternatives": "^(?=a)" + "(a|a)" * 30 + "b",
    "many alternatives": "(?=a)(?:" + "|".join(f"a{n}" for n in range(5_000)) + ")",
    "500 groups": "(" * 500 + "a" + ")" * 500,
    "500 groups that repeat": "(" * 500 + "a" + ")*" * 500,
    "50,000 groups": "(" * 50_000 + "a" + ")" * 50_000,
    "900 groups, with a reference": "(" * 900 + "a" + ")" * 900 + r"\900",
    "look-aheads within each other": "(?=" * 400 + "a" + ")" * 400,
    "a long text": "a" * 50_000,
    "a long text of references": r"(a)" + r"\1" * 20_000,
    "brackets": "[" * 50_000,
    "a very long text": "a" * 200_000,
    "a long count": "a{" + "9" * 5_000 + "}",
}


@pytest.mark.sampled(1)
@pytest.mark.parametrize("name", LONG)
def test_no_pattern_is_searched_for_without_end(name: str) -> None:
    for text in ("a" * 50_000 + "!", "ab" * 30 + "!"):
        with ending(), contextlib.suppress(patterns.UnrunnableError):
            patterns.matches(LONG[name], text)


@pytest.mark.slow
def test_long_patterns_and_long_texts_are_judged() -> None:
    arg = "ab" * 3_000
    assert patterns.matches(r"^(?!.*\.\.)[a-z.]+$", arg)
    assert patterns.matches(r"^(?!.*\.\.)[a-z.]+$", f"{arg}..") is False
    assert patterns.matches("(" * 500 + "a" + ")" * 500, "a")
    assert patterns.matches("(?=a)" + "a" * 5_000, "a" * 5_000)
    assert patterns.matches("a" * 50_000, "a" * 4_000) is False
    assert patterns.matches("^(?=a)" + "a" * 50_000 + "$", "a" * 49_999) is False
    assert patterns.matches("^(?=a)(a|aa)+b(?<!b)$", "a" * 500 + "b") is False
