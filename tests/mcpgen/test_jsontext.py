"""JSON beyond Python's limits is valid JSON. It affects only the definition it belongs to."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from mcpgen import jsontext
from mcpgen.codegen.pipeline import STYLES, Options, generate
from mcpgen.contract import document as contract
from mcpgen.errors import ContractError
from mcpgen.schemas.validation.schemas import SchemaValidator
from mcpgen.servers.endpoint.host_files import host_config
from mcpgen.servers.endpoint.host_files.reading import parse_file

FINE = '{"name": "fine", "inputSchema": {"type": "object"}}'

HELD = {
    "a whole number beyond a double": ("1e400", 10**400),
    "its negative": ("-12.5E+400", -125 * 10**399),
    "the most digits": (f"-{'9' * 4_300}", -(10**4_300) + 1),
    "the largest power": ("1e4299", 10**4_299),
    "the largest double": ("1.7976931348623157e308", 1.7976931348623157e308),
    "what rounds to nothing": ("1e-400", 0.0),
    "half of a pair": ('"\\ud800"', "\ud800"),
    "the last of two": ('{"a": 1, "a": 2}', {"a": 2}),
}
UNHELD = {
    "too many digits": "9" * 4_301,
    "too many digits below zero": f"-{'9' * 4_301}",
    "too large a power": "1e4300",
    "a power beyond all": "1e" + "9" * 30,
    "a part beyond a double": f"{'1' * 400}.5",
}
DEEP = {
    "objects": ('{"a":' * 5_000, "}" * 5_000),
    "arrays": ("[" * 5_000, "]" * 5_000),
    "beside texts that look like it": ('{"a":"[{\\"","b":' * 3_000, "}" * 3_000),
}
UNFIT = UNHELD | {name: f"{opening}0{closing}" for name, (opening, closing) in DEEP.items()}


def dump_with(value: str) -> str:
    """Return a dump of two tools, one with this JSON in its schema."""
    odd = f'{{"name": "odd", "inputSchema": {{"type": "object", "examples": [{value}]}}}}'
    return f'{{"tools": [{FINE}, {odd}]}}'


@pytest.mark.parametrize("name", HELD)
def test_representable_json_is_exact_and_flawless(name: str) -> None:
    text, value = HELD[name]
    result = jsontext.parse(text)
    assert (result, type(result)) == (value, type(value))
    assert jsontext.flaw(result) == ""
    assert jsontext.parse(jsontext.dumps(result)) == value
    (tool,) = contract.read(jsontext.parse(dump_with(text).encode())).tools["odd"]["inputSchema"][
        "examples"
    ]
    assert tool == value


@pytest.mark.parametrize("name", UNFIT)
def test_unrepresentable_json_affects_only_its_definition(name: str) -> None:
    document = jsontext.loads(dump_with(UNFIT[name]))
    assert list(contract.read(document).tools) == ["fine"]
    (notice,) = contract.left_out(document)
    assert notice.pointer == "/tools/odd"
    message = "levels deep" if name in DEEP else "neither a double nor 4,300 digits can hold"
    assert message in notice.reason


@pytest.mark.parametrize("part", ["server", "capabilities", "clientCapabilities", "origin"])
@pytest.mark.parametrize("name", ["too many digits", "objects"])
def test_unrepresentable_json_outside_lists_is_omitted_and_named(part: str, name: str) -> None:
    document = jsontext.loads(f'{{"tools": [{FINE}], "{part}": {{"x": {UNFIT[name]}}}}}')
    assert list(contract.read(document).tools) == ["fine"]
    (notice,) = contract.left_out(document)
    assert notice.pointer == f"/{part}"
    assert notice.reason.endswith("; left out")


@pytest.mark.parametrize("name", UNFIT)
def test_unrepresentable_dump_is_not_a_host_configuration(name: str, tmp_path: Path) -> None:
    path = tmp_path / "dump.json"
    path.write_text(dump_with(UNFIT[name]))
    assert not host_config.is_host_config(parse_file(path))


@pytest.mark.parametrize("text", ["", "{", "[1,]", "NaN", "[-Infinity]", '{"a":' * 5_000, "01"])
def test_invalid_json_is_rejected(text: str) -> None:
    with pytest.raises(ContractError, match="not JSON"):
        jsontext.loads(text)


@pytest.mark.parametrize("style", STYLES)
def test_bound_beyond_a_double_has_no_effect(style: str) -> None:
    schema = (
        '{"type": "object", "properties": {"a": {"type": "number", "maximum": 1e400},'
        ' "b": {"enum": [1e400, 1]}, "c": {"const": -1e400},'
        ' "d": {"type": "number", "default": 1e400},'
        ' "e": {"type": "integer", "minimum": -1e400, "multipleOf": 1}}}'
    )
    dump = f'{{"tools": [{{"name": "t", "inputSchema": {schema}, "outputSchema": {schema}}}]}}'
    package = generate(contract.read(jsontext.loads(dump)), Options(style=style))  # type: ignore[arg-type] # one of STYLES
    assert package.notices == ()
    written = json.loads(package.files["contract.json"])["tools"]["t"]["definition"]["inputSchema"]
    law = SchemaValidator(written)
    for value in ({"a": 10**400}, {"b": 10**400}, {"c": -(10**400)}, {"e": -(10**400)}):
        assert law.allows(value)
    for value in ({"a": 10**400 + 1}, {"b": 10**400 + 1}, {"c": 0}, {"e": -(10**400) - 1}):
        assert not law.allows(value)


def test_distinct_values() -> None:
    values = [1, True, {"a": 1, "b": 2}, 1.0, {"b": 2, "a": 1}, None, "1", True]
    assert jsontext.distinct(values) == [1, True, {"a": 1, "b": 2}, None, "1"]
    assert [type(value) for value in jsontext.distinct(values)][:2] == [int, bool]
