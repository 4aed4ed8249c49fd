"""What a fake says of itself: an answer that no server may give, a call without one.

They are no ``ClientError``: code that survives whatever a server does must not survive
a mistake in its test.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

from ..problem import Problem


@dataclass(eq=False)
class InvalidFake(AssertionError):
    """A fake was told to answer what the server's contract rules out.

    ``target`` is the tool, prompt or resource.
    """

    target: str
    problems: Sequence[Problem]

    def __str__(self) -> str:
        lines = [f"{self.target}: no server that keeps its contract answers so"]
        return "\n  ".join([*lines, *map(str, self.problems)])

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the facts."""
        return type(self), tuple(getattr(self, fact.name) for fact in fields(self))


@dataclass(eq=False)
class NoMatchingRule(AssertionError):
    """A fake was asked for what it was not told an answer to; ``hint`` says how."""

    target: str
    arguments: Any
    hint: str

    def __str__(self) -> str:
        asked = f"{self.target}: the fake was not told what to answer"
        return f"{asked} to {self.arguments!r}\n  {self.hint}"

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the facts."""
        return type(self), tuple(getattr(self, fact.name) for fact in fields(self))
