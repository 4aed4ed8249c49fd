"""Members of objects: unknown ones are kept, and absent ones are not written."""

from __future__ import annotations

import copy
import json
import pickle
from datetime import date
from typing import Any

import mcpgen_runtime
import pytest
from mcpgen_runtime.models import raw
from pydantic import TypeAdapter
from pydantic_core import to_jsonable_python
from runtime.packages import import_client, package, part
from typed_values import WHOLE, accepts, alike, round_trip

from mcpgen.codegen.plan import Style
from runtime import contracts

OBJECTS: list[Style] = ["dataclass", "basemodel"]


@pytest.mark.parametrize("style", OBJECTS)
def test_unknown_members_are_kept_at_every_depth(style: Style) -> None:
    assert alike(round_trip(package(style).OrderOutput, WHOLE), WHOLE)


@pytest.mark.parametrize("style", OBJECTS)
def test_absent_non_nullable_property_is_not_written(style: Style) -> None:
    payload = {"item": {"id": "A", "price": 1, "note": None}, "due": None}
    assert round_trip(package(style).OrderOutput, payload) == payload


@pytest.mark.parametrize("style", OBJECTS)
def test_unknown_members_survive_copies(style: Style) -> None:
    typed = TypeAdapter(package(style).OrderOutput)
    value = typed.validate_python(WHOLE, by_alias=True, by_name=False)
    for again in (pickle.loads(pickle.dumps(value)), copy.deepcopy(value), copy.copy(value)):
        assert again == value
        assert typed.dump_python(again, mode="json", by_alias=True, exclude_unset=True) == WHOLE
        assert package(style).extras(again) == {"further": [1, 2]}
        assert package(style).extras(again.item.parts[0]) == {"x-vendor": {"a": [1, None]}}


@pytest.mark.parametrize("style", OBJECTS)
def test_objects_with_other_unknown_members_differ(style: Style) -> None:
    typed = TypeAdapter(package(style).OrderOutput)
    first = typed.validate_python({**WHOLE, "further": [1, 2, 3]}, by_alias=True)
    other = typed.validate_python(WHOLE, by_alias=True)
    assert first != other
    assert first == typed.validate_python({**WHOLE, "further": [1, 2, 3]}, by_alias=True)


@pytest.mark.parametrize("style", OBJECTS)
def test_a_closed_object_refuses_unknown_members(style: Style) -> None:
    assert accepts(package(style).BoxOutput, {"item": {"id": "A", "price": 1}})
    assert not accepts(package(style).BoxOutput, {"item": {"id": "A", "price": 1}, "more": 1})
    assert not accepts(package(style).BoxOutput, {"item": {"id": "A", "price": 1, "more": 1}})


HOSTILE = """
__class__ __dict__ __slots__ __init__ __eq__ __repr__ __hash__ __getattribute__ __reduce_ex__
__deepcopy__ __copy__ __pydantic_serializer__ __pydantic_validator__ __pydantic_fields__
__pydantic_core_schema__ __pydantic_decorators__ __pydantic_config__ __pydantic_complete__
__pydantic_extra__ __pydantic_fields_set__ __pydantic_private__ __pydantic_post_init__
__post_init__ __dataclass_fields__ __dataclass_params__ __match_args__ __setattr__ __weakref__
__getstate__ __setstate__ __iter__ __len__ __bool__ __str__ _raw _extras
_drop_absent __pydantic_validator__ __signature__
self cls made_on model_extra model_fields model_config model_dump item_ from_ extras a.b 1 $ref
"""


