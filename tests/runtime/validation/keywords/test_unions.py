"""A union of objects that contains itself is read in linear time, as the right class."""

from __future__ import annotations

import importlib
from typing import Any

import pytest
from guards import ending
from pydantic import ValidationError
from runtime.packages import STYLES, Style, import_client

from mcpgen.contract.document import Contract
from mcpgen.jsontext import Json

E: Json = {"$ref": "#/$defs/E"}
NUMBER: Json = {"type": "object", "properties": {"num": {"type": "number"}}, "required": ["num"]}


def record(*, closed: bool = False, **members: Json) -> Json:
    schema = {"type": "object", "properties": members, "required": [*members]}
    return {**schema, "additionalProperties": False} if closed else schema


def items(schema: Json) -> Json:
    return {"type": "array", "items": schema}


# Alternatives to a number, and functions that wrap a value in one level of each.
UNIONS: dict[str, tuple[list[Json], list[Any]]] = {
    "constants": (
        [record(op={"const": name}, args=items(E)) for name in ("and", "or")],
        [lambda v, n=name: {"op": n, "args": [v, {"num": 2}]} for name in ("and", "or")],
    ),
    "five constants": (
        [record(op={"const": name}, args=items(E)) for name in "abcd"],
        [lambda v, n=name: {"op": n, "args": [v]} for name in "abcd"],
    ),
    "members": (
        [record(all=items(E)), record(any=items(E)), record(negated=E)],
        [lambda v: {"all": [v]}, lambda v: {"any": [v]}, lambda v: {"negated": v}],
    ),
    "one argument, equal members": (
        [record(left=E, op={"type": "string"}), record(left=E, weight={"type": "integer"})],
        [lambda v: {"left": v, "op": "x"}, lambda v: {"left": v, "weight": 1}],
    ),
    "closed": (
        [record(closed=True, op={"const": name}, args=items(E)) for name in ("and", "or")],
        [lambda v, n=name: {"op": n, "args": [v]} for name in ("and", "or")],
    ),
    "told apart by a type": (
        [record(value=E, unit={"type": "string"}), record(value=E, unit={"type": "integer"})],
        [lambda v: {"value": v, "unit": "m"}, lambda v: {"value": v, "unit": 3}],
    ),
}
KEYWORDS = pytest.mark.parametrize("keyword", ["anyOf", "oneOf"])


def adapters(style: Style, keyword: str) -> dict[str, Any]:
    """Return a generated package's tools, one for each union."""
    tools: dict[str, Json] = {}
    for number, (alternatives, _) in enumerate(UNIONS.values()):
        union = {keyword: [NUMBER, *alternatives]}
        schema = {"type": "object", "properties": {"e": E}, "$defs": {"E": union}}
        name = f"tool{number}"
        tools[name] = {"name": name, "inputSchema": schema, "outputSchema": schema}
    module = import_client(Contract(tools=tools), f"recursive_{keyword.lower()}_{style}", style)
    models = [
        importlib.import_module(f"{module.__name__}.models.tool{number}")
        for number in range(len(UNIONS))
    ]
    return {union: model.TOOL for union, model in zip(UNIONS, models, strict=True)}


def nest(levels: int, steps: list[Any], end: Json) -> Json:
    for level in range(levels):
        end = steps[level % len(steps)](end)
    return end


@KEYWORDS
@pytest.mark.parametrize("style", STYLES)
def test_deep_value_is_read_and_written_in_linear_time(style: Style, keyword: str) -> None:
    for union, tool in adapters(style, keyword).items():
        value = {"e": nest(64, UNIONS[union][1], {"num": 1})}
        for adapter in (tool.arguments, tool.result):
            with ending():
                assert dump_with(adapter, value) == value, union


@pytest.mark.slow
@KEYWORDS
@pytest.mark.parametrize("style", STYLES)
def test_wrong_deep_value_is_refused_in_linear_time(style: Style, keyword: str) -> None:
    for union, tool in adapters(style, keyword).items():
        value = {"e": nest(64, UNIONS[union][1], {"num": "1"})}
        for adapter in (tool.arguments, tool.result):
            with ending(), pytest.raises(ValidationError):
                adapter.validate_python(value, by_alias=True, by_name=False)


@pytest.mark.parametrize("style", ["dataclass", "basemodel"])
def test_constants_select_the_class_of_an_object(style: Style) -> None:
    tool = adapters(style, "anyOf")["constants"]
    value = {"e": {"op": "or", "args": [{"num": 1}, {"op": "and", "args": [], "more": 2}]}}
    result = tool.result.validate_python(value, by_alias=True, by_name=False)
    assert (result.e.op, result.e.args[0].num, result.e.args[1].op) == ("or", 1, "and")
    assert type(result.e) is not type(result.e.args[1])
    again = type(result)(e=result.e)  # objects can be given on
    assert dump_with(tool.result, again) == value


@pytest.mark.parametrize("style", ["dataclass", "basemodel"])
def test_schema_of_a_model_lists_the_alternatives(style: Style) -> None:
    tool = adapters(style, "anyOf")["members"]
    assert "anyOf" in str(tool.result.json_schema()["$defs"])


@pytest.mark.parametrize("style", STYLES)
def test_threads_do_not_share_union_state(style: Style) -> None:
    from concurrent.futures import ThreadPoolExecutor

    tool = adapters(style, "anyOf")["constants"]
    values = [{"e": nest(level, UNIONS["constants"][1], {"num": level})} for level in range(30)]
    with ThreadPoolExecutor(4) as pool:
        assert [*pool.map(lambda value: dump_with(tool.result, value), values)] == values


def dump_with(adapter: Any, value: Any) -> Any:
    read = adapter.validate_python(value, by_alias=True, by_name=False)
    if isinstance(read, dict):
        return read
    return adapter.dump_python(read, by_alias=True, exclude_unset=True)


@pytest.mark.parametrize("style", STYLES)
def test_union_in_property_is_read_in_linear_time(style: Style) -> None:
    branch: Json = {"$ref": "#/$defs/Branch"}
    union: Json = {"anyOf": [branch, NUMBER]}
    schema: Json = {
        "type": "object",
        "properties": {"root": branch},
        "$defs": {"Branch": record(left=union, right=union)},
    }
    tools: dict[str, Json] = {
        "grow": {"name": "grow", "inputSchema": schema, "outputSchema": schema}
    }
    module = import_client(Contract(tools=tools), f"recursive_property_{style}", style)
    tool = importlib.import_module(f"{module.__name__}.models.grow").TOOL
    leaf: Json = {"num": 1}
    value: Json = {"left": leaf, "right": leaf}
    for _ in range(64):
        value = {"left": value, "right": leaf}
    for adapter in (tool.arguments, tool.result):
        with ending():
            assert dump_with(adapter, {"root": value}) == {"root": value}
        with pytest.raises(ValidationError):
            adapter.validate_python({"root": {"left": leaf, "right": {"num": "1"}}})
