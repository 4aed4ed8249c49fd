"""The constraints on a value: a schema merged with its ``allOf`` and ``$ref``.

Merging never adds an assertion. If keywords can't be merged exactly, the constraints become
inexact.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from mcpgen.jsonpointer import escape
from mcpgen.jsontext import Json, canonical, is_array, is_object
from mcpgen.schemas.types.resolution import ASSERTIONS, At, Document

# Keywords that don't restrict the valid values are not listed, including unknown ones.

_LOWER = ("minLength", "minItems", "minimum", "exclusiveMinimum")
_UPPER = ("maxLength", "maxItems", "maximum", "exclusiveMaximum")
_MERGED = {*_LOWER, *_UPPER} | set(
    "$ref allOf anyOf oneOf type enum const properties required additionalProperties"
    " patternProperties items prefixItems additionalItems multipleOf".split()
)
MAX_MERGES = 50

Alternatives: TypeAlias = "tuple[Literal['anyOf', 'oneOf'], list[At]]"
_UNIONS: tuple[Literal["anyOf"], Literal["oneOf"]] = ("anyOf", "oneOf")


@dataclass(slots=True)
class Constraints:
    """The constraints on a value, built by :meth:`merge` and read-only afterwards."""

    types: tuple[str, ...] | None = None
    choices: list[Json] | None = None
    properties: dict[str, list[At]] = field(default_factory=dict[str, "list[At]"])
    required: dict[str, None] = field(default_factory=dict[str, None])
    closed: bool = False
    additional: At | None = None
    patterns: list[At] = field(default_factory=list["At"])
    items: At | None = None
    prefix_items: list[At] | None = None
    bounds: dict[str, int | float] = field(default_factory=dict[str, "int | float"])
    format: str = ""
    alternatives: list[Alternatives] = field(default_factory=list["Alternatives"])
    documented: dict[str, At] = field(default_factory=dict[str, "At"])
    inexact: bool = False
    impossible: bool = False
    merges: int = 0

    def merge(self, schema: Json, pointer: str, document: Document) -> None:
        """Add the constraints of a schema, following ``allOf`` and ``$ref``."""
        if schema is False:
            self.impossible = True
            return
        node = document.known_keywords(schema)
        if not is_object(node):
            self.inexact |= node is not True
            return
        self.merges += 1
        if self.merges > MAX_MERGES:  # a cycle, or too deep
            self.inexact = True
            return
        if isinstance(node.get("$ref"), str):
            target = document.resolve(node["$ref"])
            if target is None:
                self.inexact = True
            else:
                self.merge(*target, document)
            if document.hides_siblings:
                return
        self.inexact |= any(key in ASSERTIONS and key not in _MERGED for key in node)
        self._merge_values(node)
        self._merge_object(node, pointer, document)
        self._merge_array(node, pointer)
        self._merge_branches(node, pointer, document)

    def _merge_values(self, node: dict[str, Json]) -> None:
        kinds = node.get("type")
        if kinds is not None:
            self._merge_types([kinds] if isinstance(kinds, str) else kinds)
        if "const" in node:
            self._merge_choices([node["const"]])
        if is_array(node.get("enum")):
            self._merge_choices(node["enum"])
        if isinstance(node.get("format"), str):
            self.format = node["format"]
        for keyword in (*_LOWER, *_UPPER, "multipleOf"):
            if keyword in node:
                self._merge_bound(keyword, node[keyword])
        self.inexact |= "pattern" in node

    def _merge_types(self, kinds: list[Json]) -> None:
        named = tuple(kind for kind in kinds if isinstance(kind, str))
        if len(named) < len(kinds) or "any" in named:
            self.inexact = True  # draft-03 allows schemas among types, and the type "any"
            return
        self.types = _common(self.types, named)

    def _merge_choices(self, values: list[Json]) -> None:
        if self.choices is None:
            self.choices = list(values)
        else:
            allowed = {canonical(value) for value in values}  # 1 equals 1.0, but not true
            self.choices = [value for value in self.choices if canonical(value) in allowed]

    def _merge_bound(self, keyword: str, value: Json) -> None:
        if isinstance(value, bool) or not isinstance(value, int | float):
            self.inexact = True  # draft-04 has boolean exclusive bounds
            return
        before = self.bounds.get(keyword)
        if before is None:
            self.bounds[keyword] = value
        elif keyword in _LOWER:
            self.bounds[keyword] = max(before, value)
        elif keyword in _UPPER:
            self.bounds[keyword] = min(before, value)
        else:
            self.inexact |= before != value

    def _merge_object(self, node: dict[str, Json], pointer: str, document: Document) -> None:
        own = node.get("properties")
        own = own if is_object(own) else {}
        if self.closed and not own.keys() <= self.properties.keys():
            self.inexact = True  # a closed part of an allOf ignores the properties of other parts
            own = {}
        for name, schema in own.items():
            at = (schema, f"{pointer}/properties/{escape(name)}")
            self.properties.setdefault(name, []).append(at)
        for name in _required_names(node, document):
            self.required.setdefault(name)
        if "patternProperties" in node and is_object(node["patternProperties"]):
            self.inexact = True
            self.patterns += [
                (schema, f"{pointer}/patternProperties/{escape(name)}")
                for name, schema in node["patternProperties"].items()
            ]
        self._merge_additional(node, pointer, own)

    def _merge_additional(self, node: dict[str, Json], pointer: str, own: dict[str, Json]) -> None:
        additional = node.get("additionalProperties", True)
        if additional is True or additional == {}:
            return
        if self.properties.keys() - own.keys() or self.additional is not None:
            self.inexact = True  # it applies only to properties that this part doesn't name
            return
        if additional is False and "patternProperties" not in node:
            self.closed = True
        else:
            self.additional = (additional, f"{pointer}/additionalProperties")

    def _merge_array(self, node: dict[str, Json], pointer: str) -> None:
        items = node.get("items")
        prefix, rest_keyword = node.get("prefixItems"), "items"
        if is_array(items):  # the tuple syntax of draft-07 and 2019-09
            prefix, rest_keyword = items, "additionalItems"
        if is_array(prefix):
            keyword = "prefixItems" if rest_keyword == "items" else "items"
            self.inexact |= self.prefix_items is not None
            self.prefix_items = [(sub, f"{pointer}/{keyword}/{i}") for i, sub in enumerate(prefix)]
        elif "additionalItems" in node:
            rest_keyword = "items"  # without a tuple, additionalItems means nothing
        if rest_keyword in node and not is_array(node[rest_keyword]):
            self.inexact |= self.items is not None
            self.items = (node[rest_keyword], f"{pointer}/{rest_keyword}")

    def _merge_branches(self, node: dict[str, Json], pointer: str, document: Document) -> None:
        for keyword in _UNIONS:
            branches = node.get(keyword)
            if is_array(branches):
                at = [(schema, f"{pointer}/{keyword}/{i}") for i, schema in enumerate(branches)]
                self.alternatives.append((keyword, at))
        branches = node.get("allOf")
        for index, schema in enumerate(branches if is_array(branches) else []):
            self.merge(schema, f"{pointer}/allOf/{index}", document)


def _common(before: tuple[str, ...] | None, now: tuple[str, ...]) -> tuple[str, ...]:
    """Return the common types of two lists. An integer is a number."""
    if before is None:
        return now
    both = [kind for kind in before if kind in now or (kind == "integer" and "number" in now)]
    both += [kind for kind in now if kind == "integer" and "number" in before]
    return tuple(dict.fromkeys(both))


def _required_names(node: dict[str, Json], document: Document) -> list[str]:
    if document.requires_by_member:
        properties = node.get("properties")
        members = properties.items() if is_object(properties) else ()
        return [name for name, sub in members if is_object(sub) and sub.get("required") is True]
    names = node.get("required")
    return [name for name in names if isinstance(name, str)] if is_array(names) else []
