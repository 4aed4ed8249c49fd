"""The file of observed types survives a round trip, and errors in it name the pointer."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from mcpgen.contract.observation.document import (
    Observed,
    ObservedTool,
    as_json,
    load,
    observed_path,
    read,
)
from mcpgen.errors import ContractError

HASH = "0123456789abcdef"
SCHEMA = {"type": "object", "properties": {"b": {"type": "string"}, "a": {"type": "null"}}}


def entry(**members: Any) -> dict[str, Any]:
    return {"answers": 5, "definition": HASH, "from": "json", "schema": SCHEMA, **members}


def document(**tools: Any) -> dict[str, Any]:
    return {"mcpgenObserved": 1, "tools": tools}


def test_file_round_trips() -> None:
    text = {"answers": 1, "definition": HASH, "from": "text"}
    message = document(search=entry(seen={"": {"object": 5}}), about=text)
    observed = read(message)
    assert as_json(observed) == message
    assert observed.tools["search"] == ObservedTool(
        "search", 5, HASH, "json", SCHEMA, {"": {"object": 5}}
    )
    assert observed.tools["about"].schema is None
    assert list(observed.tools) == ["about", "search"]


def test_bytes_do_not_depend_on_property_order() -> None:
    turned = {"schema": dict(reversed(SCHEMA.items())), "from": "json", "definition": HASH}
    other = read(document(b=entry(), a={**turned, "answers": 5}))
    same = read(document(a=entry(), b={**turned, "answers": 5}))
    assert other.text() == same.text()
    assert other.text().endswith("}\n")


def test_additions_of_newer_versions_are_ignored() -> None:
    text = {**document(search=entry(later=1)), "later": 2}
    assert as_json(read(text)) == document(search=entry())


@pytest.mark.parametrize(
    ("message", "where", "problem"),
    [
        ([], "", "isn't an observed file"),
        ({"tools": {}}, "", "isn't an observed file"),
        ({"mcpgenObserved": 2, "tools": {}}, "/mcpgenObserved", "format 2"),
        ({"mcpgenObserved": True, "tools": {}}, "/mcpgenObserved", "format"),
        ({"mcpgenObserved": 1}, "/tools", "object"),
        (document(a=1), "/tools/a", "object"),
        ({"mcpgenObserved": 1, "tools": {"a/b": 1}}, "/tools/a~1b", "object"),
        (document(a=entry(answers=0)), "/tools/a/answers", "1 or more"),
        (document(a=entry(answers=True)), "/tools/a/answers", "counted"),
        (document(a=entry(definition="x")), "/tools/a/definition", "16 hexadecimal"),
        (document(a=entry(**{"from": "guess"})), "/tools/a/from", '"json in result"'),
        (document(a=entry(**{"from": ["json"]})), "/tools/a/from", "one of"),
        (document(a=entry(schema=[])), "/tools/a/schema", "object"),
        (document(a=entry(schema={"const": float("nan")})), "/tools/a/schema", "NaN"),
        (document(a=entry(**{"from": "text"})), "/tools/a/schema", "text has no schema"),
        (document(a={"answers": 1, "definition": HASH, "from": "json"}), "/tools/a/schema", "no"),
        (document(a=entry(seen=1)), "/tools/a/seen", "object"),
    ],
)
def test_an_error_says_where_it_is(message: Any, where: str, problem: str) -> None:
    with pytest.raises(ContractError) as caught:
        read(message)
    assert caught.value.where == where
    assert problem in caught.value.problem
    with pytest.raises(ContractError) as caught:
        read(message, "x.observed.json")
    assert caught.value.where == "x.observed.json" + (f"#{where}" if where else "")


def test_a_tool_lapses_when_its_definition_changes() -> None:
    observed = read(document(a=entry(), b=entry(), c=entry()))
    assert list(observed.current({"a": HASH, "b": HASH[::-1]}).tools) == ["a"]


def test_it_lies_beside_its_contract(tmp_path: Path) -> None:
    file = observed_path(tmp_path / "bookshelf.contract.json")
    assert file == tmp_path / "bookshelf.contract.observed.json"
    assert load(file) == Observed()
    file.write_text(read(document(a=entry())).text(), encoding="utf-8")
    assert as_json(load(file)) == document(a=entry())
    file.write_text("{", encoding="utf-8")
    with pytest.raises(ContractError, match="not JSON"):
        load(file)
