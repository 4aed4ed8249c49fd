"""A shape becomes a JSON Schema that admits every answer, and says no more than they show.

It knows neither values nor bounds, and objects stay open. What rests on one answer against
others is not said: leaving that answer out, it would have been refused.
"""

from __future__ import annotations

from mcpgen.contract.observation.shapes import ANYTHING, ENOUGH_TEXTS, Shape
from mcpgen.jsontext import Json

REQUIRED_FROM = 4
"""In how many answers an object must have been for its members to be required."""
_LOOSE_FROM = 3
"""From how many answers on each is left out in turn."""


def schema(shape: Shape, answers: int | None = None) -> dict[str, Json]:
    """Return the schema of a shape; ``{}`` says nothing. ``answers`` are those of the tool."""
    total = shape.answers if answers is None else answers
    kinds = [kind for kind in sorted(shape.kinds) if kind != "null"]
    if not kinds or ANYTHING in kinds or _is_doubtful(shape, kinds, total):
        return {}
    ways = [_way(kind, shape, total) for kind in kinds]
    if "null" in shape.kinds:
        if len(ways) == 1:
            return {**ways[0], "type": [ways[0]["type"], "null"]}
        ways.append({"type": "null"})
    return ways[0] if len(ways) == 1 else {"anyOf": ways}


def _is_doubtful(shape: Shape, kinds: list[str], total: int) -> bool:
    """Say whether one answer alone had a kind of value where others had another one."""
    if len(kinds) == 1 or total < _LOOSE_FROM or shape.answers == 1:
        return False
    return any(shape.kinds[kind] <= 1 for kind in kinds)


def _way(kind: str, shape: Shape, total: int) -> dict[str, Json]:
    if kind == "number":
        return {"type": "number" if shape.fractions else "integer"}
    if kind == "string" and shape.formats and shape.different >= ENOUGH_TEXTS:
        return {"type": "string", "format": min(shape.formats)}
    if kind == "array":
        items = schema(shape.items, total) if shape.items else {}
        return {"type": "array", "items": items} if items else {"type": "array"}
    return _object(shape, total) if kind == "object" else {"type": kind}


def _object(shape: Shape, total: int) -> dict[str, Json]:
    if shape.values is not None:
        return {"type": "object", "additionalProperties": schema(shape.values, total) or True}
    made: dict[str, Json] = {"type": "object"}
    if shape.members:
        made["properties"] = {
            name: schema(shape.members[name], total) for name in sorted(shape.members)
        }
    always = sorted(name for name, member in shape.members.items() if not member.is_optional)
    if always and shape.kinds["object"] >= REQUIRED_FROM:
        made["required"] = always
    return made
