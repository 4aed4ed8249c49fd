"""ECMA-262 patterns of schemas, evaluated in bounded time.

Pydantic's engine takes linear time, but has neither look-around nor back-references and
interprets some syntax differently, so it gets a translation of the parsed expression. Other
patterns run with counted steps.
"""

from __future__ import annotations

import math
from functools import cache, lru_cache
from typing import TYPE_CHECKING, NamedTuple

from . import characters, edges, matcher
from .characters import ExhaustedError, UnrunnableError, is_encodable
from .lookaround import without_lookaround
from .matcher import MOST_STEPS, Budget, Program
from .parser import read
from .program import is_small
from .syntax_tree import (
    Boundary,
    CharacterMatch,
    Choice,
    Lookaround,
    Node,
    Reference,
    Repeat,
    fold,
    nodes,
)

if TYPE_CHECKING:
    from pydantic_core import SchemaValidator

__all__ = [
    "MOST_STEPS",
    "Budget",
    "Condition",
    "ExhaustedError",
    "UnrunnableError",
    "conditions",
    "doubt",
    "is_linear",
    "matches",
    "pydantic_pattern",
    "tree",
    "weight",
]

MOST_WEIGHT = 20_000
"""The maximum automaton size that Pydantic's engine prepares for a short pattern."""
QUICK = 1_000
"""The number of steps in the fast engine that count as one step here."""


def matches(pattern: str, text: str, budget: Budget | None = None) -> bool:
    """Search a text for a pattern.

    Raises:
        UnrunnableError: The pattern is invalid or unsupported.
    """
    budget = budget or Budget()
    budget.spend(1)
    parts = conditions(pattern)
    steps = sum(part.weight for part in parts) * len(text) // QUICK
    # A search takes fewer steps for some long patterns.
    is_cheap = len(parts) == 1 or steps <= budget.steps_left
    if parts and is_cheap and is_encodable(text):
        engines = [_engine(part.written) for part in parts]
        if all(engines):
            budget.spend(steps)
            return all(
                engine is not None and engine.isinstance_python(text) is part.is_found
                for part, engine in zip(parts, engines, strict=True)
            )
    return _program(pattern).matches(text, budget)


@lru_cache(maxsize=1_000)
def _engine(written: str) -> SchemaValidator | None:
    return characters.compile_expression(written)


class Condition(NamedTuple):
    """A pattern for Rust's engine, and whether a text must contain it."""

    written: str
    is_found: bool
    weight: int


@lru_cache(maxsize=1_000)
def conditions(pattern: str) -> tuple[Condition, ...]:
    """Return equivalent linear conditions, or an empty tuple if a search is needed.

    Raises:
        UnrunnableError: The pattern is invalid or unsupported.
    """
    read_tree = tree(pattern)
    if heavy := weight(pattern):
        return (Condition(_text(read_tree), is_found=True, weight=heavy),)
    found_conditions: list[Condition] = []
    for part, is_found in edges.conditions(read_tree) or [(read_tree, True)]:
        plain = without_lookaround(part)
        heavy = 0 if plain is None else _weigh(plain, len(pattern))
        if plain is None or not heavy:
            return ()
        found_conditions.append(Condition(_text(plain), is_found, heavy))
    return tuple(found_conditions)


def tree(pattern: str) -> Node:
    """Parse a pattern.

    Raises:
        UnrunnableError: The pattern is invalid or unsupported.
    """
    parsed = _read(pattern)
    if isinstance(parsed, str):
        raise UnrunnableError(parsed)
    return parsed


def is_linear(pattern: str) -> bool:
    """Return True if a pattern takes linear time for texts of any length."""
    return isinstance(_read(pattern), Node) and weight(pattern) > 0


def doubt(pattern: str) -> str:
    """Return why a pattern can't be evaluated on every text, or ``""``."""
    parsed = _read(pattern)
    if isinstance(parsed, str):
        reason = f"isn't a supported regular expression of ECMA-262 ({parsed})"
        return f"{reason}; it is not checked"
    if not weight(pattern) and not is_small(parsed, len(pattern)):
        return "repeats too much; it is not checked"
    if any(isinstance(node, Reference) for node in nodes(parsed)):
        return "has a back-reference, so it is checked only while that is fast"
    return ""


@cache
def _read(pattern: str) -> Node | str:
    try:
        return read(pattern)
    except UnrunnableError as error:
        return str(error)


@cache
def weight(pattern: str) -> int:
    """Return the approximate automaton size of a pattern, or 0 if it has none."""
    return _weigh(tree(pattern), len(pattern))


def _weigh(node: Node, length: int) -> int:
    most = max(MOST_WEIGHT, 2 * length)
    heavy = fold(node, lambda part, below: int(min(most + 1, _heavy(part, below))))
    return heavy if heavy <= most else 0


def _heavy(node: Node, sizes: list[int]) -> float:
    if isinstance(node, Lookaround | Reference):
        return math.inf
    if isinstance(node, CharacterMatch):
        return node.among.weight
    if isinstance(node, Repeat):
        return (sizes[0] + 1) * max(1, node.least if node.most is None else node.most)
    return 1 + sum(sizes)


def pydantic_pattern(pattern: str) -> str:
    """Translate a pattern that :func:`is_linear` to the syntax of Rust's engine."""
    return _text(tree(pattern))


def _text(node: Node) -> str:
    return fold(node, _write_part)


@lru_cache(maxsize=100)
def _program(pattern: str) -> Program:
    syntax_tree = tree(pattern)
    if not is_small(syntax_tree, len(pattern)):
        raise UnrunnableError("it repeats too much")
    return matcher.program(syntax_tree)


def _write_part(node: Node, parts: list[str]) -> str:
    """Write a part in the syntax of pydantic's engine."""
    if isinstance(node, CharacterMatch):
        return node.among.pydantic_text
    if isinstance(node, Boundary):
        return _EDGES[node.kind]
    if isinstance(node, Repeat):
        return f"(?:{parts[0]}){_times(node)}"
    if isinstance(node, Choice):
        return f"(?:{'|'.join(parts)})"
    return "".join(parts)


_EDGES = {"start": r"\A", "end": r"\z", "word": r"(?-u:\b)", "no word": r"(?-u:\B)"}


def _times(node: Repeat) -> str:
    most = "" if node.most is None else node.most
    return f"{{{node.least},{most}}}{'?' if node.lazy else ''}"
