"""Absent properties stay absent when a result is read, compared, copied, changed, dumped and
sent.
"""

from __future__ import annotations

import copy
import dataclasses
import pickle
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import anyio
import pytest
from hard_schemas import items, record
from mcpgen_runtime.models import values as runtime_values
from pydantic import TypeAdapter
from pydantic_core import to_jsonable_python
from runtime.packages import STYLES, Style, import_client, part
from runtime.scripted import Scripted, structured_result

from mcpgen.contract.document import Contract
from mcpgen.jsontext import Json

NUMBER: Json = {"type": ["integer", "null"]}
SAID: Json = {
    "rank": NUMBER,
    "theKind": {"type": ["string", "null"]},
    "any": {},
    "nothing": {"type": "null"},
    "text": {"type": "string"},
}
KINDS: dict[str, Json] = {
    "open": record("name", name={"type": "string"}, **SAID),
    "closed": {**record("name", name={"type": "string"}, **SAID), "additionalProperties": False},
}
KINDS["tree"] = {
    **KINDS["closed"],
    "properties": {**KINDS["closed"]["properties"], "next": {"$ref": "#/$defs/tree"}},
}
WHERE: Json = {
    "one": {"$ref": "#/$defs/closed"},
    "many": items({"$ref": "#/$defs/open"}),
    "by_name": {"type": "object", "additionalProperties": {"$ref": "#/$defs/closed"}},
    "either": {"anyOf": [{"$ref": "#/$defs/closed"}, items({"$ref": "#/$defs/open"})]},
    "tagged": {
        "oneOf": [
            record("kind", kind={"const": "a"}, rank=NUMBER),
            {**record("kind", kind={"const": "b"}, rank=NUMBER), "additionalProperties": False},
        ]
    },
    "tree": {"$ref": "#/$defs/tree"},
    "maybe": {"anyOf": [{"$ref": "#/$defs/closed"}, {"type": "null"}]},
}
ROOT: Json = {"type": "object", "properties": WHERE, "$defs": KINDS}
FREE: Json = {"type": "object", "properties": {"part": {}, "parts": {"type": "array"}}}
CONTRACT = Contract(tools={"fetch": {"name": "fetch", "inputSchema": FREE, "outputSchema": ROOT}})

BARE: Json = {"name": "a"}
NULLS: Json = {"name": "a", "rank": None, "theKind": None, "any": None, "nothing": None}
SOME: Json = {"name": "b", "theKind": "k", "rank": None}
MORE: Json = {"name": "c", "x-new": {"rank": None}, "the_kind": None}
SENT: Json = {
    "one": BARE,
    "many": [BARE, NULLS, SOME, MORE],
    "by_name": {"x": SOME, "y": BARE},
    "either": BARE,
    "tagged": {"kind": "b"},
    "tree": {"name": "r", "rank": None, "next": {"name": "s", "next": {"name": "t", "any": None}}},
}
OBJECTS: list[Style] = ["dataclass", "basemodel"]
in_each = pytest.mark.parametrize("style", OBJECTS)


def module(style: Style) -> Any:
    return written_once(style)


package: dict[str, Any] = {}


def written_once(style: Style) -> Any:
    return package.get(style) or package.setdefault(
        style, import_client(CONTRACT, f"absent_{style}", style)
    )


def decode(style: Style, raw: Json = SENT) -> Any:
    """Decode a result as a call does."""
    values, tool = runtime_values, part(module(style), "models.fetch").TOOL
    return values.decode_result(tool, structured_result(raw))


def dump(value: object) -> Json:
    return to_jsonable_python(value, by_alias=True)


def parts(value: Any, raw: Json) -> Iterator[tuple[Any, Json]]:
    """Yield each object of a result with the JSON that it was made of."""
    if isinstance(raw, list):
        for item, inner in zip(value, raw, strict=True):
            yield from parts(item, inner)
    elif isinstance(raw, dict):
        yield value, raw
        for wire, inner in raw.items():
            if isinstance(value, dict):
                yield from parts(value[wire], inner)
            elif isinstance(inner, list | dict) and wire != "x-new":
                yield from parts(getattr(value, wire), inner)


@pytest.mark.parametrize("style", STYLES)
def test_result_and_its_parts_dump_unchanged(style: Style) -> None:
    result = decode(style)
    pairs = list(parts(result, SENT))
    assert len(pairs) >= 14
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for value, raw in pairs:
            assert dump(value) == raw
            assert module(style).raw_json(value) == raw
    kind = part(module(style), "models.fetch").FetchOutput
    assert TypeAdapter(kind).dump_python(result, mode="json", by_alias=True) == SENT


@pytest.mark.parametrize("style", STYLES)
def test_parts_are_sent_on_as_they_came(style: Style) -> None:
    server = Scripted(CONTRACT, fetch=structured_result(SENT))

    async def act() -> None:
        async with module(style).Client.connect(server.server, verify="off") as client:
            result = await client.fetch()
            values = [value for value, _ in parts(result, SENT)]
            await client.fetch(part=result, parts=values)

    anyio.run(act)
    (_, arguments) = server.sent[1]
    assert arguments["part"] == SENT
    assert arguments["parts"] == [raw for _, raw in parts(decode(style), SENT)]


