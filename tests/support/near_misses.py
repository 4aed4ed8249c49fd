"""Near misses: values close to a valid one. Most violate a schema in one position, some don't."""

from __future__ import annotations

import copy
import math
import random
import re
from collections.abc import Iterator
from typing import Any

from mcpgen.jsontext import Json, is_array, is_object
from mcpgen.schemas.validation import references

Path = tuple["str | int", ...]

ATOMS: tuple[Json, ...] = (
    *(
        None,
        True,
        False,
        0,
        1,
        -1,
        1.0,
        0.0,
        -0.0,
        0.5,
        -1.5,
        1e300,
        2**53 + 1,
        -(2**63),
        10**30,
    ),
    *(math.inf, -math.inf),  # the value of 1e400
    *("", "a", "1", "true", "null", "2026-11-21", "\u0000", "é" * 3, "text"),
    *(
        [],
        {},
        [None],
        [[]],
        [{}],
        {"": 0},
        {"value": None},
        {"__class__": 1, "type": "a"},
    ),
)
"""Values of every kind that JSON has, and those that Python takes for one another."""

MOMENTS: tuple[str, ...] = (
    *(
        "2026-11-21",
        "2026-1-1",
        "2026-02-30",
        "20261121",
        "2026-W47-6",
        "0000-01-01",
        "1e3",
        "0",
    ),
    *("2026-11-21T10:00:00Z", "2026-11-21T10:00:00z", "2026-11-21t10:00:00+00:00"),
    *(
        "2026-11-21 10:00:00",
        "2026-11-21T10:00",
        "2026-11-21T10:00:00",
        "2026-11-21T24:00:00Z",
    ),
    *(
        "2026-11-21T10:00:00.123456789Z",
        "2026-11-21T10:00:00.100Z",
        "2026-11-21T23:59:60Z",
    ),
    *(
        "2026-11-21T10:00:00-00:00",
        "2026-11-21T10:00:00+05:30",
        "2026-11-21T10:00:00+0530",
    ),
    *("10:00:00Z", "10:00", "1732183200", "1732183200.5", "-1", "infinity", "P1D"),
    *("0b8e2d1c-7f7e-4d53-9a53-0d1a3c1f3c11", "0B8E2D1C-7F7E-4D53-9A53-0D1A3C1F3C11"),
    *("0b8e2d1c7f7e4d539a530d1a3c1f3c11", "{0b8e2d1c-7f7e-4d53-9a53-0d1a3c1f3c11}"),
    *(
        "urn:uuid:0b8e2d1c-7f7e-4d53-9a53-0d1a3c1f3c11",
        "00000000-0000-0000-0000-000000000000",
    ),
    *(
        "https://example.org",
        "https://example.org/",
        "HTTPS://Example.ORG/%7ea",
        "//example.org",
    ),
    *(
        "https://example.org:443/a/../b?q=a b#f",
        "https://user:pass@example.org/",
        "mailto:a@b.c",
    ),
    *(
        "https://例え.jp/",
        "https://xn--r8jz45g.jp/",
        "http://[2001:DB8::1]/",
        "urn:a:b",
        "C:\\a",
    ),
    *(
        "file:///etc",
        "data:,a",
        "https://example.org/\u00e9",
        " https://example.org/ ",
        "x:",
    ),
)
"""Dates, times, UUIDs and addresses in spellings that a parser may change, or refuse."""


def near_misses(schema: Json, value: Json, chance: random.Random, count: int) -> Iterator[Json]:
    """Yield ``count`` values, each a copy of ``value`` changed in one place or in two."""
    vocabulary = Vocabulary(schema)
    for number in range(count):
        changed = _change_one(value, vocabulary, chance)
        yield _change_one(changed, vocabulary, chance) if number % 4 == 3 else changed


