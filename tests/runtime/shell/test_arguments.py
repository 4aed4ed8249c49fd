"""The words of a command line become arguments of the types in the schema."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from guards import ending
from mcpgen_runtime.shell.arguments import ParsedArguments
from mcpgen_runtime.shell.guide import guide
from mcpgen_runtime.shell.options import Options, WordsError, find_name
from shell_arguments import FLAG, TEXT, WHOLE

OWN = {"--save": True, "--json": False, "-q": False, "--help": False}


def read_args(schema: Any, *args: str) -> ParsedArguments:
    options = Options.from_schema("tool", schema)
    read = ParsedArguments(options, lambda arg: OWN.get(arg.partition("=")[0]))
    read.read(args)
    return read


def arguments_of(properties: Mapping[str, Any], *args: str, **more: Any) -> dict[str, Any]:
    return read_args({"type": "object", "properties": properties, **more}, *args).arguments


@pytest.mark.parametrize(
    ("schema", "args", "value"),
    [
        (TEXT, ["--x", "night"], "night"),
        (TEXT, ["--x=5"], "5"),
        (TEXT, ["--x", "-5"], "-5"),
        (TEXT, ["--x", ""], ""),
        (TEXT, ["--x", "null"], "null"),
        (TEXT, ["--x=a=b"], "a=b"),
        (WHOLE, ["--x", "5"], 5),
        (WHOLE, ["--x", "-5"], -5),
        (WHOLE, ["--x", "5.0"], 5),
        ({"type": "number"}, ["--x", "1e3"], 1000.0),
        (FLAG, ["--x"], True),
        (FLAG, ["--no-x"], False),
        (FLAG, ["--x=false"], False),
        ({"type": ["boolean", "null"]}, ["--x=null"], None),
        ({"enum": ["a", 1, None]}, ["--x", "1"], 1),
        ({"enum": ["a", 1, None]}, ["--x", "null"], None),
        ({"const": "only"}, ["--x", "only"], "only"),
        ({"type": ["integer", "null"]}, ["--x", "null"], None),
        ({"anyOf": [WHOLE, {"type": "null"}]}, ["--x", "7"], 7),
        ({"anyOf": [WHOLE, TEXT]}, ["--x", "7"], 7),
        ({"anyOf": [WHOLE, TEXT]}, ["--x", "seven"], "seven"),
        ({"anyOf": [WHOLE, TEXT]}, ['--x:="7"'], "7"),
        ({}, ["--x", '{"a": 1}'], {"a": 1}),
        ({}, ["--x", "words"], "words"),
        ({"type": "object"}, ["--x", '{"a": 1}'], {"a": 1}),
        ({"type": "array", "items": TEXT}, ["--x", "a", "--x", "b"], ["a", "b"]),
        ({"type": "array", "items": TEXT}, ["--x", '["a", "b"]'], ["a", "b"]),
        ({"type": "array", "items": WHOLE}, ["--x", "1", "--x=2"], [1, 2]),
        ({"type": "array", "items": TEXT}, ["--x", "1"], ["1"]),
        ({"type": "array"}, ["--x:=[]"], []),
        ({"type": "array", "items": {"type": "array"}}, ["--x", "[1]", "--x", "[2]"], [[1], [2]]),
        ({"anyOf": [TEXT, {"type": "array", "items": TEXT}]}, ["--x", "a"], "a"),
        (
            {"anyOf": [TEXT, {"type": "array", "items": TEXT}]},
            ["--x", "a", "--x", "b"],
            ["a", "b"],
        ),
        (
            {"anyOf": [TEXT, {"type": "array", "items": WHOLE}]},
            ["--x", "1", "--x", "2", "--x=3"],
            [1, 2, 3],
        ),
        ({"$ref": "#/$defs/n"}, ["--x", "3"], 3),
        ({"allOf": [{"$ref": "#/$defs/n"}]}, ["--x", "3"], 3),
    ],
)
def test_argument_is_parsed_by_its_schema(schema: Any, args: list[str], value: Any) -> None:
    result = arguments_of({"x": schema}, *args, **{"$defs": {"n": WHOLE}})["x"]
    assert (result, type(result)) == (value, type(value))


@pytest.mark.parametrize("arg", ["--max_results", "--max-results", "--maxResults", "--MAX-RESULTS"])
@pytest.mark.parametrize("name", ["max_results", "maxResults", "max-results"])
def test_a_name_may_be_written_with_dashes(name: str, arg: str) -> None:
    assert arguments_of({name: WHOLE}, arg, "5") == {name: 5}


def test_similar_names_are_matched_exactly() -> None:
    both = {"get_id": TEXT, "get-id": TEXT}
    assert arguments_of(both, "--get_id", "a", "--get-id", "b") == {"get_id": "a", "get-id": "b"}


def test_members_of_objects_have_dots() -> None:
    inner = {"type": "object", "properties": {"genre": TEXT, "year": WHOLE}}
    args = ["--filter", '{"genre": "crime"}', "--filter.year", "1998"]
    assert arguments_of({"filter": inner}, *args) == {"filter": {"genre": "crime", "year": 1998}}
    assert arguments_of({"filter": inner}, *args[2:], *args[:2]) == {
        "filter": {"genre": "crime", "year": 1998}
    }
    assert arguments_of(
        {"env": {"type": "object", "additionalProperties": WHOLE}}, "--env.A", "1"
    ) == {"env": {"A": 1}}


def test_arguments_are_also_given_as_assignments() -> None:
    properties = {"query": TEXT, "maxResults": WHOLE, "id": TEXT}
    assert arguments_of(properties, "query=a=b", "max-results=3", 'id:="5"') == {
        "query": "a=b",
        "maxResults": 3,
        "id": "5",
    }


def test_property_name_with_a_dot_is_matched_first() -> None:
    properties = {"a.b": TEXT, "a": {"type": "object", "properties": {"b": WHOLE}}}
    assert arguments_of(properties, "--a.b", "1") == {"a.b": "1"}


def test_recursive_schema_is_parsed() -> None:
    node = {"type": "object", "properties": {"next": {"$ref": "#/$defs/node"}, "n": WHOLE}}
    schema = {**node, "$defs": {"node": node}}
    assert read_args(schema, "--next.next.n", "3").arguments == {"next": {"next": {"n": 3}}}
    endless = {"properties": {"a": {"$ref": "#/$defs/a"}}, "$defs": {"a": {"$ref": "#/$defs/a"}}}
    assert read_args(endless, "--a", "x").arguments == {"a": "x"}


@pytest.mark.parametrize(
    ("schema", "args", "problem", "hint"),
    [
        (WHOLE, ["--x", "many"], "--x: 'many' is not a whole number", ""),
        (WHOLE, ["--x", "1.5"], "--x: '1.5' is not a whole number", ""),
        (WHOLE, ["--x", "NaN"], "--x: 'NaN' is not a whole number", ""),
        ({"enum": ["crime"]}, ["--x", "crim"], "is not one of crime", "did you mean crime?"),
        (TEXT, ["--y", "1"], "tool has no argument --y", "did you mean --x?"),
        (TEXT, ["--x"], "--x needs a value", "it is a text"),
        (TEXT, ["--x", "--save", "d"], "--x needs a value", ""),
        (TEXT, ["--x", "a", "--x", "b"], "--x is given twice", ""),
        (TEXT, ["night"], "the word 'night' belongs to no option", "such as --x TEXT"),
        (TEXT, ["y=1"], "the word 'y=1' belongs to no option", "such as --x TEXT"),
        (FLAG, ["--x", "true"], "the word 'true' belongs to no option", "--flag=true"),
        (TEXT, ["--x:=a"], "'a' isn't JSON", ""),
    ],
)
def test_unparsable_argument_has_problem_and_hint(
    schema: Any, args: list[str], problem: str, hint: str
) -> None:
    with pytest.raises(WordsError) as raised:
        arguments_of({"x": schema}, *args)
    assert problem in raised.value.problem
    assert hint in raised.value.hint


def test_an_open_schema_takes_no_slip_for_an_argument() -> None:
    with pytest.raises(WordsError, match="no argument --querry"):
        arguments_of({"query": TEXT}, "--querry", "x")
    assert arguments_of({}, "--any", "1", additionalProperties=WHOLE) == {"any": 1}


def test_command_options_pass_through_unless_the_tool_has_them() -> None:
    read = read_args(
        {"properties": {"json": FLAG, "x": TEXT}}, "--save", "d", "--json", "-q", "--x=a"
    )
    assert read.passed_on == ["--save", "d", "-q"]
    assert read.arguments == {"json": True, "x": "a"}


def test_options_come_over_the_arguments_of_stdin() -> None:
    read = read_args(
        {"properties": {"a": {"properties": {"b": WHOLE}}, "c": TEXT}}, "-", "--a.b", "2"
    )
    assert read.is_from_stdin
    assert read.with_base('{"a": {"b": 1, "d": 3}, "c": "x"}') == {
        "a": {"b": 2, "d": 3},
        "c": "x",
    }
    for text in ("[]", "no", '{"a": NaN}'):
        with pytest.raises(WordsError, match="stdin"):
            read.with_base(text)


def test_tool_name_accepts_dashes() -> None:
    assert (
        find_name("search-catalogue", ["search_catalogue", "other"], "tool") == "search_catalogue"
    )
    assert find_name("a_b", ["a_b", "a-b"], "tool") == "a_b"
    with pytest.raises(WordsError, match="did you mean search-catalogue"):
        find_name("search", ["search_catalogue", "other"], "tool")
    with pytest.raises(WordsError, match="there are a_b and a-b"):
        find_name("aB", ["a_b", "a-b"], "tool")


ENDLESS = {
    "properties": {"a": {"$ref": "#/$defs/a"}},
    "$defs": {"a": {"anyOf": [{"$ref": "#/$defs/a"}] * 9, "oneOf": [{"$ref": "#/$defs/a"}] * 9}},
}


@pytest.mark.parametrize(
    "schema",
    [
        ENDLESS,
        {"properties": {"a": []}},
        {"properties": {"": {}, "a b": {}, "--": {}, "\x1b": {}}, "required": {}},
        {"properties": {"a": {"enum": []}, "b": {"enum": [{}, [], 1.5]}, "c": {"enum": 1}}},
        {"properties": {"a": {"anyOf": [{"enum": [{}]}, {"enum": [[]]}, 1]}}},
        {"properties": {"a": {"type": ["x", 1], "items": [{}], "description": 1}}},
        {"properties": {"a": {"$ref": "#/%"}, "b": {"$ref": "x"}, "c": {"$ref": "#/properties/9"}}},
        {"properties": {"a": {"minimum": True, "pattern": [], "format": 1, "default": {}}}},
        {"properties": {"a": {"type": "array", "items": {"properties": 1}}}},
    ],
    ids=str,
)
def test_odd_schema_is_parsed_as_far_as_possible(schema: Any) -> None:
    with ending(10.0):
        options = Options.from_schema("tool", schema)
        assert guide({"name": "tool", "inputSchema": schema}, "x", 80).startswith("Usage: x tool")
    for option in options.by_name.values():
        assert options.find(option.name) is option
