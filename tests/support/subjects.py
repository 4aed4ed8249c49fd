"""Schemas as processed by a generated package: its types, its runtime, and the raw schema."""

from __future__ import annotations

import atexit
import importlib
import json
import os
import random
import re
import shutil
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache, partial
from pathlib import Path
from tempfile import mkdtemp
from types import ModuleType
from typing import Any

import pytest
from checkers import write
from hard_schemas import HARD
from hypothesis import Phase, settings
from instances import NoInstanceError, instance
from made_schemas import random_schema
from mcpgen_runtime.models import values
from mcpgen_runtime.package import package_of_module
from near_misses import anything, near_misses, tempting
from paths import CACHE, CORPUS, ROOT
from pydantic import ValidationError
from suite import DIALECTS, as_property, as_root, cases, fetch, is_remote

from mcpgen.codegen.pipeline import STYLES, Options, Style, generate
from mcpgen.contract.document import Contract, read
from mcpgen.jsontext import Json, is_object, loads
from mcpgen.schemas.examples import NoExampleError, example
from mcpgen.schemas.validation import references, schemas

Judged = tuple[tuple[Json, bool], ...]


@dataclass(frozen=True)
class Subject:
    """Arguments or result of a generated tool, used like the runtime uses it."""

    name: str
    style: Style
    schema: Json
    tool: Any
    package: ModuleType
    is_arguments: bool

    def __str__(self) -> str:
        tool_type = "arguments" if self.is_arguments else "result"
        return f"{self.name} ({tool_type}, {self.package.__name__})"

    @property
    def is_exact(self) -> bool:
        return bool(self.tool.exact_arguments if self.is_arguments else self.tool.exact_result)

    def parse(self, value: Json) -> Any:
        """Return the typed value. Raises ``ValidationError`` if the type rejects it."""
        adapter = self.tool.arguments if self.is_arguments else self.tool.result
        return adapter.validate_python(self.inner(value), by_alias=True, by_name=False)

    def accepts(self, value: Json) -> bool:
        """Return True if the runtime would accept a value by its exact type only."""
        unwraps = self.tool.unwrap and not self.is_arguments
        if unwraps and not values._is_wrapped(value):
            return bool(schemas.validator(self.schema).is_valid(value))
        try:
            self.parse(value)
        except ValidationError:
            return False
        return True

    def inner(self, value: Json) -> Json:
        """Return the value passed to the type, with wrapped results unwrapped."""
        if self.is_arguments or not self.tool.unwrap:
            return value
        return values._unwrap(value)


Pair = tuple[Json, Json]
"""What a tool takes, and what it returns."""


@lru_cache(maxsize=16)
def subjects(group: str, style: Style) -> tuple[Subject, ...]:
    """Generate one package for all tools of a group, import it, and return its types."""
    name = f"{group}_{style}"
    folder = Path(mkdtemp())
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    pairs = GROUPS[group]()
    tools = {name: tool(name, *pair) for name, pair in pairs.items()}
    generated_package = generate(
        Contract(tools=tools), Options(name=name, style=style, formats="annotation")
    )
    write(generated_package.files, folder / name)
    sys.path.insert(0, str(folder))
    try:
        package = importlib.import_module(name)
        return tuple(_subjects(package, pairs, style))
    finally:
        sys.path.remove(str(folder))


def tool(name: str, argument_schema: Json, returned: Json) -> Mapping[str, Json]:
    return {"name": name, "inputSchema": argument_schema, "outputSchema": returned}


def _subjects(package: ModuleType, pairs: Mapping[str, Pair], style: Style) -> Iterator[Subject]:
    for name, (argument_schema, returned) in pairs.items():
        tool = package_of_module(package.__name__).tool(name)
        # By policy any root of arguments is read as an object; the law of others refuses all.
        if tool.arguments is not None and argument_schema.get("type") == "object":
            yield Subject(name, style, argument_schema, tool, package, is_arguments=True)
        if tool.result is not None:
            yield Subject(name, style, returned, tool, package, is_arguments=False)


# Where schemas come from


def hard() -> dict[str, Pair]:
    """Return the hard schemas as results, and as arguments or as one property of arguments."""
    return {name: (_as_arguments(schema), schema) for name, schema in HARD.items()}