@in_each
def test_absent_property_reads_as_null_value(style: Style) -> None:
    for value in (decode(style).one, decode(style).many[0], decode(style).many[1]):
        assert (value.rank, value.the_kind, value.any, value.nothing, value.text) == (None,) * 5
        assert "rank=None" in repr(value)


COPIES: dict[str, Callable[[Any], Any]] = {
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
    "pickle": lambda value: pickle.loads(pickle.dumps(value)),
}


@in_each
@pytest.mark.parametrize("way", COPIES)
def test_copy_keeps_properties_absent(style: Style, way: str) -> None:
    result = decode(style)
    again = COPIES[way](result)
    assert again == result
    assert dump(again) == SENT
    for value, raw in parts(result, SENT):
        if not isinstance(value, dict):
            assert COPIES[way](value) == value
            assert dump(COPIES[way](value)) == raw


@in_each
def test_absent_and_null_differ(style: Style) -> None:
    for kind in ("open", "closed"):
        bare, nulls = (in_place(style, kind, raw) for raw in (BARE, NULLS))
        assert bare != nulls
        assert not bare == nulls  # noqa: SIM201 - both operators are tried
        assert bare == in_place(style, kind, BARE)
        assert nulls == in_place(style, kind, NULLS)


def in_place(style: Style, kind: str, raw: Json) -> Any:
    """Return an object that is open or closed."""
    return decode(style, {"many": [raw]}).many[0] if kind == "open" else decode_one(style, raw)


def decode_one(style: Style, raw: Json) -> Any:
    return decode(style, {"one": raw}).one


@in_each
@pytest.mark.parametrize("kind", ["open", "closed"])
def test_assigned_properties_are_sent_and_absent_ones_are_not(style: Style, kind: str) -> None:
    value = in_place(style, kind, BARE)
    value.rank = 3
    assert dump(value) == {"name": "a", "rank": 3}
    value.the_kind = None
    assert dump(value) == {"name": "a", "rank": 3, "theKind": None}
    value.text = None  # which is never null
    assert dump(value) == {"name": "a", "rank": 3, "theKind": None}


@pytest.mark.parametrize("kind", ["open", "closed"])
def test_replaced_dataclass_keeps_properties_absent(kind: str) -> None:
    value = in_place("dataclass", kind, BARE)
    assert dump(dataclasses.replace(value)) == BARE
    assert dataclasses.replace(value) == value
    changed = dataclasses.replace(value, name="z", the_kind="k")
    assert dump(changed) == {"name": "z", "theKind": "k"}
    assert dump(dataclasses.replace(value, rank=None)) == {"name": "a", "rank": None}
    assert dump(dataclasses.replace(in_place("dataclass", kind, NULLS), name="z")) == {
        **NULLS,
        "name": "z",
    }


def test_a_replaced_dataclass_keeps_its_unknown_members() -> None:
    value = in_place("dataclass", "open", MORE)
    assert dump(dataclasses.replace(value, name="z")) == {**MORE, "name": "z"}
    again = dataclasses.replace(value, **{"x-new": 1, "x-other": 2})
    assert dump(again) == {**MORE, "x-new": 1, "x-other": 2}
    assert dump(dataclasses.replace(again, rank=1)) == {**dump(again), "rank": 1}
    assert dump(value) == MORE


def test_dataclass_fields_include_absent_ones_but_dump_does_not() -> None:
    value = in_place("dataclass", "closed", SOME)
    assert [field.name for field in dataclasses.fields(value)] == ["name", "rank", "the_kind"]
    assert dataclasses.asdict(value) == {"name": "b", "rank": None, "the_kind": "k"}
    assert len(dataclasses.fields(type(value))) == 6
    assert dataclasses.is_dataclass(value)


@pytest.mark.parametrize("kind", ["open", "closed"])
def test_copied_model_keeps_properties_absent(kind: str) -> None:
    value = in_place("basemodel", kind, BARE)
    assert dump(value.model_copy()) == BARE
    changed = value.model_copy(update={"name": "z", "the_kind": None})
    assert dump(changed) == {"name": "z", "theKind": None}
    assert value.model_dump(mode="json") == BARE
    assert changed.model_dump(mode="json") == {"name": "z", "the_kind": None}


@in_each
@pytest.mark.parametrize("pointer", ["open", "closed"])
def test_constructed_object_has_only_the_given_properties(style: Style, pointer: str) -> None:
    kind = type(in_place(style, pointer, BARE))
    assert dump(kind(name="x")) == {"name": "x"}
    assert dump(kind(name="x", rank=None, the_kind="k")) == {
        "name": "x",
        "rank": None,
        "theKind": "k",
    }
    assert dump(kind(name="x", theKind=None)) == {"name": "x", "theKind": None}


@in_each
def test_a_description_for_output_still_names_the_members(style: Style) -> None:
    kind = part(module(style), "models.fetch").FetchOutput
    schema = TypeAdapter(kind).json_schema(mode="serialization")
    assert {"one", "many", "tree"} <= schema["properties"].keys()
