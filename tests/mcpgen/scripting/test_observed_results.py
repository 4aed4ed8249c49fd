"""Scripts are given the data of answers where others were observed to have it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import anyio
import pytest
from paths import ROOT
from servers.unpromising import ANSWERS, said

from mcpgen.contract.document import read
from mcpgen.jsontext import Json, loads
from mcpgen.project.observed import with_observed
from mcpgen.scripting.broker import Broker, CallError, Served

CASE = ROOT / "golden" / "observed"


def answered(tool: str, answer: Any = None, **given: Any) -> Json:
    """Return the value that a script receives for a response."""
    contract = read(loads((CASE / "contract.json").read_bytes()))
    observed = CASE / "contract.observed.json"
    contract, _ = with_observed(contract, observed.read_bytes(), observed.name)

    async def send(name: str, arguments: Mapping[str, Json]) -> Mapping[str, Json]:
        del arguments
        return answer or ANSWERS[name]

    broker = Broker({"notes": Served.from_contract(contract, send)}, confirm_when="never")
    return anyio.run(lambda: broker.call("notes", tool, (), given))


def test_data_is_given_as_it_was_observed() -> None:
    assert answered("find_notes", query="a") == json.loads(
        ANSWERS["find_notes"]["content"][0]["text"]
    )
    assert answered("list_tags")[0] == {"name": "sea", "count": 2}
    assert [row["id"] for row in answered("read_rows")] == [1, 2]
    assert answered("stats") == {"notes": 2, "bytes": 2.5}
    assert answered("run_query", query="a") == {"rows": [["a", 1, None]]}
    assert answered("anything") == [{"id": 1}]
    assert answered("motd") == "Sea and sky"


def test_another_answer_is_given_as_it_is() -> None:
    assert answered("find_notes", said("none"), query="a") == "none"
    assert answered("read_rows", said({"id": 7})) == [{"id": 7}]
    assert answered("motd", said('{"a": 1}')) == '{"a": 1}'


def test_declared_output_schema_is_still_validated() -> None:
    with pytest.raises(CallError, match="run_query"):
        answered("run_query", said("3", structured={"result": 3}), query="a")
