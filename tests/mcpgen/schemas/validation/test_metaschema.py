"""The fast check for valid schemas never contradicts the meta-schema by accepting a schema."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator

import jsonschema
import jsonschema_rs
import pytest
from paths import CORPUS, ROOT

from mcpgen.jsontext import Json
from mcpgen.schemas.validation.metaschema import is_plain

VALIDATORS = [
    jsonschema.Draft7Validator,
    jsonschema.Draft201909Validator,
    jsonschema.Draft202012Validator,
]
# jsonschema has the same verdicts, but takes 70 times as long for a meta-schema.
FAST_VALIDATORS = [
    jsonschema_rs.validator_for(kind.META_SCHEMA, validate_formats=False, offline=True)
    for kind in VALIDATORS
]
WRONG: list[Json] = [None, True, 0, -1, 1.5, "x", "string", [], [1], ["a", "a"], {}, {"a": 1}, [{}]]


def schemas() -> list[Json]:
    paths = [*sorted(CORPUS.glob("live/*.json"))[:12], *sorted(ROOT.glob("golden/*/contract.json"))]
    result: dict[str, Json] = {}
    for path in paths:
        try:
            document = json.loads(path.read_bytes())
        except ValueError:
            continue
        for schema in _schemas_in(document):
            result.setdefault(json.dumps(schema, sort_keys=True), schema)
    return list(result.values())


def _schemas_in(value: Json) -> Iterator[Json]:
    if isinstance(value, dict):
        for key, inner in value.items():
            if key in ("inputSchema", "outputSchema"):
                yield inner
            yield from _schemas_in(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _schemas_in(inner)


def is_valid(schema: Json) -> bool:
    try:
        return all(validator.is_valid(schema) for validator in FAST_VALIDATORS)
    except UnicodeEncodeError:  # jsonschema-rs takes no half of a surrogate pair
        return all(kind(kind.META_SCHEMA).is_valid(schema) for kind in VALIDATORS)


def test_plain_schemas_are_valid_in_every_dialect() -> None:
    results = schemas()
    verdicts = [(is_plain(schema), is_valid(schema)) for schema in results]
    assert (True, False) not in verdicts
    assert verdicts.count((True, True)) > 0.9 * sum(valid for _, valid in verdicts)


@pytest.mark.parametrize("wrong", WRONG, ids=repr)
def test_a_wrong_value_anywhere_is_never_called_plain(wrong: Json) -> None:
    keywords = {key for kind in VALIDATORS for key in _keywords(kind.META_SCHEMA)}
    for keyword in sorted(keywords):
        for schema in ({keyword: wrong}, {"properties": {"a": {"items": {keyword: wrong}}}}):
            assert not is_plain(schema) or is_valid(schema), schema


def _keywords(metaschema: Json) -> list[str]:
    extra = [] if "properties" not in metaschema else list(metaschema["properties"])
    return [*extra, *jsonschema.Draft202012Validator.VALIDATORS, "$schema", "$id", "$anchor"]


def test_schema_with_one_wrong_value_is_never_plain() -> None:
    for schema in schemas()[:60]:
        for path in _paths(schema):
            for wrong in (None, -1, "x", [1]):
                broken = copy.deepcopy(schema)
                node = broken
                for step in path[:-1]:
                    node = node[step]
                node[path[-1]] = wrong
                assert not is_plain(broken) or is_valid(broken), (path, wrong)


def _paths(value: Json, start: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    items = value.items() if isinstance(value, dict) else enumerate(value)
    for key, inner in list(items)[:6]:
        yield (*start, key)
        if isinstance(inner, dict | list):
            yield from _paths(inner, (*start, key))
