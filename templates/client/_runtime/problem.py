"""What is wrong with a value: the one fact that both clients and servers tell."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Problem:
    """One way in which a value breaks its schema: where, as a JSON pointer, and why."""

    pointer: str
    reason: str

    def __str__(self) -> str:
        return f"{self.pointer or '/'}: {self.reason}"
