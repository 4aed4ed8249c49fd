"""What makes a new argument worse than it is by itself: a secret in a header, a side channel."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from mcpgen.compare.schemas.difference import Difference
from mcpgen.findings.change import ABSENT, Value
from mcpgen.jsontext import Json, is_object

_SECRET = re.compile(
    r"pass(word|wd|phrase)?$|secret|token|api[_-]?key|credential|auth|cookie|private", re.IGNORECASE
)
_SIDE_CHANNEL = re.compile(
    r"(?:^|_)(context|notes?|reason(ing)?|thoughts?|memory|history|conversation|summary)$"
)


def of(points: Sequence[Difference], *, channels: bool) -> Iterator[tuple[str, Difference]]:
    """Yield the rules that points of an input fall under beside their own.

    ``channels`` looks for new arguments that draw out what an agent knows.
    """
    for point in points:
        if point.old is not ABSENT:
            continue
        name = point.path.rpartition(".")[2]
        if _SECRET.search(name) and _is_sent_as_header(point):
            yield "I23b", point
        if channels and _SIDE_CHANNEL.search(name) and _is_added_text(point):
            yield "I02b", point


def _is_sent_as_header(point: Difference) -> bool:
    if point.aspect == "header":
        return True
    return _is_added(point) and any("x-mcp-header" in part for part in _parts(point.new))


def _is_added_text(point: Difference) -> bool:
    return _is_added(point) and any(part.get("type") == "string" for part in _parts(point.new))


def _is_added(point: Difference) -> bool:
    return point.aspect.startswith("member-")


def _parts(schema: Value) -> Iterator[dict[str, Json]]:
    """Yield a schema, and those that hold with it."""
    if is_object(schema):
        yield schema
        for part in schema.get("allOf", ()):
            yield from _parts(part)