def anything(chance: random.Random, depth: int = 3) -> Json:
    """Return any JSON value."""
    kind = chance.randrange(8 if depth else 6)
    if kind == 6:
        return [anything(chance, depth - 1) for _ in range(chance.randrange(4))]
    if kind == 7:
        names = chance.sample(("a", "b", "value", "type", "name", "id", "result", ""), 3)
        return {name: anything(chance, depth - 1) for name in names[: chance.randrange(4)]}
    return copy.deepcopy(chance.choice(MOMENTS if kind == 5 else ATOMS))


def tempting(schema: Json, chance: random.Random) -> Json:
    """Return a value that a careless reader considers valid: everything required, even if
    forbidden. It considers one keyword at a time, so the value is often valid.
    """
    return _Reader(schema, chance).value(schema, 4)


class _Reader:
    def __init__(self, root: Json, chance: random.Random) -> None:
        self.root, self.chance = root, chance

    def value(self, schema: Json, depth: int) -> Json:
        if not is_object(schema) or depth == 0:
            return copy.deepcopy(self.chance.choice(("a", 1, None, {}, [])))
        result = self._resolve(schema, 12)
        if "const" in result or result.get("enum"):
            choices = [result["const"]] if "const" in result else result["enum"]
            return copy.deepcopy(self.chance.choice(choices))
        kinds = result.get("type", "object")
        kind = self.chance.choice(kinds) if is_array(kinds) and kinds else kinds
        if kind == "object":
            return self._members(result, depth)
        if kind == "array":
            return self._items(result, depth)
        return {"string": "ab", "integer": 1, "number": 1.5, "boolean": True}.get(str(kind))

    def _resolve(self, schema: dict[str, Json], folds: int) -> dict[str, Json]:
        """Return a schema merged with its references, its subschemas and one alternative."""
        parts = [*schema.get("allOf", []), *(_items(schema.get("extends")))]
        parts += [self.chance.choice(schema[key]) for key in ("anyOf", "oneOf") if schema.get(key)]
        target = references.resolve(self.root, schema["$ref"]) if "$ref" in schema else None
        parts += [target[1]] if target else []
        result = dict(schema)
        for part in parts if folds else []:
            inner = self._resolve(part, folds - 1) if is_object(part) else {}
            properties = result.get("properties", {}), _items(result.get("required"))
            result |= inner
            result["properties"] = {**inner.get("properties", {}), **properties[0]}
            result["required"] = [*_items(inner.get("required")), *properties[1]]
        return result

    def _members(self, schema: dict[str, Json], depth: int) -> Json:
        declared: dict[str, Json] = schema.get("properties", {})
        ordered = dict.fromkeys(name for name in _items(schema.get("required")) if name)
        ordered |= dict.fromkeys(name for name in declared if self.chance.random() < 0.5)
        if self.chance.random() < 0.3:
            ordered["extra"] = None
        other = schema.get("additionalProperties", {})
        return {name: self.value(declared.get(name, other), depth - 1) for name in ordered}

    def _items(self, result: dict[str, Json], depth: int) -> Json:
        listed = _items(result.get("prefixItems")) or _items(result.get("items"))
        if listed:
            return [self.value(schema, depth - 1) for schema in listed]
        count = self.chance.randrange(3)
        return [self.value(result.get("items", {}), depth - 1) for _ in range(count)]


class Vocabulary:
    """The vocabulary of a schema: property names, values and numbers at which verdicts change."""

    def __init__(self, schema: Json) -> None:
        self.names: list[str] = ["extra", "", "result", "_raw"]
        self.values: list[Json] = []
        self.numbers: list[int | float] = [0, 1]
        for _, node in references.subschemas(schema):
            self._note(node)
        self.atoms = (*ATOMS, *self.values, *self.numbers)

    def _note(self, node: dict[str, Json]) -> None:
        properties, required = node.get("properties"), node.get("required")
        for name in properties if is_object(properties) else ():
            # A server may also use the Python name of another property.
            self.names += [name, re.sub(r"(?<=[a-z])(?=[A-Z])|\W", "_", name).lower()]
        self.names += [name for name in (required if is_array(required) else []) if name]
        self.values += node["enum"] if is_array(node.get("enum")) else []
        self.values += [node[key] for key in ("const", "default") if key in node]
        for key, bound in node.items():
            if key.startswith(("min", "max", "exclusive", "multiple")) and _is_number(bound):
                self.numbers += [bound, bound + 1, bound - 1, float(bound), bound + 0.5]