def _as_arguments(schema: Json) -> Json:
    """Return an object schema: the given one, or one with it as a property next to its
    definitions.
    """
    if is_object(schema) and schema.get("type") == "object":
        return schema
    stored = {"$schema", "$defs", "definitions"} & (schema.keys() if is_object(schema) else set())
    inner = {k: v for k, v in schema.items() if k not in stored} if stored else schema
    root = {"type": "object", "required": ["value"], "properties": {"value": inner}}
    return {**root, **{key: schema[key] for key in stored}}


def made_at_random(number: int) -> dict[str, Pair]:
    """Return a batch of usable random schemas."""
    lot = range(number * LOT, (number + 1) * LOT)
    result = {f"made of {seed}": random_schema(seed) for seed in lot}
    usable = {name: schema for name, schema in result.items() if schemas.problem(schema) is None}
    assert len(usable) > 0.9 * LOT
    return {name: (_as_arguments(schema), schema) for name, schema in usable.items()}


def golden() -> dict[str, Pair]:
    """Return the schemas of the accepted golden contracts."""
    paths = sorted((ROOT / "golden").glob("*/contract.json"))
    accepted = [path for path in paths if not path.parent.name.startswith("refused-")]
    return _both_ways(_of_contracts(accepted))


def corpus() -> dict[str, Pair]:
    """Return the schemas of the recorded servers: each sixth in CI, all with MCPGEN_ALL=1."""
    result = _of_contracts(sorted((CORPUS / "live").glob("*.json")))
    share = 1 if "MCPGEN_ALL" in os.environ else 6
    return _both_ways(dict(list(result.items())[::share]))


def varied_corpus() -> dict[str, Pair]:
    """Return a minimal set of corpus schemas that covers all keyword combinations."""
    return _both_ways(select_varied(_of_contracts(sorted((CORPUS / "live").glob("*.json")))))


def _both_ways(schemas: Mapping[str, Json]) -> dict[str, Pair]:
    """Use each schema for arguments and results, independent of its use by the server."""
    return {name: (schema, schema) for name, schema in schemas.items()}


def suite() -> dict[str, Pair]:
    """Return the schemas of the JSON Schema Test Suite, as results and as a property of results."""
    tests = fetch(CACHE)
    results = [case for draft in DIALECTS for case in cases(tests, draft) if not is_remote(case)]
    return {
        f"{number} {case.name}": (as_property(case), as_root(case))
        for number, case in enumerate(results)
    }


def _of_contracts(paths: Iterable[Path]) -> dict[str, Json]:
    pairs: dict[str, tuple[str, Json]] = {}
    for path in paths:
        server = path.stem if path.stem != "contract" else path.parent.name
        for name, tool in read(loads(path.read_bytes())).tools.items():
            for item in ("inputSchema", "outputSchema"):
                schema = tool.get(item)
                if is_object(schema) and schemas.problem(schema) is None:
                    key = json.dumps(schema, sort_keys=True)
                    pairs.setdefault(key, (f"{server}: {name}, {item}", schema))
    return dict(pairs.values())


def select_varied(schemas: Mapping[str, Json]) -> dict[str, Json]:
    """Return a minimal set of schemas that covers every keyword combination."""
    covered: set[str] = set()
    few: dict[str, Json] = {}
    for name, schema in sorted(schemas.items(), key=lambda item: len(str(item[1]))):
        combinations = set(_keyword_combinations(schema))
        if combinations - covered:
            few[name] = schema
            covered |= combinations
    return few


def _keyword_combinations(schema: Json) -> Iterator[str]:
    """Yield each combination of keywords in a schema."""
    return (_outline(node) for _, node in references.subschemas(schema))


_TEXTS = {"title", "description", "default", "examples", "$schema", "$id", "$comment"}


def _outline(schema: dict[str, Json]) -> str:
    stored = {key: value for key, value in schema.items() if key not in _TEXTS}
    return " ".join(f"{key}={stored[key]}" if key == "type" else key for key in sorted(stored))


LOT = 200
"""How many schemas that are made at random one package has."""

