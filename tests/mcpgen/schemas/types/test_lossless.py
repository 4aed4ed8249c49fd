"""The types lose and change nothing of a valid value."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from datetime import date, datetime
from typing import Any
from uuid import UUID

import mcpgen_runtime
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mcpgen_runtime.models import raw as raw_module
from pydantic import AnyUrl, BaseModel, ValidationError
from pydantic_core import to_jsonable_python
from subjects import (
    DEFAULT_GROUPS,
    SLOW_GROUPS,
    Subject,
    in_styles,
    same,
    seeds,
    subjects,
    values_with_verdicts,
)

from mcpgen.codegen.pipeline import Style
from mcpgen.jsontext import Json, is_array, is_object
from mcpgen.schemas.validation import references

GROUPS = [*DEFAULT_GROUPS, *SLOW_GROUPS]
PARSED = date | datetime | UUID | AnyUrl


@pytest.mark.slow
@pytest.mark.sampled(1)
@pytest.mark.parametrize(("group", "style"), in_styles(GROUPS))
@seeds
@given(seed=st.integers(0, 2**32))
def test_valid_values_pass_through_types_unchanged(group: str, style: Style, seed: int) -> None:
    missing = [
        f"{subject}: {problem} of {value!r:.300}"
        for subject in subjects(group, style)
        for value, is_valid in values_with_verdicts(subject, seed, FEW)
        if is_valid
        for problem in losses(subject, value)
    ]
    assert missing == []


FEW = 8
"""How many values beside those that are made to be valid, of which few are."""


def losses(subject: Subject, value: Json) -> Iterator[str]:
    """Yield each difference between a schema-valid value and its typed form."""
    try:
        typed = subject.parse(value)
    except ValidationError as error:
        if not is_narrowed_by_policy(subject):
            yield f"{str(error).splitlines()[2:3]}, a refusal"
        return
    if subject.style == "typeddict":
        return  # plain JSON is sent and returned unchanged
    if subject.is_arguments:
        dumped = to_jsonable_python(typed, by_alias=True)
        if not same(dumped, value):
            yield f"a dump as {dumped!r:.300}"
        return
    raw = subject.inner(value)
    types = mcpgen_runtime
    raw_module.remember(typed, raw)
    yield from find_differences(typed, raw, "", types)
    yield from unreadable(typed, raw, "", types)


def find_differences(value: Any, raw: Json, at: str, types: Any) -> Iterator[str]:
    """Yield each difference between raw JSON and a result's stored or dumped form."""
    if not same(types.raw_json(value), raw):
        yield f"raw JSON {types.raw_json(value)!r:.300} at {at}"
    dumped = to_jsonable_python(value, by_alias=True)
    if not same(dumped, raw):
        yield f"a dump as {dumped!r:.300} at {at}"


def is_narrowed_by_policy(subject: Subject) -> bool:
    """Return True if a type is deliberately narrower than its schema. `properties` without a
    type implies an object.
    """
    nodes = [node for _, node in references.subschemas(subject.schema)]
    return any("properties" in node and "type" not in node for node in nodes)


def unreadable(value: Any, raw: Json, at: str, types: Any) -> Iterator[str]:
    """Compare a typed value with its JSON recursively and yield the differences."""
    if isinstance(value, PARSED):
        if to_jsonable_python(value) != raw:
            yield f"{value!r} at {at}"
    elif isinstance(value, BaseModel) or dataclasses.is_dataclass(value):
        yield from find_differences(value, raw, at, types) if at else ()
        yield from unreadable_members(value, raw, at, types)
    elif is_array(raw) and isinstance(value, list | tuple) and len(value) == len(raw):
        for index, (item, part) in enumerate(zip(value, raw, strict=True)):
            yield from unreadable(item, part, f"{at}/{index}", types)
    elif is_object(raw) and isinstance(value, dict) and value.keys() == raw.keys():
        for name, part in raw.items():
            yield from unreadable(value[name], part, f"{at}/{name}", types)
    elif is_array(raw) or is_object(raw) or type(value) is not type(raw) or value != raw:
        yield f"{value!r} at {at}"


def unreadable_members(value: Any, raw: Json, at: str, types: Any) -> Iterator[str]:
    if not is_object(raw):
        yield f"{value!r} at {at}"
        return
    fields = type(value).__pydantic_fields__
    names = {name if f.alias is None else f.alias: name for name, f in fields.items()}
    more = types.extras(value)
    if more.keys() != raw.keys() - names.keys():
        yield f"the names {[*more]} at {at}"
    for wire, name in names.items():
        if wire not in raw and getattr(value, name) is not None:
            yield f"{name} that is not there at {at}"
    for wire, part in raw.items():
        member = getattr(value, names[wire]) if wire in names else more.get(wire)
        yield from unreadable(member, part, f"{at}/{wire}", types)
