"""Contracts of one tool with a random schema, and the rules of their comparison."""

from __future__ import annotations

from typing import Any

from mcpgen.contract.document import Contract
from mcpgen.jsontext import Json

SEEDS = range(150)


def contract(raw: Json, *, output: Json = None) -> Contract:
    arguments = {"type": "object", "properties": {"x": raw}}
    return Contract(
        {"t": {"name": "t", "inputSchema": arguments, "outputSchema": output or arguments}}
    )


NUMBERED = ("U02", "I25", "O25")
"""Rules on classes without a name of their own, which are called after their place."""


def telling(result: Any, but: tuple[str, ...] = NUMBERED) -> list[str]:
    """Return the rules of the changes, except those on renumbered classes."""
    return [change.rule for change in result if change.rule not in but]
