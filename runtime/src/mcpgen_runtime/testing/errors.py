"""Errors in the use of a fake: an invalid result, or a call without a matching rule.

They aren't a ``ClientError``, so code that handles every failure of a server doesn't hide a
mistake in its test.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

from ..problem import Problem


@dataclass(eq=False)
class InvalidFake(AssertionError):
    """A rule returns a result that the contract doesn't allow.

    ``target`` is the tool, prompt or resource.
    """

    target: str
    problems: Sequence[Problem]

    def __str__(self) -> str:
        lines = [f"{self.target}: no server that follows its contract responds like this"]
        return "\n  ".join([*lines, *map(str, self.problems)])

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the facts."""
        return type(self), tuple(getattr(self, fact.name) for fact in fields(self))


@dataclass(eq=False)
class NoMatchingRule(AssertionError):
    """No rule matches a call. ``hint`` says how to write one."""

    target: str
    arguments: Any
    hint: str

    def __str__(self) -> str:
        reason = f"{self.target}: the fake has no rule for this call"
        return f"{reason} to {self.arguments!r}\n  {self.hint}"

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the facts."""
        return type(self), tuple(getattr(self, fact.name) for fact in fields(self))
