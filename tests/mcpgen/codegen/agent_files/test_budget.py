"""The token costs of tools: `mcpgen budget`, and subschemas that can move into `$defs`."""

from __future__ import annotations

import contextlib
import json
from pathlib import Path
from typing import Any

import pytest
from hard_schemas import HARD
from paths import CORPUS, SUPPORT

from mcpgen.cli.app import run
from mcpgen.codegen.agent_files.budget import (
    WAYS,
    budget,
    cost,
    definition_for_model,
    estimate_tokens,
)
from mcpgen.codegen.agent_files.hoisting import hoist
from mcpgen.contract.document import Contract, read
from mcpgen.jsontext import Json, loads
from mcpgen.schemas.examples import NoExampleError, example
from mcpgen.schemas.validation import schemas

BOOKS = SUPPORT / "documentation" / "linting" / "books.json"

POINT: Json = {
    "type": "object",
    "properties": {"lat": {"type": "number"}, "lon": {"type": "number", "maximum": 180}},
    "required": ["lat", "lon"],
}
LINE: Json = {"type": "array", "items": POINT, "minItems": 2, "description": "From one to another."}


def test_definition_counts_only_properties_sent_by_hosts() -> None:
    tool = {"name": "a", "description": "B\u00e9.", "outputSchema": POINT, "annotations": {}}
    assert definition_for_model(tool) == '{"name":"a","description":"B\u00e9."}'
    counted = cost(tool)
    assert (counted.size.bytes, counted.size.characters) == (33, 32)
    assert counted.size.tokens == estimate_tokens(definition_for_model(tool))
    assert counted.output == estimate_tokens(json.dumps(POINT, separators=(",", ":")))


def test_the_parts_of_a_tool_are_all_of_it() -> None:
    tool = loads(BOOKS.read_bytes(), "books.json")["tools"][0]
    counted = cost(tool)
    assert sum(counted.parts.values()) == counted.size.tokens
    assert list(counted.arguments) == ["order", "genres", "query"]  # the heaviest first


def schema(**properties: Json) -> dict[str, Json]:
    return {"type": "object", "properties": properties}


def test_hoist_defines_repeated_subschemas_once() -> None:
    assert hoist(schema(to=POINT, **{"from": POINT})) == {
        **schema(to={"$ref": "#/$defs/P1"}, **{"from": {"$ref": "#/$defs/P1"}}),
        "$defs": {"P1": POINT},
    }


def test_hoist_handles_repeats_inside_repeats() -> None:
    short = hoist(schema(a=LINE, b=LINE, c=POINT))
    assert short["properties"]["a"] == short["properties"]["b"] == {"$ref": "#/$defs/P1"}
    assert short["$defs"]["P1"] == {**LINE, "items": {"$ref": "#/$defs/P2"}}
    assert short["$defs"]["P2"] == POINT


@pytest.mark.parametrize(
    "whole",
    [
        schema(a=POINT, b=LINE["items"]["properties"]["lat"]),
        schema(a={"type": "string"}, b={"type": "string"}),  # shorter than a reference
        schema(a=POINT, b=POINT, c={"$ref": "#/properties/a"}),
        schema(a=POINT, b=POINT, c={"$anchor": "here"}),
        schema(a=POINT, b=POINT, c={"$id": "https://example.org/c"}),
        {**schema(a=POINT, b=POINT), "definitions": {}},
        schema(a={"enum": [POINT, POINT]}, b={"default": POINT}),  # values are not schemas
        True,
        None,
    ],
    ids=repr,
)
def test_hoist_keeps_immovable_subschemas(whole: Json) -> None:
    assert hoist(whole) is whole


def test_hoist_keeps_existing_definition_names() -> None:
    whole = {**schema(a=LINE, b=LINE), "$defs": {"P1": {"type": "null"}}}
    short = hoist(whole)
    assert short["$defs"] == {"P1": {"type": "null"}, "P2": LINE}


def expand_references(value: Json, definitions: dict[str, Json]) -> Json:
    if isinstance(value, dict):
        name = str(value.get("$ref", "")).removeprefix("#/$defs/")
        if name in definitions:
            return expand_references(definitions[name], definitions)
        return {key: expand_references(inner, definitions) for key, inner in value.items()}
    return (
        [expand_references(item, definitions) for item in value]
        if isinstance(value, list)
        else value
    )


def corpus(name: str) -> Contract:
    path = CORPUS / "live" / name
    if not path.is_file():
        pytest.skip("the corpus is not here: set MCPGEN_CORPUS")
    return read(loads(path.read_bytes(), str(path)))


def test_a_schema_with_definitions_is_the_same_schema() -> None:
    shorter = 0
    for raw in corpus("mcp-neo4j-data-modeling.json").tools.values():
        whole: Any = raw["inputSchema"]
        short = hoist(whole)
        if short is whole:
            continue
        shorter += 1
        own = whole.get("$defs", {})
        result = {key: item for key, item in short["$defs"].items() if key not in own}
        rest = {key: item for key, item in short.items() if key != "$defs"}
        assert expand_references(rest, result) == {
            key: whole[key] for key in whole if key != "$defs"
        }
        assert expand_references({key: short["$defs"][key] for key in own}, result) == own
        assert schemas.problem(short) is None
        assert len(json.dumps(short)) < len(json.dumps(whole))
    assert shorter > 5


