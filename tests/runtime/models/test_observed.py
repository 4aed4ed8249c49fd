"""Observed result types: a mismatch returns plain data and is never an invalid result."""

from __future__ import annotations

import json
import sys
import warnings
from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import anyio
import pytest
from guards import patient
from mcp import StdioServerParameters
from mcpgen_runtime.models import observed as runtime_observed
from observed_notes import CASE, contract, notes
from paths import ROOT
from runtime.packages import STYLES, Style, import_client
from servers.unpromising import ANSWERS, NOTE, make_result, server

SERVER = ROOT / "tests" / "support" / "servers" / "unpromising.py"
ODD_NOTE = {"title": "Sea", "score": "high", "author": None, "more": [1]}
ODD = make_result({"items": [NOTE, ODD_NOTE], "by_tag": {"sea": 1, "sky": "two"}})


def using(act: Callable[[Any], Awaitable[Any]], style: Style = "dataclass", **options: Any) -> Any:
    """Connect to a server with the recorded responses, overridden by `answers`."""
    answers = {**ANSWERS, **options.pop("answers", {})}
    options = {"verify": "error", **options}

    async def inside() -> Any:
        serving = server(CASE / "contract.json", answers)
        async with notes(style).Client.connect(serving, **options) as client:
            return await act(client)

    with patient():
        return anyio.run(inside)


async def every(client: Any) -> dict[str, Any]:
    return {
        "find_notes": await client.find_notes(query="night"),
        "list_tags": await client.list_tags(),
        "read_rows": await client.read_rows(),
        "count_notes": await client.count_notes(),
        "stats": await client.stats(),
        "run_query": await client.run_query(query="all"),
        "motd": await client.motd(),
        "anything": await client.anything(),
        "seen_once": await client.seen_once(),
    }


def check(package: Any, result: dict[str, Any]) -> None:
    """Assert that all results have their observed types."""
    notes_found = result["find_notes"]
    assert isinstance(notes_found, package.FindNotesOutput)
    assert (notes_found.total, notes_found.by_tag) == (1, {"sea": 1})
    note = notes_found.items[0]
    assert (note.score, note.from_) == (0.5, None)
    assert note.modified == datetime(2024, 5, 1, 10, tzinfo=timezone.utc)
    assert package.extras(notes_found) == {"new": True}
    assert package.raw_json(note) == NOTE
    assert [(tag.name, tag.count) for tag in result["list_tags"]] == [("sea", 2), ("sky", None)]
    assert [row.id for row in result["read_rows"]] == [1, 2]
    assert type(result["read_rows"][1].note) is type(note)
    assert result["count_notes"] == 3
    assert (result["stats"].notes, result["stats"].bytes) == (2, 2.5)
    assert result["run_query"].rows == [["a", 1, None]]
    assert result["motd"] == "Sea and sky"
    assert [item.id for item in result["anything"]] == [1]
    assert result["seen_once"].ok is True


def test_observed_types_parse_results_without_drift() -> None:
    check(notes(), using(every))


def test_replayed_response_has_the_observed_type(tmp_path: Path) -> None:
    package, path = notes(), tmp_path / "calls.jsonl"
    live = using(every, record=path)

    async def act() -> Any:
        async with package.Client.connect(replay=path) as client:
            return await every(client)

    again = anyio.run(act)
    check(package, again)
    assert again == live
    lines = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    assert {line["name"]: line["result"]["content"] for line in lines} == {
        tool: answer["content"] for tool, answer in ANSWERS.items()
    }


def test_replayed_mismatch_is_reported(tmp_path: Path) -> None:
    package, path = notes(), tmp_path / "calls.jsonl"

    async def find(client: Any) -> Any:
        return await client.find_notes(query="sea")

    live = using(find, answers={"find_notes": ODD}, record=path, unexpected="ignore")

    async def act() -> Any:
        async with package.Client.connect(replay=path, unexpected="error") as client:
            with pytest.raises(package.UnexpectedResult) as raised:
                await find(client)
            return raised.value.data

    assert anyio.run(act) == live


@pytest.mark.slow
@pytest.mark.parametrize("revision", ["2025-11-25", "2026-07-28"])
def test_stdio_server_without_output_schemas_returns_observed_types(revision: str) -> None:
    package = import_client(
        replace(contract(), revision=revision), f"notes_{revision.replace('-', '_')}"
    )
    command = [str(SERVER), str(CASE / "contract.json")]
    started = StdioServerParameters(command=sys.executable, args=command)

    async def act() -> dict[str, Any]:
        async with package.Client.connect(started, verify="error") as client:
            assert client.session.protocol_version == revision
            return await every(client)

    with patient():
        check(package, anyio.run(act))
        with package.Client.sync.connect(started, verify="error") as client:
            assert client.find_notes(query="night").items[0].title == "Night"
            assert client.motd() == "Sea and sky"


# Mismatches


