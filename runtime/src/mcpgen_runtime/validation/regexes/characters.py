"""Sets of characters as ECMA-262 defines them, by code points and properties."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass, field
from functools import cache, cached_property
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from pydantic_core import SchemaValidator

Ranges: TypeAlias = "tuple[tuple[int, int], ...]"

LAST = 0x10FFFF
DIGITS: Ranges = ((0x30, 0x39),)
WORD: Ranges = ((0x30, 0x39), (0x41, 0x5A), (0x5F, 0x5F), (0x61, 0x7A))
LINE_ENDS: Ranges = ((0xA, 0xA), (0xD, 0xD), (0x2028, 0x2029))
SPACE: Ranges = (
    *((0x9, 0xD), (0x20, 0x20), (0xA0, 0xA0), (0x1680, 0x1680), (0x2000, 0x200A)),
    *((0x2028, 0x2029), (0x202F, 0x202F), (0x205F, 0x205F), (0x3000, 0x3000)),
    (0xFEFF, 0xFEFF),
)
_SURROGATES = (0xD800, 0xDFFF)
_PROPERTY = re.compile(r"[A-Za-z0-9_]+(?:=[A-Za-z0-9_]+)?")


class UnrunnableError(Exception):
    """The pattern can't be evaluated, or not on this string."""


class ExhaustedError(UnrunnableError):
    """The steps or the time for a value are used up."""


@dataclass(frozen=True)
class Characters:
    """A character set. Properties are written as in a pattern, ``p{..}`` or ``P{..}``."""

    ranges: Ranges = ()
    properties: tuple[str, ...] = ()
    negated: bool = False
    starts: tuple[int, ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Sort the ranges, and merge adjacent ones."""
        merged = _merge_ranges(self.ranges)
        object.__setattr__(self, "ranges", merged)
        object.__setattr__(self, "starts", tuple(first for first, _ in merged))

    def holds(self, character: str) -> bool:
        """Return True if the set contains a character.

        Raises:
            UnrunnableError: A property isn't supported.
        """
        if self.properties:
            return self._engine.isinstance_python(_check_character(character))
        code = ord(character)
        at = bisect_right(self.starts, code) - 1
        return (at >= 0 and code <= self.ranges[at][1]) != self.negated

    @cached_property
    def weight(self) -> int:
        """The approximate size of the set in an automaton over UTF-8."""
        is_ascii = not self.negated and all(last < 0x80 for _, last in self.ranges)
        return 100 * len(self.properties) + (1 if is_ascii else 4 + len(self.ranges))

    @cached_property
    def pydantic_text(self) -> str:
        """The set in the syntax of pydantic's engine."""
        items = "".join(
            rf"\x{{{first:X}}}-\x{{{last:X}}}" for first, last in _without_surrogates(self.ranges)
        ) + "".join(f"\\{item}" for item in self.properties)
        if not items:
            return r"[\s\S]" if self.negated else r"[^\s\S]"
        return f"[{'^' if self.negated else ''}{items}]"

    @cached_property
    def _engine(self) -> SchemaValidator:
        engine = compile_expression(rf"\A{self.pydantic_text}\z")
        if engine is None:
            raise UnrunnableError(self.pydantic_text)
        return engine


def complement(ranges: Ranges) -> Ranges:
    """Return all other code points."""
    ends = [-1, *(last for _, last in _merge_ranges(ranges))]
    starts = [*(first for first, _ in _merge_ranges(ranges)), LAST + 1]
    pairs = zip(ends, starts, strict=True)
    return tuple((e + 1, s - 1) for e, s in pairs if e + 1 < s)


def is_property(name: str) -> bool:
    """Return True if ``p{name}`` is a supported character property."""
    return _PROPERTY.fullmatch(name) is not None and _is_known(name)


@cache
def _is_known(name: str) -> bool:
    return compile_expression(rf"\p{{{name}}}") is not None


def compile_expression(expression: str) -> SchemaValidator | None:
    """Compile an expression for Pydantic's engine, or return None if it can't."""
    # Most commands and packages that read patterns need no engine, which loads slowly.
    from pydantic_core import SchemaError, SchemaValidator, core_schema

    try:
        return SchemaValidator(core_schema.str_schema(strict=True, pattern=expression))
    except (SchemaError, UnicodeError):
        return None


def is_encodable(text: str) -> bool:
    """Return False for text with lone surrogates, which Pydantic's engine rejects."""
    return text.isascii() or _LONE.search(text) is None


_LONE = re.compile("[\ud800-\udfff]")


def _check_character(character: str) -> str:
    if not is_encodable(character):
        raise UnrunnableError(character)
    return character


def _merge_ranges(ranges: Ranges) -> Ranges:
    merged: list[tuple[int, int]] = []
    for first, last in sorted(ranges):
        if merged and first <= merged[-1][1] + 1:
            merged[-1] = (merged[-1][0], max(last, merged[-1][1]))
        else:
            merged.append((first, last))
    return tuple(merged)


def _without_surrogates(ranges: Ranges) -> Ranges:
    low, high = _SURROGATES
    parts = [(first, min(last, low - 1)) for first, last in ranges]
    parts += [(max(first, high + 1), last) for first, last in ranges]
    return tuple((first, last) for first, last in parts if first <= last)
