"""Proposes objects: which properties to include, and values that are consistent."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import islice
from typing import Protocol

from mcpgen_runtime.validation import samples

from mcpgen.jsontext import Json, is_array, is_object
from mcpgen.schemas.examples.branches import Case, Schemas

_INVENTED = ("first", "second", "third", "fourth", "fifth", "sixth")


class Search(Protocol):
    """The part of the search that proposals for arrays and objects use."""

    chance: random.Random
    fill: float

    def values(self, schemas: Schemas, at: tuple[str, ...]) -> Iterator[Json]:
        """Yield values for a path."""
        ...

    def stop(self, at: tuple[str, ...]) -> None:
        """Record a path for which no value was found."""
        ...

    def is_ample(self, at: tuple[str, ...]) -> bool:
        """Return True if optional values may be added."""
        ...


class Pool:
    """Values for one path, created on demand."""

    def __init__(self, values: Iterator[Json]) -> None:
        self._values, self._made = values, list[Json]()

    def __getitem__(self, index: int) -> Json:
        """Return a value. After the last one, the first one follows."""
        self._made += islice(self._values, max(0, index + 1 - len(self._made)))
        return self._made[index % len(self._made)]

    def holds(self, index: int = 0) -> bool:
        """Return True if there are more than ``index`` different values."""
        self._made += islice(self._values, max(0, index + 1 - len(self._made)))
        return index < len(self._made)


def proposals(search: Search, case: Case, at: tuple[str, ...]) -> Iterator[Json]:
    """Yield objects: with all chosen properties, then with fewer, then with other values."""
    low = max((_count(node, "minProperties", 0) for node in case), default=0)
    high = min((_count(node, "maxProperties", 1 << 30) for node in case), default=1 << 30)
    required = _required_names(case)
    if len(required) > high:
        return
    declared = [name for name in _declared_names(case) if name not in required]
    is_ample = search.is_ample(at)
    wanted_names = [n for n in declared if is_ample and search.chance.random() < search.fill]
    pools: dict[str, Pool] = {}
    if not all(_has_value(search, case, (*at, name), pools) for name in required):
        return
    extra = is_ample and search.fill > 0 and not (required or declared) and _is_map(case)
    tried: list[list[str]] = []
    for optional in (wanted_names, [], declared):
        names = list(required)
        few = optional[: max(0, high - len(required))]
        names += [name for name in few if _has_value(search, case, (*at, name), pools)]
        least = max(low, len(names) + min(2, high) if extra and optional is wanted_names else 0)
        optional_names = (
            n for n in (*declared, *_additional_names(search, case, at)) if n not in names
        )
        while len(names) < least and (other := next(optional_names, None)) is not None:
            if _has_value(search, case, (*at, other), pools):
                names.append(other)
        if len(names) >= low and names not in tried:
            tried.append(names)
            yield {name: pools[name][0] for name in _in_declared_order(names, case)}
    for names in tried:
        yield from _variations(names, pools, case)


def _variations(names: list[str], pools: dict[str, Pool], case: Case) -> Iterator[Json]:
    base = {name: pools[name][0] for name in _in_declared_order(names, case)}
    for round_ in range(1, 40):
        for name in names:
            if pools[name].holds(round_):
                yield {**base, name: pools[name][round_]}
    for round_ in range(1, 40):
        yield {name: pools[name][round_] for name in base}


def _has_value(search: Search, case: Case, at: tuple[str, ...], pools: dict[str, Pool]) -> bool:
    name = at[-1]
    if name not in pools:
        pools[name] = Pool(search.values(member(case, name), at))
        if not pools[name].holds():
            search.stop(at)
    return pools[name].holds()


def member(case: Case, name: str) -> Schemas:
    """Return every schema that a property of this name must satisfy."""
    schemas: list[Json] = []
    is_known = False
    for node in case:
        members = _members(node, name)
        schemas += members
        is_known = is_known or bool(members)
    if not is_known:
        schemas += [n["unevaluatedProperties"] for n in case if "unevaluatedProperties" in n]
    return tuple(schemas)


def _members(node: dict[str, Json], name: str) -> list[Json]:
    properties, by_pattern = node.get("properties"), node.get("patternProperties")
    schemas = [properties[name]] if is_object(properties) and name in properties else []
    if is_object(by_pattern):
        schemas += [schema for p, schema in by_pattern.items() if samples.matches(p, name)]
    if not schemas and "additionalProperties" in node:
        schemas.append(node["additionalProperties"])
    return schemas


def _required_names(case: Case) -> list[str]:
    return list(dict.fromkeys(n for node in case for n in _names(node.get("required"))))


def _names(value: Json) -> list[str]:
    return value if is_array(value) else []


def _declared_names(case: Case) -> list[str]:
    names: dict[str, None] = {}
    for node in case:
        properties = node.get("properties")
        if is_object(properties):
            names.update((n, None) for n, schema in properties.items() if schema is not False)
    return list(names)


def _in_declared_order(names: list[str], case: Case) -> list[str]:
    """Sort properties in the order of the schema."""
    index_of = {name: index for index, name in enumerate(_declared_names(case))}
    return sorted(names, key=lambda name: index_of.get(name, len(index_of)))


def _is_map(case: Case) -> bool:
    return any(
        is_object(node.get("patternProperties")) or is_object(node.get("additionalProperties"))
        for node in case
    )


def _additional_names(search: Search, case: Case, at: tuple[str, ...]) -> Iterator[str]:
    """Yield names for additional properties. Names by ``propertyNames`` or a pattern come first."""
    for node in case:
        by_pattern = node.get("patternProperties")
        for pattern in by_pattern if is_object(by_pattern) else ():
            yield from islice(samples.matching(pattern, search.chance), 6)
    rules = tuple(node["propertyNames"] for node in case if "propertyNames" in node)
    if rules:
        named = search.values(({"type": "string"}, *rules), (*at, "name"))
        yield from islice(named, 40)
        return
    yield from _INVENTED
    yield from (f"member{number}" for number in range(7, 200))


def _count(node: dict[str, Json], keyword: str, otherwise: int) -> int:
    value = node.get(keyword)
    return int(value) if isinstance(value, int | float) else otherwise