def _change_one(value: Json, vocabulary: Vocabulary, chance: random.Random) -> Json:
    """Return a copy with one difference at any depth."""
    path = chance.choice(list(_paths(value)))
    copied: Json = copy.deepcopy(value)
    if not path:
        return _instead(copied, vocabulary, chance)
    holder: Any = copied
    for step in path[:-1]:
        holder = holder[step]
    holder[path[-1]] = _instead(holder[path[-1]], vocabulary, chance)
    return copied


def _paths(value: Json, path: Path = ()) -> Iterator[Path]:
    yield path
    for key, inner in value.items() if is_object(value) else enumerate(_items(value)):
        yield from _paths(inner, (*path, key))


def _instead(value: Json, vocabulary: Vocabulary, chance: random.Random) -> Json:
    """Return a replacement for a value, similar or of another JSON type."""
    alike = list(_alike(value, vocabulary, chance))
    if alike and chance.random() < 0.7:
        return chance.choice(alike)
    return copy.deepcopy(chance.choice(vocabulary.atoms))


def _alike(value: Json, args: Vocabulary, chance: random.Random) -> Iterator[Json]:
    if isinstance(value, bool) or value is None:
        yield from (
            int(bool(value)),
            float(bool(value)),
            str(value).lower(),
            not value,
            "",
            [],
        )
    elif isinstance(value, int | float):
        yield from (-value, str(value), value == 1, [value], *args.numbers)
        if abs(value) == math.inf:
            return
        yield from (value + 1, value - 1, value + 0.5) if abs(value) < 2**53 else ()
        yield from (float(value),) if abs(value) < 10**300 else ()
        yield from (int(value),) if value == value // 1 else ()
    elif isinstance(value, str):
        yield from (
            "",
            None,
            value + "x",
            value[:-1],
            value.upper(),
            [value],
            " " + value,
            True,
        )
        yield from ("x" * int(n) for n in args.numbers if 0 <= n < 2000)
        yield from (chance.choice(MOMENTS), chance.choice(args.names))
        yield from (v for v in args.values if isinstance(v, str))
    elif is_array(value):
        yield from _arrays(value, args, chance)
    else:
        yield from _objects(value, args, chance)


def _arrays(items: list[Json], args: Vocabulary, chance: random.Random) -> Iterator[Json]:
    atom = copy.deepcopy(chance.choice(args.atoms))
    yield from (
        [],
        [*items, *items],
        items[::-1],
        [*items, atom],
        [atom, *items],
        {},
        None,
    )
    if items:
        yield from (items[1:], items[:-1], [*items, copy.deepcopy(items[0])], items[0])
        yield {str(index): item for index, item in enumerate(items)}
        yield from ((items * int(n))[: int(n)] for n in args.numbers if 0 < n < 50)


def _objects(members: dict[str, Json], args: Vocabulary, chance: random.Random) -> Iterator[Json]:
    atom = copy.deepcopy(chance.choice(args.atoms))
    added = chance.choice(args.names)
    yield from ({}, {**members, added: atom}, {**members, added: None}, [members], None)
    yield from (
        [*members.values()],
        [*members.items()] and [[k, v] for k, v in members.items()],
    )
    if members:
        name, other = chance.choice([*members]), chance.choice([*members])
        rest = {key: inner for key, inner in members.items() if key != name}
        yield from (
            rest,
            rest,
            {**rest, f"{name}_": members[name]},
            {**rest, added: members[name]},
        )
        yield {**members, name: copy.deepcopy(members[other])}
        yield {**members, name: members[other], other: members[name]}
        yield from ({**members, name: v} for v in args.values[:200])


def _items(value: Json) -> list[Json]:
    return value if is_array(value) else []


def _is_number(value: Json) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 10**15