def _harm(style: Style, name: str, member: Any) -> object:
    """Return the effect of an unknown property with that name, or None without an effect."""
    kind = package(style).OrderOutput
    payload = {
        "item": {"id": "A", "price": 1, "note": None, name: member},
        "due": None,
        name: member,
    }
    typed = TypeAdapter(kind)
    value = typed.validate_python(payload, by_alias=True, by_name=False)
    raw.remember(value, payload)
    assert type(value) is kind
    assert value == value  # noqa: PLR0124 - its own comparison is tested
    assert repr(value).startswith("OrderOutput(item=FindOutputItem(id='A'")
    assert (value.from_, value.due, value.item.note) == (None, None, None)
    assert mcpgen_runtime.raw_json(value) == payload
    assert mcpgen_runtime.extras(value) == {name: member}
    assert mcpgen_runtime.extras(value.item) == {name: member}
    for same in (value, copy.copy(value), copy.deepcopy(value), pickle.loads(pickle.dumps(value))):
        assert type(same) is kind
        assert same == value
        dumped = typed.dump_python(same, mode="json", by_alias=True, exclude_unset=True)
        assert mcpgen_runtime.raw_json(same) == payload
        assert dumped == payload
        text = typed.dump_json(same, by_alias=True, exclude_unset=True)
        assert alike(json.loads(text), dumped)


@pytest.mark.parametrize("style", OBJECTS)
def test_no_name_of_an_unknown_member_does_harm(style: Style) -> None:
    harmful: dict[str, object] = {}
    for name in (*HOSTILE.split(), "", " ", "\u202e", "\x00"):
        for member in ("text", {"a": 1}, None, 7):
            try:
                _harm(style, name, member)
            except Exception as error:
                harmful[name] = error
    assert not harmful


@pytest.mark.parametrize("style", OBJECTS)
def test_unknown_property_named_like_a_field_stays_separate(style: Style) -> None:
    payload = {"item": {"id": "A", "price": 1}, "from_": "unknown", "from": "known"}
    typed = TypeAdapter(package(style).OrderOutput)
    value = typed.validate_python(payload, by_alias=True, by_name=False)
    assert value.from_ == "known"
    assert package(style).extras(value) == {"from_": "unknown"}


@pytest.mark.parametrize("style", OBJECTS)
def test_constructor_accepts_field_wire_and_unknown_names(style: Style) -> None:
    kind = part(package(style), "models.order").OrderInputItem
    result = kind(id="A", price=1, made_on="2026-11-21", **{"x-vendor": 1})
    assert result == kind(**{"id": "A", "price": 1, "made-on": "2026-11-21", "x-vendor": 1})
    assert result.made_on == date(2026, 11, 21)
    assert package(style).extras(result) == {"x-vendor": 1}
    assert to_jsonable_python(result, by_alias=True) == {
        "id": "A",
        "price": 1,
        "made-on": "2026-11-21",
        "x-vendor": 1,
    }


def test_nested_objects_accept_only_wire_names() -> None:
    kind = part(package(), "models.order").OrderOutput
    payload = {"id": "A", "price": 1, "made_on": "2026-11-21"}
    result = kind(item=payload, from_="f", **{"from": "g"})
    assert result.from_ == "g"
    assert package().extras(result) == {}
    assert package().extras(result.item) == {"made_on": "2026-11-21"}
    assert TypeAdapter(kind).validate_python({"item": payload, "from_": "f"}).from_ is None


def test_assigned_fields_are_written_and_unset_ones_are_not() -> None:
    result = part(package(), "models.order").OrderOutputItem(id="A", price=1)
    adapter = TypeAdapter(type(result))
    assert adapter.dump_python(result, by_alias=True, exclude_unset=True) == {"id": "A", "price": 1}
    result.note = "n"
    assert adapter.dump_python(result, by_alias=True, exclude_unset=True)["note"] == "n"


def test_recursive_class_can_be_used_before_parsing() -> None:
    fresh = import_client(contracts.SHOP, "fresh_shop")
    kind = part(fresh, "models.order").OrderOutputItem
    inner = kind(id="B", price=2, **{"x-vendor": 1})
    result = kind(id="A", price=1, parts=[inner])
    assert result.parts[0] is inner
    assert to_jsonable_python(result, by_alias=True)["parts"] == [
        {"id": "B", "price": 2, "x-vendor": 1}
    ]


def test_unknown_members_are_read_by_extras_alone() -> None:
    with pytest.raises(TypeError, match="isn't an object of this package"):
        mcpgen_runtime.extras({"a": 1})
    with pytest.raises(TypeError, match="isn't an object of this package"):
        mcpgen_runtime.extras(package().OrderOutput)
