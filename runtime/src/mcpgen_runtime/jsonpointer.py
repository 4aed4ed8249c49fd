"""JSON pointers (RFC 6901)."""

from __future__ import annotations

from collections.abc import Iterable


def pointer(path: Iterable[str | int]) -> str:
    """Return the JSON pointer of a sequence of keys and indices."""
    return "".join(f"/{escape(str(step))}" for step in path)


def append_step(parent: str, step: object) -> str:
    """Return the JSON pointer of an item or property of the value at another pointer."""
    return f"{parent}/{escape(str(step))}"


def escape(step: str) -> str:
    """Escape a step of a JSON pointer."""
    return step.replace("~", "~0").replace("/", "~1")
