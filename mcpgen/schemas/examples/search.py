"""Searches for a valid value: proposes likely ones part by part, and validates them."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from itertools import islice

from mcpgen_runtime.validation.keywords import budgets as limits

from mcpgen.errors import ContractError
from mcpgen.jsonpointer import pointer
from mcpgen.jsontext import Json, is_array, is_object
from mcpgen.schemas.examples import arrays, objects, scalars
from mcpgen.schemas.examples.branches import TYPES, Case, Reader, References, Schemas
from mcpgen.schemas.validation.schemas import (
    DEFAULT_DIALECT,
    SchemaValidator,
    dialect,
    is_draft7_or_older,
    problem,
)

_MOST_STEPS = 4_000
_MOST_CAREFUL_STEPS = 12_000
_MOST_PATTERN_STEPS = 100_000
_FILLS = (0.0, 0.5, 0.8, 0.9, 1.0, 1.0)
_DEEPEST = 48
_DEEP = 6
_LARGE = 250


class NoExampleError(ContractError):
    """No valid value was found. There may be none."""


class _SpentError(Exception):
    """The search has reached its maximum number of steps."""


def example(schema: Json, seed: int = 0) -> Json:
    """Return a valid value for a schema. The same seed gives the same value.

    With seed 0 all optional properties are included, with other seeds some. Values of ``examples``
    and ``default`` are preferred. Steps and depth are limited.

    Raises:
        NoExampleError: No valid value was found.
    """
    if invalid := problem(schema):
        raise NoExampleError(f"no example can be given: {invalid.reason}", invalid.pointer)
    uri = dialect(schema) or DEFAULT_DIALECT
    old = is_draft7_or_older(uri)
    reader = Reader(References(schema, old=old), old)
    with limits.shared_budget(_MOST_PATTERN_STEPS):
        value = _search(schema, reader, seed)
    # The search may have run out of steps before validating it.
    if not SchemaValidator(schema).allows(value):
        raise NoExampleError("no value was found that the schema allows")
    return value


def _search(schema: Json, reader: Reader, seed: int) -> Json:
    where = ""
    for careful, frugal in ((False, False), (True, False), (True, True)):
        search = Search(schema, reader, seed, careful=careful, frugal=frugal)
        try:
            for value in islice(search.values((schema,), ()), 300 if careful else 4):
                if search.is_valid(value):
                    return value
        except (_SpentError, RecursionError):
            pass
        where = search.dead_end or where
    raise NoExampleError("no value was found that the schema allows", where)


class Search:
    """A search for a value. ``careful`` validates each part, ``frugal`` leaves out optional
    values.
    """

    def __init__(
        self, schema: Json, reader: Reader, seed: int, *, careful: bool, frugal: bool
    ) -> None:
        self._reader = reader
        self._validator = SchemaValidator(schema)
        self._careful = careful
        self._steps = 0
        self._most = _MOST_CAREFUL_STEPS if careful else _MOST_STEPS
        self.chance = random.Random(seed)  # noqa: S311 - nothing is kept secret with it
        self.fill = 0.0 if frugal else 1.0 if seed == 0 else self.chance.choice(_FILLS)
        self.varied = seed != 0
        self.dead_end = ""

    def is_valid(self, value: Json) -> bool:
        """Return True if the complete schema allows a value, as far as its patterns can be run."""
        return self._validator.allows(value)

    def values(self, schemas: Schemas, at: tuple[str, ...]) -> Iterator[Json]:
        """Yield different values for a path of the complete value, likely ones first."""
        if len(at) > _DEEPEST:
            return
        # A keyword of another dialect may have any value.
        schemas = tuple(
            schema for schema in schemas if is_object(schema) or isinstance(schema, bool)
        )
        visited: set[str] = set()
        for most in (12, 500):
            for case in self._reader.cases(schemas, lambda options: self._in_order(options, at)):
                self._spend()
                for value in islice(self._proposals(case, at), most):
                    self._spend()
                    key = json.dumps(value, sort_keys=True)
                    if key not in visited and self._is_allowed(schemas, value):
                        visited.add(key)
                        yield value

    def stop(self, at: tuple[str, ...]) -> None:
        """Record a path for which no value was found. The first one is the innermost."""
        self.dead_end = self.dead_end or pointer(at)

    def is_ample(self, at: tuple[str, ...]) -> bool:
        """Return True if optional values may be added."""
        return len(at) < _DEEP and self._steps < _LARGE

    def _spend(self) -> None:
        self._steps += 1
        if self._steps > self._most:
            raise _SpentError

    def _is_allowed(self, schemas: Schemas, value: Json) -> bool:
        if not self._careful:
            return True
        # Keywords that depend on the complete value are checked at the end.
        return all(self._validator.part_allows(schema, value) for schema in schemas)

    def _in_order(self, options: list[Schemas], at: tuple[str, ...]) -> list[Schemas]:
        if self.varied:
            first = self.chance.randrange(len(options)) if options else 0
            options = [options[first], *options[:first], *options[first + 1 :]] if options else []
        if not self.is_ample(at):
            return sorted(options, key=_weight)
        is_void = self.varied and self.chance.random() < 0.15  # occasionally null comes first
        return options if is_void else sorted(options, key=_is_void)

    def _proposals(self, case: Case, at: tuple[str, ...]) -> Iterator[Json]:
        kinds = _kinds(case)
        listed = _enumerated(case)
        if listed is not None:
            yield from self._shuffle([v for v in listed if v is not None])
            yield from (v for v in listed if v is None)
            return
        examples = [v for node in case for v in _examples(node)]
        defaults = [node["default"] for node in case if "default" in node]
        yield from self._shuffle(examples)
        if not self.varied or self.chance.random() < 0.5:
            yield from (value for value in defaults if value not in (None, "", [], {}))
        if self.varied and len(kinds) > 1 and self.chance.random() < 0.3:
            kinds = [*kinds[1:], kinds[0]]
        for most in (30, 500):
            for kind in kinds:
                yield from islice(self._of_kind(kind, case, at), most)
        yield from defaults

    def _shuffle(self, values: list[Json]) -> list[Json]:
        return self.chance.sample(values, len(values)) if self.varied else values

    def _of_kind(self, kind: str, case: Case, at: tuple[str, ...]) -> Iterator[Json]:
        name = next((step for step in reversed(at) if not step.isdecimal()), "")
        if kind == "object":
            yield from objects.proposals(self, case, at)
        elif kind == "array":
            yield from arrays.proposals(self, case, at)
        elif kind == "string":
            yield from scalars.texts(case, name, self.chance)
        elif kind in ("integer", "number"):
            yield from scalars.numbers(case, name, self.chance, integral=kind == "integer")
        elif kind == "boolean":
            yield from self._shuffle([True, False])
        else:
            yield None


def _examples(node: dict[str, Json]) -> list[Json]:
    several = node.get("examples")
    return [*(several if is_array(several) else []), *(node[k] for k in node if k == "example")]


def _enumerated(case: Case) -> list[Json] | None:
    """Return the enumerated values of a case, or None."""
    lists: list[list[Json]] = [node["enum"] for node in case if is_array(node.get("enum"))]
    lists += [[node["const"]] for node in case if "const" in node]
    if not lists:
        return None
    first, *following = sorted(lists, key=len)
    allowed = [{json.dumps(v, sort_keys=True) for v in values} for values in following]
    return [v for v in first if all(json.dumps(v, sort_keys=True) in keys for keys in allowed)]


_HINTS = {
    "object": "properties required additionalProperties patternProperties propertyNames"
    " minProperties maxProperties dependentRequired dependentSchemas unevaluatedProperties",
    "array": "items prefixItems contains minItems maxItems uniqueItems unevaluatedItems",
    "string": "pattern format minLength maxLength",
    "number": "minimum maximum exclusiveMinimum exclusiveMaximum multipleOf",
}


def _kinds(case: Case) -> list[str]:
    """Return the types a value may have, likely ones first."""
    named = [_types(node["type"]) for node in case if "type" in node]
    order = [kind for kinds in named for kind in kinds]
    order += [k for k, hint in _HINTS.items() if any(set(hint.split()) & n.keys() for n in case)]
    kinds = [kind for kind in dict.fromkeys([*order, *TYPES]) if _is_in_all(kind, named)]
    if "number" in kinds and "integer" in kinds:
        kinds.remove("integer")
    return sorted(kinds, key="null".__eq__)


def _types(value: Json) -> list[str]:
    return value if is_array(value) else [value]


def _is_in_all(kind: str, named: list[list[str]]) -> bool:
    return all(kind in ks or (kind == "integer" and "number" in ks) for ks in named)


def _is_void(option: Schemas) -> bool:
    return bool(option) and is_object(option[0]) and option[0].get("type") == "null"


def _weight(option: Schemas) -> int:
    """Estimate how deep an alternative leads, so that a deep search ends."""
    first = option[0] if option else True
    if not is_object(first):
        return 2
    if "const" in first or "enum" in first:
        return 0
    kind = first.get("type")
    return {"object": 3, "array": 1}.get(kind, 0) if isinstance(kind, str) else 2
