"""What a schema says without forbidding anything: texts, defaults, and keywords of others."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from mcpgen.compare.change import ABSENT, Value
from mcpgen.compare.schemas.branches import unions
from mcpgen.compare.schemas.difference import Relation
from mcpgen.compare.schemas.view import ASSERTIONS, Part, View
from mcpgen.jsontext import Json

if TYPE_CHECKING:
    from mcpgen.compare.schemas.walk import Walk

_ASPECTS = {
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
"""The keywords that are compared, for what they allow or what they say."""
# What is compared elsewhere, or only says where something is.
_KNOWN = ASSERTIONS | frozenset(
    "$schema $id id $anchor $dynamicAnchor $recursiveAnchor $defs definitions $vocabulary".split()
)


def compare(
    walk: Walk,
    old: View,
    new: View,
    path: str,
    parts: Callable[[View], Iterable[Part]],
) -> None:
    """Compare what some of the parts say beside the assertions."""
    before, after = (_collected(parts(view)) for view in (old, new))
    for keyword in sorted(before.keys() | after.keys()):
        was, now = before.get(keyword, []), after.get(keyword, [])
        if {_key(value) for value in was} == {_key(value) for value in now}:
            continue
        aspect = _ASPECTS.get(keyword, "keyword")
        values = _one(was), _one(now)
        walk.emit(aspect, Relation.SAME, path, (old, new), keyword=keyword, values=values)


def is_told(view: View) -> bool:
    """Say whether all that is said of a value is said of it as a whole, or beside null."""
    found = unions(view)
    return len(found) != 1 or len(_telling(view)) == 1


def _telling(view: View) -> list[View]:
    options = [view.joined([at]) for _, ats in unions(view) for at in ats]
    return [o for o in options if [dict(part.raw) for part in o.parts] != [{"type": "null"}]]


def with_branch(view: View) -> Iterable[Part]:
    """Return the parts that speak; those of the only branch beside null speak of the whole."""
    found = _telling(view)
    return [*view.parts, *found[0].parts] if len(found) == 1 else view.parts


def own(view: View) -> Iterable[Part]:
    """Return the parts of one branch of a union."""
    return view.own


def everything(view: View) -> Iterable[Part]:
    """Return all parts."""
    return view.parts


def _collected(parts: Iterable[Part]) -> dict[str, list[Json]]:
    found: dict[str, list[Json]] = {}
    for part in parts:
        for keyword, value in part.raw.items():
            if keyword not in _KNOWN:
                found.setdefault(keyword, []).append(value)
    return found


def _key(value: Json) -> str:
    return json.dumps(value, sort_keys=True)


def _one(values: list[Json]) -> Value:
    unlike = {_key(value): value for value in values}
    listed = [unlike[key] for key in sorted(unlike)]
    return ABSENT if not listed else listed[0] if len(listed) == 1 else listed
