"""What was found out while one value is checked, and how much may still be asked."""

from __future__ import annotations

import inspect
import sys
from collections import Counter
from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from ..regexes.patterns import Budget, UnrunnableError

MOST_REFERENCES = 20_000
MOST_TURNS = 10

_FULL = 0.75
_Key: TypeAlias = "tuple[str, int, int]"


@dataclass
class Answers:
    """What is known of values, by the identities of a schema and of a value.

    Both are kept with the answer, as an identity is used again when its owner is gone.
    """

    budget: Budget = field(default_factory=Budget)
    known: dict[_Key, tuple[object, object, Any]] = field(
        default_factory=dict[Any, Any]
    )
    open: Counter[_Key] = field(default_factory=Counter[Any])
    left: int = MOST_REFERENCES

    def count(self) -> None:
        """Count a question that may be asked again; raises ``UnrunnableError``."""
        self.left -= 1
        if self.left < 0:
            raise UnrunnableError("it asks too much")

    @contextmanager
    def asking(self, key: _Key, most: int = 1) -> Generator[None]:
        """Ask something; raises ``UnrunnableError`` where it asks itself too often."""
        if self.open[key] >= most:
            raise UnrunnableError("it is defined as itself")
        refuse_depth()
        self.open[key] += 1
        try:
            yield
        finally:
            self.open[key] -= 1


_answers: ContextVar[Answers] = ContextVar("answers")
_shared: ContextVar[Budget | None] = ContextVar("shared", default=None)


@contextmanager
def within(steps: int) -> Generator[None]:
    """Share so many steps of patterns among all values that are checked meanwhile."""
    token = _shared.set(Budget(steps))
    try:
        yield
    finally:
        _shared.reset(token)


def budget() -> Budget:
    """Return the steps that are shared, or those for one value."""
    return _shared.get() or Budget()


@contextmanager
def fresh() -> Generator[None]:
    """Forget all answers, for another value."""
    token = _answers.set(Answers(budget()))
    try:
        yield
    finally:
        _answers.reset(token)


def current() -> Answers:
    """Return what is known of the value that is being checked."""
    return _answers.get()


def refuse_depth() -> None:
    """Raise ``RecursionError`` while there is room left.

    Where there is none, what is not written in Python panics instead of raising it.
    """
    frame, depth = inspect.currentframe(), 0
    while frame is not None:
        frame, depth = frame.f_back, depth + 1
    if depth > _FULL * sys.getrecursionlimit():
        raise RecursionError("a schema or a value that is nested too deeply")
