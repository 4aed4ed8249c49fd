"""Proposes strings and numbers within the bounds of a case, plausible ones first."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator
from fractions import Fraction
from itertools import chain
from typing import Any

from mcpgen_runtime.validation import samples

from mcpgen.jsontext import is_number
from mcpgen.schemas.examples import vocabulary
from mcpgen.schemas.examples.branches import Case

_MANY = 400
_LONGEST = 20_000


def texts(case: Case, name: str, chance: random.Random) -> Iterator[str]:
    """Yield strings. The caller validates them, because several patterns may apply."""
    low = int(max((n for n in _all(case, "minLength") if is_number(n)), default=0))
    high = int(min((n for n in _all(case, "maxLength") if is_number(n)), default=_LONGEST))
    if low > min(high, _LONGEST):
        return
    requested = [p for p in _all(case, "pattern") if isinstance(p, str)]
    formats = [f for f in _all(case, "format") if isinstance(f, str) and f in vocabulary.FORMATS]
    for text in _likely_texts(formats, name, chance.randint(0, 5), low, high):
        if all(samples.matches(pattern, text) for pattern in requested):
            yield text
    for text in vocabulary.moments(chance.randint(0, 5)) if requested else ():
        if low <= len(text) <= high and all(samples.matches(p, text) for p in requested):
            yield text  # random digits rarely form a date
    for pattern in requested:
        for text in samples.matching(pattern, chance, low):
            if low <= len(text) <= high:
                yield text


def _likely_texts(formats: list[str], name: str, start: int, low: int, high: int) -> Iterator[str]:
    for number in range(_MANY if formats else 0):
        yield from (_fit(vocabulary.FORMATS[f](start + number), low, high) for f in formats)
    for number in range(_MANY):
        yield _fit(vocabulary.text(name, start + number), low, high)
        if high < 8:
            yield _short(number, low, high)


def _fit(text: str, low: int, high: int) -> str:
    if len(text) < low:
        text += (" " + text) * (low // (len(text) + 1) + 1)
        text = text[:low]
        text = text[:-1] + "x" if text.endswith(" ") else text
    return text[:high]


def _short(number: int, low: int, high: int) -> str:
    """Return a short string that depends on the seed."""
    letters = "abcdefghijklmnopqrstuvwxyz0123456789"
    written = letters[number % 36]
    while number >= 36 or len(written) < low:
        number //= 36
        written += letters[number % 36]
    return written[:high]


def numbers(
    case: Case, name: str, chance: random.Random, *, integral: bool
) -> Iterator[int | float]:
    """Yield numbers between the bounds that are multiples of each step."""
    low, high = _bounds(case)
    step = _step(case, integral=integral)
    if low is not None and high is not None and low > high:
        return
    beyond = {*_numbers(case, "exclusiveMinimum"), *_numbers(case, "exclusiveMaximum")}
    likely = _likely_number(name, low, high, chance)
    for value in _near(likely, low, high, step, chance):
        if value not in beyond:
            yield _number(value)


def _bounds(case: Case) -> tuple[Fraction | None, Fraction | None]:
    low = [*_numbers(case, "minimum"), *_numbers(case, "exclusiveMinimum")]
    high = [*_numbers(case, "maximum"), *_numbers(case, "exclusiveMaximum")]
    return max(low, default=None), min(high, default=None)


def _step(case: Case, *, integral: bool) -> Fraction | None:
    steps = [abs(n) for n in _numbers(case, "multipleOf") if n]
    steps += [Fraction(1)] if integral else []
    if not steps:
        return None
    bottom = math.lcm(*(n.denominator for n in steps))
    return Fraction(math.lcm(*(int(n * bottom) for n in steps)), bottom)


def _likely_number(
    name: str, low: Fraction | None, high: Fraction | None, chance: random.Random
) -> Fraction:
    first, last = (Fraction(n) for n in vocabulary.span(name))
    if low is not None and (low > last or (high is not None and low > first)):
        first, last = low, low + min(40, high - low if high is not None else 40)
    elif high is not None and high < first:
        first, last = (high - 40 if low is None else max(low, high - 40)), high
    first = first if low is None else max(first, low)
    last = last if high is None else min(last, high)
    return first + (last - first) * chance.randint(0, 20) / 20


def _near(
    likely: Fraction,
    low: Fraction | None,
    high: Fraction | None,
    step: Fraction | None,
    chance: random.Random,
) -> Iterator[Fraction]:
    """Walk away from the likely number, over the multiples of the step."""
    if step is None:
        tenth = Fraction(round(likely * 100), 100)
        edges = [edge for edge in (low, high) if edge is not None]
        middle = [(low + high) / 2] if low is not None and high is not None else []
        between = [likely + (edge - likely) / 2**n for edge in edges for n in range(1, 60)]
        eighths = list(range(-_MANY, _MANY))
        chance.shuffle(eighths)
        some = (likely + Fraction(n, 8) for n in eighths)  # one of the first is usually valid
        options = chain([tenth, likely, *middle, *between[:8], *edges], some, between)
        yield from (n for n in options if _is_within(n, low, high))
        return
    centre = round(likely / step)
    for far in range(_MANY):
        for sign in (1, -1) if far else (1,):
            value = (centre + sign * far) * step
            if _is_within(value, low, high):
                yield value
    if _is_within(Fraction(0), low, high):
        yield Fraction(0)


def _is_within(value: Fraction, low: Fraction | None, high: Fraction | None) -> bool:
    return (low is None or value >= low) and (high is None or value <= high)


def _number(value: Fraction) -> int | float:
    return int(value) if value.denominator == 1 else float(value)


def _numbers(case: Case, keyword: str) -> list[Fraction]:
    return [Fraction(str(n)) for n in _all(case, keyword) if is_number(n)]


def _all(case: Case, keyword: str) -> list[Any]:
    return [node[keyword] for node in case if keyword in node]