@pytest.mark.parametrize("style", ["dataclass", "basemodel"])
def test_mismatch_returns_partial_data_with_a_warning(style: Style) -> None:
    package = notes(style)

    async def act(client: Any) -> Any:
        with pytest.warns(package.UnexpectedResult) as warned:
            return await client.find_notes(query="sea"), warned[0]

    result, warning = using(act, style, answers={"find_notes": ODD})
    assert isinstance(result, package.FindNotesOutput)
    assert result.items[0].title == "Night"
    odd = result.items[1]
    assert (type(odd), odd.title, odd.path) == (type(result.items[0]), "Sea", None)
    assert (odd.score, odd.author, odd.modified) == ("high", None, None)
    assert package.extras(odd) == {"more": [1]}
    assert (result.total, result.by_tag) == (None, {"sea": 1, "sky": "two"})
    assert warning.filename == __file__
    assert str(warning.message).splitlines() == [
        "find_notes: the result differs from the observed ones",
        "  /items/1/path: Field required",
        "  /items/1/score: its type differs from the observed one",
        "  /total: Field required",
        "  /by_tag/sky: its type differs from the observed one",
    ]
    if style == "dataclass":
        assert package.raw_json(odd) == ODD_NOTE


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize(
    "answer", [make_result("no notes"), make_result([1]), make_result("a", "b"), make_result()]
)
def test_response_of_another_kind_returns_its_data(style: Style, answer: Any) -> None:
    async def act(client: Any) -> Any:
        return await client.find_notes(query="sea")

    result = using(act, style, answers={"find_notes": answer}, unexpected="ignore")
    texts = [block["text"] for block in answer["content"]]
    assert result == ([1] if texts == ["[1]"] else "\n".join(texts))


def test_typed_dicts_stay_unchanged() -> None:
    async def act(client: Any) -> Any:
        return await client.find_notes(query="sea")

    result = using(act, "typeddict", answers={"find_notes": ODD}, unexpected="ignore")
    assert result["items"][1] == ODD_NOTE


def test_mismatch_raises_with_the_data_if_requested() -> None:
    package = notes()

    async def act(client: Any) -> Any:
        with pytest.raises(package.UnexpectedResult) as raised:
            await client.find_notes(query="sea")
        return raised.value

    error = using(act, answers={"find_notes": ODD}, unexpected="error")
    assert isinstance(error, package.ClientError)
    assert not isinstance(error, package.InvalidResult)
    assert (error.tool, error.data.items[1].score) == ("find_notes", "high")
    assert error.result.content[0].text == ODD["content"][0]["text"]
    assert error.problems[0].pointer == "/items/1/path"


def test_text_stays_text_with_the_content_at_hand() -> None:
    package = notes()
    picture = {"type": "image", "data": "aGVsbG8=", "mimeType": "image/png"}
    answer = {"content": [{"type": "text", "text": "Look"}, picture]}

    async def act(client: Any) -> Any:
        with pytest.warns(package.UnexpectedResult, match="it is not one text"):
            return await client.response(client.motd)

    response = using(act, answers={"motd": answer})
    assert (response.data, response.images[0].data) == ("Look", b"hello")


def test_text_that_looks_like_json_stays_text() -> None:
    async def act(client: Any) -> Any:
        return await client.motd()

    assert using(act, answers={"motd": make_result('{"a": 1}')}) == '{"a": 1}'


def test_declared_output_schema_is_still_validated() -> None:
    package = notes()

    async def act(client: Any) -> None:
        with pytest.raises(package.InvalidResult):
            await client.run_query(query="all")
        with pytest.raises(package.InvalidResult):
            await client.stats()

    broken = {
        "run_query": make_result("3", structured={"result": 3}),
        "stats": make_result("a", "b"),
    }
    using(act, answers=broken)


def test_single_item_of_a_list_is_a_list() -> None:
    async def act(client: Any) -> Any:
        return await client.read_rows()

    (row,) = using(act, answers={"read_rows": make_result({"id": 7})})
    assert row.id == 7
    assert using(act, answers={"read_rows": make_result()}) == []


def test_repeated_warning_is_shown_once_and_bounded() -> None:
    async def act(client: Any) -> int:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("default")
            for _ in range(3):
                await client.count_notes()
        return len(caught)

    assert using(act, answers={"count_notes": make_result("none")}) == 1
    runtime_observed._warned |= {str(n): 1 for n in range(2_000)}
    using(act, answers={"count_notes": make_result("many")})
    assert len(runtime_observed._warned) < 10


def test_observed_type_support_loads_only_if_needed() -> None:
    files = sys.modules.keys()
    plain = import_client(replace(contract(), observed={}), "notes_plain")

    async def act() -> Any:
        serving = server(CASE / "contract.json", ANSWERS)
        async with plain.Client.connect(serving) as client:
            return await client.motd()

    with patient():
        assert anyio.run(act).text == "Sea and sky"
    assert "notes_plain._runtime.observed" not in files