@pytest.mark.parametrize("part", HARD.values(), ids=HARD)
def test_hoisted_hard_schemas_accept_the_same_values(part: Json) -> None:
    whole = schema(a=part, b=part)
    short = hoist(whole)
    cost({"name": "a", "inputSchema": part})
    if short is whole or schemas.problem(whole):
        return
    assert schemas.problem(short) is None
    with contextlib.suppress(NoExampleError):
        value = example(part)
        for tried in (value, None, 3, "text", [value], {"a": value}):
            both = {"a": tried, "b": value}
            verdicts = [schemas.validator(item).is_valid(both) for item in (whole, short)]
            assert verdicts[0] == verdicts[1], both


def close(count: int) -> Any:
    """Tolerate the rounding differences of token counts."""
    return pytest.approx(count, abs=2)


def test_each_saving_matches_its_estimate() -> None:
    wordy = "Say where it is. " + "Of this and that and others. " * 20
    tool: dict[str, Json] = {
        "name": "go",
        "inputSchema": {
            **schema(
                a={"type": "integer", "maximum": 2**53 - 1, "title": "A"},
                b={"type": "string", "title": "Beta", "description": wordy},
                c=LINE,
                d=LINE,
            ),
            "$schema": "http://json-schema.org/draft-07/schema#",
        },
    }
    saved = cost(tool).saved
    assert saved["hoist"] == estimate_tokens(definition_for_model(tool)) - estimate_tokens(
        definition_for_model({**tool, "inputSchema": hoist(tool["inputSchema"])})
    )
    assert saved["hoist"] > 20
    assert saved["shorten"] == close(estimate_tokens(wordy) - estimate_tokens("Say where it is."))
    dropped = (
        ',"maximum":9007199254740991,"title":"A"',
        ',"$schema":"http://json-schema.org/draft-07/schema#"',
    )
    assert saved["plain"] == close(sum(map(estimate_tokens, dropped)))
    assert saved.keys() == WAYS.keys()


def test_repeated_description_is_counted_once_per_tool() -> None:
    text = "The id of the project, as list_projects returns it."
    tools = [
        {"name": name, "inputSchema": schema(project={"type": "string", "description": text})}
        for name in ("a", "b", "c")
    ]
    (repeated,) = budget(read({"tools": tools})).repeated
    assert (repeated.text, repeated.tools) == (text, ("a", "b", "c"))
    assert repeated.tokens == 2 * estimate_tokens(text)


# -- the command ----------------------------------------------------------------------------------


TEXT = """\
books: 2 tools, 522 bytes, about 120 tokens

 tokens  share    bytes  tool and largest part
     88   73 %      382  find_books: structure 53 %, texts of arguments 30 %
     33   27 %      140  delete_book: structure 91 %, description 9 %
"""


def run_budget(capsys: pytest.CaptureFixture[str], *args: str) -> str:
    capsys.readouterr()
    assert run(["budget", *args]) == 0
    return capsys.readouterr().out


def test_the_heaviest_tool_stands_first(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    assert run_budget(capsys, str(BOOKS)) == TEXT


def test_json_has_every_tool_and_their_sum(capsys: pytest.CaptureFixture[str]) -> None:
    document = json.loads(run_budget(capsys, str(BOOKS), "--json"))
    assert [item["tool"] for item in document["tools"]] == ["find_books", "delete_book"]
    for key in ("bytes", "characters", "tokens"):
        assert document[key] == sum(item[key] for item in document["tools"])
    assert document["tools"][1] == {
        "tool": "delete_book",
        "bytes": 140,
        "characters": 140,
        "tokens": 33,
        "parts": {"description": 3, "texts of arguments": 0, "choices": 0, "structure": 30},
        "arguments": {"id": 7},
        "saved": {"hoist": 0, "shorten": 0, "plain": 0},
        "outputSchema": 0,
    }
    assert (document["encoding"], document["notices"]) == ("o200k", [])


def test_many_tools_are_counted_together(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    tools = [{"name": f"tool_{n}", "inputSchema": schema()} for n in range(25)]
    (tmp_path / "many.json").write_text(json.dumps({"tools": tools}))
    output = run_budget(capsys, str(tmp_path / "many.json"))
    assert "5 more (-v)" in output
    assert "more (-v)" not in run_budget(capsys, str(tmp_path / "many.json"), "-v")


def test_names_of_others_do_nothing_at_a_terminal(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    name = "x\x1b[2J\ny"
    displayed: Json = {"type": "string", "description": f"{name} {'of others ' * 9}"}
    tools = [{"name": name + end, "inputSchema": schema(**{name: displayed})} for end in "ab"]
    (tmp_path / "x.json").write_text(json.dumps({"tools": tools, "server": {"name": name}}))
    output = run_budget(capsys, str(tmp_path / "x.json"))
    assert "\x1b" not in output
    assert not any(line.startswith("y") for line in output.splitlines())


def test_budget_of_no_tools_is_zero(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "none.json").write_text('{"tools": []}')
    assert "0 tools, 0 bytes, about 0 tokens" in run_budget(capsys, str(tmp_path / "none.json"))
