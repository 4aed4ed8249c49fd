"""Cached outcomes and remaining budgets while one value is validated."""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Callable, Generator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import partial
from operator import attrgetter
from typing import Any, TypeAlias, cast

from ..regexes.patterns import MOST_STEPS, Budget, UnrunnableError

MOST_REFERENCES = 20_000
MOST_TURNS = 10
TOO_EXPENSIVE = "too expensive to validate"
"""The reason for an undecided validation."""

MOST_SECONDS = 5.0
"""The CPU time for one value."""

# Added to the budgets for each nested value and each character of a large value.
_REFERENCES = 20
_STEPS = 60
_LARGE = 20_000

_FULL = 0.75
_frame: Callable[[int], object] = attrgetter("_getframe")(sys)
"""Raises ``ValueError`` if the stack is shallower. A loop in Python is far slower."""
_Key: TypeAlias = "tuple[str, int, int]"


@dataclass
class ValidationMemo:
    """Cached outcomes by the identities of schema and value.

    The cache keeps both alive, because an identity is reused after its owner is freed.
    """

    budget: Budget = field(default_factory=Budget)
    memo: dict[_Key, tuple[object, object, Any]] = field(default_factory=dict[Any, Any])
    open: Counter[_Key] = field(default_factory=Counter[Any])
    references: Budget = field(default_factory=lambda: Budget(MOST_REFERENCES))
    parts: Budget = field(default_factory=lambda: Budget(sys.maxsize))

    def count(self) -> None:
        """Count a reference.

        Raises:
            ExhaustedError: There were too many.
        """
        self.references.spend(1)

    @contextmanager
    def guard_recursion(self, key: _Key, most: int = 1) -> Generator[None]:
        """Guard against recursion of a check.

        Raises:
            UnrunnableError: The check calls itself too often.
        """
        if self.open[key] >= most:
            raise UnrunnableError("it is defined as itself")
        refuse_depth()
        self.open[key] += 1
        try:
            yield
        finally:
            self.open[key] -= 1


_answers: ContextVar[ValidationMemo] = ContextVar("answers")
_shared: ContextVar[Budget | None] = ContextVar("shared", default=None)


@contextmanager
def shared_budget(steps: int) -> Generator[None]:
    """Share a budget of pattern steps among several values."""
    token = _shared.set(Budget(steps))
    try:
        yield
    finally:
        _shared.reset(token)


def budget() -> Budget:
    """Return the shared budget, or a new one for one value."""
    return _shared.get() or Budget()


def spend(steps: int, size: int) -> bool:
    """Take steps for a value with a size, or return False if that is too many."""
    shared = _shared.get()
    if shared is None:
        return steps <= MOST_STEPS + _STEPS * size
    if steps > shared.steps_left:
        return False
    shared.spend(steps)
    return True


def is_large(value: object) -> bool:
    """Return True if jsonschema may take noticeably long for a value."""
    return _size(value) > _LARGE


@contextmanager
def fresh(value: object) -> Generator[None]:
    """Clear all cached outcomes, for another value."""
    end = time.thread_time() + MOST_SECONDS
    answers = ValidationMemo(
        _shared.get() or Budget(more=partial(_allowance, value, _STEPS), deadline=end),
        references=Budget(MOST_REFERENCES, partial(_allowance, value, _REFERENCES), end),
        parts=Budget(sys.maxsize, deadline=end),
    )
    token = _answers.set(answers)
    try:
        yield
    finally:
        _answers.reset(token)


def current() -> ValidationMemo:
    """Return the cache for the value that is being validated."""
    return _answers.get()


def count_part() -> None:
    """Count a subschema.

    Raises:
        ExhaustedError: The value takes too long.
    """
    answers = _answers.get(None)
    if answers is not None:
        answers.parts.spend(1)


def is_shared() -> bool:
    """Return True if several values share their steps."""
    return _shared.get() is not None


def _allowance(value: object, per_value: int) -> int:
    return per_value * _size(value)


def _size(value: object) -> int:
    """Count the values and characters in a value."""
    size, waiting = 0, [value]
    while waiting:
        inner = waiting.pop()
        size += 1
        if isinstance(inner, str):
            size += len(inner)
        elif isinstance(inner, dict):
            members = cast("dict[str, object]", inner)
            size += sum(map(len, members))
            waiting += members.values()
        elif isinstance(inner, list):
            waiting += cast("list[object]", inner)
    return size


def is_deeper(value: object, depth: int) -> bool:
    """Return True if arrays and objects are nested deeper than a limit."""
    layer = [value]
    for _ in range(depth + 1):
        # Level by level, which is faster than recursion.
        inner: list[object] = []
        for item in layer:
            if isinstance(item, dict):
                inner += cast("dict[str, object]", item).values()
            elif isinstance(item, list):
                inner += cast("list[object]", item)
        layer = inner
        if not layer:
            return False
    return True


def refuse_depth() -> None:
    """Raise ``RecursionError`` before the stack is full.

    At the limit, native code panics instead of raising it.
    """
    try:
        _frame(int(_FULL * sys.getrecursionlimit()))
    except ValueError:
        return
    raise RecursionError("the schema or the value is nested too deeply")
