"""JSON pointers, by which a line says what was left out of it."""

from __future__ import annotations

from collections.abc import Iterable


def pointer(steps: Iterable[str]) -> str:
    """Return the pointer to a place."""
    return "".join(f"/{escaped(step)}" for step in steps)


def escaped(step: str) -> str:
    """Write a name as a step of a pointer."""
    return step.replace("~", "~0").replace("/", "~1")