LOTS = max(1, int(os.environ.get("MCPGEN_MADE", LOT)) // LOT)

NEEDS_CORPUS = pytest.mark.skipif(
    not (CORPUS / "live").is_dir(),
    reason="MCPGEN_CORPUS names no folder of recorded servers",
)
GROUPS: dict[str, Callable[[], Mapping[str, Pair]]] = {
    "hard": hard,
    "golden": golden,
    "varied_corpus": varied_corpus,
    "corpus": corpus,
    "suite": suite,
    **{f"made_{number}": partial(made_at_random, number) for number in range(LOTS)},
}


MADE_GROUPS = [f"made_{number}" for number in range(LOTS)]
DEFAULT_GROUPS = [
    "hard",
    "golden",
    *MADE_GROUPS,
    pytest.param("varied_corpus", marks=NEEDS_CORPUS),
]
SLOW_GROUPS = [
    pytest.param("corpus", marks=[NEEDS_CORPUS, pytest.mark.slow]),
    pytest.param("suite", marks=[pytest.mark.network, pytest.mark.slow]),
]


def in_styles(groups: Iterable[Any]) -> list[Any]:
    """Pair groups with styles. In CI, corpus and suite use one style, because other groups cover
    all.
    """
    results = [(item, style) for item in map(_parameter, groups) for style in STYLES]
    is_all = "MCPGEN_ALL" in os.environ
    return [
        pytest.param(*group.values, style, marks=group.marks)
        for group, style in results
        if is_all or style == "dataclass" or group.values[0] not in ("corpus", "suite")
    ]


def _parameter(group: Any) -> Any:
    return pytest.param(group) if isinstance(group, str) else group


# Test values

_IS_LONG = settings.get_current_profile_name() == "long"
seeds = settings(max_examples=50 if _IS_LONG else 1, phases=[Phase.explicit, Phase.generate])


def values_with_verdicts(subject: Subject, seed: int, count: int = 40) -> Judged:
    """Return values with the raw schema's verdict: valid ones, near misses and random ones."""
    judged = _values_with_verdicts(_SchemaKey(subject.name, subject.schema), seed, count)
    # Arguments are always an object: the runtime is never asked about others.
    return tuple(pair for pair in judged if is_object(pair[0]) or not subject.is_arguments)


@dataclass(frozen=True)
class _SchemaKey:
    """A schema with an identity given by its source."""

    name: str
    schema: Json = field(hash=False)


@lru_cache(maxsize=5000)
def _values_with_verdicts(identity: _SchemaKey, seed: int, count: int) -> Judged:
    schema = identity.schema
    chance = random.Random(seed)
    valid = list(_valid(schema, seed))
    # If no value is valid, use the one that a careless reader would consider valid.
    start = valid or [tempting(schema, chance) for _ in range(3)]
    results = [
        *start,
        tempting(schema, chance),
        *(anything(chance) for _ in range(count // 6 + 1)),
    ]
    for value in start:
        results += near_misses(schema, value, chance, count // len(start))
    accepts = schemas.validator(schema).is_valid
    return tuple(
        (value, _is_lawful(schema, accepts, value)) for value in results if _is_text(value)
    )


def _is_lawful(schema: Json, accepts: Callable[[Json], bool], value: Json) -> bool:
    try:
        return accepts(value)
    except (RecursionError, OverflowError):
        # For self-defined schemas, or 1e400 with `multipleOf`, the runtime rejects the value too.
        return False
    except re.error:  # Python can't run the pattern. No type with such a pattern is exact
        return schemas.SchemaValidator(schema).allows(value)


def _is_text(value: Json) -> bool:
    """Return True if a value can be sent. Lone surrogates can't."""
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return False
    return True


def _valid(schema: Json, seed: int) -> Iterator[Json]:
    try:
        yield instance(schema, full=seed % 2 == 0)
        yield example(schema, 0)
        yield example(schema, seed)
    except (NoInstanceError, NoExampleError, RecursionError, TypeError):
        return


def same(remaining: Json, right: Json) -> bool:
    """Compare JSON with types: 1 differs from 1.0 and true. Property order is irrelevant."""
    return json.dumps(remaining, sort_keys=True) == json.dumps(right, sort_keys=True)
