"""Finds recursive schemas that jsonschema-rs may take exponential time for.

No time limit ends a call of jsonschema-rs, so it isn't given such a schema.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, TypeAlias

_MAX_USES = 20
"""Average number of evaluations of a subschema for each one by jsonschema."""
_MAX_FEW_USES = 2_000
"""A number of uses that is always acceptable."""

IN_PLACE = frozenset(
    "$ref allOf anyOf contains dependencies dependentSchemas else if not oneOf then".split()
)
"""Keywords whose subschemas determine the evaluated properties and items."""
UNEVALUATED = frozenset({"unevaluatedItems", "unevaluatedProperties"})


class UnlikeError(Exception):
    """The libraries may read the schema differently, or it may take long."""


@dataclass(eq=False)
class Subschema:
    """A subschema.

    weight: Cost of its own patterns for one character.
    places: Its subschemas, with the keyword of each.
    ref: Its reference, or "".
    name: The property or index that it is for, or None.
    """

    weight: int = 0
    children: list[tuple[str, Subschema]] = field(default_factory=list[Any])
    ref: str = ""
    name: str | None = None


Order: TypeAlias = "list[tuple[Subschema, list[tuple[str, Subschema]]]]"
"""Subschemas in dependency order, with the keywords of those that they apply."""


def check_recursion(order: Order, returns: set[Subschema]) -> None:
    """Raise UnlikeError if a value may be validated several times at each level.

    jsonschema-rs would then take twice the time at each level to list the errors. So of all
    subschemas that apply to one value, no two recursive ones may apply to the same property or
    item of it.
    """
    inner = dict(order)
    leading = set(returns)
    is_recursive = True
    while is_recursive:
        is_recursive = False
        for part, edges in order:
            if part not in leading and any(edge in leading for _, edge in edges):
                leading.add(part)
                is_recursive = True
    slots: dict[Subschema, list[tuple[str, str | None]]] = {}

    def visit(part: Subschema, way: tuple[Subschema, ...]) -> list[tuple[str, str | None]]:
        if part in way:  # it applies itself to the same value
            raise UnlikeError
        if part not in slots:
            edges = [(key, item) for key, item in inner[part] if item in leading]
            slots[part] = []
            for keyword, edge in edges:
                if keyword in IN_PLACE - {"contains"}:
                    slots[part] += visit(edge, (*way, part))
                else:
                    slots[part].append(_slot(keyword, edge))
            if _overlap(slots[part]):
                raise UnlikeError
        return slots[part]

    for part in leading:
        visit(part, ())


def _slot(keyword: str, part: Subschema) -> tuple[str, str | None]:
    """Return the property or item that a keyword applies to. None stands for any."""
    if keyword == "properties":
        return "property", part.name
    is_item = "tems" in keyword or keyword == "contains"
    return "item" if is_item else "property", None


def _overlap(slots: list[tuple[str, str | None]]) -> bool:
    for kind in ("property", "item"):
        names = [name for slot, name in slots if slot == kind]
        if len(set(names)) < len(names) or (None in names and len(names) > 1):
            return True
    return False


def pattern_weight(order: Order, returns: set[Subschema]) -> int:
    """Return the cost of all patterns.

    jsonschema-rs evaluates a subschema again for each reference to it, and for each
    ``unevaluatedProperties`` or ``unevaluatedItems`` that depends on it.

    Raises:
        UnlikeError: Subschemas are evaluated too often.
    """
    uses: dict[Subschema, tuple[int, int]] = {}
    weights: dict[Subschema, tuple[int, int]] = {}
    for part, every in order:
        # A recursive reference counts at its first target.
        inner = [(key, item) for key, item in every if item in uses or item not in returns]
        uses[part] = _sum(1, inner, uses)
        weights[part] = _sum(part.weight, inner, weights)
        if uses[part][0] > _MAX_USES * len(order) + _MAX_FEW_USES:
            raise UnlikeError
    return weights[order[-1][0]][0]


def _sum(
    own: int, inner: list[tuple[str, Subschema]], uses: dict[Subschema, tuple[int, int]]
) -> tuple[int, int]:
    """Return the cost of evaluating a subschema, and of finding its evaluated positions."""
    in_place = [uses[part] for keyword, part in inner if keyword in IN_PLACE]
    evaluated = own + sum(map(sum, in_place))
    total = own + sum(uses[part][0] for _, part in inner)
    is_evaluating = any(keyword in UNEVALUATED for keyword, _ in inner)
    return total + evaluated * is_evaluating, evaluated
