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


def below(pointer: str, step: object) -> str:
    """Return the JSON pointer (RFC 6901) of a part of the value at another."""
    return f"{pointer}/{str(step).replace('~', '~0').replace('/', '~1')}"
