"""Scripts receive the data of results if the observed results had data."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import anyio
import pytest
from paths import ROOT
from servers.unpromising import ANSWERS, make_result

from mcpgen.contract.document import read
from mcpgen.jsontext import Json, loads
from mcpgen.project.observed import with_observed
from mcpgen.scripting.broker import Broker, CallError, ScriptServer

CASE = ROOT / "golden" / "observed"


def script_value(tool: str, answer: Any = None, **result: Any) -> Json:
    """Return the value that a script receives for a response."""
    contract = read(loads((CASE / "contract.json").read_bytes()))
    observed = CASE / "contract.observed.json"
    contract, _ = with_observed(contract, observed.read_bytes(), observed.name)

    async def send(name: str, arguments: Mapping[str, Json]) -> Mapping[str, Json]:
        del arguments
        return answer or ANSWERS[name]

    broker = Broker({"notes": ScriptServer.from_contract(contract, send)}, confirm_when="never")
    return anyio.run(lambda: broker.call("notes", tool, (), result))


def test_data_is_given_as_it_was_observed() -> None:
    assert script_value("find_notes", query="a") == json.loads(
        ANSWERS["find_notes"]["content"][0]["text"]
    )
    assert script_value("list_tags")[0] == {"name": "sea", "count": 2}
    assert [row["id"] for row in script_value("read_rows")] == [1, 2]
    assert script_value("stats") == {"notes": 2, "bytes": 2.5}
    assert script_value("run_query", query="a") == {"rows": [["a", 1, None]]}
    assert script_value("anything") == [{"id": 1}]
    assert script_value("motd") == "Sea and sky"


def test_another_answer_is_given_as_it_is() -> None:
    assert script_value("find_notes", make_result("none"), query="a") == "none"
    assert script_value("read_rows", make_result({"id": 7})) == [{"id": 7}]
    assert script_value("motd", make_result('{"a": 1}')) == '{"a": 1}'


def test_declared_output_schema_is_still_validated() -> None:
    with pytest.raises(CallError, match="run_query"):
        script_value("run_query", make_result("3", structured={"result": 3}), query="a")
