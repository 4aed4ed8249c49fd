"""Compares annotations: descriptions, defaults and unknown keywords."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping

from mcpgen.compare.schemas.difference import ASSERTIONS, Aspect, Difference, Relation
from mcpgen.compare.schemas.pair import Pair
from mcpgen.compare.schemas.views.branches import unions
from mcpgen.compare.schemas.views.view import Subschema, View
from mcpgen.findings.change import ABSENT, Value
from mcpgen.jsontext import Json

_ASPECTS: Mapping[str, Aspect] = {
    "title": "title",
    "description": "text",
    "examples": "text",
    "example": "text",
    "enumDescriptions": "text",
    "enumNames": "text",
    "$comment": "text",
    "default": "default",
    "deprecated": "deprecated",
    "readOnly": "keyword",
    "writeOnly": "keyword",
    "contentEncoding": "content",
    "contentMediaType": "content",
    "contentSchema": "content",
    "x-mcp-header": "header",
}
KEYWORDS = frozenset(_ASPECTS) | ASSERTIONS
"""The compared keywords: assertions and annotations."""
# Keywords that are compared elsewhere, or only identify a schema.
_OTHERS = ASSERTIONS | frozenset(
    "$schema $id id $anchor $dynamicAnchor $recursiveAnchor $defs definitions $vocabulary".split()
)


def are_of_branches(pair: Pair) -> bool:
    """Return True if annotations may describe one branch of a union instead of the value."""
    return _has_branches(pair.old) or _has_branches(pair.new)


def _has_branches(view: View) -> bool:
    return len(unions(view)) == 1 and len(_options(view)) != 1


def _options(view: View) -> list[View]:
    """Return the branches of all unions, except null."""
    options = [view.all_of([at]) for _, ats in unions(view) for at in ats]
    return [o for o in options if [dict(part.raw) for part in o.parts] != [{"type": "null"}]]


def of_value(pair: Pair, *, of_branches: bool) -> Iterator[Difference]:
    """Compare the annotations of a value. The annotations of a single branch next to null count,
    too.
    """
    parts = _parts if of_branches else _parts_with_option
    yield from _annotation_differences(pair, parts(pair.old), parts(pair.new))


def of_branch(pair: Pair) -> Iterator[Difference]:
    """Compare the annotations of a branch, without the union's own."""
    yield from _annotation_differences(pair, pair.old.own_parts, pair.new.own_parts)


def _parts(view: View) -> tuple[Subschema, ...]:
    return view.parts


def _parts_with_option(view: View) -> tuple[Subschema, ...]:
    options = _options(view)
    return (*view.parts, *options[0].parts) if len(options) == 1 else view.parts


def _annotation_differences(
    pair: Pair, old: Iterable[Subschema], new: Iterable[Subschema]
) -> Iterator[Difference]:
    before, after = _by_keyword(old), _by_keyword(new)
    for keyword in sorted(before.keys() | after.keys()):
        was, now = before.get(keyword, []), after.get(keyword, [])
        if {_key(value) for value in was} == {_key(value) for value in now}:
            continue
        aspect = _ASPECTS.get(keyword, "keyword")
        values = _one_or_all(was), _one_or_all(now)
        yield pair.differs(aspect, Relation.SAME, keyword=keyword, values=values)


def _by_keyword(parts: Iterable[Subschema]) -> dict[str, list[Json]]:
    values: dict[str, list[Json]] = {}
    for part in parts:
        for keyword, value in part.raw.items():
            if keyword not in _OTHERS:
                values.setdefault(keyword, []).append(value)
    return values


def _key(value: Json) -> str:
    return json.dumps(value, sort_keys=True)


def _one_or_all(values: list[Json]) -> Value:
    distinct = {_key(value): value for value in values}
    listed = [distinct[key] for key in sorted(distinct)]
    return ABSENT if not listed else listed[0] if len(listed) == 1 else listed
