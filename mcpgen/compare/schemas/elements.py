"""The elements of an array, by what every part of its schema says of each position."""

from __future__ import annotations

from dataclasses import dataclass

from mcpgen.compare.schemas.view import Part, View
from mcpgen.jsontext import is_array
from mcpgen.schemas.types.resolution import At


@dataclass(frozen=True, slots=True)
class Elements:
    """What an array has at its first positions, and after them."""

    view: View

    @property
    def positions(self) -> int:
        """How many positions have a schema of their own."""
        return max([len(_tuple(part)[0]) for part in self.view.parts], default=0)

    @property
    def is_closed(self) -> bool:
        """Whether nothing may follow these positions."""
        return self.rest.impossible

    def of(self, index: int) -> View:
        """Return what holds for the element at a position."""
        return self.view.all_of(
            at
            for positions, rest in map(_tuple, self.view.parts)
            for at in (positions[index : index + 1] or rest)
        )

    @property
    def rest(self) -> View:
        """What holds for all elements after the positions."""
        return self.of(self.positions)


def _tuple(part: Part) -> tuple[list[At], list[At]]:
    """Return the positions and what follows them, as either dialect writes tuples."""
    raw, base = part.raw, part.pointer
    items = raw.get("items")
    keyword, after = ("items", "additionalItems") if is_array(items) else ("prefixItems", "items")
    listed = raw.get(keyword)
    positions = [
        (schema, f"{base}/{keyword}/{index}")
        for index, schema in enumerate(listed if is_array(listed) else [])
    ]
    if after not in raw and "unevaluatedItems" in raw:
        after = "unevaluatedItems"
    return positions, [(raw[after], f"{base}/{after}")] if after in raw else []
