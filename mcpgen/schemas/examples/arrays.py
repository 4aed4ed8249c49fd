"""Proposes arrays: lengths, and items that are distinct if they must be."""

from __future__ import annotations

import json
from collections.abc import Iterator

from mcpgen.jsontext import Json, is_array
from mcpgen.schemas.examples.branches import Case, Schemas
from mcpgen.schemas.examples.objects import Pool, Search

_LONGEST = 500


def proposals(search: Search, case: Case, at: tuple[str, ...]) -> Iterator[Json]:
    """Yield arrays: of a likely length, then shorter and longer ones, then with other items."""
    low = max((_count(node, "minItems", 0) for node in case), default=0)
    high = min((_count(node, "maxItems", _LONGEST) for node in case), default=_LONGEST)
    if low <= high:
        yield from (items for items in _Array(search, case, at).fill(low, high))


class _Array:
    """An array. Items with the same schemas are drawn from one pool."""

    def __init__(self, search: Search, case: Case, at: tuple[str, ...]) -> None:
        self.search, self.case, self.at = search, case, at
        contains = [node for node in case if "contains" in node]
        self.asked = [n["contains"] for n in contains for _ in range(_count(n, "minContains", 1))]
        limited = [node["contains"] for node in contains if "maxContains" in node]
        self.refused: Schemas = tuple({"not": schema} for schema in limited)
        self.is_unique = any(node.get("uniqueItems") is True for node in case)
        self.pools: dict[tuple[int, ...], Pool] = {}

    def fill(self, low: int, high: int) -> Iterator[list[Json]]:
        for length in dict.fromkeys(self._lengths(max(low, len(self.asked)), high)):
            for requirement in self._requirements(length):
                yield from (items for items in self._draw(requirement) if len(items) >= low)

    def _lengths(self, low: int, high: int) -> Iterator[int]:
        by_position = max((len(_prefix(node)) for node in self.case), default=0)
        likely = by_position or (1 if self.search.fill < 0.6 else 2)
        if not self.search.is_ample(self.at) or not self.search.fill:
            likely = low
        yield from (max(low, min(high, n)) for n in (likely, low, 1, by_position))
        yield from range(low, min(high, low + 6) + 1)

    def _requirements(self, length: int) -> Iterator[list[Schemas]]:
        """Yield the schemas of each item. Items for ``contains`` come first, or last."""
        prefix = self.asked
        for start in dict.fromkeys((0, max(0, length - len(prefix)))):
            extra = {start + position: (schema,) for position, schema in enumerate(prefix)}
            yield [
                (*_item(self.case, index), *extra.get(index, self.refused))
                for index in range(length)
            ]

    def _draw(self, item_schemas: list[Schemas]) -> Iterator[list[Json]]:
        for turn in range(6):
            items: list[Json] = []
            for index, schemas in enumerate(item_schemas):
                pool = self._pool(schemas, index)
                turn_index = (
                    _fresh(pool, items, turn) if self.is_unique else turn + max(0, index - 2)
                )
                if turn_index is None or not pool.holds():
                    break
                items.append(pool[turn_index])
            yield items
            if not items:
                return

    def _pool(self, schemas: Schemas, index: int) -> Pool:
        at = (*self.at, str(index))
        # The first few have pools of their own, so that they have less in common.
        is_apart = index < 3 and not self.is_unique and self.search.is_ample(self.at)
        key = (index if is_apart else -1, *map(id, schemas))
        if key not in self.pools:
            self.pools[key] = Pool(self.search.values(schemas, at))
        if not self.pools[key].holds():
            self.search.stop(at)
        return self.pools[key]


def _fresh(pool: Pool, items: list[Json], turn: int) -> int | None:
    """Return the index of a value in the pool that is not among the items."""
    keys = {_key(item) for item in items}
    for index in range(turn, len(items) + turn + 60):
        if not pool.holds(index):
            return None
        if _key(pool[index]) not in keys:
            return index
    return None


def _key(value: Json) -> str:
    return json.dumps(value, sort_keys=True)


def _item(case: Case, index: int) -> Schemas:
    schemas: list[Json] = []
    is_known = False
    for node in case:
        prefix = _prefix(node)
        if index < len(prefix):
            schemas.append(prefix[index])
        elif "items" in node:
            schemas.append(node["items"])
        is_known = is_known or index < len(prefix) or "items" in node
    if not is_known:
        schemas += [node["unevaluatedItems"] for node in case if "unevaluatedItems" in node]
    return tuple(schemas)


def _prefix(node: dict[str, Json]) -> list[Json]:
    value = node.get("prefixItems")
    return value if is_array(value) else []


def _count(node: dict[str, Json], keyword: str, otherwise: int) -> int:
    value = node.get(keyword)
    return int(value) if isinstance(value, int | float) else otherwise
