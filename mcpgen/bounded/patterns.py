"""Patterns of schemas, never run for longer than the length of a text justifies.

Pydantic's engine takes linear time, but knows neither look-around nor back-references.
A pattern that it cannot run is given to Python's, where that must be quick too: with no
choice within a repetition, on a text the shorter the more it repeats. Else it is not.
"""

from __future__ import annotations

import math
import re
import warnings
from bisect import bisect
from functools import cache

from pydantic_core import SchemaError, SchemaValidator, core_schema

LONGEST_TEXT = 200
MOST_STEPS = 2_000_000
MOST_VARYING = 20
MOST_COUNTED = 5_000

_COUNT = re.compile(r"[{,]([1-9]\d{0,9})\}")
_REPEAT = re.compile(r"(?:[*+]|\{\d*,\d*\})")
_CHOICE = re.compile(r"\||(?<![(*+?}])\?")
_KIND = re.compile(r"^\?(?:[:=!>]|<[=!]|P?<\w+>)")
_HIDDEN = re.compile(r"\\.|\[(?:\\.|[^\]\\])*\]", re.DOTALL)


class UnrunnableError(Exception):
    """The pattern cannot be run, or not on this text."""


def compiled(pattern: str) -> re.Pattern[str] | None:
    """Compile a pattern for Python's engine, if it can, and warn of nothing."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return re.compile(pattern)
    except (re.error, RecursionError, OverflowError):
        return None


def is_linear(pattern: str) -> bool:
    """Say whether a pattern is run in linear time on texts of any length."""
    return isinstance(_engine(pattern), SchemaValidator)


def matches(pattern: str, text: str) -> bool:
    """Say whether a pattern is found in a text; raises ``UnrunnableError``."""
    engine = _engine(pattern)
    if isinstance(engine, SchemaValidator):
        return engine.isinstance_python(text)
    if engine is None or len(text) > longest(pattern):
        raise UnrunnableError(pattern)
    return engine.search(text) is not None


@cache
def _engine(pattern: str) -> SchemaValidator | re.Pattern[str] | None:
    counts = [int(count) for count in _COUNT.findall(pattern)]
    if math.prod(counts) > MOST_COUNTED:  # which takes the engine long to prepare
        return compiled(pattern)
    try:
        return SchemaValidator(core_schema.str_schema(strict=True, pattern=pattern))
    except (SchemaError, UnicodeError):
        return compiled(pattern)


@cache
def longest(pattern: str) -> int:
    """Return how long a text may be that Python's engine surely searches quickly.

    Each repetition may end anywhere, and each choice be made in two ways.
    """
    bare = _HIDDEN.sub("x", pattern)
    repeats, choices = len(_REPEAT.findall(bare)), len(_CHOICE.findall(bare))
    # Groups from the inside out; one that repeats may hold no repetition and no choice.
    while group := re.search(r"\((?P<inside>[^()]*)\)(?P<after>.?)", bare):
        inside = _KIND.sub("", group["inside"])
        varies = _REPEAT.search(inside) or _CHOICE.search(inside)
        if varies and group["after"] in ("*", "+", "{"):
            return 0
        kept = "*" if varies else "x"
        bare = f"{bare[: group.start()]}x{kept}{group['after']}{bare[group.end() :]}"
    if repeats + choices > MOST_VARYING:
        return 0
    steps = MOST_STEPS >> choices
    lengths = range(LONGEST_TEXT + 1)
    return bisect(lengths, steps, key=lambda n: math.comb(n + repeats, repeats + 1)) - 1
