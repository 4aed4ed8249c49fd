"""All that is said about one value: a schema with its ``allOf`` and ``$ref`` folded together.

Folding never adds an assertion; what cannot be folded exactly makes the facets loose.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from mcpgen.jsonpointer import escape
from mcpgen.jsontext import Json, canonical, is_array, is_object
from mcpgen.types.resolution import ASSERTIONS, At, Document

# What says nothing about which values are valid is not listed here, unknown keywords included.

_LOWER = ("minLength", "minItems", "minimum", "exclusiveMinimum")
_UPPER = ("maxLength", "maxItems", "maximum", "exclusiveMaximum")
_FOLDED = {*_LOWER, *_UPPER} | set(
    "$ref allOf anyOf oneOf type enum const properties required additionalProperties"
    " patternProperties items prefixItems additionalItems multipleOf".split()
)
MAX_FOLDS = 50


@dataclass(slots=True)
class Facets:
    """What a value must be; built up by :func:`fold` and then only read."""

    types: tuple[str, ...] | None = None
    choices: list[Json] | None = None
    properties: dict[str, list[At]] = field(default_factory=dict[str, "list[At]"])
    required: dict[str, None] = field(default_factory=dict[str, None])
    closed: bool = False
    additional: At | None = None
    patterns: list[At] = field(default_factory=list["At"])
    items: At | None = None
    places: list[At] | None = None
    bounds: dict[str, int | float] = field(default_factory=dict[str, "int | float"])
    format: str = ""
    alternatives: list[tuple[str, list[At]]] = field(default_factory=list["tuple[str, list[At]]"])
    documented: dict[str, At] = field(default_factory=dict[str, "At"])
    loose: bool = False
    empty: bool = False
    folds: int = 0


def fold(schema: Json, pointer: str, document: Document, facets: Facets) -> None:
    """Add what ``schema`` says to ``facets``, following ``allOf`` and ``$ref``."""
    if schema is False:
        facets.empty = True
        return
    schema = document.spoken(schema)
    if not is_object(schema):
        facets.loose |= schema is not True
        return
    node = schema
    facets.folds += 1
    if facets.folds > MAX_FOLDS:  # a cycle, or as good as one
        facets.loose = True
        return
    if isinstance(node.get("$ref"), str):
        target = document.resolve(node["$ref"])
        if target is None:
            facets.loose = True
        else:
            fold(*target, document, facets)
        if document.hides_siblings:
            return
    facets.loose |= any(key in ASSERTIONS and key not in _FOLDED for key in node)
    _fold_values(node, facets)
    _fold_object(node, pointer, document, facets)
    _fold_array(node, pointer, facets)
    _fold_branches(node, pointer, document, facets)


def _fold_values(node: dict[str, Json], facets: Facets) -> None:
    kinds = node.get("type")
    if kinds is not None:
        _fold_types([kinds] if isinstance(kinds, str) else kinds, facets)
    if "const" in node:
        _fold_choices([node["const"]], facets)
    if is_array(node.get("enum")):
        _fold_choices(node["enum"], facets)
    if isinstance(node.get("format"), str):
        facets.format = node["format"]
    for keyword in (*_LOWER, *_UPPER, "multipleOf"):
        if keyword in node:
            _fold_bound(keyword, node[keyword], facets)
    facets.loose |= "pattern" in node


def _fold_types(kinds: list[Json], facets: Facets) -> None:
    named = tuple(kind for kind in kinds if isinstance(kind, str))
    if len(named) < len(kinds) or "any" in named:
        facets.loose = True  # draft-03 has schemas among types, and a type of every value
        return
    facets.types = _common(facets.types, named)


def _common(before: tuple[str, ...] | None, now: tuple[str, ...]) -> tuple[str, ...]:
    if before is None:
        return now
    both = [kind for kind in before if kind in now or (kind == "integer" and "number" in now)]
    both += [kind for kind in now if kind == "integer" and "number" in before]
    return tuple(dict.fromkeys(both))


def _fold_choices(values: list[Json], facets: Facets) -> None:
    if facets.choices is None:
        facets.choices = list(values)
    else:
        kept = {canonical(value) for value in values}  # 1 is 1.0 there, and neither is true
        facets.choices = [value for value in facets.choices if canonical(value) in kept]


def _fold_bound(keyword: str, value: Json, facets: Facets) -> None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        facets.loose = True  # draft-04 has boolean exclusive bounds
        return
    before = facets.bounds.get(keyword)
    if before is None:
        facets.bounds[keyword] = value
    elif keyword in _LOWER:
        facets.bounds[keyword] = max(before, value)
    elif keyword in _UPPER:
        facets.bounds[keyword] = min(before, value)
    else:
        facets.loose |= before != value


def _fold_object(node: dict[str, Json], pointer: str, document: Document, facets: Facets) -> None:
    own = node.get("properties")
    own = own if is_object(own) else {}
    if facets.closed and not own.keys() <= facets.properties.keys():
        facets.loose = True  # a closed part of an allOf does not see its neighbours' members
        own = {}
    for name, schema in own.items():
        at = (schema, f"{pointer}/properties/{escape(name)}")
        facets.properties.setdefault(name, []).append(at)
    for name in _required(node, document):
        facets.required.setdefault(name)
    if "patternProperties" in node and is_object(node["patternProperties"]):
        facets.loose = True
        facets.patterns += [
            (schema, f"{pointer}/patternProperties/{escape(name)}")
            for name, schema in node["patternProperties"].items()
        ]
    _fold_additional(node, pointer, own, facets)


def _required(node: dict[str, Json], document: Document) -> list[str]:
    if document.requires_by_member:
        members = node.get("properties")
        found = members.items() if is_object(members) else ()
        return [name for name, said in found if is_object(said) and said.get("required") is True]
    listed = node.get("required")
    return [name for name in listed if isinstance(name, str)] if is_array(listed) else []


def _fold_additional(
    node: dict[str, Json], pointer: str, own: dict[str, Json], facets: Facets
) -> None:
    additional = node.get("additionalProperties", True)
    if additional is True or additional == {}:
        return
    if facets.properties.keys() - own.keys() or facets.additional is not None:
        facets.loose = True  # it speaks of the members that this part does not name, only
        return
    if additional is False and "patternProperties" not in node:
        facets.closed = True
    else:
        facets.additional = (additional, f"{pointer}/additionalProperties")


def _fold_array(node: dict[str, Json], pointer: str, facets: Facets) -> None:
    items = node.get("items")
    places, rest_keyword = node.get("prefixItems"), "items"
    if is_array(items):  # draft-07 and 2019-09 write tuples so
        places, rest_keyword = items, "additionalItems"
    if is_array(places):
        at = "prefixItems" if rest_keyword == "items" else "items"
        facets.loose |= facets.places is not None
        facets.places = [(schema, f"{pointer}/{at}/{i}") for i, schema in enumerate(places)]
    elif "additionalItems" in node:
        rest_keyword = "items"  # without a tuple, additionalItems means nothing
    if rest_keyword in node and not is_array(node[rest_keyword]):
        facets.loose |= facets.items is not None
        facets.items = (node[rest_keyword], f"{pointer}/{rest_keyword}")


def _fold_branches(node: dict[str, Json], pointer: str, document: Document, facets: Facets) -> None:
    for keyword in ("anyOf", "oneOf"):
        branches = node.get(keyword)
        if is_array(branches):
            at = [(schema, f"{pointer}/{keyword}/{i}") for i, schema in enumerate(branches)]
            facets.alternatives.append((keyword, at))
    branches = node.get("allOf")
    for index, schema in enumerate(branches if is_array(branches) else []):
        fold(schema, f"{pointer}/allOf/{index}", document, facets)
