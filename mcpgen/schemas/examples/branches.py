"""Resolves every alternative of a schema, so that a list of plain schemas remains."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeAlias
from urllib.parse import unquote, urljoin

from mcpgen.jsonpointer import lookup
from mcpgen.jsontext import Json, is_array, is_object

_DATA = frozenset({"const", "enum", "default", "examples", "example"})


class References:
    """The schemas of one document by absolute URI, and the base URI of each."""

    def __init__(self, root: Json, *, old: bool) -> None:
        self._hides = old  # up to draft-07, $ref hides its siblings
        self._by_uri: dict[str, Json] = {"": root}
        self._dynamic: dict[str, Json] = {}
        self._bases: dict[int, str] = {}
        waiting: list[tuple[Json, str]] = [(root, "")]
        while waiting:
            node, base = waiting.pop()
            if is_object(node):
                base = self._register(node, base)
            waiting += [(inner, base) for inner in _children(node)]

    def _register(self, node: dict[str, Json], base: str) -> str:
        uri = node.get("$id", node.get("id"))
        if isinstance(uri, str) and uri.startswith("#"):
            self._by_uri.setdefault(base + uri, node)
        elif isinstance(uri, str) and not (self._hides and "$ref" in node):
            base = urljoin(base, uri).rstrip("#")
            self._by_uri.setdefault(base, node)
        for keyword in ("$anchor", "$dynamicAnchor"):
            if isinstance(node.get(keyword), str):
                self._by_uri.setdefault(f"{base}#{node[keyword]}", node)
        if isinstance(node.get("$dynamicAnchor"), str):
            # The walk goes from the outside in, and the outermost schema of a URI counts.
            self._dynamic.setdefault(node["$dynamicAnchor"], node)
        self._bases[id(node)] = base
        return base

    def targets(self, node: dict[str, Json]) -> Iterator[Json]:
        """Yield the schemas that a schema refers to. A dangling reference has no meaning here."""
        for keyword in ("$ref", "$dynamicRef", "$recursiveRef"):
            reference = node.get(keyword)
            if not isinstance(reference, str):
                continue
            target = self._resolve(self._bases.get(id(node), ""), reference)
            if keyword == "$dynamicRef" and is_object(target):
                target = self._dynamic.get(str(target.get("$dynamicAnchor")), target)
            if target is not None:
                yield target

    def _resolve(self, base: str, reference: str) -> Json:
        uri = base + reference if reference.startswith("#") else urljoin(base, reference)
        address, _, fragment = uri.partition("#")
        fragment = unquote(fragment)
        if fragment and not fragment.startswith("/"):
            return self._by_uri.get(f"{address}#{fragment}")
        target = lookup(self._by_uri.get(address), fragment)
        return target[1] if target else None


def _children(node: Json) -> list[Json]:
    if is_object(node):
        return [value for keyword, value in reversed(node.items()) if keyword not in _DATA]
    return list(reversed(node)) if is_array(node) else []


Case: TypeAlias = tuple[dict[str, Json], ...]
"""Schemas without references and combinators, all of which a value must satisfy."""

Schemas: TypeAlias = tuple[Json, ...]
Order: TypeAlias = Callable[[list[Schemas]], list[Schemas]]

TYPES = ("string", "object", "number", "integer", "array", "boolean", "null")


@dataclass(frozen=True, slots=True)
class Reader:
    """Reads the schemas of one document. ``old`` means draft-07 or older."""

    references: References
    old: bool

    def cases(self, schemas: Schemas, order: Order) -> Iterator[Case]:
        """Yield a case for every choice of alternatives, in the order given by ``order``."""
        yield from self._resolve_cases(schemas, (), frozenset(), order)

    def _resolve_cases(
        self, waiting: Schemas, case: Case, active: frozenset[int], order: Order
    ) -> Iterator[Case]:
        while waiting:
            schema, waiting = waiting[0], waiting[1:]
            if schema is False:
                return
            if not is_object(schema) or id(schema) in active:
                continue
            active |= {id(schema)}
            node = self._plain(schema)
            case = (*case, node)
            waiting = (*self.references.targets(schema), *_list(node, "allOf"), *waiting)
            choices = self._choices(node)
            if choices:
                yield from self._choose(choices, waiting, case, active, order)
                return
        yield case

    def _choose(
        self,
        choices: list[list[Schemas]],
        waiting: Schemas,
        case: Case,
        active: frozenset[int],
        order: Order,
    ) -> Iterator[Case]:
        if not choices:
            yield from self._resolve_cases(waiting, case, active, order)
            return
        for alternative in order(choices[0]):
            yield from self._choose(choices[1:], (*alternative, *waiting), case, active, order)

    def _plain(self, node: dict[str, Json]) -> dict[str, Json]:
        """Translate a schema to the dialect 2020-12."""
        if self.old and isinstance(node.get("$ref"), str):
            return {}
        items = node.get("items")
        if is_array(items):
            node = {**node, "prefixItems": items, "items": node.get("additionalItems", True)}
        for keyword, bound in (("exclusiveMinimum", "minimum"), ("exclusiveMaximum", "maximum")):
            if node.get(keyword) is True and bound in node:
                node = {**node, keyword: node[bound]}
        return node

    def _choices(self, node: dict[str, Json]) -> list[list[Schemas]]:
        choices: list[list[Schemas]] = []
        if "anyOf" in node:
            choices.append([(branch,) for branch in _list(node, "anyOf")])
        if "oneOf" in node:
            choices.append(_one_of(_list(node, "oneOf")))
        if "if" in node and ("then" in node or "else" in node):
            met: Schemas = (node["if"], node.get("then", True))
            choices.append([met, ({"not": node["if"]}, node.get("else", True))])
        for name, schema in self._dependent(node):
            present: Schemas = ({"required": [name]}, schema)
            choices.append([present, ({"properties": {name: False}},)])
        if "not" in node:
            choices.append([(option,) for option in self._negations(node["not"])])
        return choices

    def _dependent(self, node: dict[str, Json]) -> Iterator[tuple[str, Json]]:
        for keyword in ("dependentSchemas", "dependentRequired", "dependencies"):
            members = node.get(keyword)
            if not is_object(members) or (keyword == "dependencies" and not self.old):
                continue
            for name, needed in members.items():
                yield name, {"required": needed} if is_array(needed) else needed

    def _negations(self, schema: Json) -> list[Json]:
        """Return the subschemas that can reject a value. The complete schema validates the value
        later.
        """
        if isinstance(schema, bool):
            return [] if schema else [True]
        targets = list(self.references.targets(schema)) if is_object(schema) else []
        if targets and (self.old or len(schema) == 1):
            return self._negations(targets[0])
        if not is_object(schema):
            return [True]
        ways = [way for keyword in schema for way in _ways(keyword, schema)]
        # A schema whose keywords can't fail is never rejected.
        return ways + ([{}] if _UNCLEAR & schema.keys() else [])


def _one_of(branches: list[Json]) -> list[Schemas]:
    alone: list[Schemas] = [(branch,) for branch in branches]
    refusals = [{"not": branch} for branch in branches]
    exclusive = [
        (branch, *refusals[:index], *refusals[index + 1 :]) for index, branch in enumerate(branches)
    ]
    return [*alone, *exclusive]


_UNCLEAR = frozenset(
    "$ref $dynamicRef $recursiveRef const enum oneOf if pattern items prefixItems contains"
    " uniqueItems additionalProperties patternProperties propertyNames multipleOf dependencies"
    " dependentRequired dependentSchemas unevaluatedItems unevaluatedProperties".split()
)

_OPPOSITE: dict[str, Callable[[Json], Json]] = {
    "minimum": lambda n: {"type": "number", "exclusiveMaximum": n},
    "maximum": lambda n: {"type": "number", "exclusiveMinimum": n},
    "exclusiveMinimum": lambda n: {"type": "number", "maximum": n},
    "exclusiveMaximum": lambda n: {"type": "number", "minimum": n},
    "minLength": lambda n: {"type": "string", "maxLength": n - 1},
    "maxLength": lambda n: {"type": "string", "minLength": n + 1},
    "minItems": lambda n: {"type": "array", "maxItems": n - 1},
    "maxItems": lambda n: {"type": "array", "minItems": n + 1},
    "minProperties": lambda n: {"type": "object", "maxProperties": n - 1},
    "maxProperties": lambda n: {"type": "object", "minProperties": n + 1},
    "items": lambda s: {"type": "array", "minItems": 1, "items": {"not": s}},
    "contains": lambda s: {"type": "array", "items": {"not": s}},
    "uniqueItems": lambda _: {"type": "array", "minItems": 2},
    "pattern": lambda _: {"type": "string"},
    "not": lambda s: s,
}


def _ways(keyword: str, schema: dict[str, Json]) -> Iterator[Json]:
    """Yield schemas whose values violate one keyword of a schema."""
    value = schema[keyword]
    if keyword == "type":
        named = set(value if is_array(value) else [value])
        named |= {"integer"} if "number" in named else set()
        yield {"type": [kind for kind in TYPES if kind not in named]}
    elif keyword == "required" and is_array(value):
        yield from ({"type": "object", "properties": {name: False}} for name in value)
    elif keyword == "properties" and is_object(value):
        for name, inner in value.items():
            yield {"type": "object", "required": [name], "properties": {name: {"not": inner}}}
    elif keyword == "allOf":
        yield from ({"not": inner} for inner in value)
    elif keyword == "anyOf":
        yield {"allOf": [{"not": inner} for inner in value]}
    elif keyword == "propertyNames":
        yield {"type": "object", "minProperties": 1, "propertyNames": {"not": value}}
    elif keyword in ("additionalProperties", "unevaluatedProperties"):
        yield {"type": "object", "minProperties": 1}
    elif keyword in ("additionalItems", "unevaluatedItems", "prefixItems"):
        yield {"type": "array", "minItems": 1}
    elif keyword in _OPPOSITE and not isinstance(value, list):
        yield _OPPOSITE[keyword](value)


def _list(node: dict[str, Json], keyword: str) -> list[Json]:
    value = node.get(keyword)
    return value if is_array(value) else []
